"""What a fit leaves behind is the fit service's: the same record that the command writes, and factors in one form."""

import json
import pickle

import numpy as np
import pytest

import thalweg


@pytest.fixture
def X():
    random = np.random.default_rng(3)
    turned = random.normal(size=(800, 2)) @ np.array([[3.0, 1.0, 2.0, -1.0], [0.5, 2.0, -1.0, 1.5]])
    return turned + random.normal(scale=0.4, size=(800, 4)) + [5, 0, -2, 1]


@pytest.fixture
def counts():
    random = np.random.default_rng(4)
    return random.poisson(random.choice([2.0, 9.0], size=(3000, 1)), size=(3000, 2)).astype(float)


def record(model, path):
    model.save(path)
    return json.loads(path.read_text())


def test_a_gradient_fit_has_no_log_likelihood(counts, tmp_path):
    model = thalweg.PoissonMixture(2, random_state=0, method="gradient").fit(counts)
    training = record(model, tmp_path / "m.json")["training"]
    assert training["log_likelihood"] is None
    assert training["progressive_mean_log_likelihood"] == model.lower_bound_
    assert training["step"] == "0.6" and training["batch_size"] > 0


def test_rows_that_never_leave_the_buffer_have_a_log_likelihood(counts, tmp_path):
    model = thalweg.PoissonMixture(2, random_state=0, method="online").fit(counts[:300])
    training = record(model, tmp_path / "m.json")["training"]
    assert training["progressive_mean_log_likelihood"] is None
    assert training["log_likelihood"] == pytest.approx(300 * model.score(counts[:300]), rel=1e-12)
    assert model.n_iter_ == 1


@pytest.mark.parametrize("method", ["batch", "squarem", "auto", "online"])
def test_the_record_comes_back_as_it_was(counts, tmp_path, method):
    model = thalweg.PoissonMixture(2, random_state=0, method=method).fit(counts)
    written = record(model, tmp_path / "m.json")
    again = thalweg.load(tmp_path / "m.json")
    assert again.lower_bound_ == model.lower_bound_
    assert record(again, tmp_path / "again.json") == written
    assert record(pickle.loads(pickle.dumps(model)), tmp_path / "pickled.json") == written


def test_several_passes_make_no_more_rows(counts, tmp_path):
    passes = thalweg.PoissonMixture(2, random_state=0, method="online", passes=3, tol=0.0).fit(counts)
    written = record(passes, tmp_path / "m.json")
    assert written["training"]["passes"] == 3
    assert written["statistics"]["weight"] == written["training"]["observations"] == len(counts)


def agrees(model, X):
    """`transform` gives the coordinates along `components_`, each on its own scale."""
    along = (X - model.mean_) @ model.components_.T
    lengths = np.linalg.norm(model.loadings_, axis=0)
    scale = lengths / (lengths**2 + model.noise_variance_)
    np.testing.assert_allclose(model.transform(X), along * scale, atol=1e-9)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(lengths**2 + model.noise_variance_, model.explained_variance_)


@pytest.mark.parametrize("method", ["batch", "squarem", "auto", "online", "exact"])
def test_transform_and_components_agree(X, method):
    agrees(thalweg.PPCA(2, random_state=1, method=method).fit(X), X)


def test_they_agree_after_more_rows_and_from_a_file(X, tmp_path):
    model = thalweg.PPCA(2, random_state=1).fit(X[:500]).partial_fit(X[500:])
    agrees(model, X)
    agrees(thalweg.PPCA.load(model.save(tmp_path / "m.json") and tmp_path / "m.json"), X)
    agrees(pickle.loads(pickle.dumps(model)), X)
    fresh = thalweg.PPCA(2, random_state=1, buffer=200).partial_fit(X)
    agrees(fresh, X)


def test_loadings_that_are_given_stay_and_their_axes_are_those_of_a_fit(X):
    fitted = thalweg.PPCA(2, random_state=1).fit(X)
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    given = thalweg.PPCA.from_parameters(
        mean=fitted.mean_, loadings=fitted.loadings_ @ turn, noise_variance=fitted.noise_variance_
    )
    np.testing.assert_array_equal(given.loadings_, fitted.loadings_ @ turn)
    np.testing.assert_allclose(given.components_, fitted.components_, atol=1e-9)
    np.testing.assert_allclose(given.explained_variance_, fitted.explained_variance_)


def test_a_factor_without_loadings_has_an_axis():
    model = thalweg.PPCA.from_parameters(mean=np.zeros(3), loadings=[[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]], noise_variance=0.5)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(model.explained_variance_, [2.5, 0.5])
