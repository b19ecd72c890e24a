"""Rows as dictionaries, in the manner of river."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import thalweg
from test_estimators import CLASSES, data_for
from thalweg import GaussianMixture


def dictionaries(X, names="abc"):
    return [dict(zip(names, row)) for row in X.tolist()]


@pytest.mark.parametrize("cls", CLASSES)
def test_the_same_as_arrays(cls):
    X = data_for(cls)
    given = {"categories": [[0, 1]] * 3} if cls._entry["takes_categories"] else {}  # the first row has not all of them
    model, whole = cls(2, random_state=0, **given), cls(2, random_state=0).partial_fit(X)
    for x in dictionaries(X):
        assert model.learn_one(x) is model
    assert list(model.feature_names_in_) == ["a", "b", "c"] and model.n_samples_seen_ == len(X)
    frame = pd.DataFrame(X, columns=list("abc"))
    assert (model.score_samples(frame) == whole.score_samples(X)).all()
    row = dictionaries(X[:1])[0]
    assert model.score_one(row) == whole.score_samples(X[:1])[0]
    if hasattr(model, "predict_proba"):
        assert model.predict_proba_one(row) == dict(enumerate(whole.predict_proba(X[:1])[0]))
        assert model.predict_one(row) == whole.predict(X[:1])[0]
    else:
        assert model.transform_one(row) == {f"{cls.__name__.lower()}{j}": z for j, z in enumerate(whole.transform(X[:1])[0])}


def test_predict_then_learn_from_the_first_row():
    """river's loop: nothing is known at first, and nothing fails."""
    X = data_for(thalweg.GaussianMixture)
    model = thalweg.GaussianMixture(2, random_state=0)
    known = 0
    for x in dictionaries(X):
        score, proba, label = model.score_one(x), model.predict_proba_one(x), model.predict_one(x)
        assert (proba == {}) == (label is None) == np.isnan(score)
        known += label is not None
        model.learn_one(x)
    assert known == 1450  # fifty rows give a first model
    assert thalweg.PPCA().transform_one({"a": 1.0}) == {}


def test_keys():
    X = data_for(thalweg.GaussianMixture)
    model = thalweg.GaussianMixture(2, random_state=0).fit(pd.DataFrame(X, columns=list("abc")))
    x = {"c": X[0, 2], "a": X[0, 0], "b": X[0, 1]}
    assert model.score_one(x) == model.score_one({**x, "new": 7, "other": "text"})  # what is new is ignored
    with pytest.raises(ValueError, match="no feature 'b'"):
        model.learn_one({"a": 1, "c": 2, "new": 3})
    with pytest.raises(ValueError):
        model.learn_one({"a": 1, "b": "text", "c": 2})
    with pytest.raises(ValueError, match="NaN"):
        model.learn_one({"a": 1, "b": float("nan"), "c": 2})
    with pytest.raises(ValueError, match="infinity"):
        model.learn_one({"a": 1, "b": float("inf"), "c": 2})
    assert model.n_samples_seen_ == len(X)


def test_columns_without_names():
    X = data_for(thalweg.GaussianMixture)
    model = thalweg.GaussianMixture(2, random_state=0).fit(X)
    by_number = thalweg.GaussianMixture(2, random_state=0).fit(X)
    assert by_number.score_one({2: X[0, 2], 0: X[0, 0], 1: X[0, 1]}) == model.score_samples(X[:1])[0]
    assert model.score_one({"x": X[0, 0], "y": X[0, 1], "z": X[0, 2]}) == model.score_samples(X[:1])[0]
    assert model.score_one({"z": X[0, 2], "y": X[0, 1], "x": X[0, 0]}) == model.score_samples(X[:1])[0]
    with pytest.raises(ValueError, match="has 2 features, but GaussianMixture is expecting 3"):
        thalweg.GaussianMixture(2, random_state=0).fit(X).learn_one({"x": 1, "y": 2})
    with pytest.raises(ValueError, match="has 0 features"):
        thalweg.GaussianMixture().learn_one({})


def test_weights():
    X = data_for(thalweg.GaussianMixture)
    weight = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    model = thalweg.GaussianMixture(2, random_state=0)
    for x, w in zip(dictionaries(X), weight):
        model.learn_one(x, w=w)
    whole = thalweg.GaussianMixture(2, random_state=0).partial_fit(X, sample_weight=weight)
    assert (model.means_ == whole.means_).all()
    with pytest.raises(ValueError, match="Negative values"):
        model.learn_one(dictionaries(X[:1])[0], w=-1)


def test_a_missing_key_is_a_missing_cell_where_the_model_takes_those(monkeypatch):
    monkeypatch.setattr(thalweg.PPCA, "_entry", {**thalweg.PPCA._entry, "takes_missing": True})
    row = thalweg.PPCA()._row({"a": 1.0, "b": 2.0})
    model = thalweg.PPCA()
    model._features = ("a", "b", "c")
    row = model._row({"c": 1.0, "a": 2.0})
    assert row[0, 0] == 2 and np.isnan(row[0, 1]) and row[0, 2] == 1


def test_river_is_not_needed():
    program = (
        "import sys; sys.modules['river'] = None\n"
        "import thalweg; print(thalweg.PoissonMixture(1).learn_one({'a': 1}).n_samples_seen_)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "1\n"


def test_keys_that_are_no_names():
    """The first row says which is which column, whatever the order of later ones."""
    one, other = GaussianMixture(1, buffer=3), GaussianMixture(1, buffer=3)
    for a, b in ((1.0, 100.0), (2.0, 101.0), (3.5, 99.0), (4.0, 98.0)):
        one.learn_one({10: a, 20: b})
    for place, (a, b) in enumerate(((1.0, 100.0), (2.0, 101.0), (3.5, 99.0), (4.0, 98.0))):
        other.learn_one({10: a, 20: b} if place == 0 else {20: b, 30: 5.0, 10: a})
    assert (one.means_ == other.means_).all() and one.means_[0, 0] < 5


def test_a_first_row_that_fails_says_nothing_of_the_columns():
    model = GaussianMixture(1, buffer=2)
    with pytest.raises(ValueError):
        model.learn_one({"a": "x"})
    for value in (1.0, 2.0, 4.0):
        model.learn_one({"b": value, "c": -value})
    assert list(model.feature_names_in_) == ["b", "c"]
