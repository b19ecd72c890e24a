"""A Gaussian mixture in a folder: rows and parameters as raw doubles, which C++ programs read too."""
from pathlib import Path

import numpy as np

COVARIANCES = {"full": lambda d, K: (K, d, d), "diag": lambda d, K: (K, d)}


def save(folder, name, weights, means, covariances):
    for piece, values in dict(weights=weights, means=means, covariances=covariances).items():
        np.ascontiguousarray(values, float).tofile(Path(folder, f"{name}.{piece}"))


def load(folder, name, covariance, d, K):
    """Weights, means, covariances."""
    shapes = dict(weights=(K,), means=(K, d), covariances=COVARIANCES[covariance](d, K))
    return [np.fromfile(Path(folder, f"{name}.{piece}")).reshape(shape) for piece, shape in shapes.items()]


def rows(folder, name, d, at_most=-1):
    return np.fromfile(Path(folder, name), count=at_most * d if at_most > 0 else -1).reshape(-1, d)
