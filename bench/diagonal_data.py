"""Draws a diagonal Gaussian mixture: diagonal_data.py DIR N D K leaves rows, weights, means, variances as raw doubles."""
import sys
from pathlib import Path

import numpy as np


def draw(folder, N, d, K):
    random = np.random.default_rng(1)
    weights = random.dirichlet(np.full(K, 5.0))
    means = random.normal(0, 3, (K, d))
    variances = np.exp(random.uniform(0, np.log(10), (K, d)))
    component = random.choice(K, N, p=weights)
    rows = random.standard_normal((N, d))
    rows *= np.sqrt(variances)[component]
    rows += means[component]
    for name, values in dict(rows=rows, weights=weights, means=means, variances=variances).items():
        values.tofile(Path(folder, name))


draw(sys.argv[1], *map(int, sys.argv[2:]))
