"""Ctrl-C: heard in the midst of native work, and the estimator stays usable. No clock decides anything here: jobs have no end, or
were not at it when they stopped."""

import contextlib
import itertools
import os
import signal
import time

import numpy as np
import pytest
from own_models import RayleighMixture
from thalweg import EM, GaussianMixture, NotFittedError, _native

X = np.random.default_rng(0).normal(size=(5000, 8))
ENDLESS = np.broadcast_to(X[0], (10**9, 8))  # one row of memory


@contextlib.contextmanager
def ctrl_c_within(verb):
    """A signal comes again and again, but is ignored unless the native `Learner.verb` hears it; Python could before and after the call,
    and in callbacks. At the third time it is a KeyboardInterrupt.

    The kernel's timer sends it: a thread that did would have to wait for the interpreter in between."""
    heard = 0
    real = getattr(_native.Learner, verb)

    def call(*args, **kwargs):
        return real(*args, **kwargs)

    def hear(number, frame):
        nonlocal heard
        heard += frame.f_code is call.__code__
        if heard == 3:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(number, signal.SIG_IGN)  # one may be on its way
            signal.default_int_handler(signal.SIGINT, frame)

    usual = signal.signal(signal.SIGALRM, hear)
    setattr(_native.Learner, verb, call)
    signal.setitimer(signal.ITIMER_REAL, 2e-4, 2e-4)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        setattr(_native.Learner, verb, real)
        signal.signal(signal.SIGALRM, usual)


SHOWN = {
    "silent": {},
    "table": {"verbose": 1, "verbose_interval": 1},
    "bar": {"progress": True},
    "callback": {"on_step": lambda step: None},
}


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("method", ["batch", "online", "auto"])
def test_ends_a_fit_without_end(method, shown):
    """So many components that native work, not the callback, is where most signals come."""
    model = GaussianMixture(
        100, random_state=0, method=method, tol=0, max_iter=10**9, passes=10**9, buffer=1000, **SHOWN[shown]
    )
    with ctrl_c_within("fit"):
        model.fit(X)
    model.set_params(verbose=0, progress=False, on_step=None)
    assert np.isfinite(model.score(X))
    model.partial_fit(X)
    assert np.isfinite(model.means_).all()


def many_components(K, d, **params):
    means = np.random.default_rng(0).normal(size=(K, d))
    return GaussianMixture.from_parameters(weights=np.full(K, 1 / K), means=means, covariances=[np.eye(d)] * K, **params)


def test_single_steps_of_many_components():
    model = many_components(100, 8, batch_size=1)
    with ctrl_c_within("learn"):
        model.partial_fit(ENDLESS)
    assert 0 < model.n_samples_seen_ < len(ENDLESS) and np.isfinite(model.means_).all()


def test_one_step_and_draws():
    model = many_components(100, 8, n_threads=1)
    with ctrl_c_within("one_step"):
        model.one_step(ENDLESS)
    assert len(model.predict(X[:10])) == 10
    model = many_components(1000, 1)  # each row takes its time, but little memory
    with ctrl_c_within("sample"):
        model.sample(10_000_000)
    assert len(model.predict(X[:10, :1])) == 10


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_an_endless_iterator(verb):
    """Ctrl-C comes while the eleventh block is made: the ten before it were learned, and no other is asked for."""
    given = 0

    def blocks():
        nonlocal given
        for begin in itertools.cycle(range(0, len(X), 1000)):
            if given == 10:
                os.kill(os.getpid(), signal.SIGINT)
            given += 1
            yield X[begin : begin + 1000]

    model = GaussianMixture(3, random_state=0, method="online")
    with pytest.raises(KeyboardInterrupt):
        getattr(model, verb)(blocks())
    assert given == 10 and model.n_samples_seen_ == 10_000
    assert np.isfinite(model.score(X[:1000]))


