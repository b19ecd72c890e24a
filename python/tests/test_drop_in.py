"""What scikit-learn's GaussianMixture does beside EM: starts, warm starts, warnings, and refusals in its words."""

import warnings

import numpy as np
import pytest
from conftest import start_of
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Reference
from thalweg import PPCA, GaussianMixture, PoissonMixture

KINDS = ["full", "tied", "diag", "spherical"]
BOTH = [Reference, GaussianMixture]


def alike(ours, theirs, atol=1e-7):
    for name in ("weights_", "means_", "covariances_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=atol, err_msg=name)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.lower_bound_ == pytest.approx(theirs.lower_bound_, abs=1e-9)


# scikit-learn's tied covariance of a few chosen rows is made of all rows; ours is of those rows, as its other kinds are.
SAME_START = [(kind, name) for kind in KINDS for name in ("random", "random_from_data") if (kind, name) != ("tied", "random_from_data")]


@pytest.mark.parametrize("kind, init_params", SAME_START)
def test_draws_the_starts_of_scikit_learn(three_clusters, kind, init_params):
    asked = dict(n_components=3, covariance_type=kind, init_params=init_params, random_state=4, tol=1e-4, max_iter=500)
    X = three_clusters[:700]
    alike(GaussianMixture(**asked).fit(X), Reference(**asked).fit(X))


def test_the_best_of_several_draws(three_clusters):
    asked = dict(n_components=3, init_params="random_from_data", n_init=4, random_state=2, max_iter=500)
    ours, theirs = (kind(**asked).fit(three_clusters) for kind in (GaussianMixture, Reference))
    alike(ours, theirs)
    first = GaussianMixture(**{**asked, "n_init": 1}).fit(three_clusters)
    assert first.lower_bound_ <= ours.lower_bound_


@pytest.mark.parametrize("init_params", ["kmeans", "k-means++"])
def test_other_starts_find_the_clusters(three_clusters, init_params):
    asked = dict(n_components=3, init_params=init_params, random_state=0, tol=1e-8, max_iter=1000)
    ours, theirs = (kind(**asked).fit(three_clusters) for kind in (GaussianMixture, Reference))
    assert ours.score(three_clusters) > theirs.score(three_clusters) - 1e-6


def test_far_rows_are_rows_far_from_each_other(three_clusters):
    model = GaussianMixture(3, init_params="k-means++", max_iter=0, random_state=0).fit(three_clusters)
    for mean in model.means_:
        assert np.abs(three_clusters - mean).max(axis=1).min() < 1e-12
    a, b, c = model.means_
    assert min(np.linalg.norm(a - b), np.linalg.norm(b - c), np.linalg.norm(c - a)) > 1


@pytest.mark.parametrize("init_params", ["random", "random_from_data", "k-means++"])
def test_draws_by_weight(three_clusters, init_params):
    weight = np.where(three_clusters[:, 0] > 2, 0.0, 1.0)
    model = GaussianMixture(2, init_params=init_params, max_iter=0, random_state=0).fit(three_clusters, sample_weight=weight)
    assert (model.means_[:, 0] < 2.001).all()


def test_no_iterations_leave_the_start(three_clusters):
    asked = dict(max_iter=0, init_params="random", random_state=0)
    ours, theirs = (kind(3, **asked).fit(three_clusters) for kind in (GaussianMixture, Reference))
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=1e-12)
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, atol=1e-12)
    assert ours.n_iter_ == theirs.n_iter_ == 0 and ours.lower_bound_ == theirs.lower_bound_ == -np.inf and not ours.converged_
    ours.partial_fit(three_clusters)  # and it can go on


def test_some_pieces_of_the_start(three_clusters):
    means = start_of(three_clusters, 3, "full")["means_init"]
    asked = dict(n_components=3, init_params="random", random_state=1, means_init=means, max_iter=300)
    alike(GaussianMixture(**asked).fit(three_clusters), Reference(**asked).fit(three_clusters))
    found = GaussianMixture(3, means_init=means, max_iter=0).fit(three_clusters)
    np.testing.assert_allclose(found.means_, means, atol=1e-12)


