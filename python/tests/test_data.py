"""The forms in which rows may come: the same numbers give the same bits, and none is copied as a whole."""

import copy
import gzip
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from test_estimators import CLASSES, data_for
from thalweg import PPCA, GaussianMixture, PoissonMixture, _native


def fitted(X, **kwargs):
    return GaussianMixture(2, random_state=0, max_iter=5, **kwargs).fit(X)


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(20_000, 3)), 3)
    X[:9000] += [3, 1, -2]
    return X


def forms(X):
    wide = np.zeros((len(X), 5))
    wide[:, 1:4] = X
    backwards = X[::-1].copy()[::-1]
    return {
        "fortran": np.asfortranarray(X),
        "slice of a wider array": wide[:, 1:4],
        "negative stride": backwards,
        "every second row": np.repeat(X, 2, axis=0)[::2],
        "big-endian": X.astype(">f8"),
        "list": X.tolist(),
        "frame": pd.DataFrame(X),
        "object": X.astype(object),
    }


@pytest.mark.parametrize("form", forms(np.zeros((1, 3))))
def test_layout_does_not_matter(X, form):
    expected = fitted(X)
    found = fitted(forms(X)[form])
    assert (found.means_ == expected.means_).all()
    assert (found.covariances_ == expected.covariances_).all()


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.int8, np.uint16, bool])
def test_kinds_of_numbers(X, kind):
    cells = np.abs(X * 10).astype(kind)
    expected = fitted(cells.astype(np.float64))
    assert (fitted(cells).means_ == expected.means_).all()
    assert (expected.predict(cells) == expected.predict(cells.astype(np.float64))).all()


def test_memory_map(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert (fitted(mapped).means_ == fitted(X).means_).all()


def test_files(X, tmp_path):
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(tmp_path / "X.csv", index=False)
    with gzip.open(tmp_path / "X.csv.gz", "wb") as packed:
        packed.write((tmp_path / "X.csv").read_bytes())
    model = fitted(tmp_path / "X.csv.gz")
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    online = GaussianMixture(2, random_state=0).partial_fit(X)
    from_file = GaussianMixture(2, random_state=0).partial_fit(str(tmp_path / "X.csv"))
    assert (from_file.means_ == online.means_).all()
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        expected = model.predict(X)
    assert (model.predict(tmp_path / "X.csv") == expected).all()


def test_iterator_of_blocks(X):
    X = np.random.default_rng(2).permutation(X)  # an array that lies sorted is mixed, blocks are learned as they come
    expected = fitted(X, method="online")
    blocks = (X[begin : begin + 999] for begin in range(0, len(X), 999))
    assert np.abs(fitted(blocks, method="online").means_ - expected.means_).max() < 0.05
    with pytest.raises(ValueError, match="read only once"):
        fitted(iter([X]))


def test_names_of_frames(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = fitted(frame)
    assert list(model.feature_names_in_) == ["a", "b", "c"] and model.n_features_in_ == 3
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a", "c"]])


def test_mixed_frame(X):
    frame = pd.DataFrame({"a": X[:, 0], "b": (X[:, 1] * 100).astype(int), "c": X[:, 2].astype(np.float32)})
    assert (fitted(frame).means_ == fitted(frame.to_numpy(np.float64)).means_).all()


def test_weights_are_repetitions(X):
    times = np.random.default_rng(2).integers(0, 4, len(X))
    start = dict(weights_init=[0.5, 0.5], means_init=[[0, 0, 0], [3, 1, -2]], precisions_init=[np.eye(3)] * 2)
    weighted = GaussianMixture(2, **start).fit(X, sample_weight=times)
    repeated = GaussianMixture(2, **start).fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighted.means_, repeated.means_, atol=1e-10)
    assert weighted.score(X, sample_weight=times) == pytest.approx(repeated.score(np.repeat(X, times, axis=0)))


def gone_on(model, X, weight=None):
    """The parameters three iterations of batch EM later."""
    model = copy.deepcopy(model).set_params(warm_start=True, method="batch", max_iter=3, tol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, sample_weight=weight)
    return [getattr(model, piece["name"] + "_") for piece in model._entry["parameters"]] + [model.lower_bound_]


@pytest.mark.parametrize("cls", CLASSES)
def test_weights_are_repetitions_for_every_model(cls):
    X = data_for(cls)
    times = np.random.default_rng(2).integers(0, 4, len(X))
    model = cls(2, random_state=0).fit(X[:300])
    for weighted, repeated in zip(gone_on(model, X, times), gone_on(model, np.repeat(X, times, axis=0))):
        np.testing.assert_allclose(weighted, repeated, rtol=1e-12, atol=1e-12)


def test_weights_of_a_closed_form_are_repetitions():
    X = data_for(PPCA)
    times = np.random.default_rng(2).integers(0, 4, len(X))
    weighted, repeated = PPCA(2).fit(X, sample_weight=times), PPCA(2).fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighted.loadings_, repeated.loadings_, rtol=1e-11, atol=1e-12)
    assert weighted.noise_variance_ == pytest.approx(repeated.noise_variance_, rel=1e-11)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_a_weight_of_zero_is_no_row(cls, verb):
    """Also for where it starts, and in one pass."""
    X = data_for(cls)
    counts = np.random.default_rng(4).permutation(len(X)) < 1100
    weighted = getattr(cls(2, random_state=0, buffer=1000), verb)(X, sample_weight=counts)
    without = getattr(cls(2, random_state=0, buffer=1000), verb)(X[counts])
    np.testing.assert_allclose(weighted.score_samples(X), without.score_samples(X), atol=1e-12 if verb == "fit" else 0)


