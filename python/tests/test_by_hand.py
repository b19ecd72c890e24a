"""Models made by hand: parameters assigned one by one, as programs for scikit-learn do, or all at once."""

import numpy as np
import pytest
import thalweg
from sklearn.mixture import GaussianMixture as Theirs
from thalweg import PPCA, GaussianMixture, PoissonMixture

KINDS = ("full", "tied", "diag", "spherical")
WEIGHTS, MEANS = np.array([0.25, 0.75]), np.array([[0.0, 1.0], [3.0, -1.0]])


def covariances(kind):
    full = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.3], [-0.3, 0.5]]])
    return {"full": full, "tied": full[0], "diag": np.array([[2.0, 1.0], [1.0, 0.5]]), "spherical": np.array([2.0, 0.5])}[kind]


def factors(kind):
    """scikit-learn's factor: upper triangular, U U' the precision."""
    c = covariances(kind)
    one = lambda c: np.linalg.inv(np.linalg.cholesky(c)).T  # noqa: E731
    return 1 / np.sqrt(c) if kind in ("diag", "spherical") else one(c) if kind == "tied" else np.array([one(k) for k in c])


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_for_scikit_learn(kind):
    made = []
    for cls in (GaussianMixture, Theirs):
        model = cls(2, covariance_type=kind)
        model.weights_ = WEIGHTS
        model.means_ = MEANS
        model.covariances_ = covariances(kind)
        model.precisions_cholesky_ = factors(kind)
        made.append(model)
    ours, theirs = made
    rows = np.random.default_rng(0).normal(size=(50, 2)) * 2
    np.testing.assert_allclose(ours.score_samples(rows), theirs.score_samples(rows), rtol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_precisions_say_the_covariances(kind):
    model = GaussianMixture(2, covariance_type=kind)
    model.means_, model.weights_ = MEANS, WEIGHTS
    model.precisions_ = np.linalg.inv(covariances(kind)) if kind in ("full", "tied") else 1 / covariances(kind)
    np.testing.assert_allclose(model.covariances_, covariances(kind), rtol=1e-12)
    np.testing.assert_allclose(model.precisions_cholesky_, factors(kind), rtol=1e-12, atol=1e-12)


def test_components_in_another_order(three_clusters):
    model = GaussianMixture(3, random_state=0).fit(three_clusters)
    before, labels = model.score(three_clusters), model.predict(three_clusters)
    order = np.argsort(model.weights_)
    for name in ("weights_", "means_", "covariances_"):
        setattr(model, name, getattr(model, name)[order])
    assert model.score(three_clusters) == pytest.approx(before, rel=1e-14)
    assert (order[model.predict(three_clusters)] == labels).all()
    assert model.partial_fit(three_clusters).score(three_clusters) > before - 0.05


def test_until_all_are_there():
    model = GaussianMixture(2)
    model.weights_ = WEIGHTS
    assert (model.weights_ == WEIGHTS).all()
    with pytest.raises(thalweg.NotFittedError):
        model.predict(MEANS)
    with pytest.raises(thalweg.NotFittedError):
        model.means_
    model.fit(np.random.default_rng(0).normal(size=(50, 3)))
    assert model.means_.shape == (2, 3)


def test_what_cannot_be():
    model = GaussianMixture(2)
    model.weights_, model.means_ = [0.5, 0.6], MEANS
    with pytest.raises(ValueError, match="weights"):
        model.covariances_ = covariances("full")
    model = GaussianMixture.from_parameters(weights=WEIGHTS, means=MEANS, covariances=covariances("full"))
    with pytest.raises(ValueError):
        model.means_ = np.zeros((3, 2))
    with pytest.raises(ValueError, match="positive"):
        model.precisions_ = [np.eye(2), -np.eye(2)]
    assert (model.means_ == MEANS).all()


def test_other_classes():
    model = PoissonMixture(2)
    model.rates_ = [[1.0, 2.0], [3.0, 4.0]]
    model.weights_ = [0.5, 0.5]
    assert model.predict([[0, 1], [5, 6]]).tolist() == [0, 1]
    model = PPCA(1).fit(np.random.default_rng(0).normal(size=(50, 3)))
    model.noise_variance_ = 2.5
    assert model.noise_variance_ == 2.5


@pytest.mark.parametrize(
    "make",
    [
        lambda: GaussianMixture.from_parameters(weights=WEIGHTS, means=MEANS, covariances=covariances("full")),
        lambda: PoissonMixture.from_parameters(weights=WEIGHTS, rates=[[1.0, 2.0], [5.0, 9.0]]),
        lambda: PPCA.from_parameters(mean=[0.0, 0, 0], loadings=[[1.0], [0], [0]], noise_variance=1.0),
    ],
)
def test_parameters_count_like_a_buffer(make):
    """Every row that comes is learned, and the first ones do not sweep away what was given."""
    model = make()
    given = {name: value.copy() for name, value in model._learner.parameters().items()}
    rows = make().set_params(random_state=1).sample(400)
    rows = rows[0] if isinstance(rows, tuple) else rows
    model.partial_fit(np.random.default_rng(0).permutation(rows))
    moved = [np.abs(value - given[name]).max() for name, value in model._learner.parameters().items()]
    assert model.n_samples_seen_ == 400 and 0 < max(moved) < 0.5


def test_a_square_table_of_variances():
    model = GaussianMixture.from_parameters(weights=WEIGHTS, means=MEANS, covariances=np.ones((2, 2)))
    assert model.covariance_type == "diag"
    model = GaussianMixture.from_parameters(weights=WEIGHTS, means=MEANS, covariances=[[2.0, 0.5], [0.5, 1.0]])
    assert model.covariance_type == "tied"


def test_ppca_as_pca():
    from sklearn.decomposition import PCA

    rng = np.random.default_rng(2)
    rows = rng.normal(size=(400, 6)) @ np.diag([5, 3, 2, 1, 1, 1]) @ np.linalg.qr(rng.normal(size=(6, 6)))[0]
    ours, theirs = PPCA(2).fit(rows), PCA(2).fit(rows)
    share = 399 / 400  # theirs are unbiased
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_ * share, rtol=1e-6)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-6)
    np.testing.assert_allclose(np.abs(np.sum(ours.components_ * theirs.components_, axis=1)), 1, rtol=1e-6)
    np.testing.assert_allclose(ours.components_ @ ours.components_.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance() * share, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(ours.get_precision() @ ours.get_covariance(), np.eye(6), atol=1e-10)
