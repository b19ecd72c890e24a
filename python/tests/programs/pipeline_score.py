"""Outliers by out-of-sample density: scaled, fitted to one half, scored on the other, and cross-validated."""

import json
import pickle

import numpy as np
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

rng = np.random.RandomState(7)
centres = np.array([[0, 0, 0], [400, 1, -2], [-300, 4, 1]])
X = centres[rng.randint(3, size=1500)] + rng.randn(1500, 3) * [40, 0.6, 0.3]
train, test = train_test_split(X, test_size=0.4, random_state=0)

model = Pipeline([("scale", StandardScaler()), ("mixture", GaussianMixture(n_components=3, random_state=1, n_init=3))])
model.set_params(mixture__tol=1e-6, mixture__max_iter=500)
model.fit(train)
threshold = np.quantile(model.score_samples(train), 0.01)
strange = np.array([[200.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
rows = np.vstack([test[:50], strange])

folds = cross_val_score(model, X, cv=KFold(3, shuffle=True, random_state=0))
again = pickle.loads(pickle.dumps(model))
mixture = model.named_steps["mixture"]
drawn, labels = mixture.sample(300)
print(
    json.dumps(
        {
            "score": model.score(test),
            "outliers": (model.score_samples(rows) < threshold).tolist(),
            "probabilities": np.sort(model.predict_proba(test[:20]), axis=1).tolist(),
            "folds": folds.tolist(),
            "pickled": bool((again.score_samples(test) == model.score_samples(test)).all()),
            "sample": [list(drawn.shape), sorted(set(labels.tolist()))],
            "precisions": sorted(np.trace(mixture.precisions_, axis1=1, axis2=2).tolist()),
        }
    )
)
