"""Gamma mixtures beside other people's arithmetic: SciPy's maximum-likelihood fit, and EM for two components in plain NumPy."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import digamma, logsumexp
from scipy.stats import gamma
from thalweg import GammaMixture, NotFittedError, load

pytestmark = pytest.mark.filterwarnings("ignore:GammaMixture")


@pytest.fixture(scope="module")
def waits():
    """4,000 rows of two kinds in two columns, in mixed order."""
    rng = np.random.default_rng(8)
    return rng.permutation(np.vstack([rng.gamma([2, 9], [1, 0.5], (2500, 2)), rng.gamma([7, 1.2], [1.5, 4], (1500, 2))]))


def shape_of(mean, mean_of_logs):
    return brentq(lambda a: np.log(a) - digamma(a) - np.log(mean) + mean_of_logs, 1e-6, 1e9, xtol=1e-14, rtol=1e-14)


def textbook(X, iterations, weights, shapes, scales):
    """EM as it stands on paper."""
    w, a, b = np.array(weights), np.array(shapes), np.array(scales)
    for _ in range(iterations):
        joint = np.log(w) + gamma.logpdf(X[:, None, :], a, scale=b).sum(axis=2)
        r = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        w = r.mean(axis=0)
        means, logs = r.T @ X / r.sum(axis=0)[:, None], r.T @ np.log(X) / r.sum(axis=0)[:, None]
        a = np.vectorize(shape_of)(means, logs)
        b = means / a
    joint = np.log(w) + gamma.logpdf(X[:, None, :], a, scale=b).sum(axis=2)
    return w, a, b, logsumexp(joint, axis=1).mean()


@pytest.mark.parametrize("shape", [0.3, 1.0, 4.5, 800.0])
def test_one_component_is_scipys_fit(shape):
    X = np.random.default_rng(5).gamma(shape, 3.0, (3000, 1))
    model = GammaMixture(1).fit(X)
    a, _, b = gamma.fit(X[:, 0], floc=0)
    assert model.shapes_[0, 0] == pytest.approx(a, rel=1e-7) and model.scales_[0, 0] == pytest.approx(b, rel=1e-7)
    np.testing.assert_allclose(model.score_samples(X), gamma.logpdf(X[:, 0], a, scale=b), rtol=1e-6, atol=1e-6)


START = {"weights": [0.5, 0.5], "shapes": [[1.0, 4.0], [3.0, 2.0]], "scales": [[2.0, 1.0], [3.0, 2.0]]}


@pytest.mark.parametrize("iterations", [1, 2, 25])
def test_every_iteration_is_the_textbooks(waits, iterations):
    model = GammaMixture.from_parameters(**START, warm_start=True, tol=0, max_iter=iterations).fit(waits)
    w, a, b, score = textbook(waits, iterations, **START)
    np.testing.assert_allclose(model.weights_, w, rtol=1e-9)
    np.testing.assert_allclose(model.shapes_, a, rtol=1e-9)
    np.testing.assert_allclose(model.scales_, b, rtol=1e-9)
    assert model.score(waits) == pytest.approx(score, rel=1e-10)


@pytest.mark.parametrize("method", ["batch", "squarem", "auto", "incremental", "variance-reduced"])
def test_methods_that_end_at_the_maximum(waits, method):
    best = textbook(waits, 300, **START)[-1]
    model = GammaMixture(2, method=method, tol=1e-9, max_iter=5000, random_state=0).fit(waits)
    assert model.converged_ and model.score(waits) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("method", ["online", "gradient"])
def test_one_pass_comes_near(waits, method):
    best = textbook(waits, 300, **START)[-1]
    model = GammaMixture(2, method=method, random_state=0).fit(waits)
    assert best - 0.02 < model.score(waits) <= best + 1e-9
    model = GammaMixture(2, random_state=0)
    for begin in range(0, 4000, 300):
        model.partial_fit(waits[begin : begin + 300])
    assert best - 0.02 < model.score(waits) <= best + 1e-9


def test_draws_files_and_posteriors(waits, tmp_path):
    model = GammaMixture(2, random_state=0).fit(waits)
    joint = np.log(model.weights_) + gamma.logpdf(waits[:, None, :], model.shapes_, scale=model.scales_).sum(axis=2)
    np.testing.assert_allclose(model.score_samples(waits), logsumexp(joint, axis=1), rtol=1e-10)
    np.testing.assert_allclose(model.predict_proba(waits), np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), atol=1e-10)
    drawn, _ = model.sample(60_000)
    means = model.weights_ @ (model.shapes_ * model.scales_)
    np.testing.assert_allclose(drawn.mean(axis=0), means, rtol=0.03)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert type(again) is GammaMixture and (again.score_samples(waits) == model.score_samples(waits)).all()


def test_what_is_not_above_zero_is_refused(waits):
    with pytest.raises(ValueError, match="Negative values in data passed to GammaMixture"):
        GammaMixture().fit(-waits)
    X = waits.copy()
    X[7, 1] = 0
    with pytest.raises(ValueError, match=r"0 does not fit, gamma needs numbers above 0"):
        GammaMixture().fit(X)
    with pytest.raises(NotFittedError):
        GammaMixture().score(waits)


def test_values_all_alike_are_repaired_and_told():
    model = GammaMixture(1).fit(np.full((50, 1), 4.0))
    assert model.events_["floor_reached"] > 0
    assert model.shapes_[0, 0] * model.scales_[0, 0] == pytest.approx(4) and np.isfinite(model.score([[4.0]]))


def test_weights_repeat_rows(waits):
    times = np.random.default_rng(0).integers(0, 3, len(waits))
    weighted = GammaMixture.from_parameters(**START, warm_start=True, tol=0, max_iter=5).fit(waits, sample_weight=times)
    repeated = GammaMixture.from_parameters(**START, warm_start=True, tol=0, max_iter=5).fit(np.repeat(waits, times, axis=0))
    np.testing.assert_allclose(weighted.shapes_, repeated.shapes_, rtol=1e-9)
