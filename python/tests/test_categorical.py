"""Categorical columns in Python: a slow textbook EM, words and numbers alike, missing cells, unknown levels, files."""

import io
import os
import pathlib
import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
import thalweg
from sklearn.base import clone
from thalweg import CategoricalMixture, ConvergenceWarning

LEVELS = {"transport": ["bicycle", "bus", "car"], "housing": ["flat", "house"], "pet": ["cat", "dog", "none", "several"]}
NAMES = list(LEVELS)
WEIGHTS = np.array([0.6, 0.4])
TABLES = [
    np.array([[0.45, 0.4, 0.15], [0.1, 0.1, 0.8]]),
    np.array([[0.9, 0.1], [0.25, 0.75]]),
    np.array([[0.3, 0.05, 0.6, 0.05], [0.2, 0.45, 0.15, 0.2]]),
]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def survey(n=2000, missing=0.0, seed=0):
    """A frame of words, drawn by NumPy."""
    rng = np.random.default_rng(seed)
    k = rng.choice(2, size=n, p=WEIGHTS)
    columns = {}
    for (name, levels), table in zip(LEVELS.items(), TABLES):
        u = rng.random(n)[:, None] > np.cumsum(table, axis=1)[k]
        columns[name] = np.array(levels, dtype=object)[u.sum(axis=1)]
        columns[name][rng.random(n) < missing] = None
    return pd.DataFrame(columns)


def coded(frame):
    """The numbers of the levels, NaN where a cell is missing."""
    return np.column_stack(
        [[np.nan if cell is None else float(levels.index(cell)) for cell in frame[name]] for name, levels in LEVELS.items()]
    )


def textbook(codes, weights, tables, steps, times=None):
    """EM of latent classes by its formulas, row by row: missing cells are left out of every product and every sum."""
    times = np.ones(len(codes)) if times is None else times
    for _ in range(steps):
        posterior, log_likelihood = np.empty((len(codes), len(weights))), 0.0
        for t, row in enumerate(codes):
            joint = weights.copy()
            for y, table in zip(row, tables):
                if not np.isnan(y):
                    joint = joint * table[:, int(y)]
            posterior[t] = joint / joint.sum()
            log_likelihood += times[t] * np.log(joint.sum())
        heavy = posterior * times[:, None]
        weights = heavy.sum(axis=0) / times.sum()
        counts = [
            np.stack([heavy[codes[:, j] == l].sum(axis=0) for l in range(table.shape[1])], axis=1)
            for j, table in enumerate(tables)
        ]
        tables = [count / count.sum(axis=1, keepdims=True) for count in counts]
    return weights, tables, log_likelihood / times.sum()


START = {
    "weights": np.array([0.5, 0.5]),
    "probabilities": [
        np.array([[0.4, 0.3, 0.3], [0.2, 0.3, 0.5]]),
        np.array([[0.6, 0.4], [0.5, 0.5]]),
        np.array([[0.3, 0.2, 0.3, 0.2], [0.25, 0.25, 0.25, 0.25]]),
    ],
}


def started(**params):
    return CategoricalMixture.from_parameters(
        **START, feature_names=NAMES, categories=LEVELS, warm_start=True, tol=0, max_iter=25, **params
    )


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_a_textbook(missing, weighted):
    frame = survey(600, missing)
    times = np.random.default_rng(1).integers(0, 4, len(frame)).astype(float) if weighted else None
    with pytest.warns(ConvergenceWarning):
        model = started().fit(frame, sample_weight=times)
    weights, tables, bound = textbook(coded(frame), START["weights"], START["probabilities"], 25, times)
    np.testing.assert_allclose(model.weights_, weights, atol=1e-8)
    for found, expected in zip(model.probabilities_, tables):
        np.testing.assert_allclose(found, expected, atol=1e-8)
    assert model.lower_bound_ == pytest.approx(bound, abs=1e-8)
    log_likelihood = textbook(coded(frame), model.weights_, model.probabilities_, 1)[2]
    assert model.score(frame) == pytest.approx(log_likelihood, abs=1e-10)
    free = 1 + 2 * (2 + 1 + 3)
    assert model.bic(frame) == pytest.approx(-2 * 600 * log_likelihood + free * np.log(600), abs=1e-6)
    assert model.aic(frame) == pytest.approx(-2 * 600 * log_likelihood + free * 2, abs=1e-6)


def fitted_to(X, **params):
    return CategoricalMixture(2, random_state=0, **params).fit(X)


def as_categoricals(frame):
    return pd.DataFrame({name: pd.Categorical(frame[name], categories=LEVELS[name]) for name in NAMES})


