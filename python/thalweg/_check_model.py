"""Laws that every model keeps, tried on a model of one's own: each that is broken is told in plain words."""

import warnings

import numpy as np

from ._calls import Calls
from ._compat import ConvergenceWarning
from ._em import EM
from ._native import ModelError

MOST_ROWS = 300  # of X that are looked at
CLOSE = 1e-8  # relative: what rounding may do to a sum
TOGETHER = "expect, maximise and log_density do not belong together"


def check_model(model, X, *, seed=0):
    """Tries a model of one's own on some rows.

    Parameters
    ----------
    model : thalweg.Model
    X : array-like of shape (n_samples, n_features)
        Rows that the model can be fitted to; some hundred of them are looked at.
    seed : int

    Returns
    -------
    kept : list of str
        The laws that hold.

    Raises
    ------
    thalweg.ModelError
        Which laws are broken, one in a line.
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"X has to be an array of rows and columns, got the shape {X.shape}")
    X = X[np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(int)]
    X.setflags(write=False)
    trial = _Trial(model, X, seed)
    kept, broken = [], []
    for law in LAWS:
        try:
            fault = law(trial)
        except ModelError as error:
            fault = str(error)
        except _DoesNotApply:
            continue
        if fault:
            broken.append(f"- {law.__doc__}: {fault}")
        else:
            kept.append(law.__doc__)
    if broken:
        raise ModelError("\n".join([f"{trial.calls.name} breaks {len(broken)} of {len(LAWS)} laws", *broken]))
    return kept


class _DoesNotApply(Exception):
    pass


class _Trial:
    """A model, some rows, and parameters at which the laws are tried: a start and the end of EM from there."""

    def __init__(self, model, X, seed):
        self.calls = Calls(model, X.shape[1])
        self.model, self.X, self.seed = model, X, seed
        self.rng = np.random.default_rng(seed)
        self.ones = np.ones(len(X))
        if self.calls.has_check:
            self.calls.check(X)
        self.theta = self.parameters(self.calls.start(X, [seed, 1]))
        self._end = None

    def parameters(self, flat):
        return _unfold(flat, self.calls.parameters)

    def expect(self, theta, X, weight):
        """(sums in one vector, log densities)"""
        sums, log_density = self.calls._expect(theta, X, weight)
        return self.calls._flat("expect", sums, self.calls.statistic), log_density

    def step(self, theta):
        """One iteration of EM: (next parameters, mean log-likelihood of these)."""
        sums, log_density = self.expect(theta, self.X, self.ones)
        s = _unfold(sums / len(self.X), self.calls.statistic)
        return self.parameters(self.calls.maximise(s, theta)), float(log_density.mean())

    def end(self):
        """Where EM comes to rest: (parameters, whether it did)."""
        if self._end is None:
            theta, before, quiet = self.theta, -np.inf, 0
            for _ in range(5000):
                following, value = self.step(theta)
                quiet = quiet + 1 if abs(value - before) < 1e-13 * max(1.0, abs(value)) else 0
                if quiet == 10:
                    break
                theta, before = following, value
            self._end = theta, quiet == 10
        return self._end

    def directions(self, theta):
        """(what, theta a little ahead, theta a little behind, size) of moves that keep theta in its domain."""
        for name, _, domain in self.calls.parameters:
            value = np.array(theta[name])
            unit = float(np.sqrt(np.mean(value**2))) or 1.0
            for place in np.ndindex(value.shape):
                move = np.zeros(value.shape)
                if domain == "simplex":
                    other = int(np.argmax(value))
                    if place[0] == other or value[place] < 1e-3:
                        continue
                    size = 1e-3 * value[place]
                    move[place], move[other] = size, -size
                elif domain == "positive":
                    size = move[place] = 1e-3 * value[place]
                elif domain == "covariance":
                    i, j = place[-2:]
                    if i < j:
                        continue
                    size = 1e-4 * np.sqrt(value[(*place[:-2], i, i)] * value[(*place[:-2], j, j)])
                    move[place] = move[(*place[:-2], j, i)] = size
                else:
                    size = move[place] = 1e-4 * unit
                label = name + "".join(f"[{i}]" for i in place)
                yield label, {**theta, name: value + move}, {**theta, name: value - move}, 2 * size / unit

    def slopes(self, theta, X):
        """(what, derivative of each row's log density by a parameter in units of its size) for every parameter."""
        for label, ahead, behind, size in self.directions(theta):
            up = self.calls._expect(ahead, X, np.ones(len(X)))[1]
            down = self.calls._expect(behind, X, np.ones(len(X)))[1]
            yield label, (up - down) / size


def _unfold(flat, pieces):
    named, at = {}, 0
    for name, shape, _ in pieces:
        size = int(np.prod(shape))
        named[name] = flat[at : at + size].reshape(shape).copy()
        named[name].setflags(write=False)
        at += size
    return named


def _differ(found, expected):
    """Where they differ most, if by more than rounding; else None."""
    found, expected = np.ravel(found), np.ravel(expected)
    difference = np.abs(found - expected)
    if not (difference > CLOSE * (np.max(np.abs(expected)) + 1e-300)).any():
        return None
    most = difference.argmax()
    return f"{found[most]:.6g} instead of {expected[most]:.6g}"


def _first_difference(found, expected):
    """Of parameters by name."""
    for name in expected:
        fault = _differ(found[name], expected[name])
        if fault:
            return f"{name} is {fault}"
    return None


def same_rng_same_start(trial):
    """start gives the same parameters when rng is in the same state"""
    again = trial.calls.start(trial.X, [trial.seed, 1])
    first = np.concatenate([value.ravel() for value in trial.theta.values()])
    return None if (again == first).all() else "they changed from one call to the next"


def same_question_same_answer(trial):
    """expect gives the same for the same rows"""
    first, again = (trial.expect(trial.theta, trial.X, trial.ones) for _ in range(2))
    for one, other, what in zip(first, again, ("sums", "log densities")):
        if not (one == other).all():
            return f"the {what} changed from one call to the next"
    return None


def rows_add(trial):
    """expect of all rows is the sum of expect of each row"""
    sums, log_density = trial.expect(trial.theta, trial.X, trial.ones)
    each = [trial.expect(trial.theta, row[None], np.ones(1)) for row in trial.X]
    fault = _differ(sums, np.sum([one[0] for one in each], axis=0))
    if fault:
        return f"the sums are {fault} (they are sums over the rows, not means, and no row knows of another)"
    fault = _differ(log_density, np.concatenate([one[1] for one in each]))
    return f"the log densities are {fault}" if fault else None


def weights_repeat(trial):
    """a row of weight 3 is three rows, and a row of weight 0 none"""
    times = trial.rng.integers(0, 4, len(trial.X))
    weighted, _ = trial.expect(trial.theta, trial.X, times.astype(np.float64))
    rows = np.repeat(trial.X, times, axis=0)
    fault = _differ(weighted, trial.expect(trial.theta, rows, np.ones(len(rows)))[0])
    return f"the sums are {fault} (every row's part is multiplied by its weight)" if fault else None


def weights_are_linear(trial):
    """weights may be any numbers from 0 on, and act in proportion"""
    a, b = trial.rng.uniform(0, 2, (2, len(trial.X)))
    added = trial.expect(trial.theta, trial.X, a)[0] + trial.expect(trial.theta, trial.X, b)[0]
    fault = _differ(trial.expect(trial.theta, trial.X, a + b)[0], added)
    return f"the sums are {fault}" if fault else None


def density_knows_no_weights(trial):
    """log_density is that of the row, whatever its weight"""
    weight = trial.rng.uniform(0.5, 2, len(trial.X))
    plain = trial.expect(trial.theta, trial.X, trial.ones)[1]
    fault = _differ(trial.expect(trial.theta, trial.X, weight)[1], plain)
    return f"it is {fault} (leave the weights to the estimator)" if fault else None


def iterations_climb(trial):
    """an E-step and an M-step never lower the likelihood"""
    for start in range(3):
        theta, before = trial.parameters(trial.calls.start(trial.X, [trial.seed, 2 + start])), -np.inf
        for iteration in range(100):
            theta, value = trial.step(theta)
            if value < before - 1e-10 * max(1.0, abs(before)):
                return f"iteration {iteration} led from {before:.8g} to {value:.8g} a row ({TOGETHER})"
            before = value
    return None


def rests_at_a_maximum(trial):
    """where EM comes to rest the likelihood is level"""
    theta, rests = trial.end()
    if not rests:
        raise _DoesNotApply
    steepest, label = max(
        ((abs(slope.mean()), label) for label, slope in trial.slopes(theta, trial.X)), default=(0.0, "")
    )
    if steepest > 1e-3:
        return f"it could still rise by {steepest:.3g} a row along {label} ({TOGETHER})"
    return None


def full_step_is_batch(trial):
    """an online step of rate 1 over all rows is an iteration of batch EM"""
    asked = {"init": trial.theta, "random_state": 0, "n_threads": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # one iteration is what is wanted
        batch = EM(trial.model, **asked, tol=0, max_iter=1).fit(trial.X)
    online = EM(
        trial.model, **asked, method="online", step="constant:1", batch_size=len(trial.X), buffer=0, average=False
    ).fit(trial.X)
    return _first_difference(online._learner.parameters(), batch._learner.parameters())


def posterior_by_rows(trial):
    """posterior says the same of a row alone"""
    if trial.model.posterior is None:
        raise _DoesNotApply
    whole = trial.calls.explain(trial.theta, trial.X)[1]
    alone = np.concatenate([trial.calls.explain(trial.theta, row[None])[1] for row in trial.X[:50]])
    fault = _differ(whole[:50], alone)
    return f"it is {fault}" if fault else None


def draws_follow_the_density(trial):
    """rows that are drawn follow the density that expect tells"""
    if trial.model.draw is None:
        raise _DoesNotApply
    theta, _ = trial.end()
    rows = trial.calls.draw(theta, 20_000, [trial.seed, 9])
    if trial.calls.has_check:
        trial.calls.check(rows)
    # The mean score is 0 where rows come from f and f integrates to 1, whatever theta is.
    worst = []
    for label, slope in trial.slopes(theta, rows):
        error = slope.std() / np.sqrt(len(rows))
        if abs(slope.mean()) > 6 * error + 1e-4:
            worst.append((abs(slope.mean()) / (error + 1e-300), f"{slope.mean():.3g} ± {error:.2g} along {label}"))
    if worst:
        return f"their mean score is {max(worst)[1]}, expected 0 (a wrong draw, or log_density lacks a constant)"
    return None


def moments_belong_to_theta(trial):
    """maximise of moments(theta) is theta"""
    if trial.model.moments is None:
        raise _DoesNotApply
    theta, _ = trial.end()
    s = _unfold(trial.calls.moments(theta), trial.calls.statistic)
    return _first_difference(trial.parameters(trial.calls.maximise(s, theta)), theta)


LAWS = [
    same_rng_same_start,
    same_question_same_answer,
    rows_add,
    weights_repeat,
    weights_are_linear,
    density_knows_no_weights,
    iterations_climb,
    rests_at_a_maximum,
    full_step_is_batch,
    posterior_by_rows,
    draws_follow_the_density,
    moments_belong_to_theta,
]
