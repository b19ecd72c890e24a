"""Data that several tests share."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests" / "support"))


@pytest.fixture
def three_clusters():
    """3,000 rows of three overlapping, asymmetric clusters in two columns, in mixed order."""
    rng = np.random.default_rng(5)
    parts = [
        rng.multivariate_normal([0, 0], [[1.0, 0.4], [0.4, 0.5]], 1500),
        rng.multivariate_normal([4, 1], [[0.6, -0.5], [-0.5, 2.0]], 900),
        rng.multivariate_normal([-2, 5], [[1.5, 0.3], [0.3, 0.8]], 600),
    ]
    X = np.vstack(parts)
    return X[rng.permutation(len(X))]


def start_of(X, K, kind, seed=0):
    """A rough start in scikit-learn's words: weights, means and precisions."""
    rng = np.random.default_rng(seed)
    means = X[rng.choice(len(X), K, replace=False)]
    covariance = np.cov(X.T)
    precision = {
        "full": np.array([np.linalg.inv(covariance)] * K),
        "tied": np.linalg.inv(covariance),
        "diag": np.array([1 / np.diag(covariance)] * K),
        "spherical": np.full(K, 1 / np.diag(covariance).mean()),
    }[kind]
    return {"weights_init": np.full(K, 1 / K), "means_init": means, "precisions_init": precision}
