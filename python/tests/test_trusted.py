"""Why a fit should not be trusted comes by `warnings.warn`, as the command says it, and nothing comes of a fit that may be."""

import re
import warnings

import numpy as np
import pytest
from thalweg import ConvergenceWarning, GaussianMixture, PoissonMixture


def told(fit):
    """(category, text) of every warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return [(warning.category, str(warning.message)) for warning in caught]


@pytest.fixture(scope="module")
def cloud_and_point():
    rng = np.random.default_rng(0)
    return np.r_[rng.normal(size=(200, 2)), np.full((50, 2), 7.0)]


@pytest.fixture(scope="module")
def slow():
    """EM's rate is .97 here: an iteration changes little long before the end."""
    rng = np.random.default_rng(3)
    return np.where(rng.random(20_000) < 0.8, rng.poisson(1, 20_000), rng.poisson(3, 20_000))[:, None].astype(float)


@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
@pytest.mark.parametrize("reg_covar", [0.0, 1e-6])
def test_variances_that_collapse(cloud_and_point, kind, reg_covar):
    model = GaussianMixture(2, covariance_type=kind, reg_covar=reg_covar, random_state=0)
    [(category, text)] = told(lambda: model.fit(cloud_and_point))
    assert category is UserWarning
    thin = int(np.argmax(model.means_[:, 0]))
    assert text.startswith(f"GaussianMixture: this fit is degenerate: component {thin} has a variance at its floor")
    assert text.endswith("(use fewer, or a larger reg_covar)")
    assert told(lambda: GaussianMixture(2, covariance_type=kind, reg_covar=0.1, random_state=0).fit(cloud_and_point)) == []


def test_a_tolerance_that_stops_a_climb(slow):
    start = PoissonMixture.from_parameters(weights=[0.5, 0.5], rates=[[0.7], [4.5]], warm_start=True)
    found = told(lambda: start.fit(slow))
    [(category, text)] = [one for one in found if "climbs" in one[1]]
    assert category is ConvergenceWarning
    left = float(re.search(r"([0-9.e+]+) nat or more are left to gain \(a smaller tol\)", text)[1])
    best = PoissonMixture(2, max_iter=5000, tol=1e-12, random_state=0).fit(slow)
    gap = (best.score(slow) - start.score(slow)) * len(slow)
    assert 1 < left < 1.2 * gap, "no more than there is"


def test_iterations_that_ended_it(slow):
    model = PoissonMixture(2, max_iter=3, tol=0, random_state=0)
    [(category, text)] = [one for one in told(lambda: model.fit(slow)) if "converge" in one[1]]
    assert category is ConvergenceWarning
    assert re.match(r"PoissonMixture: batch EM did not converge in 3 iterations: \w+ of component \d.* moved by .* \(raise max_iter", text)
    assert told(lambda: PoissonMixture(2, max_iter=0, random_state=0).fit(slow)) == [], "as asked"


def test_online_fits_say_what_the_command_says():
    rising = np.repeat(np.arange(2000.0), 10)[:, None]
    blocks = (rising[begin : begin + 1000] for begin in range(0, len(rising), 1000))  # an array would be mixed
    texts = [text for _, text in told(lambda: GaussianMixture(2, method="online", random_state=0).fit(blocks))]
    assert any(re.search(r'the rows look sorted \(column "c0" never falls.*shuffle_buffer=100000', text) for text in texts), texts


def test_no_better_than_one():
    counts = np.random.default_rng(1).poisson(2.5, (3000, 1)).astype(float)
    texts = [text for _, text in told(lambda: PoissonMixture(2, random_state=0, tol=1e-9, max_iter=2000).fit(counts))]
    assert any("2 components are no better than one here (BIC" in text for text in texts), texts


def test_nothing_of_a_good_fit():
    rng = np.random.default_rng(5)
    X = np.r_[rng.normal(0, 1, (300, 2)), rng.normal(8, 1, (300, 2))]
    assert told(lambda: GaussianMixture(2, random_state=0).fit(X)) == []
    assert told(lambda: GaussianMixture(1, random_state=0).fit(X)) == []
