"""The number of components and the kind of covariance with the lowest BIC, by a grid search and by hand."""

import json

import numpy as np
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV

rng = np.random.RandomState(3)
X = np.concatenate(
    [
        np.dot(rng.randn(500, 2), np.array([[0.0, -0.1], [1.7, 0.4]])),
        0.7 * rng.randn(500, 2) + np.array([-6, 3]),
    ]
)


def gmm_bic_score(estimator, X):
    return -estimator.bic(X)


grid = {"n_components": range(1, 5), "covariance_type": ["spherical", "tied", "diag", "full"]}
search = GridSearchCV(GaussianMixture(random_state=0, n_init=2), param_grid=grid, scoring=gmm_bic_score)
search.fit(X)

by_hand = {}
for kind in grid["covariance_type"]:
    for n_components in grid["n_components"]:
        gmm = GaussianMixture(n_components=n_components, covariance_type=kind, random_state=0, tol=1e-6, max_iter=2000)
        gmm.fit(X)
        by_hand[f"{kind} {n_components}"] = gmm.bic(X)

best = search.best_estimator_
labels = best.predict(X)
print(
    json.dumps(
        {
            "best": {name: best.get_params()[name] for name in grid},
            "sizes": sorted(np.bincount(labels).tolist()),
            "lowest": min(by_hand, key=by_hand.get),
            "bic": {name: value for name, value in by_hand.items() if name[-1] in "12"},
            "aic below bic": bool(best.aic(X) < best.bic(X)),
        }
    )
)