def test_warm_start_goes_on(three_clusters):
    """The idiom that shows EM at work: one iteration a fit, until it has converged."""
    start = start_of(three_clusters, 3, "full", seed=2)
    counts = []
    for kind in BOTH:
        model = kind(3, warm_start=True, max_iter=1, tol=1e-4, **start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for count in range(1, 300):
                if model.fit(three_clusters).converged_:
                    break
        counts.append((count, model.lower_bound_))
    whole = GaussianMixture(3, max_iter=300, tol=1e-4, **start).fit(three_clusters)
    assert counts[0][0] == counts[1][0] == whole.n_iter_ > 3
    assert counts[1][1] == pytest.approx(counts[0][1], abs=1e-10)


@pytest.mark.parametrize("kind", BOTH)
def test_warns_when_it_has_not_converged(three_clusters, kind):
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        kind(3, max_iter=2, tol=1e-9, random_state=0, init_params="random").fit(three_clusters)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind(3, max_iter=500, random_state=0).fit(three_clusters)


def test_online_fits_do_not_warn(three_clusters):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GaussianMixture(3, method="online", max_iter=1, random_state=0).fit(three_clusters).partial_fit(three_clusters)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    "given, words",
    [
        ({"weights_init": [0.5, 0.2, 0.3]}, r"'weights' should have the shape of \(2,\), but got \(3,\)"),
        ({"weights_init": [0.5, 0.6]}, r"should be normalized, but got sum\(weights\) = 1.10000"),
        ({"weights_init": [-0.5, 1.5]}, r"'weights' should be in the range \[0, 1\], but got max value"),
        ({"means_init": [[0, 0, 0]]}, r"'means' should have the shape of \(2, 2\), but got \(1, 3\)"),
        ({"precisions_init": np.eye(2)}, r"'full precision' should have the shape of \(2, 2, 2\)"),
        ({"precisions_init": [[[1, 2], [2, 1]]] * 2}, "'full precision' should be symmetric, positive-definite"),
        ({"precisions_init": [[[1, 0.5], [0, 1]]] * 2}, "'full precision' should be symmetric, positive-definite"),
        ({"precisions_init": [[1, -2]] * 2, "covariance_type": "diag"}, "'diag precision' should be positive"),
        ({"precisions_init": [0, 1], "covariance_type": "spherical"}, "'spherical precision' should be positive"),
        ({"n_components": 0}, "The 'n_components' parameter of GaussianMixture must be an int in the range .1, inf.. Got 0"),
        ({"n_components": 1.5}, "The 'n_components' parameter of GaussianMixture must be an int"),
        ({"covariance_type": "odd"}, "The 'covariance_type' parameter of GaussianMixture must be a str among"),
        ({"init_params": "odd"}, "The 'init_params' parameter of GaussianMixture must be a str among"),
        ({"tol": -1}, "The 'tol' parameter of GaussianMixture must be a float in the range .0.*Got -1 instead"),
        ({"reg_covar": -1e-3}, "The 'reg_covar' parameter of GaussianMixture must be a float in the range"),
        ({"max_iter": -1}, "The 'max_iter' parameter of GaussianMixture must be an int in the range .0, inf."),
        ({"n_init": 0}, "The 'n_init' parameter of GaussianMixture must be an int in the range .1, inf."),
        ({"n_components": 5000}, "Expected n_samples >= n_components but got n_components = 5000, n_samples = 3000"),
    ],
)
def test_refuses_in_the_same_words(three_clusters, kind, given, words):
    with pytest.raises(ValueError, match=words):
        kind(**{"n_components": 2, **given}).fit(three_clusters)


@pytest.mark.parametrize(
    "given, words",
    [
        ({"method": "odd"}, "The 'method' parameter of PPCA must be a str among"),
        ({"passes": 0}, "The 'passes' parameter of PPCA must be an int"),
        ({"batch_size": 0}, "The 'batch_size' parameter of PPCA must be an int in the range .1, inf. or None"),
        ({"n_threads": 0}, "The 'n_threads' parameter"),
        ({"warm_start": "yes"}, "The 'warm_start' parameter of PPCA must be an instance of 'bool'"),
        ({"max_iter": 0, "method": "online"}, "only method='batch'"),
        ({"n_components": 2}, "n_components = 2 and n_features = 2"),
    ],
)
def test_refuses_what_is_ours(three_clusters, given, words):
    for verb in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=words):
            getattr(PPCA(**given), verb)(three_clusters)


def test_a_start_needs_rows_that_stay(three_clusters):
    with pytest.raises(ValueError, match="init_params='random' draws from all rows"):
        GaussianMixture(2, init_params="random", method="online").fit(iter([three_clusters]))
    GaussianMixture(2, init_params="random").partial_fit(three_clusters)
    with pytest.raises(ValueError, match="starts without any variance"):
        GaussianMixture(2, init_params="random_from_data", reg_covar=0).fit(three_clusters)


@pytest.mark.parametrize("kind", BOTH)
def test_fit_predict_is_fit_and_predict(three_clusters, kind):
    model = kind(3, random_state=0)
    labels = model.fit_predict(three_clusters)
    assert labels.dtype.kind == "i" and (labels == model.predict(three_clusters)).all()


def test_sample_draws_from_every_mixture():
    X = np.random.default_rng(0).poisson([[2, 9]], (500, 2))
    drawn, labels = PoissonMixture(2, random_state=0).fit(X).sample(100)
    assert drawn.shape == (100, 2) and labels.shape == (100,)
    assert (drawn == np.round(drawn)).all()
    with pytest.raises(ValueError, match="The sampling requires at least one sample"):
        PoissonMixture(1).fit(X).sample(0)
