"""GaussianMixture against scikit-learn's, which is another program altogether."""

import numpy as np
import pytest
from conftest import start_of
from sklearn.mixture import GaussianMixture as Reference
from thalweg import GaussianMixture, NotFittedError

KINDS = ["full", "tied", "diag", "spherical"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reg_covar", [1e-6, 0.3])
def test_same_start_same_end(three_clusters, kind, reg_covar):
    asked = dict(n_components=3, covariance_type=kind, reg_covar=reg_covar, tol=1e-9, max_iter=3000)
    start = start_of(three_clusters, 3, kind)
    theirs = Reference(**asked, **start).fit(three_clusters)
    ours = GaussianMixture(**asked, **start).fit(three_clusters)
    assert theirs.converged_ and ours.converged_
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == other.shape, name
        np.testing.assert_allclose(mine, other, atol=1e-6, err_msg=name)
    np.testing.assert_allclose(ours.lower_bound_, theirs.lower_bound_, atol=1e-9)
    np.testing.assert_allclose(ours.score_samples(three_clusters), theirs.score_samples(three_clusters), atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(three_clusters), theirs.predict_proba(three_clusters), atol=1e-6)
    assert (ours.predict(three_clusters) == theirs.predict(three_clusters)).all()
    assert ours.aic(three_clusters) == pytest.approx(theirs.aic(three_clusters), abs=1e-5)
    assert ours.bic(three_clusters) == pytest.approx(theirs.bic(three_clusters), abs=1e-5)
    assert ours.score(three_clusters) == pytest.approx(theirs.score(three_clusters), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("max_iter", [1, 2, 7])
def test_every_iteration_is_the_same(three_clusters, kind, max_iter):
    """tol and max_iter mean the same: the same parameters after the same number of iterations."""
    asked = dict(n_components=3, covariance_type=kind, max_iter=max_iter, tol=0.0)
    start = start_of(three_clusters, 3, kind, seed=1)
    with pytest.warns(UserWarning):  # neither has converged
        theirs = Reference(**asked, **start).fit(three_clusters)
    with pytest.warns(UserWarning):
        ours = GaussianMixture(**asked, **start).fit(three_clusters)
    assert ours.n_iter_ == theirs.n_iter_ == max_iter
    assert not ours.converged_
    assert ours.lower_bound_ == pytest.approx(theirs.lower_bound_, abs=1e-10)
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=1e-10)
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, atol=1e-10)


@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-5])
def test_stops_at_the_same_iteration(three_clusters, tol):
    start = start_of(three_clusters, 3, "full", seed=2)
    theirs = Reference(3, tol=tol, max_iter=500, **start).fit(three_clusters)
    ours = GaussianMixture(3, tol=tol, max_iter=500, **start).fit(three_clusters)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.converged_


def test_finds_the_clusters_by_itself(three_clusters):
    ours = GaussianMixture(3, random_state=0, tol=1e-8, max_iter=1000).fit(three_clusters)
    theirs = Reference(3, random_state=0, tol=1e-8, max_iter=1000).fit(three_clusters)
    assert ours.score(three_clusters) > theirs.score(three_clusters) - 1e-6


def test_partial_fit_comes_near_the_maximum(three_clusters):
    model = GaussianMixture(3, random_state=0)
    for begin in range(0, 3000, 7):
        model.partial_fit(three_clusters[begin : begin + 7])
    best = Reference(3, random_state=0, tol=1e-8, max_iter=1000).fit(three_clusters).score(three_clusters)
    assert model.score(three_clusters) > best - 0.01
    assert model.n_samples_seen_ == 3000


def test_partial_fit_row_by_row_is_the_same_as_at_once(three_clusters):
    one = GaussianMixture(3, random_state=0)
    for row in three_clusters:
        one.partial_fit(row[None])
    whole = GaussianMixture(3, random_state=0).partial_fit(three_clusters)
    assert (one.means_ == whole.means_).all()
    assert (one.covariances_ == whole.covariances_).all()


def test_before_the_buffer_is_full(three_clusters):
    model = GaussianMixture(3, random_state=0).partial_fit(three_clusters[:10])
    with pytest.raises(NotFittedError, match="needs 40 more"):
        model.predict(three_clusters)
    assert not hasattr(model, "means_")
    model.partial_fit(three_clusters[10:1000])
    assert model.predict(three_clusters).shape == (3000,)


def test_partial_fit_goes_on_after_fit(three_clusters):
    model = GaussianMixture(3, random_state=0).fit(three_clusters[:1500])
    before = model.means_.copy()
    model.partial_fit(three_clusters[1500:])
    assert model.n_samples_seen_ == 3000
    assert not (model.means_ == before).all()
    assert np.abs(model.means_ - before).max() < 0.3
    assert model.score(three_clusters) > GaussianMixture(3, random_state=0).fit(three_clusters).score(three_clusters) - 0.01


@pytest.mark.parametrize("method", ["auto", "online", "squarem", "incremental", "variance-reduced"])
def test_every_method_reaches_the_maximum(three_clusters, method):
    best = Reference(3, random_state=0, tol=1e-8, max_iter=1000).fit(three_clusters).score(three_clusters)
    model = GaussianMixture(3, random_state=0, method=method, tol=1e-8, max_iter=1000, passes=10).fit(three_clusters)
    assert model.score(three_clusters) > best - (2e-3 if method == "online" else 1e-6)


def test_threads_do_not_matter():
    X = np.random.default_rng(0).normal(size=(40_000, 3))
    X[:20_000] += 3
    fits = [GaussianMixture(2, random_state=1, n_threads=threads).fit(X) for threads in (1, 2)]
    assert (fits[0].covariances_ == fits[1].covariances_).all()
    assert (fits[0].predict_proba(X) == fits[1].predict_proba(X)).all()


def test_sample_has_the_moments_of_the_model(three_clusters):
    model = GaussianMixture(3, random_state=0).fit(three_clusters)
    X, y = model.sample(30_000)
    assert X.shape == (30_000, 2) and (np.diff(y) >= 0).all()
    for k in range(3):
        assert np.mean(y == k) == pytest.approx(model.weights_[k], abs=0.02)
        np.testing.assert_allclose(X[y == k].mean(axis=0), model.means_[k], atol=0.1)
        np.testing.assert_allclose(np.cov(X[y == k].T), model.covariances_[k], atol=0.15)
