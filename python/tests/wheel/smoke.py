"""A short look at an installed package: smoke.py FOLDER, which the package has to lie in."""

import pathlib
import sys

import numpy as np
import thalweg

package = pathlib.Path(thalweg.__file__).parent
assert package.is_relative_to(sys.argv[1]), package
assert {"py.typed", "__init__.pyi", "_native.pyi"} <= {path.name for path in package.iterdir()}

rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 2))
X[:1000] += [6, -3]
model = thalweg.GaussianMixture(2, random_state=0).fit(X)
assert np.abs(model.means_[np.argmax(model.means_[:, 0])] - [6, -3]).max() < 0.2, model.means_
model.partial_fit(X)
model.save("model.json")
assert (thalweg.load("model.json").predict(X) == model.predict(X)).all()
for cls in thalweg._classes.values():
    real = not (cls._entry["takes_counts_only"] or cls._entry["takes_positive_only"])
    cls(random_state=0).fit(rng.normal(size=(500, 3)) if real else 1 + rng.poisson(3, (500, 3))).sample(3)
print(f"thalweg {thalweg.__version__}: {len(thalweg._classes)} classes work as installed from the wheel")