@pytest.mark.parametrize(
    "form",
    [
        lambda frame: frame.to_numpy(),
        lambda frame: frame.to_numpy().tolist(),
        as_categoricals,
        lambda frame: frame.astype("string"),
        coded,
        lambda frame: pd.DataFrame(coded(frame)).astype("Int64"),
        lambda frame: coded(frame).astype(np.float32)[:, ::-1][:, ::-1],
    ],
    ids=["objects", "lists", "categoricals", "strings", "floats", "nullable", "strided"],
)
def test_words_and_numbers_give_the_same_bits(form):
    frame = survey(20_000, missing=0.1)  # several blocks
    expected, X = fitted_to(frame), form(frame)
    model = fitted_to(X)
    assert [len(levels) for levels in model.categories_] == [3, 2, 4]
    assert (model.weights_ == expected.weights_).all()
    assert all((a == b).all() for a, b in zip(model.probabilities_, expected.probabilities_))
    assert (model.predict_proba(X) == expected.predict_proba(frame)).all()
    assert (model.predict(X) == expected.predict_proba(frame).argmax(axis=1)).all()


def test_types_of_levels():
    X = pd.DataFrame({"n": [3, 1, 2, 1], "yes": [True, False, True, True], "x": [0.5, np.nan, 1.5, 0.5]})
    found = CategoricalMixture(1).fit(X).categories_
    assert [levels.dtype.kind for levels in found] == ["i", "b", "f"]
    assert [levels.tolist() for levels in found] == [[1, 2, 3], [False, True], [0.5, 1.5]]
    words = np.array([["b", "x"], ["a", "y"]])
    assert [levels.tolist() for levels in CategoricalMixture(1).fit(words).categories_] == [["a", "b"], ["x", "y"]]


