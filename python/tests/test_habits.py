"""What people are used to: starts as scikit-learn draws them, pickles and copies that go on, threads, warnings."""

import copy
import pickle
import sys
import threading
import warnings

import numpy as np
import pytest
import sklearn.mixture
from test_estimators import data_for
from thalweg import GaussianMixture


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("init", ["random", "random_from_data"])
@pytest.mark.parametrize("state", ["number", "generator", "global"])
def test_starts_are_drawn_as_scikit_learn_draws_them(kind, init, state):
    X = data_for(GaussianMixture)
    ends = []
    for cls in (GaussianMixture, sklearn.mixture.GaussianMixture):
        np.random.seed(7)
        random = {"number": 3, "generator": np.random.RandomState(3), "global": None}[state]
        model = cls(3, covariance_type=kind, init_params=init, random_state=random, tol=0, max_iter=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ends.append(model.fit(X))
    np.testing.assert_allclose(ends[0].means_, ends[1].means_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(ends[0].covariances_, ends[1].covariances_, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("init", ["random", "random_from_data", "k-means++", "kmeans"])
@pytest.mark.parametrize("cell, words", [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")])
def test_cells_that_are_no_numbers_whatever_the_start(init, cell, words):
    X = data_for(GaussianMixture).copy()
    X[7, 0] = cell
    with pytest.raises(ValueError, match=words):
        GaussianMixture(2, init_params=init, random_state=0).fit(X)


@pytest.mark.parametrize("change", [{"n_components": 3}, {"covariance_type": "diag"}, {"tol": -1.0}, {"buffer": 5}])
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_arguments_that_changed_since_do_not_spoil_a_pickle(change, verb):
    X = data_for(GaussianMixture)
    model = getattr(GaussianMixture(2, random_state=0), verb)(X).set_params(**change)
    for back in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert (back.predict(X) == model.predict(X)).all()
        assert back.get_params() == model.get_params()
        assert (back.partial_fit(X).means_ == copy.copy(model).partial_fit(X).means_).all()


def test_a_pickle_before_the_start_has_its_seed():
    X = data_for(GaussianMixture)
    model = GaussianMixture(3, buffer=500).partial_fit(X[:300])
    state = np.random.get_state()[1].copy()
    back = pickle.loads(pickle.dumps(model))
    assert (np.random.get_state()[1] == state).all()
    assert (back.partial_fit(X[300:]).means_ == model.partial_fit(X[300:]).means_).all()


@pytest.mark.parametrize("given", [{"means_init": [[0.0] * 3, [50.0] * 3]}, {"weights_init": [0.9, 0.1]}])
@pytest.mark.parametrize("how", ["fit", "partial_fit", "pickled"])
def test_a_part_of_the_start_counts_online(given, how):
    X = data_for(GaussianMixture)

    def ends(**arguments):
        model = GaussianMixture(2, random_state=0, method="online", buffer=200, **arguments)
        if how == "fit":
            return model.fit(X[:400])
        model.partial_fit(X[:100])
        model = pickle.loads(pickle.dumps(model)) if how == "pickled" else model
        return model.partial_fit(X[100:400])

    assert (ends(**given).means_ != ends().means_).any()
    if "means_init" in given:
        assert ends(**given).weights_.min() < 1e-3  # nothing is near 50


def test_copies_keep_the_callback():
    called = []
    model = GaussianMixture(2, random_state=0, on_step=called.append)
    assert copy.copy(model).on_step == copy.deepcopy(model).on_step == called.append
    assert pickle.loads(pickle.dumps(GaussianMixture(2, on_step=lambda step: None))).on_step is None


def test_no_warning_where_the_user_ended_the_run():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GaussianMixture(2, random_state=0, on_step=lambda step: True).fit(data_for(GaussianMixture))


def test_first_rows_from_several_threads():
    X = data_for(GaussianMixture)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(50):
            model = GaussianMixture(2, random_state=0, buffer=100_000)
            threads = [threading.Thread(target=model.partial_fit, args=(X[j::4],)) for j in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert model.n_samples_seen_ == len(X)
    finally:
        sys.setswitchinterval(interval)


def test_steps_of_an_online_fit():
    X = data_for(GaussianMixture)
    numbers = []
    model = GaussianMixture(2, random_state=0, method="online", buffer=100, on_step=lambda step: numbers.append(step.number))
    assert model.fit(X).n_iter_ == numbers[-1] > 10


@pytest.mark.parametrize("argument", [{"verbose": -1}, {"progress": "x"}, {"verbose": "x"}])
def test_what_is_shown_is_checked(argument):
    with pytest.raises(ValueError, match=f"The '{list(argument)[0]}' parameter of GaussianMixture must be"):
        GaussianMixture(2, **argument).fit(data_for(GaussianMixture))
