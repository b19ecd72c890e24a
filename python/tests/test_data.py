"""The forms in which rows may come: the same numbers give the same bits, and none is copied as a whole."""

import gzip

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from thalweg import GaussianMixture, PoissonMixture


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
    assert (model.predict(tmp_path / "X.csv") == model.predict(X)).all()


def test_iterator_of_blocks(X):
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
        (np.array([["a", "b"], ["c", "d"]]), "could not convert string to float"),
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


def test_counts_only():
    with pytest.raises(ValueError, match="row 2"):
        PoissonMixture(1).fit(np.array([[1.0], [0.5], [2.0]]))
