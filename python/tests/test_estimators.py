"""What every class of the catalogue can do: signatures, clone, pickle, files."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
import thalweg
from sklearn.base import clone

CLASSES = [getattr(thalweg, name) for name in thalweg._classes]


def data_for(cls, n=1500):
    """Rows that a model of this class can learn: drawn from itself, fitted to something simple."""
    rng = np.random.default_rng(3)
    if cls._entry["takes_categories"]:
        X = (rng.random((n, 3)) < [0.1, 0.2, 0.15]).astype(float)
        X[: n // 3] = rng.random((n // 3, 3)) < [0.9, 0.85, 0.8]
        X[0], X[1] = 0, 1  # both levels from the start
        return X
    if cls._entry["takes_counts_only"]:
        X = rng.poisson([[1, 4, 2]], (n, 3)).astype(float)
        X[: n // 3] = rng.poisson([[6, 1, 9]], (n // 3, 3))
        return X
    if cls._entry["takes_positive_only"]:
        X = rng.gamma([[1.5, 4, 2]], [[1, 0.5, 3]], (n, 3))
        X[: n // 3] = rng.gamma([[6, 9, 20]], [[2, 0.2, 1]], (n // 3, 3))
        return X
    X = rng.normal(size=(n, 3)) @ np.diag([1, 2, 0.5])
    X[: n // 3] += [5, 0, 1]
    return X


def test_the_catalogue_is_there():
    names = {entry["name"] for entry in thalweg.models() if entry["in_python"]}
    assert {"gaussian", "poisson", "categorical", "ppca"} <= names
    assert {entry["name"] for entry in thalweg.models()} - names == {"hmm"}
    assert len(CLASSES) == len(names)
    assert {"GaussianMixture", "PoissonMixture", "CategoricalMixture", "PPCA"} <= set(thalweg.__all__)


@pytest.mark.parametrize("cls", CLASSES)
def test_signature_and_clone(cls):
    parameters = inspect.signature(cls).parameters
    assert next(iter(parameters)) == "n_components"
    model = cls(n_components=2, random_state=3)
    assert model.get_params()["n_components"] == 2
    assert set(model.get_params()) == set(parameters)
    assert clone(model).get_params() == model.get_params()
    assert "n_components=2" in repr(model)
    for name in parameters:
        assert name in cls.__doc__
    with pytest.raises(TypeError):
        cls(nonsense=1)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_pickle_has_the_same_future(cls, verb):
    X = data_for(cls)
    model = cls(n_components=2, random_state=0)
    getattr(model, verb)(X[:1200])
    again = pickle.loads(pickle.dumps(model))
    assert again.n_samples_seen_ == 1200
    for one in (model, again):
        one.partial_fit(X[1200:])
    assert (model.score_samples(X) == again.score_samples(X)).all()


def test_pickle_before_the_start():
    X = data_for(thalweg.GaussianMixture)
    model = thalweg.GaussianMixture(2, random_state=0).partial_fit(X[:500])
    again = pickle.loads(pickle.dumps(model))
    assert again.provisional_
    assert (model.partial_fit(X[500:]).means_ == again.partial_fit(X[500:]).means_).all()


def test_damaged_state_is_refused():
    X = data_for(thalweg.GaussianMixture)
    model = thalweg.GaussianMixture(2, random_state=0).fit(X)
    state = model.__getstate__()
    damaged = bytearray(state["_state"])
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(ValueError):
        thalweg.GaussianMixture().__setstate__({**state, "_state": bytes(damaged)})


@pytest.mark.parametrize("cls", CLASSES)
def test_files_come_back_bit_for_bit(cls, tmp_path):
    X = data_for(cls)
    model = cls(n_components=2, random_state=0).fit(X)
    model.save(tmp_path / "model.json")
    again = cls.load(tmp_path / "model.json")
    assert again.n_components == 2 and again.n_features_in_ == 3
    assert (again.score_samples(X) == model.score_samples(X)).all()
    assert again.n_samples_seen_ == model.n_samples_seen_
    other = next(kind for kind in CLASSES if kind is not cls)
    with pytest.raises(ValueError, match="expected"):
        other.load(tmp_path / "model.json")


@pytest.mark.parametrize("cls", CLASSES)
def test_from_parameters(cls):
    X = data_for(cls)
    model = cls(n_components=2, random_state=0).fit(X)
    parameters = {piece["name"]: getattr(model, piece["name"] + "_") for piece in cls._entry["parameters"]}
    again = cls.from_parameters(**parameters)
    assert again.n_components == 2
    np.testing.assert_allclose(again.score_samples(X), model.score_samples(X), atol=1e-10)
    again.partial_fit(X)


def test_runs_without_scikit_learn():
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import numpy as np, thalweg\n"
        "X = np.random.default_rng(0).normal(size=(500, 2))\n"
        "model = thalweg.GaussianMixture(2, random_state=0)\n"
        "try:\n    model.predict(X)\nexcept thalweg.NotFittedError: pass\n"
        "print(model.fit(X).predict(X).shape, model.set_params(tol=1e-4), thalweg.PPCA().fit_transform(X).shape)"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out == "(500,) GaussianMixture(n_components=2, random_state=0, tol=0.0001) (500, 1)\n"
