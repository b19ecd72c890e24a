"""A model in NumPy under EM beside the same NumPy in a plain loop: `build/venv/bin/python bench/python/own_model.py`."""

import os
import pathlib
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python" / "tests"))
from own_models import OwnPoissonMixture, RayleighMixture  # noqa: E402
from thalweg import EM  # noqa: E402


def loop(model, theta, X, iterations):
    """Batch EM as one writes it by hand: all rows at once."""
    weight = np.ones(len(X))
    for _ in range(iterations):
        sums, log_density = model.expect(theta, X, weight)
        log_density.sum()
        theta = model.maximise({name: value / len(X) for name, value in sums.items()}, theta)
    return theta


def loop_in_slices(model, theta, X, iterations, rows=4096):
    """The same, a slice at a time: what lies in the cache is read once."""
    weight = np.ones(rows)
    for _ in range(iterations):
        total = {}
        for begin in range(0, len(X), rows):
            part = X[begin : begin + rows]
            sums, log_density = model.expect(theta, part, weight[: len(part)])
            log_density.sum()
            total = {name: total.get(name, 0) + value for name, value in sums.items()}
        theta = model.maximise({name: value / len(X) for name, value in total.items()}, theta)
    return theta


def main():
    rng = np.random.default_rng(0)
    iterations = 5
    for model, X in (
        (RayleighMixture(3), rng.rayleigh(rng.choice([1.0, 2.0, 5.0], 300_000))[:, None]),
        (OwnPoissonMixture(4), rng.poisson(rng.uniform(1, 9, (300_000, 8))).astype(float)),
    ):
        theta = model.start(X, np.random.default_rng(1))
        asked = {"init": theta, "tol": 0, "max_iter": iterations}
        work = {
            "by hand, all rows at once": lambda: loop(model, theta, X, iterations),
            "by hand, in slices": lambda: loop_in_slices(model, theta, X, iterations),
            "EM": lambda: EM(model, **asked).fit(X),
            "EM, 2 threads": lambda: EM(model, **asked, n_threads=2).fit(X),
        }
        times = {name: [] for name in work}
        for _ in range(7):  # in turn, in seconds of this process: others on the machine disturb all alike
            for name, run in work.items():
                begin = time.process_time()
                run()
                times[name].append(time.process_time() - begin)
        first = min(times["by hand, all rows at once"])
        for name, seconds in times.items():
            each = 1000 * min(seconds) / iterations
            print(f"{type(model).__name__}, {name}: {each:.1f} ms an iteration, {min(seconds) / first:.2f} × by hand")


if __name__ == "__main__":
    main()