def test_in_the_first_look_at_the_rows():
    """Rows that have to be converted take their time, and nothing is known yet."""

    class Frame:
        shape, ndim, dtypes = (400_000, 2), 2, [np.dtype("f4"), np.dtype("f8")]
        asked = 0

        @property
        def iloc(self):
            return self

        def __getitem__(self, rows):
            self.asked += 1
            if self.asked == 5:
                os.kill(os.getpid(), signal.SIGINT)
            return self

        def to_numpy(self, kind):
            return np.resize(X[:, :2], (8192, 2))

    model, frame = GaussianMixture(3, random_state=0), Frame()
    with pytest.raises(KeyboardInterrupt):
        model.fit(frame)
    assert frame.asked == 5
    with pytest.raises(NotFittedError):
        model.predict(X[:10, :2])
    assert model.fit(X[:5000, :2]).means_.shape == (3, 2)


@pytest.mark.parametrize("method, verb", [("batch", "fit"), ("online", "fit"), ("auto", "fit"), ("online", "partial_fit")])
def test_in_the_search_for_starts(method, verb):
    """So many rows in the buffer that the search is not over when Ctrl-C comes: no step was told. What there is to go on with is the
    best start so far, or nothing if the first was not finished."""
    steps, rows = [], np.tile(X, (20, 1))
    model = GaussianMixture(20, random_state=0, method=method, buffer=100_000, start_budget="full",
                            on_step=lambda step: steps.append(step.number))
    if verb == "partial_fit":
        model.partial_fit(rows)  # those that come then pay for the search
    with ctrl_c_within({"fit": "fit", "partial_fit": "learn"}[verb]):
        getattr(model, verb)(rows)
    assert not steps
    model.on_step = None
    if model.__sklearn_is_fitted__():
        assert np.isfinite(model.score(X))
        model.partial_fit(X)
    else:
        with pytest.raises(NotFittedError):
            model.score(X)
        model.set_params(buffer=1000).fit(X)
    assert np.isfinite(model.means_).all()


# --- how much work is done after it ------------------------------------------------------------------


class Counted(RayleighMixture):
    """Its E-step number 40, of a slice of rows, is interrupted; those after it are counted, and take their time."""

    def __init__(self, seconds):
        super().__init__(2)
        self.seconds, self.calls, self.after = seconds, itertools.count(1), []

    def expect(self, theta, X, weight):
        number = next(self.calls)
        if number == 40:
            os.kill(os.getpid(), signal.SIGINT)
        elif number > 40:
            self.after.append(number)
            time.sleep(self.seconds)
        return super().expect(theta, X, weight)


def counted_fit(method, n_threads, seconds=0):
    """What was interrupted, the E-steps after that, and the rows: 25 slices, 50 mini-batches."""
    rng = np.random.default_rng(4)
    heights = rng.permutation(np.concatenate([rng.rayleigh(1.0, 60_000), rng.rayleigh(3.5, 40_000)]))[:, None]
    model = Counted(seconds)
    start = {"weights": [0.5, 0.5], "scales": [0.8, 3.0]}
    em = EM(model, init=start, method=method, tol=0, max_iter=10**9, passes=10**9, batch_size=2000, n_threads=n_threads)
    with pytest.raises(KeyboardInterrupt):
        em.fit(heights)
    model.seconds = 0
    return em, model.after, heights


@pytest.mark.parametrize("method", ["batch", "online", "auto"])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_pass_is_brought_to_its_end_and_no_other_begun(method, n_threads):
    """A pass of batch EM, where the machine is not too busy for it; online, the mini-batch (again) and the rest."""
    em, after, heights = counted_fit(method, n_threads)
    assert len(after) <= {"batch": 10, "online": 2, "auto": 25}[method]
    if method == "online" or (method == "batch" and len(after) == 10):
        assert np.isfinite(em.score(heights))  # what was reached is there
    em.set_params(max_iter=2, passes=1).fit(heights)
    assert np.isfinite(em.scales_).all()


@pytest.mark.parametrize("method", ["batch", "online", "auto"])
def test_a_slow_pass_is_given_up(method):
    """A slice alone takes longer than the rest of a pass is waited for: the one that was interrupted is the last."""
    em, after, heights = counted_fit(method, n_threads=1, seconds=0.5)
    assert len(after) <= 1
    em.set_params(max_iter=2, passes=1).fit(heights)
    assert np.isfinite(em.scales_).all()
