"""Models of the user's own, in NumPy, under every method: beside textbook EM, the catalogue, and closed forms."""

import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import thalweg
from own_models import OneFactor, OwnPoissonMixture, RayleighMixture, ZeroInflatedPoisson
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from thalweg import EM

METHODS = ["batch", "squarem", "auto", "incremental", "variance-reduced"]  # those that end at the maximum
TRUTH = {"weights": [0.6, 0.4], "scales": [1.0, 3.5]}


@pytest.fixture(scope="module")
def heights():
    """6,000 heights of two kinds, in mixed order."""
    rng = np.random.default_rng(4)
    return rng.permutation(np.concatenate([rng.rayleigh(1.0, 3600), rng.rayleigh(3.5, 2400)]))[:, None]


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(6)
    return rng.permutation(np.vstack([rng.poisson([1, 4], (1200, 2)), rng.poisson([6, 2], (800, 2))]).astype(float))


def textbook(y, iterations, weights=(0.5, 0.5), scales=(0.8, 3.0), times=None):
    """EM for two Rayleighs as it stands on paper, row by row where it can be."""
    w, s = np.array(weights), np.array(scales)
    times = np.ones(len(y)) if times is None else times
    for _ in range(iterations):
        p = w * y[:, None] / s**2 * np.exp(-(y[:, None] ** 2) / (2 * s**2))
        r = p / p.sum(axis=1, keepdims=True) * times[:, None]
        w = r.sum(axis=0) / times.sum()
        s = np.sqrt((r * y[:, None] ** 2).sum(axis=0) / (2 * r.sum(axis=0)))
    return w, s


def in_order(em):
    order = np.argsort(em.scales_)
    return em.weights_[order], em.scales_[order]


