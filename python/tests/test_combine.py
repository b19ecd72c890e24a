"""Parts of columns, parts of rows, and files: marginal, condition, one_step, merge, load."""

import numpy as np
import pandas as pd
import pytest
import thalweg
from conftest import start_of
from own_models import OwnPoissonMixture
from test_estimators import CLASSES, data_for
from thalweg import GaussianMixture

KINDS = ["full", "tied", "diag", "spherical"]


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(2000, 3)) @ np.array([[1, 0.4, -0.3], [0, 0.7, 0.5], [0, 0, 1.2]])
    X[:700] += [3, -1, 2]
    return X


def log_normal(x, mean, covariance):
    """Of rows x, by the textbook."""
    away = np.atleast_2d(x - mean)
    return -0.5 * (
        np.einsum("ij,ij->i", away @ np.linalg.inv(covariance), away)
        + len(mean) * np.log(2 * np.pi)
        + np.linalg.slogdet(covariance)[1]
    )


def full_covariance(model, k):
    d, kind = model.n_features_in_, model.covariance_type
    if kind == "tied":
        return model.covariances_
    return {"full": lambda c: c, "diag": np.diag, "spherical": lambda c: c * np.eye(d)}[kind](model.covariances_[k])


@pytest.mark.parametrize("kind", KINDS)
def test_marginal_density(X, kind):
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    part = model.marginal([2, 0])
    assert part.n_features_in_ == 2 and part.covariance_type == kind and part.n_components == 2
    expected = np.logaddexp.reduce(
        [
            np.log(model.weights_[k]) + log_normal(X[:, [2, 0]], model.means_[k][[2, 0]], full_covariance(model, k)[np.ix_([2, 0], [2, 0])])
            for k in range(2)
        ]
    )
    np.testing.assert_allclose(part.score_samples(X[:, [2, 0]]), expected, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_joint_is_marginal_times_conditional(X, kind):
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    given = model.marginal(1)
    for row in X[:5]:
        rest = model.condition({1: row[1]})
        assert rest.n_features_in_ == 2
        joint = model.score_samples(row[None])[0]
        assert joint == pytest.approx(given.score_samples([[row[1]]])[0] + rest.score_samples([row[[0, 2]]])[0], abs=1e-9)


def test_columns_by_name(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = GaussianMixture(2, random_state=0).fit(frame)
    assert list(model.marginal(["c", "a"]).feature_names_in_) == ["c", "a"]
    rest = model.condition({"b": 0.5})
    assert list(rest.feature_names_in_) == ["a", "c"]
    assert (rest.means_ == model.condition({1: 0.5}).means_).all()
    assert rest.predict(frame[["a", "c"]]).shape == (2000,)
    rest.partial_fit(frame[["a", "c"]])
    assert (model.marginal(-1).means_ == model.marginal("c").means_).all()
    assert model.n_features_in_ == 3
    for bad, words in [("z", "no column 'z'"), (3, "out of range"), ([0, 0], "each once"), ([], "have to be given")]:
        with pytest.raises(ValueError, match=words):
            model.marginal(bad)
    with pytest.raises(ValueError, match="left over"):
        model.condition({"a": 0, "b": 0, "c": 0})
    with pytest.raises(ValueError, match="finite"):
        model.condition({"a": np.nan})
    with pytest.raises(thalweg.NotFittedError):
        GaussianMixture().marginal(0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reg_covar", [0.0, 0.2])
def test_shares_of_a_step_are_a_batch_iteration(X, kind, reg_covar):
    start = start_of(X, 2, kind)
    asked = dict(n_components=2, covariance_type=kind, reg_covar=reg_covar)
    base = GaussianMixture(max_iter=0, **asked, **start).fit(X)
    with pytest.warns(UserWarning, match="did not converge"):
        whole = GaussianMixture(max_iter=1, **asked, **start).fit(X)
    merged = thalweg.merge([base.one_step(X[:500]), base.one_step(X[500:1700]), base.one_step(X[1700:])])
    assert merged.merged_exactly_ and merged.n_samples_seen_ == 2000
    np.testing.assert_allclose(merged.means_, whole.means_, atol=1e-12)
    np.testing.assert_allclose(merged.covariances_, whole.covariances_, atol=1e-12)
    assert merged.lower_bound_ == pytest.approx(whole.lower_bound_, abs=1e-12)


def test_shares_survive_files_and_pickles(X, tmp_path):
    import pickle

    base = GaussianMixture(2, random_state=0).fit(X[:900])
    shares = [base.one_step(X[:1000]), base.one_step(X[1000:])]
    expected = thalweg.merge(shares)
    shares[0].save(tmp_path / "share.json")
    again = [thalweg.load(tmp_path / "share.json"), pickle.loads(pickle.dumps(shares[1]))]
    found = thalweg.merge(again)
    assert found.merged_exactly_ and (found.means_ == expected.means_).all()
    again[1].partial_fit(X[:10])  # now it is a fit of its own
    with pytest.raises(ValueError, match="cannot be merged"):
        thalweg.merge(again)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_fits_of_shards_are_merged_approximately(cls, verb):
    X = data_for(cls, 6000)
    X = X[np.random.default_rng(1).permutation(len(X))]
    parts = [getattr(cls(2, random_state=seed), verb)(X[seed::3]) for seed in range(3)]
    merged = thalweg.merge(parts)
    assert type(merged) is cls and not merged.merged_exactly_ and merged.n_samples_seen_ == 6000
    whole = cls(2, random_state=0).fit(X)
    assert merged.score(X) > whole.score(X) - 0.01
    assert merged.score(X) > whole.score(X) - 0.5 * (whole.score(X) - cls(1, random_state=0).fit(X).score(X))
    merged.partial_fit(X)


def test_what_cannot_be_merged(X):
    one = GaussianMixture(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="at least two"):
        thalweg.merge([one])
    with pytest.raises(TypeError, match="GaussianMixture and a PPCA"):
        thalweg.merge([one, thalweg.PPCA().fit(X)])
    with pytest.raises(ValueError, match="estimator 1: cannot be merged"):
        thalweg.merge([one, GaussianMixture(3, random_state=0).fit(X)])
    with pytest.raises(thalweg.NotFittedError):
        thalweg.merge([one, GaussianMixture(2)])


@pytest.mark.parametrize("cls", CLASSES)
def test_load_finds_the_class(cls, tmp_path):
    X = data_for(cls)
    model = cls(2, random_state=0).fit(X).save(tmp_path / "model.json")
    again = thalweg.load(str(tmp_path / "model.json"), tol=1e-7)
    assert type(again) is cls and again.tol == 1e-7
    assert (again.score_samples(X) == model.score_samples(X)).all()
    with pytest.raises(FileNotFoundError, match="nothing.json"):
        thalweg.load(tmp_path / "nothing.json")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "model.json")


def test_a_model_of_ones_own_is_in_no_catalogue():
    X = np.random.default_rng(0).poisson(3, (50, 1)).astype(float)
    model = thalweg.EM(OwnPoissonMixture(1), random_state=0, buffer=20)
    for x in X[:, 0]:
        model.learn_one({"count": x})
    assert model.score_one({"count": 3}) == model.score_samples(pd.DataFrame({"count": [3]}))[0]
    with pytest.raises(ValueError, match="OwnPoissonMixture is not of the catalogue"):
        model.one_step(X)
    with pytest.raises(ValueError, match="OwnPoissonMixture is not of the catalogue"):
        thalweg.merge([model, model])
