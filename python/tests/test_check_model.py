"""check_model: right models keep every law, and each mistake in a copy of one breaks the law that is there for it."""

import numpy as np
import pytest
import thalweg
from own_models import OneFactor, OwnPoissonMixture, RayleighMixture, ZeroInflatedPoisson
from scipy.special import logsumexp
from thalweg import check_model

rng = np.random.default_rng(8)
HEIGHTS = rng.rayleigh(np.repeat([1.0, 3.5], [600, 400]))[:, None]
COUNTS = rng.permutation(np.vstack([rng.poisson([1, 4], (600, 2)), rng.poisson([6, 2], (400, 2))]))
ZEROS = rng.poisson(2.5, (800, 1)) * (rng.uniform(size=(800, 1)) > 0.3)
CLOUD = rng.normal(size=(800, 1)) * [2.0, 1.0, -1.5] + rng.normal(size=(800, 3)) * 0.7 + [1, 2, 3]


@pytest.mark.parametrize(
    "model, X, laws",
    [
        (RayleighMixture(2), HEIGHTS, 12),
        (OwnPoissonMixture(2), COUNTS, 10),
        (ZeroInflatedPoisson(), ZEROS, 10),
        (OneFactor(), CLOUD, 10),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("seed", [0, 1])
def test_right_models_keep_the_laws(model, X, laws, seed):
    assert len(check_model(model, X, seed=seed)) == laws


class NoWeights(RayleighMixture):
    def expect(self, theta, X, weight):
        return super().expect(theta, X, np.ones(len(X)))


class SquaredWeights(RayleighMixture):
    def expect(self, theta, X, weight):
        return super().expect(theta, X, weight**2)


class Means(RayleighMixture):
    def expect(self, theta, X, weight):
        sums, log_density = super().expect(theta, X, weight)
        return {name: value / len(X) for name, value in sums.items()}, log_density


class WeightedDensity(RayleighMixture):
    def expect(self, theta, X, weight):
        sums, log_density = super().expect(theta, X, weight)
        return sums, weight * log_density


class Standardises(RayleighMixture):
    def expect(self, theta, X, weight):
        return super().expect(theta, X / X.mean() * 2, weight)


class Remembers(RayleighMixture):
    def expect(self, theta, X, weight):
        self.calls = getattr(self, "calls", 0) + 1
        sums, log_density = super().expect(theta, X, weight)
        return {**sums, "squares": sums["squares"] * (1 + 0.01 * (self.calls % 2))}, log_density


class OwnDice(RayleighMixture):
    def start(self, X, rng):
        return super().start(X, np.random.default_rng())


class LostFactor(RayleighMixture):
    def maximise(self, s, theta):
        return {**super().maximise(s, theta), "scales": np.sqrt(s["squares"] / s["counts"])}


class SmallBias(RayleighMixture):
    def maximise(self, s, theta):
        found = super().maximise(s, theta)
        return {**found, "scales": found["scales"] * 1.005}


class SwappedComponents(RayleighMixture):
    def maximise(self, s, theta):
        found = super().maximise(s, theta)
        return {**found, "weights": found["weights"][::-1]}


class FixedWeights(RayleighMixture):
    def maximise(self, s, theta):
        return {**super().maximise(s, theta), "weights": np.array([0.9, 0.1])}


class NoConstant(RayleighMixture):
    def log_joint(self, theta, X):
        return super().log_joint(theta, X) + np.log(theta["scales"])  # in the E-step too: EM for another density


class DensityBeside(RayleighMixture):
    """The log density of the first component alone."""

    def expect(self, theta, X, weight):
        return super().expect(theta, X, weight)[0], self.log_joint(theta, X)[:, 0]


class NoLogSum(RayleighMixture):
    """Hard assignments, with the likelihood of soft ones."""

    def expect(self, theta, X, weight):
        joint = self.log_joint(theta, X)
        r = (joint == joint.max(axis=1, keepdims=True)) * weight[:, None]
        return {"counts": r.sum(axis=0) + 1e-9, "squares": (r * X**2).sum(axis=0) + 1e-9}, logsumexp(joint, axis=1)


class DrawsTooWide(RayleighMixture):
    def draw(self, theta, n, rng):
        k = rng.choice(2, n, p=theta["weights"])
        return rng.rayleigh(theta["scales"][k] * 1.1)[:, None]


class DrawsEvenly(RayleighMixture):
    def draw(self, theta, n, rng):
        return rng.rayleigh(rng.choice(theta["scales"], n))[:, None]


class WrongMoments(RayleighMixture):
    def moments(self, theta):
        return {"counts": theta["weights"], "squares": theta["weights"] * theta["scales"] ** 2}


class RankedPosterior(RayleighMixture):
    def posterior(self, theta, X):
        p = super().posterior(theta, X)
        p = p * p.mean(axis=0)
        return p / p.sum(axis=1, keepdims=True)


class UnnormedPosterior(RayleighMixture):
    def posterior(self, theta, X):
        return super().posterior(theta, X) * 0.5


class Raises(RayleighMixture):
    def maximise(self, s, theta):
        return {**super().maximise(s, theta), "scale": 1.0}


@pytest.mark.parametrize(
    "cls, words",
    [
        (NoWeights, "a row of weight 3 is three rows"),
        (SquaredWeights, "a row of weight 3 is three rows.*\n.*weights may be any numbers from 0 on"),
        (Means, "expect of all rows is the sum of expect of each row: the sums are"),
        (WeightedDensity, "log_density is that of the row, whatever its weight"),
        (Standardises, "expect of all rows is the sum of expect of each row"),
        (Remembers, "expect gives the same for the same rows"),
        (OwnDice, "start gives the same parameters when rng is in the same state"),
        (LostFactor, "where EM comes to rest the likelihood is level|never lower the likelihood"),
        (SmallBias, "where EM comes to rest the likelihood is level: it could still rise by .* along scales"),
        (SwappedComponents, "never lower the likelihood"),
        (FixedWeights, "where EM comes to rest the likelihood is level: it could still rise by .* along weights"),
        (NoConstant, "rows that are drawn follow the density|likelihood is level"),
        (DensityBeside, "never lower the likelihood|likelihood is level"),
        (NoLogSum, "never lower the likelihood|likelihood is level"),
        (DrawsTooWide, "rows that are drawn follow the density that expect tells: .* along scales"),
        (DrawsEvenly, "rows that are drawn follow the density that expect tells: .* along weights"),
        (WrongMoments, r"maximise of moments\(theta\) is theta: scales is"),
        (RankedPosterior, "posterior says the same of a row alone"),
        (UnnormedPosterior, "expected probabilities that sum to 1"),
        (Raises, r"Raises\.maximise: expected the names weights, scales, got weights, scales, scale"),
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_mistake_is_caught(cls, words, seed):
    with pytest.raises(thalweg.ModelError, match=words) as caught:
        check_model(cls(2), HEIGHTS, seed=seed)
    assert cls.__name__ in str(caught.value)


def test_what_cannot_be_tried():
    with pytest.raises(ValueError, match="array of rows and columns"):
        check_model(RayleighMixture(2), HEIGHTS[:, 0])
    with pytest.raises(ValueError, match="heights are above 0"):
        check_model(RayleighMixture(2), -HEIGHTS)
    with pytest.raises(TypeError, match="expected an object of it"):
        check_model(RayleighMixture, HEIGHTS)
