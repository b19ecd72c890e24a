"""Prior, limits of variances and held parameters of a file go on in Python: partial_fit, one_step, merge, pickles."""

import json
import pathlib
import pickle

import numpy as np
import pytest
import thalweg
from thalweg import GaussianMixture, PoissonMixture


@pytest.fixture
def counts():
    rng = np.random.default_rng(3)
    return rng.permutation(np.concatenate([rng.poisson(2, 700), rng.poisson(9, 500)])).astype(float)[:, None]


@pytest.fixture
def with_prior(counts, tmp_path):
    """A file of the command's with a prior of 400 rows, all for the first component, and a rate that is held."""
    path = tmp_path / "prior.json"
    PoissonMixture(2, random_state=0).fit(counts[:800]).save(path)
    file = json.loads(path.read_text())
    assert "terms" not in file
    mean = {"weights": [1.0, 0.0], "sums": [[2.0, 0.0]]}
    file["terms"] = {"fixed": ["rates[1]"], "prior": {"strength": 400, "mean": mean}}
    path.write_text(json.dumps(file))
    return path


def file_of(estimator, folder):
    path = pathlib.Path(folder, "saved.json")
    estimator.save(path)
    return json.loads(path.read_text())


def map_weights(file):
    """(n S + n_0 S_0) / (n + n_0)."""
    statistics, prior = file["statistics"], file["terms"]["prior"]
    n, n_0 = statistics["weight"], prior["strength"]
    S, S_0 = (np.array(s["mean"]["weights"]) for s in (statistics, prior))
    return (n * S + n_0 * S_0) / (n + n_0)


def test_rows_that_come_later_are_learned_with_the_prior(counts, with_prior, tmp_path):
    model = PoissonMixture.load(with_prior, average=False)
    held = model.rates_[1].copy()
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        for portion in np.array_split(counts[800:], 4):
            one.partial_fit(portion)
    file = file_of(model, tmp_path)
    assert file["terms"] == json.loads(with_prior.read_text())["terms"]
    np.testing.assert_allclose(model.weights_, map_weights(file), atol=1e-12)
    np.testing.assert_array_equal(model.rates_[1], held)
    np.testing.assert_array_equal(again.weights_, model.weights_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).partial_fit(counts).weights_, model.partial_fit(counts).weights_)


def test_a_new_fit_begins_anew(counts, with_prior, tmp_path):
    model = PoissonMixture.load(with_prior).fit(counts)
    assert "terms" not in file_of(model, tmp_path)


def test_shares_of_a_step_have_the_prior_once(counts, with_prior, tmp_path):
    base = PoissonMixture.load(with_prior)
    whole = base.one_step(counts)
    np.testing.assert_allclose(whole.weights_, map_weights(file_of(whole, tmp_path)), atol=1e-12)
    merged = thalweg.merge([base.one_step(part) for part in np.array_split(counts, 3)])
    assert merged.merged_exactly_
    np.testing.assert_allclose(merged.weights_, whole.weights_, atol=1e-12)
    np.testing.assert_allclose(merged.rates_, whole.rates_, atol=1e-12)
    np.testing.assert_array_equal(whole.rates_[1], base.rates_[1])


def test_held_parameters_are_not_free(counts, with_prior):
    held, free = PoissonMixture.load(with_prior), PoissonMixture(2, random_state=0).fit(counts[:800])
    assert free.bic(counts) - held.bic(counts) == pytest.approx(np.log(len(counts)))


def test_reg_covar_is_kept_in_files(three_clusters, tmp_path):
    path = tmp_path / "m.json"
    model = GaussianMixture(3, reg_covar=0.5, random_state=0).fit(three_clusters)
    model.save(path)
    assert json.loads(path.read_text())["terms"] == {"floor": 0, "ridge": 0.5}
    same = GaussianMixture.load(path)
    assert same.reg_covar == 0.5
    other = GaussianMixture.load(path, reg_covar=0.125)
    np.testing.assert_allclose(
        same.one_step(three_clusters).covariances_ - other.one_step(three_clusters).covariances_,
        [0.375 * np.eye(2)] * 3,
        atol=1e-12,
    )
    with pytest.raises(ValueError, match="its ridge is 0.125, not 0.5"):
        thalweg.merge([same, other])


def test_limits_of_the_command_go_on(three_clusters, tmp_path):
    """A file without terms was fitted with a floor and no ridge: so are rows that come later, unless asked otherwise."""
    path = tmp_path / "m.json"
    GaussianMixture(3, reg_covar=0.5, random_state=0).fit(three_clusters).save(path)
    file = json.loads(path.read_text())
    del file["terms"]
    path.write_text(json.dumps(file))
    plain = GaussianMixture.load(path)
    assert plain.reg_covar == GaussianMixture().reg_covar  # what a new fit would take
    step = plain.one_step(three_clusters)
    ridged = GaussianMixture.load(path, reg_covar=0.5).one_step(three_clusters)
    np.testing.assert_allclose(ridged.covariances_ - step.covariances_, [0.5 * np.eye(2)] * 3, atol=1e-12)
    assert "terms" not in file_of(step, tmp_path)


def test_gradient_steps_with_a_prior_leave_it_in_their_statistics(counts, with_prior):
    file = json.loads(with_prior.read_text())
    file["training"]["method"] = "gradient"
    with_prior.write_text(json.dumps(file))
    model = PoissonMixture.load(with_prior)
    with pytest.raises(ValueError, match="gradient steps with a prior"):
        model.partial_fit(counts)
    with pytest.raises(ValueError, match="gradient steps with a prior"):
        thalweg.merge([model, model])