@pytest.mark.parametrize("cls", CLASSES)
def test_one_pass_with_weights_comes_near_that_with_repetitions(cls):
    """A heavy row is one heavy step and no repetition, bit for bit; the fit means the same."""
    X = data_for(cls, 6000)
    X = X[np.random.default_rng(0).permutation(len(X))]
    times = np.random.default_rng(2).integers(0, 4, len(X))
    repeated = np.repeat(X, times, axis=0)
    weighted = cls(2, random_state=0, method="online").fit(X, sample_weight=times)
    plain = cls(2, random_state=0, method="online").fit(repeated)
    best = cls(2, random_state=0, method="batch", tol=1e-6, max_iter=1000).fit(repeated).score(repeated)
    assert weighted.score(repeated) == pytest.approx(plain.score(repeated), abs=0.01)
    assert weighted.score(repeated) == pytest.approx(best, abs=0.01)


def test_bad_weights():
    X = data_for(GaussianMixture, 100)
    for weight, words in [
        (np.ones((100, 2)), "Sample weights must be 1D array or scalar"),
        (np.ones(3), r"sample_weight.shape == \(3,\), expected \(100,\)!"),
        (np.full(100, np.nan), "sample_weight contains NaN"),
        (np.full(100, -1.0), "Negative values in data passed to `sample_weight`"),
        (np.zeros(100), "at least one non-zero number"),
    ]:
        with pytest.raises(ValueError, match=words):
            GaussianMixture().fit(X, sample_weight=weight)
    model = GaussianMixture(random_state=0).partial_fit(X).partial_fit(X, sample_weight=0)  # nothing to learn is no fault
    assert model.n_samples_seen_ == 200
    assert (GaussianMixture().fit(X, sample_weight=2).means_ == GaussianMixture().fit(X).means_).all()


def test_sparse_rows_where_a_model_takes_them(X, monkeypatch):
    """None does yet: the class pretends, and the rows are made dense a block at a time."""
    cells = scipy.sparse.random(9000, 3, 0.3, format="coo", random_state=0)
    with pytest.raises(TypeError, match="A sparse matrix was passed, but dense data is required"):
        fitted(cells)
    monkeypatch.setattr(GaussianMixture, "_entry", {**GaussianMixture._entry, "takes_sparse": True})
    dense = cells.toarray()
    for form in (cells, cells.tocsr(), scipy.sparse.csc_array(cells)):
        model = fitted(form, reg_covar=1e-3)
        assert (model.means_ == fitted(dense, reg_covar=1e-3).means_).all()
        assert (model.predict(form) == model.predict(dense)).all()


