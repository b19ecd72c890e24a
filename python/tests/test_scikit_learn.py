"""Inside scikit-learn: pipelines, searches, clones, frames out of transformers, pickles of every kind."""

import copy

import joblib
import numpy as np
import pandas as pd
import pytest
import thalweg
from sklearn.base import clone, is_outlier_detector
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.validation import check_is_fitted
from test_estimators import CLASSES, data_for
from thalweg import _data


def scaler_for(cls):
    return FunctionTransformer() if _data.refuses_negative(cls._entry) else StandardScaler()


@pytest.mark.parametrize("cls", CLASSES)
def test_pipeline(cls):
    X = data_for(cls)
    pipe = make_pipeline(scaler_for(cls), cls(2, random_state=0)).fit(X[:1000])
    scaled = scaler_for(cls).fit(X[:1000])
    alone = cls(2, random_state=0).fit(scaled.transform(X[:1000]))
    assert (pipe.score_samples(X[1000:]) == alone.score_samples(scaled.transform(X[1000:]))).all()
    assert pipe.score(X[1000:]) == alone.score(scaled.transform(X[1000:]))


@pytest.mark.parametrize("cls", CLASSES)
def test_searches(cls):
    X = data_for(cls, 600)
    X = X[np.random.default_rng(0).permutation(len(X))]
    search = GridSearchCV(cls(random_state=0), {"n_components": [1, 2]}, cv=3, error_score="raise").fit(X)
    assert search.best_params_ == {"n_components": 2}  # the rows have two clusters, or a plane in three dimensions
    scores = cross_val_score(cls(2, random_state=0), X, cv=3)
    assert scores.mean() == pytest.approx(search.best_score_)
    assert not is_outlier_detector(search.best_estimator_)


@pytest.mark.parametrize("cls", CLASSES)
def test_clone_and_set_params(cls):
    X = data_for(cls)
    model = cls(2, random_state=0).fit(X)
    other = clone(model).set_params(n_components=1, tol=1e-5)
    assert not other.__sklearn_is_fitted__() and model.n_components == 2
    with pytest.raises(thalweg.NotFittedError):
        check_is_fitted(other)
    check_is_fitted(model)
    assert other.fit(X).get_params()["tol"] == 1e-5
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        other.set_params(nonsense=1)


@pytest.mark.parametrize("cls", CLASSES)
def test_copies(cls, tmp_path):
    X = data_for(cls)
    model = cls(2, random_state=0).fit(X)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (copy.deepcopy(model), copy.copy(model), joblib.load(tmp_path / "model.joblib")):
        assert (other.score_samples(X) == model.score_samples(X)).all()
        before = model.n_samples_seen_
        other.partial_fit(X)
        assert model.n_samples_seen_ == before  # nothing is shared
    found = joblib.Parallel(2)(joblib.delayed(one.score)(X) for one in (model, clone(model).fit(X)))
    assert found[0] == found[1]


def test_transformers_speak_pandas():
    X = pd.DataFrame(data_for(thalweg.PPCA), columns=["a", "b", "c"])
    model = thalweg.PPCA(2, random_state=0).set_output(transform="pandas")
    found = model.fit_transform(X)
    assert isinstance(found, pd.DataFrame) and list(found.columns) == ["ppca0", "ppca1"]
    assert list(model.get_feature_names_out()) == ["ppca0", "ppca1"]
    plain = thalweg.PPCA(2, random_state=0).fit(X)
    assert (found.to_numpy() == plain.transform(X)).all()
    named = make_pipeline(StandardScaler(), thalweg.PPCA(2)).set_output(transform="pandas").fit(X)
    assert list(named.transform(X).columns) == ["ppca0", "ppca1"]
    # Rows near the plane of the factors come back from their scores.
    back = plain.inverse_transform(plain.transform(X))
    assert np.linalg.norm(back - X.to_numpy()) < 0.5 * np.linalg.norm(X.to_numpy() - X.to_numpy().mean(axis=0))


def test_generators_as_random_state():
    X = data_for(thalweg.GaussianMixture)
    for state in (np.random.RandomState(3), np.random.default_rng(3), np.int64(3)):
        assert thalweg.GaussianMixture(2, random_state=state).fit(X).converged_
    with pytest.raises(ValueError, match="cannot be used to seed"):
        thalweg.GaussianMixture(2, random_state="x").fit(X)
