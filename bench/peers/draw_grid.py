"""Draws rows for one cell of the grid: draw_grid.py DIR COVARIANCE D K N TAILS SEED leaves rows.

Means N(0, s² I) with s² = 8 / sqrt(d), weights Dirichlet(5), each component with a covariance of the kind named: eigenvalues log-uniform on
1/4 … 4, full ones turned at random, a tied one shared, spherical ones with one eigenvalue. TAILS is gauss, or t: Student's with 3 degrees of freedom.
"""
import sys
from pathlib import Path

import numpy as np


def rotation(random, d):
    turned, triangle = np.linalg.qr(random.standard_normal((d, d)))
    return turned * np.sign(np.diag(triangle))


def spreads(random, covariance, d, K):
    """Factors of the covariances."""
    if covariance == "spherical":
        return [np.eye(d) * np.exp(random.uniform(-0.7, 0.7)) for _ in range(K)]
    def one():
        axes = np.eye(d) if covariance == "diag" else rotation(random, d)
        return axes * np.exp(random.uniform(-0.7, 0.7, d))
    if covariance == "tied":
        return [one()] * K
    return [one() for _ in range(K)]


def draw(folder, covariance, d, K, N, tails, seed):
    random = np.random.default_rng(seed)
    weights = random.dirichlet(np.full(K, 5.0))
    means = random.normal(0, np.sqrt(8 / np.sqrt(d)), (K, d))
    factors = spreads(random, covariance, d, K)
    component = random.choice(K, N, p=weights)
    rows = random.standard_normal((N, d))
    if tails == "t":
        rows *= np.sqrt(3 / random.chisquare(3, N))[:, None]
    for k in range(K):
        mine = component == k
        rows[mine] = rows[mine] @ factors[k].T + means[k]
    rows.tofile(Path(folder, "rows"))


folder, covariance, d, K, N, tails, seed = sys.argv[1:]
draw(folder, covariance, int(d), int(K), int(N), tails, int(seed))