def test_every_iteration_is_the_textbooks(heights):
    start = {"weights": [0.5, 0.5], "scales": [0.8, 3.0]}
    times = np.random.default_rng(1).integers(0, 4, len(heights)).astype(float)
    for iterations in (1, 2, 10):
        em = EM(RayleighMixture(2), init=start, tol=0, max_iter=iterations)
        w, s = textbook(heights[:, 0], iterations)
        np.testing.assert_allclose(em.fit(heights).weights_, w, rtol=1e-10)
        np.testing.assert_allclose(em.scales_, s, rtol=1e-10)
        w, s = textbook(heights[:, 0], iterations, times=times)
        np.testing.assert_allclose(em.fit(heights, sample_weight=times).scales_, s, rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_methods_that_end_at_the_maximum(heights, method):
    w, s = textbook(heights[:, 0], 3000)
    em = EM(RayleighMixture(2), method=method, tol=1e-10, max_iter=5000, batch_size=100, random_state=0).fit(heights)
    np.testing.assert_allclose(np.concatenate(in_order(em)), np.concatenate([w, s]), rtol=2e-4)
    assert em.converged_


@pytest.mark.parametrize("method", ["online", "gradient"])
def test_one_pass_comes_near(heights, method):
    w, s = textbook(heights[:, 0], 3000)
    em = EM(RayleighMixture(2), method=method, random_state=0).fit(heights)
    best = EM.from_parameters(RayleighMixture(2), {"weights": w, "scales": s}).score(heights)
    assert best - 0.002 < em.score(heights) <= best + 1e-12


def test_one_component_has_a_closed_form(heights):
    em = EM(RayleighMixture(1), random_state=0).fit(heights)
    assert em.scales_[0] == pytest.approx(np.sqrt(np.mean(heights**2) / 2), rel=1e-12)


def test_partial_fit(heights):
    em = EM(RayleighMixture(2), random_state=0)
    with pytest.raises(thalweg.NotFittedError, match="not fitted yet"):
        em.scales_
    em.partial_fit(heights[:10])
    with pytest.raises(thalweg.NotFittedError, match="needs 40 more"):
        em.score(heights)
    assert not hasattr(em, "weights_")
    for begin in range(10, 6000, 499):
        em.partial_fit(heights[begin : begin + 499])
    whole = EM(RayleighMixture(2), random_state=0).partial_fit(heights)
    assert (em.scales_ == whole.scales_).all() and em.n_samples_seen_ == 6000
    em.fit(heights[:3000]).partial_fit(heights[3000:])
    np.testing.assert_allclose(in_order(em)[1], textbook(heights[:, 0], 3000)[1], rtol=0.05)


START = {"weights": np.array([0.5, 0.5]), "rates": np.array([[2.0, 3.0], [4.0, 3.0]])}


def both(counts, **params):
    """The user's Poisson mixture and the catalogue's, from the same start."""
    own = EM(OwnPoissonMixture(2), init=START, random_state=0, **params).fit(counts)
    catalogue = thalweg.PoissonMixture.from_parameters(**START, warm_start=True, random_state=0, **params).fit(counts)
    return own, catalogue


@pytest.mark.parametrize(
    "params",
    [
        {"tol": 0, "max_iter": 20},
        {"method": "online", "buffer": 0, "batch_size": 10, "average": False},
        # The scoring step takes a derivative that is a difference of values here and a formula there.
        {"method": "online", "buffer": 500, "batch_size": 1, "average": "poly:3"},
        {"method": "online", "buffer": 500, "step": "1/n", "average": "poly:3"},
        {"method": "online", "buffer": 500, "passes": 3, "average": "poly:3"},
        {"method": "incremental", "tol": 0, "max_iter": 7},
        {"method": "variance-reduced", "tol": 0, "max_iter": 7},
    ],
    ids=str,
)
def test_same_steps_as_the_catalogue(counts, params):
    own, catalogue = both(counts, **params)
    np.testing.assert_allclose(own.weights_, catalogue.weights_, rtol=1e-10)
    np.testing.assert_allclose(own.rates_, catalogue.rates_, rtol=1e-10)
    np.testing.assert_allclose(own.score_samples(counts), catalogue.score_samples(counts), rtol=1e-9)
    assert own.bic(counts) == pytest.approx(catalogue.bic(counts), rel=1e-10)


def test_gradient_steps_as_the_catalogue(counts):
    """The derivative of the M-step is a difference of values here and a formula there."""
    own, catalogue = both(counts, method="gradient", buffer=0, batch_size=20)
    np.testing.assert_allclose(own.rates_, catalogue.rates_, rtol=1e-7)


def test_zero_inflated_poisson():
    rng = np.random.default_rng(2)
    X = (rng.poisson(2.5, 5000) * (rng.uniform(size=5000) > 0.3))[:, None].astype(float)
    em = EM(ZeroInflatedPoisson(), tol=1e-12, max_iter=3000, random_state=0).fit(X)
    # The closed form: the mean of a positive count is rate / (1 - exp(-rate)), and zeros follow.
    positive = X[X > 0].mean()
    rate = positive
    for _ in range(200):
        rate = positive * (1 - np.exp(-rate))
    share = (np.mean(X == 0) - np.exp(-rate)) / (1 - np.exp(-rate))
    assert em.rate_ == pytest.approx(rate, rel=1e-5)
    assert em.share_ == pytest.approx(share, rel=1e-5)
    for method in ("squarem", "auto", "incremental", "variance-reduced", "online"):
        other = EM(ZeroInflatedPoisson(), method=method, tol=1e-9, max_iter=3000, random_state=0).fit(X)
        assert other.rate_ == pytest.approx(rate, rel=0.02 if method == "online" else 1e-3), method
    assert not hasattr(em, "predict") and hasattr(em, "sample")
    with pytest.raises(AttributeError, match="predict needs a method posterior of ZeroInflatedPoisson"):
        em.predict(X)


def test_one_factor_has_a_closed_form():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 1)) * [2.0, 1.0, -1.5] + rng.normal(size=(4000, 3)) * 0.7 + [1, 2, 3]
    values, vectors = np.linalg.eigh(np.cov(X.T, bias=True))
    noise = values[:2].mean()
    em = EM(OneFactor(), tol=0, max_iter=2000, random_state=0).fit(X)
    np.testing.assert_allclose(em.mean_, X.mean(axis=0), atol=1e-8)
    assert em.noise_ == pytest.approx(noise, rel=1e-6)
    np.testing.assert_allclose(np.abs(em.loading_), np.abs(vectors[:, 2]) * np.sqrt(values[2] - noise), rtol=1e-4)
    ppca = thalweg.PPCA(1).fit(X)
    assert em.score(X) == pytest.approx(ppca.score(X), abs=1e-9)
    online = EM(OneFactor(), method="online", random_state=0).fit(X)
    assert online.score(X) > em.score(X) - 0.01


# --- what an estimator has beside fitting -----------------------------------------------------


