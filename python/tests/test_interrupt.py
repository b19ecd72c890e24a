"""Ctrl-C: heard within a second, and the estimator stays usable."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from thalweg import GaussianMixture

X = np.random.default_rng(0).normal(size=(400_000, 8))


@pytest.mark.parametrize("method", ["batch", "online", "auto"])
def test_stops_within_a_second(method):
    model = GaussianMixture(12, random_state=0, method=method, tol=0, max_iter=100_000, passes=100_000, buffer=2000)
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(1.5, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert time.monotonic() - sent[0] < 1
    assert np.isfinite(model.score(X[:1000]))
    model.partial_fit(X[:5000])
    assert np.isfinite(model.means_).all()
