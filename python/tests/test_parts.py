"""Marginals and conditionals of every class, against densities of whole rows."""

import numpy as np
import pandas as pd
import pytest
from thalweg import PPCA, CategoricalMixture, GaussianMixture, PoissonMixture


def poisson():
    rates = [[1.0, 5.0, 2.0], [4.0, 1.0, 9.0]]
    return PoissonMixture.from_parameters(weights=[0.3, 0.7], rates=rates, feature_names=["a", "b", "c"])


def ppca():
    rng = np.random.default_rng(4)
    return PPCA.from_parameters(mean=rng.normal(size=5), loadings=rng.normal(size=(5, 2)), noise_variance=0.3)


def categorical():
    tables = [[[0.2, 0.8], [0.9, 0.1]], [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], [[0.6, 0.4], [0.3, 0.7]]]
    levels = {"a": ["no", "yes"], "b": ["x", "y", "z"], "c": [0, 1]}
    return CategoricalMixture.from_parameters(
        weights=[0.4, 0.6], probabilities=tables, feature_names=["a", "b", "c"], categories=levels
    )


def gaussian():
    covariances = [[[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.3], [-0.3, 0.5]]]
    return GaussianMixture.from_parameters(weights=[0.5, 0.5], means=[[0.0, 1.0], [3.0, -1.0]], covariances=covariances)


def test_poisson_marginal_sums_over_the_other():
    model = poisson()
    part = model.marginal(["c", "a"])
    assert list(part.feature_names_in_) == ["c", "a"] and type(part) is PoissonMixture
    rows = np.array([[a, b, c] for a in (0, 3) for c in (1, 7) for b in range(80)])
    whole = np.exp(model.score_samples(pd.DataFrame(rows, columns=list("abc")))).reshape(4, 80).sum(axis=1)
    asked = pd.DataFrame(rows[::80][:, [2, 0]], columns=["c", "a"])
    np.testing.assert_allclose(np.exp(part.score_samples(asked)), whole, rtol=1e-12)


@pytest.mark.parametrize("make, given", [(poisson, {"b": 3}), (categorical, {"b": "y"}), (categorical, {"c": 1, "a": "no"})])
def test_a_conditional_is_a_ratio_of_densities(make, given):
    model = make()
    names = list(model.feature_names_in_)
    rest = [name for name in names if name not in given]
    frame = pd.DataFrame({"a": ["no", "yes"], "b": ["x", "z"], "c": [0, 1]} if make is categorical else {"a": [0, 2], "b": [1, 4], "c": [5, 9]})
    for name, value in given.items():
        frame[name] = value
    part = model.condition(given)
    assert list(part.feature_names_in_) == rest
    joint = model.score_samples(frame[names])
    known = model.marginal(list(given)).score_samples(frame[list(given)])
    np.testing.assert_allclose(part.score_samples(frame[rest]), joint - known, rtol=1e-12)


def test_ppca_by_its_covariance():
    model = ppca()
    covariance, mean = model.get_covariance(), model.mean_
    part = model.marginal([4, 0, 2])
    np.testing.assert_allclose(part.get_covariance(), covariance[np.ix_([4, 0, 2], [4, 0, 2])], rtol=1e-12)
    given = {1: 0.7, 3: -2.0}
    part = model.condition(given)
    g, o = [1, 3], [0, 2, 4]
    gain = covariance[np.ix_(o, g)] @ np.linalg.inv(covariance[np.ix_(g, g)])
    np.testing.assert_allclose(part.mean_, mean[o] + gain @ (np.array([0.7, -2.0]) - mean[g]), rtol=1e-10)
    np.testing.assert_allclose(part.get_covariance(), covariance[np.ix_(o, o)] - gain @ covariance[np.ix_(g, o)], rtol=1e-10)
    np.testing.assert_allclose(model.get_precision(), np.linalg.inv(covariance), rtol=1e-9)
    with pytest.raises(ValueError, match="2 columns are left for 2 factors"):
        model.marginal([0, 1])


def test_parts_learn_on():
    rows, _ = poisson().sample(2000)
    part = poisson().marginal([0, 1]).partial_fit(rows[:, :2])
    assert part.n_samples_seen_ == 2000 and (part.rates_ != poisson().rates_[:, :2]).any()


@pytest.mark.parametrize("make", [poisson, categorical, gaussian, ppca])
def test_faults(make):
    model = make()
    for columns in ([], [0, 0], "nothing", 17):
        with pytest.raises(ValueError):
            model.marginal(columns)
    with pytest.raises(ValueError, match="left over"):
        model.condition({j: 0 for j in range(model.n_features_in_)})


def test_unknown_and_impossible_values():
    with pytest.warns(UserWarning, match="taken as missing"):
        part = categorical().condition({"b": "q"})
    np.testing.assert_allclose(part.weights_, [0.4, 0.6])
    with pytest.raises(ValueError, match="finite"):
        poisson().condition({"a": np.nan})
    with pytest.raises(ValueError):
        poisson().condition({"a": 1.5})


def test_parts_are_kept(tmp_path):
    part = categorical().condition({"a": "yes"})
    part.save(tmp_path / "part.json")
    back = CategoricalMixture.load(tmp_path / "part.json")
    np.testing.assert_array_equal(back.weights_, part.weights_)
    assert [[str(level) for level in levels] for levels in back.categories_] == [["x", "y", "z"], ["0", "1"]]
    unnamed = gaussian().marginal([1])
    unnamed.save(tmp_path / "unnamed.json")
    assert not hasattr(GaussianMixture.load(tmp_path / "unnamed.json"), "feature_names_in_")