def test_asking(heights):
    em = EM.from_parameters(RayleighMixture(2), TRUTH, random_state=3)
    p = np.array(TRUTH["weights"]) * heights / np.square(TRUTH["scales"]) * np.exp(-(heights**2) / (2 * np.square(TRUTH["scales"])))
    np.testing.assert_allclose(em.score_samples(heights), np.log(p.sum(axis=1)), rtol=1e-10)
    np.testing.assert_allclose(em.predict_proba(heights), p / p.sum(axis=1, keepdims=True), atol=1e-12)
    assert (em.predict(heights) == p.argmax(axis=1)).all()
    assert em.score(heights) == pytest.approx(np.log(p.sum(axis=1)).mean())
    assert em.aic(heights) == pytest.approx(-2 * np.log(p.sum(axis=1)).sum() + 2 * 3)
    drawn = em.sample(40_000)
    assert drawn.shape == (40_000, 1) and (drawn == em.sample(40_000)).all()
    assert np.mean(drawn**2) == pytest.approx(2 * (0.6 + 0.4 * 3.5**2), rel=0.05)
    np.testing.assert_array_equal(em._learner.sample(3, 0, None), em._learner.sample(3, 0, None))
    assert em.fit_predict(heights).shape == (6000,)


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_pickle_has_the_same_future(heights, verb):
    em = getattr(EM(RayleighMixture(2), random_state=0), verb)(heights[:4000])
    again = pickle.loads(pickle.dumps(em))
    for one in (em, again):
        one.partial_fit(heights[4000:])
    assert (em.score_samples(heights) == again.score_samples(heights)).all()


def test_scikit_learns_habits(heights):
    em = EM(RayleighMixture(2), method="online")
    copy = clone(em)
    assert copy.model is not em.model and copy.get_params()["model__n_components"] == 2
    assert copy.set_params(model__n_components=3).model.n_components == 3 and em.model.n_components == 2
    assert "RayleighMixture" in repr(em) and "online" in repr(em)
    search = GridSearchCV(EM(RayleighMixture(), random_state=0), {"model__n_components": [1, 2]}, cv=2).fit(heights)
    assert search.best_params_ == {"model__n_components": 2}
    with pytest.raises(ValueError, match="Input X contains NaN.\nEM does not accept missing values"):
        em.fit(np.full((5, 1), np.nan))


def test_watched_and_shown(heights):
    """A callback sees parameters of the model's own names; a card needs no picture."""
    seen = []
    em = EM(RayleighMixture(2), method="online", on_step=lambda step: seen.append(step.parameters()["scales"]), random_state=0)
    em.fit(heights)
    assert len(seen) > 100 and "RayleighMixture" in em._repr_html_()
    stopped = EM(RayleighMixture(2), on_step=lambda step: step.number == 3, tol=0, random_state=0).fit(heights)
    assert stopped.n_iter_ == 3 and np.isfinite(stopped.score(heights))
    X = np.random.default_rng(0).normal(size=(1500, 3))
    for model in (OneFactor(), ZeroInflatedPoisson(), OwnPoissonMixture(2)):
        rows = X if isinstance(model, OneFactor) else np.floor(np.abs(4 * X[:, :1]))
        assert type(model).__name__ in EM(model, random_state=0, max_iter=5).fit(rows)._repr_html_()


def test_files_are_refused(heights, tmp_path):
    em = EM(RayleighMixture(2), random_state=0).fit(heights)
    with pytest.raises(thalweg.UsageError, match="a model file cannot hold RayleighMixture.*pickle"):
        em.save(tmp_path / "model.json")
    with pytest.raises(thalweg.UsageError, match="unpickle"):
        EM.load(tmp_path / "model.json")


def test_rows_from_files_and_blocks(heights, tmp_path):
    np.savetxt(tmp_path / "h.csv", heights, header="height", comments="")
    expected = EM(RayleighMixture(2), method="online", random_state=0).fit(heights)
    from_file = EM(RayleighMixture(2), method="online", random_state=0).fit(tmp_path / "h.csv")
    np.testing.assert_allclose(from_file.scales_, expected.scales_, rtol=1e-10)
    blocks = iter(np.array_split(heights.astype(np.float32), 7))
    EM(RayleighMixture(2), random_state=0).partial_fit(blocks)


def test_without_scikit_learn():
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import numpy as np, thalweg\nfrom own_models import ZeroInflatedPoisson\n"
        "X = np.random.default_rng(0).poisson(1.0, (500, 1))\n"
        "print(thalweg.EM(ZeroInflatedPoisson(), random_state=0).fit(X))"
    )
    here = os.path.dirname(__file__)
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=here).stdout
    assert out == "EM(model=ZeroInflatedPoisson(), random_state=0)\n"


