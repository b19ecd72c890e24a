"""EM iterations of scikit-learn's GaussianMixture(covariance_type="diag"), asked for like those of diagonal_pass.

Without arguments: the versions of what is measured.
"""
import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import sklearn
from sklearn.mixture import GaussianMixture


def versions():
    """NumPy does not know which BLAS Debian's alternatives gave it; the loader does."""
    libraries = set(re.findall(r"/\S*blas\S*\.so\S*", Path("/proc/self/maps").read_text()))
    names = {Path(library).resolve().name for library in libraries}
    fast = sorted(name for name in names if "openblas" in name)
    return {"scikit-learn": sklearn.__version__, "NumPy": np.__version__,
            "BLAS": fast[0] if fast else "reference " + " ".join(sorted(names))}


def serve(folder, N, d, K):
    def load(name, *shape):
        return np.fromfile(Path(folder, name)).reshape(shape)

    rows = load("rows", N, d)
    model = GaussianMixture(K, covariance_type="diag", reg_covar=0)
    model.weights_ = load("weights", K)
    model.means_ = load("means", K, d)
    model.covariances_ = load("variances", K, d)
    model.precisions_cholesky_ = 1 / np.sqrt(model.covariances_)
    for _ in sys.stdin:
        # One turn of the loop inside fit(), whose start-up would run k-means first.
        begin = time.process_time()
        mean_log_likelihood, log_posterior = model._e_step(rows)
        model._m_step(rows, log_posterior)
        seconds = time.process_time() - begin
        print(json.dumps(dict(seconds=seconds, log_likelihood=N * mean_log_likelihood)), flush=True)


if len(sys.argv) == 1:
    print(json.dumps(versions()))
else:
    serve(sys.argv[1], *map(int, sys.argv[2:]))
