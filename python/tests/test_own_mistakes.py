"""Mistakes in a user's model: each gives one clear exception, and the estimator stays usable."""

import numpy as np
import pytest
import thalweg
from own_models import RayleighMixture, ZeroInflatedPoisson
from thalweg import EM


@pytest.fixture(scope="module")
def heights():
    rng = np.random.default_rng(4)
    return rng.permutation(np.concatenate([rng.rayleigh(1.0, 3600), rng.rayleigh(3.5, 2400)]))[:, None]


def broken(**methods):
    return type("Broken", (RayleighMixture,), methods)(2)


def raises(self, *arguments):
    return [][1]


def changed(method, change):
    """A Rayleigh mixture whose method gives something else."""

    def answer(self, *arguments):
        return change(getattr(RayleighMixture, method)(self, *arguments))

    return broken(**{method: answer})


def without(name):
    return lambda found: {key: value for key, value in found.items() if key != name}


def sums(change):
    return lambda found: (change(found[0]), found[1])


MISTAKES = {
    "layout raises": (broken(layout=raises), r"Broken\.layout raised IndexError: list index out of range"),
    "layout is a dictionary": (changed("layout", vars), r"Broken\.layout: expected a thalweg\.Layout, got a dict"),
    "start raises": (broken(start=raises), r"Broken\.start raised IndexError"),
    "start lacks a name": (
        changed("start", without("scales")),
        r"Broken\.start: expected the names weights, scales, got weights$",
    ),
    "start is no dictionary": (
        changed("start", lambda f: f["scales"]),
        r"Broken\.start: expected a dictionary of weights, scales, got an array",
    ),
    "start out of its domain": (
        changed("start", lambda f: {**f, "scales": -f["scales"]}),
        r'Broken\.start: "scales" has the entry -',
    ),
    "expect raises": (broken(expect=raises), r"Broken\.expect raised IndexError"),
    "expect gives sums alone": (
        changed("expect", lambda f: f[0]),
        r"Broken\.expect: expected a pair \(sums, log_density\), got a dict",
    ),
    "expect gives one likelihood": (
        changed("expect", lambda f: (f[0], f[1].sum())),
        r"a log density for each of \d+ rows, got an array of shape \(\)",
    ),
    "expect lacks a name": (
        changed("expect", sums(without("counts"))),
        r"Broken\.expect: expected the names counts, squares, got squares",
    ),
    "expect gives a wrong shape": (
        changed("expect", sums(lambda s: {**s, "counts": s["counts"][None]})),
        r"expected 'counts' of shape \(2,\), got shape \(1, 2\)",
    ),
    "expect gives text": (
        changed("expect", sums(lambda s: {**s, "counts": "many"})),
        r"expected 'counts': an array of numbers, got a str",
    ),
    "expect gives nan": (
        changed("expect", sums(lambda s: {**s, "squares": s["squares"] * np.nan})),
        r"expected finite numbers, got 'squares' == \[nan nan\]",
    ),
    "a density is nan": (
        changed("expect", lambda f: (f[0], f[1] * np.nan)),
        r"expected finite log densities, got nan for the row \[",
    ),
    "a density is 0": (
        changed("expect", lambda f: (f[0], f[1] - np.inf)),
        r"expected finite log densities, got -inf for the row",
    ),
    "expect writes into X": (
        broken(expect=lambda self, theta, X, weight: X.sort()),
        r"Broken\.expect raised ValueError: .*read-only",
    ),
    "maximise raises": (broken(maximise=raises), r"Broken\.maximise raised IndexError"),
    "maximise gives None": (
        broken(maximise=lambda self, s, theta: None),
        r"Broken\.maximise: expected a dictionary of weights, scales, got a NoneType",
    ),
    "maximise gives inf": (
        changed("maximise", lambda f: {**f, "scales": f["scales"] / 0}),
        r"'scales' == \[inf inf\] from counts = \[",
    ),
    "maximise forgets to norm": (
        changed("maximise", lambda f: {**f, "weights": f["weights"] * 2}),
        r'Broken\.maximise: "weights" sum to 2, expected 1',
    ),
    "maximise gives complex numbers": (
        changed("maximise", lambda f: {**f, "scales": f["scales"] * 1j}),
        "expected 'scales': an array of numbers",
    ),
    "a method is missing": (
        type("Broken", (thalweg.Model,), {"layout": RayleighMixture.layout, "n_components": 2})(),
        r"Broken needs a method start",
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_mistake_gives_one_clear_exception(heights, mistake, n_threads):
    model, words = MISTAKES[mistake]
    em = EM(model, random_state=0, n_threads=n_threads)
    for verb in ("fit", "partial_fit"):
        with pytest.raises(thalweg.ModelError, match=words):
            getattr(em, verb)(heights)
    em.set_params(model=RayleighMixture(2)).fit(heights)  # the estimator is as good as new
    assert np.isfinite(em.score(heights))


def test_the_cause_has_the_users_own_traceback(heights):
    with pytest.raises(thalweg.ModelError) as caught:
        EM(broken(expect=raises), n_threads=2, random_state=0).fit(np.tile(heights, (4, 1)))
    cause = caught.value.__cause__
    assert isinstance(cause, IndexError)
    frames = []
    at = cause.__traceback__
    while at:
        frames.append(at.tb_frame.f_code.co_name)
        at = at.tb_next
    assert frames[-1] == "raises"


class FailsLater(RayleighMixture):
    fails = False

    def maximise(self, s, theta):
        if FailsLater.fails:
            raise RuntimeError("not today")
        return super().maximise(s, theta)


def test_a_failed_portion_is_as_if_it_had_not_come(heights):
    em, other = (EM(FailsLater(2), random_state=0).partial_fit(heights[:3000]) for _ in range(2))
    FailsLater.fails = True
    try:
        for size in (1, 100, 2999):
            with pytest.raises(thalweg.ModelError, match="not today"):
                em.partial_fit(heights[-size:] if size > 1 else heights[-20:])
    finally:
        FailsLater.fails = False
    assert em.n_samples_seen_ == 3000
    for one in (em, other):
        one.partial_fit(heights[3000:])
    assert (em.scales_ == other.scales_).all()


class AsksItsEstimator(RayleighMixture):
    estimator = None

    def expect(self, theta, X, weight):
        if AsksItsEstimator.estimator is not None:
            AsksItsEstimator.estimator.score(X)
        return super().expect(theta, X, weight)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_model_that_asks_its_estimator_does_not_wait_forever(heights, n_threads):
    em = EM(AsksItsEstimator(2), random_state=0, n_threads=n_threads).fit(heights)
    AsksItsEstimator.estimator = em
    try:
        with pytest.raises(thalweg.ModelError, match="asks the estimator that is calling it"):
            em.partial_fit(heights)
    finally:
        AsksItsEstimator.estimator = None
    em.partial_fit(heights)


@pytest.mark.parametrize(
    "model, words",
    [
        (RayleighMixture, r"model is the class RayleighMixture, expected an object of it: RayleighMixture\(\.\.\.\)"),
        (None, "model has to be a thalweg.Model, got None"),
    ],
)
def test_what_is_no_model(heights, model, words):
    with pytest.raises(TypeError, match=words):
        EM(model).fit(heights)


def test_refused_methods_and_names(heights):
    with pytest.raises(thalweg.UsageError, match="method='exact' needs a model whose maximum has a closed form"):
        EM(RayleighMixture(2), method="exact").fit(heights)
    with pytest.raises(thalweg.UsageError, match="method='gradient' needs a method moments of ZeroInflatedPoisson"):
        EM(ZeroInflatedPoisson(), method="gradient").fit(heights)
    with pytest.raises(ValueError, match="heights are above 0"):
        EM(RayleighMixture(2)).fit(-heights)
    with pytest.raises(ValueError, match='"scales"'):
        EM(RayleighMixture(2), init={"weights": [0.5, 0.5], "scales": [1.0, -1.0]}).fit(heights)
    with pytest.raises(thalweg.ModelError, match=r"posterior: expected probabilities that sum to 1, got \["):
        EM(changed("posterior", lambda p: 2 * p), random_state=0).fit(heights).predict(heights)
    with pytest.raises(thalweg.ModelError, match=r"draw: expected an array of shape \(5, 1\), got one of \(5,\)"):
        EM(changed("draw", np.ravel), random_state=0).fit(heights).sample(5)
    odd = broken(layout=lambda self, d: thalweg.Layout({"a": 1}, {"n_iter": 1}))
    with pytest.raises(thalweg.UsageError, match="n_iter_ is an attribute of every estimator"):
        EM(odd).fit(heights)


@pytest.mark.parametrize(
    "layout, words",
    [
        (lambda: thalweg.Layout({}, {"a": 1}), "at least one piece"),
        (lambda: thalweg.Layout({"a": 0}, {"a": 1}), "an extent of 'a' == 0, must be >= 1"),
        (lambda: thalweg.Layout({"a": 1.5}, {"a": 1}), "has to be a whole number"),
        (lambda: thalweg.Layout({"a b": 1}, {"a": 1}), "not a Python name"),
        (lambda: thalweg.Layout({"a": 1}, {"b": 1}, positive=["a"]), "positive names 'a', which is not a parameter"),
        (lambda: thalweg.Layout({"a": 1}, {"b": (2, 2)}, simplex=["b"]), "simplex and needs a shape of one number"),
        (lambda: thalweg.Layout({"a": 1}, {"b": (2, 3)}, covariance="b"), "ends in a square"),
        (lambda: thalweg.Layout({"a": 1}, {"b": 1}, min_rows=0), "min_rows == 0"),
    ],
)
def test_layouts_that_are_none(layout, words):
    with pytest.raises(ValueError, match=words):
        layout()