class NormalWithGaps(thalweg.Model):
    """Independent normal columns, cells missing at random."""

    takes_missing = True

    def layout(self, n_features):
        d = n_features
        return thalweg.Layout({"n": d, "x": d, "xx": d}, {"mean": d, "variance": d}, positive=["variance"])

    def start(self, X, rng):
        return {"mean": np.nanmean(X, axis=0), "variance": np.full(X.shape[1], 100.0)}

    def expect(self, theta, X, weight):
        there = ~np.isnan(X)
        x, n = np.where(there, X, 0), there * weight[:, None]
        cells = -0.5 * (np.log(2 * np.pi * theta["variance"]) + (x - theta["mean"]) ** 2 / theta["variance"])
        return {"n": n.sum(axis=0), "x": (n * x).sum(axis=0), "xx": (n * x**2).sum(axis=0)}, (cells * there).sum(axis=1)

    def maximise(self, s, theta):
        mean = s["x"] / s["n"]
        return {"mean": mean, "variance": s["xx"] / s["n"] - mean**2}


def test_missing_cells():
    rng = np.random.default_rng(5)
    X = rng.normal([1.0, 5.0], [1.0, 2.0], (3000, 2))
    X[rng.uniform(size=X.shape) < 0.2] = np.nan
    em = EM(NormalWithGaps(), tol=0, max_iter=3).fit(X)
    np.testing.assert_allclose(em.mean_, np.nanmean(X, axis=0), rtol=1e-10)
    np.testing.assert_allclose(em.variance_, np.nanvar(X, axis=0), rtol=1e-10)
    X[7, 1] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity"):
        em.fit(X)


# --- threads, memory, Ctrl-C ------------------------------------------------------------------


@pytest.mark.parametrize("method", ["batch", "online", "incremental", "variance-reduced"])
def test_threads_do_not_matter(method):
    X = np.random.default_rng(0).rayleigh(np.repeat([1.0, 4.0], 20_000))[:, None]
    fits = [
        EM(RayleighMixture(2), method=method, random_state=1, n_threads=threads, batch_size=9000, max_iter=5).fit(X)
        for threads in (1, 2, 3)
    ]
    for other in fits[1:]:
        assert (other.scales_ == fits[0].scales_).all()
        assert (other.predict_proba(X) == fits[0].predict_proba(X)).all()


def test_estimators_in_several_threads(heights):
    """One estimator that three threads ask while a fourth teaches it; and four fits side by side."""
    em = EM(RayleighMixture(2), random_state=0).fit(heights)
    scores, failures = [], []

    def ask():
        try:
            for _ in range(20):
                scores.append(em.score(heights))
        except Exception as error:
            failures.append(error)

    def teach():
        for begin in range(0, 6000, 100):
            em.partial_fit(heights[begin : begin + 100])

    threads = [threading.Thread(target=work, daemon=True) for work in (ask, ask, ask, teach)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and np.isfinite(scores).all()


def test_a_model_may_fit_another(heights):
    def start(self, X, rng):
        inner = EM(RayleighMixture(2), random_state=int(rng.integers(1000)), max_iter=5).fit(X)
        return {"weights": inner.weights_, "scales": inner.scales_}

    model = type("Nested", (RayleighMixture,), {"start": start})(2)
    em = EM(model, random_state=0, n_threads=2).fit(heights)
    np.testing.assert_allclose(in_order(em)[1], textbook(heights[:, 0], 3000)[1], rtol=0.05)


class Keeper(RayleighMixture):
    """Keeps what it is given, longer than it should."""

    seen = []

    def expect(self, theta, X, weight):
        self.seen.append((X, weight, theta["scales"]))
        return super().expect(theta, X, weight)


def test_what_a_model_keeps_stays_valid(heights):
    Keeper.seen.clear()
    X = heights.copy()
    em = EM(Keeper(2), random_state=0, tol=0, max_iter=3).fit(X)
    in_place = [x for x, _, _ in Keeper.seen if np.shares_memory(x, X)]
    assert sum(len(x) for x in in_place) >= 3 * 4096  # whole slices are not copied
    assert not any(array.flags.writeable for seen in Keeper.seen for array in seen)
    for begin in range(0, 2000, 7):
        em.partial_fit(X[begin : begin + 7].copy())
    del em, X
    assert all(np.isfinite(array).all() for seen in Keeper.seen for array in seen)
    Keeper.seen.clear()
