"""A model from the first rows on: coarse, told to be so, and without consequences for what is learned."""

import json
import pickle

import numpy as np
import pytest

from thalweg import GaussianMixture, PoissonMixture, load


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 3, size=4000)
    return rng.normal(size=(4000, 2)) + np.array([[0.0, 0.0], [6.0, 1.0], [-3.0, 7.0]])[kind]


def test_fifty_rows_make_a_model(rows):
    model = GaussianMixture(3, random_state=0)
    for row in rows[:50]:
        model.partial_fit(row[None])
    assert model.provisional_
    assert np.isfinite(model.score(rows)) and model.score(rows) > -6
    assert model.n_samples_seen_ == 50
    model.partial_fit(rows[50:])
    assert not model.provisional_
    counts = PoissonMixture(2, random_state=0).partial_fit(np.zeros((50, 2)))
    assert counts.provisional_ and np.isfinite(counts.score(np.ones((1, 2))))


def test_full_covariances_of_few_rows_have_an_inverse():
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(80, 100))
    model = GaussianMixture(8, random_state=0).partial_fit(wide)
    assert model.provisional_
    assert np.linalg.eigvalsh(model.covariances_).min() > 1e-3
    assert np.isfinite(model.score_samples(rng.normal(size=(10, 100)))).all()


def test_what_is_shown_depends_on_the_rows_alone(rows):
    curious = GaussianMixture(3, random_state=0)
    at = 0
    for moment in (50, 237, 1000, 1100, 2000, 4000):
        while at < moment:
            curious.partial_fit(rows[at : at + 1])
            at += 1
            if at >= 50 and at % 40 == 0:
                curious.predict(rows[:1])
        silent = GaussianMixture(3, random_state=0).partial_fit(rows[:moment])
        assert (curious.means_ == silent.means_).all(), moment
        assert (curious.covariances_ == silent.covariances_).all(), moment
        assert curious.provisional_ == silent.provisional_, moment


@pytest.mark.parametrize("reg", [{}, {"prior": 20.0}])
@pytest.mark.parametrize("moment", [60, 999, 1001, 1200, 2100])
def test_a_pickle_has_the_same_future(rows, moment, reg):
    options = {key: value for key, value in reg.items() if key in GaussianMixture().get_params()}
    model = GaussianMixture(3, random_state=0, **options).partial_fit(rows[:moment])
    quiet = GaussianMixture(3, random_state=0, **options).partial_fit(rows[:moment])
    model.predict(rows[:5])
    again = pickle.loads(pickle.dumps(model))
    assert again.provisional_ == model.provisional_
    assert (again.means_ == model.means_).all()
    for estimator in (model, again, quiet):
        estimator.partial_fit(rows[moment:])
    assert (again.means_ == model.means_).all() and (quiet.means_ == model.means_).all()


def test_a_file_says_so(rows, tmp_path):
    path = tmp_path / "early.json"
    GaussianMixture(3, random_state=0).partial_fit(rows[:100]).save(path)
    assert json.loads(path.read_text())["training"]["provisional"] is True
    later = load(path)
    later.partial_fit(rows)
    assert not later.provisional_
    later.save(path)
    assert "provisional" not in json.loads(path.read_text())["training"]


def test_row_by_row_it_answers_early(rows):
    stream = GaussianMixture(3, random_state=0)
    answers = 0
    for x, y in rows[:200]:
        row = {"x": x, "y": y}
        answers += stream.predict_one(row) is not None
        stream.learn_one(row)
    assert answers == 150


def test_the_search_has_a_budget(rows):
    short = GaussianMixture(3, random_state=0, start_budget=0.5).partial_fit(rows)
    long = GaussianMixture(3, random_state=0, start_budget="full").partial_fit(np.vstack([rows, rows]))
    assert short.score(rows) > -5 and long.score(rows) > -5
    with pytest.raises(ValueError, match="start_budget"):
        GaussianMixture(3, start_budget="some").partial_fit(rows)
