"""Ctrl-C: heard within a second, and the estimator stays usable."""

import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest
from thalweg import GaussianMixture, NotFittedError

X = np.random.default_rng(0).normal(size=(400_000, 8))


def interrupt_after(seconds):
    """Sends Ctrl-C, and says when."""
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(seconds, interrupt).start()
    return sent


SHOWN = {
    "silent": {},
    "table": {"verbose": 1, "verbose_interval": 1},
    "bar": {"progress": True},
    "callback": {"on_step": lambda step: None},
}


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("method", ["batch", "online", "auto"])
def test_stops_within_a_second(method, shown):
    model = GaussianMixture(
        12, random_state=0, method=method, tol=0, max_iter=100_000, passes=100_000, buffer=2000, **SHOWN[shown]
    )
    sent = interrupt_after(1.5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert time.monotonic() - sent[0] < 1
    model.set_params(verbose=0, progress=False, on_step=None)
    assert np.isfinite(model.score(X[:1000]))
    model.partial_fit(X[:5000])
    assert np.isfinite(model.means_).all()


def in_time(work):
    sent = interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - sent[0] < 1


def test_single_steps_of_many_components():
    rng = np.random.default_rng(0)
    K, d = 100, 10
    model = GaussianMixture.from_parameters(
        weights=np.full(K, 1 / K), means=rng.normal(size=(K, d)), covariances=[np.eye(d)] * K, batch_size=1
    )
    rows = rng.normal(size=(400_000, d))
    in_time(lambda: model.partial_fit(rows))
    assert 0 < model.n_samples_seen_ < len(rows) and np.isfinite(model.means_).all()


def test_one_step_and_draws():
    rng = np.random.default_rng(0)
    K, d = 200, 8
    model = GaussianMixture.from_parameters(
        weights=np.full(K, 1 / K), means=rng.normal(size=(K, d)), covariances=[np.eye(d)] * K, n_threads=1
    )
    in_time(lambda: model.one_step(np.tile(X, (5, 1))))
    in_time(lambda: model.sample(20_000_000))
    assert len(model.predict(X[:10])) == 10


def slow_blocks():
    for begin in itertools.cycle(range(0, 400_000, 1000)):
        time.sleep(0.01)
        yield X[begin : begin + 1000]


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_an_endless_iterator(verb):
    model = GaussianMixture(3, random_state=0, method="online")
    sent = interrupt_after(1)
    with pytest.raises(KeyboardInterrupt):
        getattr(model, verb)(slow_blocks())
    assert time.monotonic() - sent[0] < 1
    assert model.n_samples_seen_ > 5000
    assert np.isfinite(model.score(X[:1000]))


def test_in_the_first_look_at_the_rows():
    """Rows that have to be converted take their time, and nothing is known yet."""

    class Slow:  # a frame whose cells come slowly
        shape, ndim, dtypes = (400_000, 2), 2, [np.dtype("f4"), np.dtype("f8")]

        @property
        def iloc(self):
            return self

        def __getitem__(self, rows):
            time.sleep(0.05)
            return self

        def to_numpy(self, kind):
            return X[:8192, :2]

    model = GaussianMixture(3, random_state=0)
    sent = interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(Slow())
    assert time.monotonic() - sent[0] < 1
    with pytest.raises(NotFittedError):
        model.predict(X[:10, :2])
    assert model.fit(X[:5000, :2]).means_.shape == (3, 2)


@pytest.mark.parametrize("method, verb", [("batch", "fit"), ("online", "fit"), ("auto", "fit"), ("online", "partial_fit")])
def test_in_the_search_for_starts(method, verb):
    """So many rows in the buffer that the search would take far longer than the test may."""
    model = GaussianMixture(20, random_state=0, method=method, buffer=100_000)
    sent = interrupt_after(1.5)
    with pytest.raises(KeyboardInterrupt):
        getattr(model, verb)(X)
    assert time.monotonic() - sent[0] < 1
    assert np.isfinite(model.score(X[:1000]))
    model.partial_fit(X[:5000])
    assert np.isfinite(model.means_).all()