def test_frames_with_nullable_columns(X):
    frame = pd.DataFrame({"a": X[:, 0], "b": pd.array((X[:, 1] * 10).astype(int), dtype="Int64")})
    assert (fitted(frame).means_ == fitted(frame.to_numpy(np.float64)).means_).all()
    frame.iloc[3, 1] = pd.NA
    with pytest.raises(ValueError, match="Input X contains NaN"):
        fitted(frame)


def test_negative_counts():
    with pytest.raises(ValueError, match=r"Negative values in data passed to PoissonMixture \(input X\)"):
        PoissonMixture().fit([[1.0], [-1.0]])


@pytest.mark.parametrize(
    "bad, words",
    [
        (np.zeros(3), "Expected 2D array, got 1D array instead"),
        (np.float64(3), "Expected 2D array, got scalar array instead"),
        (np.zeros((0, 3)), r"Found array with 0 sample\(s\)"),
        (np.zeros((3, 0)), r"Found array with 0 feature\(s\)"),
        (np.zeros((2, 3, 4)), "Found array with dim 3"),
        (np.array([[1.0, np.nan], [0, 1], [1, 1]]), "Input X contains NaN"),
        (np.array([[1.0, np.inf], [0, 1], [1, 1]]), "Input X contains infinity"),
        (np.array([[1.0 + 1j, 0], [0, 1]]), "Complex data not supported"),
        (np.array([["a", "b"], ["c", "d"]]), "not compatible with arrays of bytes/strings"),
        (pd.DataFrame({"a": ["x", "y", "z"], "b": [1, 2, 3]}), "could not convert string to float"),
        (np.array([["a", 1.0], [2.0, 3.0]], dtype=object), "could not convert string to float"),
    ],
)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_refusals_in_scikit_learns_words(bad, words, verb):
    with pytest.raises(ValueError, match=words):
        getattr(GaussianMixture(1), verb)(bad)


def test_refused_rows_leave_the_model_alone(X):
    model = GaussianMixture(2, random_state=0).partial_fit(X)
    before = model.means_
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.partial_fit(np.full((1, 3), np.nan))
    with pytest.raises(ValueError, match="X has 2 features, but GaussianMixture is expecting 3 features"):
        model.partial_fit(X[:, :2])
    assert (model.means_ == before).all() and model.n_samples_seen_ == len(X)
    with pytest.raises(TypeError, match="sparse"):
        model.predict(scipy.sparse.csr_matrix(X))


def portions(tmp_path):
    """Long portions of which the last row is refused, in every form that can be read again."""
    rows = np.random.default_rng(0).normal(size=(500_000, 3))
    rows[-1, 2] = np.inf
    np.save(tmp_path / "rows.npy", rows)
    yield rows
    yield np.vstack([rows[:20_000], rows[-1:]]).astype(np.float32)
    yield tmp_path / "rows.npy"
    yield np.lib.format.open_memmap(tmp_path / "rows.npy", mode="r")


@pytest.mark.parametrize("started", [True, False])
@pytest.mark.parametrize("watched", [{}, {"on_step": lambda step: None}])
def test_a_refused_portion_is_as_if_it_had_not_come(X, tmp_path, started, watched):
    model = GaussianMixture(2, random_state=0, **watched)
    if started:
        model.partial_fit(X)
    else:
        model.partial_fit(X[:10])
    seen, whole = model.n_samples_seen_, copy.deepcopy(model)
    for portion in portions(tmp_path):
        with pytest.raises(ValueError, match="inf"):
            model.partial_fit(portion)
        assert model.n_samples_seen_ == seen
    assert (model.partial_fit(X).means_ == whole.partial_fit(X).means_).all()


def test_blocks_before_a_refused_one_are_learned(X):
    bad = X.copy()
    bad[-1, 0] = np.nan
    model, other = (GaussianMixture(2, random_state=0).partial_fit(X) for _ in range(2))
    with pytest.raises(ValueError, match="missing"):
        model.partial_fit(iter([X, X[:7], bad]))
    assert model.n_samples_seen_ == 2 * len(X) + 7
    assert (model.means_ == other.partial_fit(X).partial_fit(X[:7]).means_).all()


