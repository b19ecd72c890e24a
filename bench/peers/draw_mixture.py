"""Draws a Gaussian mixture: draw_mixture.py DIR COVARIANCE D K ROWS HELD_OUT leaves rows, held_out and truth.*.

Means N(0, 9 I), weights Dirichlet(5); full covariances are turned at random with eigenvalues log-uniform on 3 … 60, the variances
of diagonal ones are log-uniform on 1 … 10.
"""
import sys
from pathlib import Path

import numpy as np

import mixture_files

SPREAD = {"full": (3, 60), "diag": (1, 10)}


def rotation(random, d):
    turned, triangle = np.linalg.qr(random.standard_normal((d, d)))
    return turned * np.sign(np.diag(triangle))


def draw(folder, covariance, d, K, sizes):
    random = np.random.default_rng(1)
    weights = random.dirichlet(np.full(K, 5.0))
    means = random.normal(0, 3, (K, d))
    eigenvalues = np.exp(random.uniform(*np.log(SPREAD[covariance]), (K, d)))
    axes = [rotation(random, d) if covariance == "full" else np.eye(d) for _ in range(K)]
    roots = [axis * np.sqrt(spread) for axis, spread in zip(axes, eigenvalues)]
    covariances = eigenvalues if covariance == "diag" else [root @ root.T for root in roots]
    mixture_files.save(folder, "truth", weights, means, covariances)
    for name, size in sizes.items():
        component = random.choice(K, size, p=weights)
        rows = random.standard_normal((size, d))
        for k in range(K):
            mine = component == k
            rows[mine] = rows[mine] @ roots[k].T + means[k]
        rows.tofile(Path(folder, name))


folder, covariance, *numbers = sys.argv[1:]
d, K, N, held_out = map(int, numbers)
draw(folder, covariance, d, K, dict(rows=N, held_out=held_out))