def test_whole_numbers_beside_missing_cells():
    """pandas makes floats of them."""
    model = CategoricalMixture(1).fit(pd.DataFrame({"n": [1, 2, 2, 1, 2]}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = model.score_samples(pd.DataFrame({"n": [1, None, 2]}))
    np.testing.assert_allclose(np.exp(scores), [0.4, 1, 0.6])


def test_a_missing_cell_says_nothing():
    model = fitted_to(survey(missing=0.1))
    for nothing in (None, np.nan, pd.NA):
        rows = pd.DataFrame([[nothing] * 3, ["car", nothing, "dog"]], columns=NAMES, dtype=object)
        posterior = model.predict_proba(rows)
        np.testing.assert_allclose(posterior[0], model.weights_, atol=1e-12)
        joint = model.weights_ * model.probabilities_[0][:, 2] * model.probabilities_[2][:, 1]
        np.testing.assert_allclose(posterior[1], joint / joint.sum(), atol=1e-12)


def test_unknown_levels_are_missing_and_told_once():
    model = fitted_to(survey())
    rows = pd.DataFrame({"transport": ["car", "rocket", "car", "boat", "rocket"], "housing": "flat", "pet": "dog"})
    known = rows.assign(transport=["car", None, "car", None, None])
    for ask in (model.predict, model.predict_proba, model.score_samples, model.score, model.bic):
        with pytest.warns(UserWarning) as told:
            found = ask(rows)
        assert len(told) == 1 and np.array_equal(found, ask(known))
        assert str(told[0].message).startswith("3 cells of column transport held levels the model has not seen (rocket, boat)")
        assert told[0].filename == __file__


def test_partial_fit():
    frame = survey(6000)
    model = CategoricalMixture(2, random_state=0)
    for begin in range(0, 6000, 50):
        model.partial_fit(frame[begin : begin + 50])
    assert model.n_samples_seen_ == 6000
    assert model.score(frame) > fitted_to(frame).score(frame) - 0.01
    whole = CategoricalMixture(2, random_state=0).partial_fit(frame)
    assert (model.weights_ == whole.weights_).all()
    with pytest.raises(ValueError, match=r"column pet has the level 'snake'.*categories=\{'pet'"):
        model.partial_fit(frame[:2].assign(pet=["cat", "snake"]))
    assert model.n_samples_seen_ == 6000
    first = CategoricalMixture(2).partial_fit(frame[:1])
    with pytest.raises(ValueError, match="categories="):
        first.partial_fit(frame)


def test_levels_that_are_given():
    frame = survey(3000)
    levels = [*LEVELS["pet"], "snake"]
    model = CategoricalMixture(2, random_state=0, categories={"pet": levels}, buffer=1000).partial_fit(frame)
    model.partial_fit(frame[:2].assign(pet="snake"))
    assert model.categories_[2].tolist() == levels and model.probabilities_[2].shape == (2, 5)
    one_by_one = CategoricalMixture(2, random_state=0, categories=list(LEVELS.values()), buffer=1000)
    for row in frame.to_dict("records"):
        one_by_one.learn_one(row)
    whole = CategoricalMixture(2, random_state=0, buffer=1000).partial_fit(frame)
    assert (one_by_one.predict_proba(frame) == whole.predict_proba(frame)).all()
    with pytest.warns(UserWarning, match="1 cell of column pet"):
        assert one_by_one.predict_one({"transport": "car", "pet": "snake"}) == one_by_one.predict_one({"transport": "car"})
    for categories, words in [
        ("all", "expected 'auto'"),
        ([["a"]], "levels of 1 columns, but there are 3"),
        ({"colour": ["red"]}, "names the column 'colour'"),
        ({"pet": ["cat", "cat"]}, "'cat' twice"),
        ({"pet": []}, "no levels"),
        ({"pet": ["cat", " "]}, "without a text"),
        ({"pet": ["cat"]}, "column pet has the level"),
    ]:
        with pytest.raises(ValueError, match=words):
            CategoricalMixture(categories=categories).fit(frame)


def test_columns_that_are_refused():
    with pytest.raises(ValueError, match="more than 10000 levels"):
        CategoricalMixture().fit(np.arange(10_001)[:, None])
    with pytest.raises(ValueError, match="column c1 has no levels"):
        CategoricalMixture().fit(np.array([["a", None], ["b", None]], dtype=object))
    with pytest.raises(TypeError, match="column c0 mixes int, str"):
        CategoricalMixture().fit(np.array([["a"], [1]], dtype=object))
    with pytest.raises(TypeError, match="column c0 has a cell of type 'list'"):
        CategoricalMixture().fit(np.array([[[1, 2]], ["a"]], dtype=object))


def test_a_failed_fit_does_not_mix_levels():
    model = fitted_to(survey())
    before, levels = model.predict(survey()), model.categories_
    with pytest.raises(ValueError):
        model.fit(survey()[:1])
    assert (model.predict(survey()) == before).all()
    assert all((now == then).all() for now, then in zip(model.categories_, levels))


def test_iterators():
    frame = survey(6000)
    parts = [frame[begin : begin + 1000] for begin in range(0, 6000, 1000)]
    model = CategoricalMixture(2, random_state=0).partial_fit(iter(parts))
    assert (model.weights_ == CategoricalMixture(2, random_state=0).partial_fit(frame).weights_).all()
    assert (model.predict(iter(parts)) == model.predict(frame)).all()
    swapped = frame[frame.columns[::-1]]
    for ask in (model.predict, model.partial_fit):
        with pytest.raises(ValueError, match="The feature names should match"):
            ask(iter([frame[:10], swapped[:10]]))
    assert len(model.predict(iter([frame[:0], frame[:10], frame[:0]]))) == 10
    with pytest.raises(ValueError, match="'snake'"):
        model.partial_fit(iter([parts[0], parts[1].assign(pet="snake")]))


def test_copies_and_arguments():
    frame = survey()
    model = fitted_to(frame, categories=LEVELS)
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(survey(seed=1))
    assert (again.predict_proba(frame) == model.predict_proba(frame)).all()
    assert [list(levels) for levels in again.categories_] == list(LEVELS.values())
    other = clone(model)
    assert other.get_params()["categories"] == LEVELS and not other.__sklearn_is_fitted__()
    with pytest.raises(thalweg.NotFittedError):
        other.categories_


def test_from_parameters_and_sample():
    model = CategoricalMixture.from_parameters(
        weights=WEIGHTS, probabilities=TABLES, feature_names=NAMES, categories=LEVELS, random_state=0
    )
    X, y = model.sample(50_000)
    assert X.dtype == object and X.shape == (50_000, 3) and set(X[:, 2]) == set(LEVELS["pet"])
    for k in range(2):
        share = [(X[y == k, 2] == level).mean() for level in LEVELS["pet"]]
        np.testing.assert_allclose(share, TABLES[2][k], atol=0.02)
    found = fitted_to(pd.DataFrame(X, columns=NAMES), tol=1e-6, max_iter=1000)
    assert found.score(X_frame := pd.DataFrame(X, columns=NAMES)) == pytest.approx(model.score(X_frame), abs=1e-3)
    numbered = CategoricalMixture.from_parameters(weights=WEIGHTS, probabilities=TABLES)
    assert [levels.tolist() for levels in numbered.categories_] == [[0, 1, 2], [0, 1], [0, 1, 2, 3]]
    with pytest.raises(TypeError, match="needs probabilities"):
        CategoricalMixture.from_parameters(weights=WEIGHTS)
    with pytest.raises(ValueError, match=r"column transport have shape \(2, 3\), expected \(2, 2\)"):
        CategoricalMixture.from_parameters(
            weights=WEIGHTS, probabilities=TABLES, feature_names=NAMES, categories={"transport": ["a", "b"]}
        )


def program():
    found = pathlib.Path(os.environ.get("THALWEG_PROGRAM", ROOT / "build" / "release" / "thalweg"))
    if not found.exists():
        pytest.skip("the command thalweg is not built")
    return str(found)


def test_the_command_predicts_the_same(tmp_path):
    frame = survey(missing=0.1)
    frame["rooms"] = np.random.default_rng(3).integers(1, 4, len(frame))
    frame.to_csv(tmp_path / "survey.csv", index=False)
    model = fitted_to(frame)
    model.save(tmp_path / "model.json")
    out = subprocess.run(
        [program(), "predict", tmp_path / "model.json", tmp_path / "survey.csv"], capture_output=True, text=True, check=True
    ).stdout
    labels = pd.read_csv(io.StringIO(out))["component"]
    assert labels.tolist() == model.predict(frame).tolist()
    again = CategoricalMixture.load(tmp_path / "model.json")
    assert [levels.tolist() for levels in again.categories_] == [*LEVELS.values(), ["1", "2", "3"]]
    assert (again.predict_proba(frame) == model.predict_proba(frame)).all()  # numbers are known by their texts
    with pytest.raises(ValueError, match="column pet"):
        CategoricalMixture.load(tmp_path / "model.json", categories={"pet": ["cat", "dog"]})


def test_a_model_of_the_command(tmp_path):
    frame = survey(missing=0.1)
    frame.to_csv(tmp_path / "survey.csv", index=False)
    command = [program(), "fit", "survey.csv", "--model", "categorical", "-k", "2", "-o", "model.json"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    model = thalweg.load(tmp_path / "model.json")
    assert type(model) is CategoricalMixture and model.score(frame) > -3
    again = fitted_to(frame, tol=1e-7, max_iter=1000)
    assert model.score(frame) == pytest.approx(again.score(frame), abs=1e-3)


def test_files(tmp_path):
    frame = survey(3000, missing=0.1)
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    expected = fitted_to(frame, buffer=5000)  # how long a file is, is not known: a shorter sample would be of its first rows
    for categories in ("auto", LEVELS, list(LEVELS.values())):
        model = fitted_to(path, categories=categories, buffer=5000)
        assert list(model.feature_names_in_) == NAMES
        assert [list(levels) for levels in model.categories_] == list(LEVELS.values())
        assert (model.weights_ == expected.weights_).all()
        assert (model.predict(path) == expected.predict(frame)).all()
    frame.assign(pet="snake").to_csv(tmp_path / "strange.csv", index=False)
    with pytest.warns(UserWarning, match=r"3000 cells of column pet held levels the model has not seen \(snake\)"):
        found = model.predict(tmp_path / "strange.csv")
    assert (found == model.predict(frame.assign(pet=None))).all()
    with pytest.raises(ValueError, match=r'"pet": "snake" is none of its levels \(.*categories='):
        model.partial_fit(tmp_path / "strange.csv")
    online = CategoricalMixture(2, random_state=0).partial_fit(path)
    assert (online.weights_ == CategoricalMixture(2, random_state=0).partial_fit(frame).weights_).all()


def test_shares_of_a_step_add_up():
    frame = survey()
    base = fitted_to(frame[:500])
    merged = thalweg.merge([base.one_step(frame[:1000]), base.one_step(frame[1000:])])
    whole = base.one_step(frame)
    assert merged.merged_exactly_
    np.testing.assert_allclose(merged.weights_, whole.weights_, atol=1e-12)
    assert [list(levels) for levels in merged.categories_] == list(LEVELS.values())
    other = fitted_to(frame.assign(pet="cat"))
    with pytest.raises(ValueError, match="pet"):
        thalweg.merge([base, other])


def test_there_is_no_density_to_draw():
    pytest.importorskip("matplotlib")
    model = fitted_to(survey())
    with pytest.raises(ValueError, match="categorical columns"):
        thalweg.plot.density(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "CategoricalMixture: 2 components are no better")
        assert "weights of the components" in CategoricalMixture(2, random_state=0).fit(survey()[["pet"]])._repr_html_()
