"""Where EM of a GaussianMixture starts: what the user gives, checked, and what scikit-learn's `init_params` draw."""

import numpy as np

from . import _data


def cholesky_of_inverse(covariance):
    """U with U U' = covariance^-1, upper triangular, of one matrix or a stack of them."""
    factor = np.linalg.cholesky(covariance)
    identity = np.broadcast_to(np.eye(covariance.shape[-1]), covariance.shape)
    return np.swapaxes(np.linalg.solve(factor, identity), -1, -2)


# --- what the user gives ------------------------------------------------------------------------


def given(estimator, width):
    """Pieces by name, of `weights_init`, `means_init` and `precisions_init`."""
    K, kind = estimator.n_components, estimator.covariance_type
    pieces = {}
    if estimator.weights_init is not None:
        pieces["weights"] = _check_weights(estimator.weights_init, K)
    if estimator.means_init is not None:
        pieces["means"] = _check_array(estimator.means_init, (K, width), "means")
    if estimator.precisions_init is not None:
        shapes = {"full": (K, width, width), "tied": (width, width), "diag": (K, width), "spherical": (K,)}
        precisions = _check_array(estimator.precisions_init, shapes[kind], f"{kind} precision")
        pieces["covariances"] = covariances_of(precisions, kind)
    return pieces


def _check_array(value, shape, name):
    array = np.asarray(value, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"The parameter '{name}' should have the shape of {shape}, but got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"The parameter '{name}' contains NaN or infinity.")
    return array


def _check_weights(value, K):
    weights = _check_array(value, (K,), "weights")
    if (weights < 0).any() or (weights > 1).any():
        raise ValueError(
            "The parameter 'weights' should be in the range [0, 1], "
            f"but got max value {weights.max():.5f}, min value {weights.min():.5f}"
        )
    if not np.isclose(weights.sum(), 1):
        raise ValueError(
            f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}"
        )
    return weights / weights.sum()


def covariances_of(precisions, kind):
    if kind in ("diag", "spherical"):
        if (precisions <= 0).any():
            raise ValueError(f"'{kind} precision' should be positive")
        return 1 / precisions
    symmetric = np.allclose(precisions, np.swapaxes(precisions, -1, -2))
    if not symmetric or (np.linalg.eigvalsh(precisions) <= 0).any():
        raise ValueError(f"'{kind} precision' should be symmetric, positive-definite")
    factors = cholesky_of_inverse(precisions)
    return factors @ np.swapaxes(factors, -1, -2)  # rounding leaves it symmetric


# --- what is drawn ------------------------------------------------------------------------------


def drawn(estimator, table, weight, random):
    """Parameters to start from, by `init_params`; the draws of 'random' and 'random_from_data' are scikit-learn's."""
    rows, K, kind = table.shape[0], estimator.n_components, estimator.init_params
    if kind == "random":
        responsibility = random.uniform(size=(rows, K))
        responsibility /= responsibility.sum(axis=1, keepdims=True)
        if weight is not None:
            responsibility *= weight[:, None]
        return _maximised(table, responsibility, estimator)
    if estimator.reg_covar == 0:
        raise ValueError(f"init_params='{kind}' starts without any variance (give reg_covar > 0, or precisions_init)")
    share = None if weight is None else weight / weight.sum()
    if kind == "random_from_data":
        chosen = random.choice(rows, size=K, replace=False, p=share)
    else:
        chosen = _far_rows(table, share, K, random)
    rows = table[chosen] if isinstance(table, np.ndarray) else table.iloc[chosen]
    start = _maximised(rows, np.eye(K), estimator)
    if estimator.covariance_type == "tied":
        start["covariances"] = _spread_of_all(table, weight, start["means"]) + estimator.reg_covar * np.eye(table.shape[1])
    return start


def _spread_of_all(table, weight, means):
    """scikit-learn's start of a tied covariance: the moments of all rows, less those of the means, for each mean."""
    moments = np.zeros((table.shape[1],) * 2)
    for begin, part in _blocks(table):
        if weight is not None:
            part = part[weight[begin : begin + len(part)] > 0]
        moments += part.T @ part
    return (moments - means.T @ means) / len(means)


def _far_rows(table, share, K, random):
    """Rows drawn in proportion to the squared distance from those before (Arthur and Vassilvitskii 2007)."""
    rows = table.shape[0]
    chosen = [random.choice(rows, p=share)]
    nearest = np.full(rows, np.inf)
    while len(chosen) < K:
        centre = _data.block(table, chosen[-1], chosen[-1] + 1)
        for begin, part in _blocks(table):
            distance = ((part - centre) ** 2).sum(axis=1)
            here = nearest[begin : begin + len(part)]
            np.minimum(here, distance, out=here)
        nearest[chosen] = 0
        profit = nearest if share is None else nearest * share
        total = profit.sum()
        chosen.append(random.choice(rows, p=profit / total if total > 0 else share))
    return np.asarray(chosen)


def _blocks(table):
    for begin in range(0, table.shape[0], _data.BLOCK_ROWS):
        yield begin, _data.block(table, begin, begin + _data.BLOCK_ROWS)


def _maximised(table, responsibility, estimator):
    """The M-step that belongs to responsibilities, with reg_covar on every variance."""
    kind, reg = estimator.covariance_type, estimator.reg_covar
    K, d = estimator.n_components, table.shape[1]
    mass = responsibility.sum(axis=0) + 10 * np.finfo(float).eps
    means = sum(responsibility[begin : begin + len(part)].T @ part for begin, part in _blocks(table)) / mass[:, None]
    scatter = np.zeros((K, d, d) if kind in ("full", "tied") else (K, d))
    for begin, part in _blocks(table):
        for k in range(K):
            away = part - means[k]
            r = responsibility[begin : begin + len(part), k]
            scatter[k] += (r * away.T) @ away if scatter.ndim == 3 else r @ away**2
    if kind == "tied":
        covariances = scatter.sum(axis=0) / mass.sum() + reg * np.eye(d)
    else:
        each = scatter / mass.reshape([K] + [1] * (scatter.ndim - 1))
        each = each + reg * (np.eye(d) if kind == "full" else 1.0)
        covariances = each.mean(axis=1) if kind == "spherical" else each
    return {"weights": mass / mass.sum(), "means": means, "covariances": covariances}
