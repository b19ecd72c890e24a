"""What there is to draw of a fitted estimator, as numbers: curves, ellipses, variances. Knows nothing of how it is drawn."""

import numpy as np

# Okabe and Ito's colours, told apart by everybody, on white and on black; the yellow of the eight is too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

DRAWN = 4000  # rows drawn from a model to see where it is


def colour(k):
    return COLOURS[k % len(COLOURS)]


def counts_only(estimator):
    return bool(estimator._entry and estimator._entry["takes_counts_only"])


def has_categories(estimator):
    return bool(estimator._entry and estimator._entry.get("takes_categories"))


def has_factors(estimator):
    return bool(estimator._entry and estimator._entry.get("latent") == "factors")


def gaussian_densities(points, means, covariances):
    """The density of each component at each point, K × n."""
    d = points.shape[1]
    out = []
    for mean, covariance in zip(means, covariances):
        factor = np.linalg.cholesky(covariance)
        z = np.linalg.solve(factor, (points - mean).T)
        out.append(np.exp(-0.5 * (z**2).sum(axis=0) - 0.5 * d * np.log(2 * np.pi)) / np.diag(factor).prod())
    return np.array(out)


def densities(estimator, points, columns):
    """The density of some columns at points of them, and the weighted parts of its components (None: it has none)."""
    estimator._ready()
    parts = estimator._gaussian_components()
    if parts is not None:
        weights, means, covariances = parts
        each = weights[:, None] * gaussian_densities(
            points, means[:, columns], covariances[:, columns][:, :, columns]
        )
        return each.sum(axis=0), each if len(weights) > 1 else None
    if list(columns) != list(range(estimator.n_features_in_)):
        estimator = in_columns(estimator, columns)
    density = np.exp(estimator.score_samples(points))
    if not hasattr(estimator, "predict_proba"):
        return density, None
    posterior = estimator.predict_proba(points)
    return density, density * posterior.T if posterior.shape[1] > 1 else None


def in_columns(estimator, columns):
    """The model of some of the columns."""
    if not hasattr(estimator, "marginal"):
        raise ValueError(f"{type(estimator).__name__} cannot be drawn in a part of its columns")
    return estimator.marginal(columns)


def drawn_rows(estimator, columns):
    """Rows of the model, always the same ones; the user's generator is not touched."""
    return estimator._ready().sample(DRAWN, 0, None)[:, columns]


def limits(rows):
    """Where nearly all rows lie, with a margin, for each column."""
    low, high = np.nanquantile(rows, [0.001, 0.999], axis=0)
    margin = 0.08 * (high - low) + (high == low) * np.maximum(np.abs(high), 1) * 0.1
    return low - margin, high + margin


def axis(estimator, low, high, points):
    """Places along a column: whole numbers where only those can be."""
    if counts_only(estimator):
        return np.arange(max(0, int(np.floor(low))), int(np.ceil(high)) + 1, dtype=float)
    if estimator._entry and estimator._entry["takes_positive_only"]:
        low = max(low, 1e-3 * high)
    return np.linspace(low, high, points)


def ellipse(covariance, share=0.9):
    """(width, height, degrees) of the ellipse that holds this share of a Gaussian in two columns; the width is the longer one."""
    values, vectors = np.linalg.eigh(covariance)
    radius = np.sqrt(-2 * np.log1p(-share))  # of the chi-squared distribution with 2 degrees of freedom
    height, width = 2 * radius * np.sqrt(np.maximum(values, 0))
    return width, height, float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))


def factor_variances(estimator):
    """(variances along the factors, from the largest on, noise variance)."""
    return estimator.explained_variance_, estimator.noise_variance_
