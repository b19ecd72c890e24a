"""Contours of the density of a mixture of two clusters, one of them stretched: density_plot.py PICTURE."""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm
from sklearn.mixture import GaussianMixture

rng = np.random.RandomState(0)
round_cluster = rng.randn(300, 2) + np.array([20, 20])
stretched = np.dot(rng.randn(300, 2), np.array([[0.0, -0.7], [3.5, 0.7]]))
X_train = np.vstack([round_cluster, stretched])

clf = GaussianMixture(n_components=2, covariance_type="full")
clf.fit(X_train)

x = np.linspace(-20.0, 30.0)
y = np.linspace(-20.0, 40.0)
X, Y = np.meshgrid(x, y)
Z = -clf.score_samples(np.array([X.ravel(), Y.ravel()]).T).reshape(X.shape)

contours = plt.contour(X, Y, Z, norm=LogNorm(vmin=1.0, vmax=1000.0), levels=np.logspace(0, 3, 10))
plt.colorbar(contours, shrink=0.8, extend="both")
plt.scatter(X_train[:, 0], X_train[:, 1], 0.8)
plt.title("Negative log-likelihood predicted by a mixture")
plt.savefig(sys.argv[1])

order = np.argsort(clf.means_[:, 0])
print(
    json.dumps(
        {
            "weights": clf.weights_[order].tolist(),
            "means": clf.means_[order].tolist(),
            "covariances": clf.covariances_[order].tolist(),
            "heights": Z[::7, ::7].tolist(),
            "converged": bool(clf.converged_),
        }
    )
)