def test_blocks_of_frames_have_the_same_columns(X):
    frame = pd.DataFrame(X, columns=list("abc"))
    swapped, renamed = frame[["b", "a", "c"]], frame.rename(columns={"a": "z"})
    model = GaussianMixture(2, random_state=0).fit(frame)
    for other in (swapped, renamed):
        for ask in (GaussianMixture(2, method="online", buffer=50).fit, GaussianMixture(2).partial_fit, model.predict):
            with pytest.raises(ValueError, match="The feature names should match those that were passed during fit"):
                ask(iter([frame, other]))
    with pytest.raises(ValueError, match="X has 2 features, but GaussianMixture is expecting 3 features"):
        GaussianMixture(2, random_state=0).fit(X).predict(iter([X, X[:, :2]]))


def test_empty_blocks_are_passed_over(X):
    blocks = [X[:0], X[:100], X[:0], X[100:], X[:0]]
    model = GaussianMixture(2, random_state=0, method="online", buffer=50).fit(iter(blocks))
    assert model.n_samples_seen_ == len(X)
    assert (model.predict(iter(blocks)) == model.predict(X)).all()
    with pytest.raises(ValueError, match="0 sample"):
        GaussianMixture(2).partial_fit(iter([X[:0]]))
    with pytest.raises((TypeError, ValueError)):
        model.predict(iter([X, None, X]))


def test_arrays_that_are_not_aligned(X):
    odd = np.frombuffer(b"\0" + X.tobytes(), dtype=np.float64, offset=1).reshape(X.shape)
    record = np.zeros(len(X), dtype=[("flag", "i1"), ("x", "f8", 3)])
    record["x"] = X
    model = GaussianMixture(2, random_state=0).fit(X)
    for given in (odd, record["x"]):
        assert not given.flags.aligned
        assert (GaussianMixture(2, random_state=0).fit(given).means_ == model.means_).all()
        assert (GaussianMixture(2, random_state=0).partial_fit(given).partial_fit(given[:1]).n_samples_seen_) == len(X) + 1
        assert (model.score_samples(given[:1]) == model.score_samples(X[:1])).all()


def test_a_series_has_one_dimension():
    for ask in (GaussianMixture(2).fit, GaussianMixture(2).partial_fit):
        with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
            ask(pd.Series([1.0, 2.0, 3.0]))


def test_a_file_that_is_wider_than_the_model(X, tmp_path):
    np.save(tmp_path / "wide.npy", X)
    np.savetxt(tmp_path / "wide.csv", X, delimiter=",")
    model = GaussianMixture(2, random_state=0).fit(X[:, :2])
    for name in ("wide.npy", "wide.csv"):
        for ask in (model.predict, model.score, model.partial_fit):
            with pytest.raises(ValueError, match="X has 3 features, but GaussianMixture is expecting 2 features"):
                ask(tmp_path / name)
    np.save(tmp_path / "right.npy", X[:, :2])
    assert (model.predict(tmp_path / "right.npy") == model.predict(X[:, :2])).all()


def test_the_native_half_compares_widths_too(X):
    model = GaussianMixture(2, random_state=0).fit(X)
    narrow = _native.Rows.of_array(np.ascontiguousarray(X[:, :2]), None, ["a", "b"])
    learner = model._learner
    for ask in (
        lambda: learner.explain(narrow, ["log_density"], 1),
        lambda: learner.fit(narrow),
        lambda: learner.learn(narrow),
        lambda: learner.one_step(narrow, 1, {}),
    ):
        with pytest.raises(ValueError, match="rows of 2 columns for a model of 3"):
            ask()


def test_what_counts_cannot_hold():
    with pytest.raises(ValueError, match=r"1e\+16 does not fit, poisson needs whole numbers from 0 to 2\^53"):
        PoissonMixture(1).fit([[1e16], [2e16]])


def test_counts_only():
    with pytest.raises(ValueError, match="row 2"):
        PoissonMixture(1).fit(np.array([[1.0], [0.5], [2.0]]))
