"""thalweg's GaussianMixture from the start that sklearn_fit.py left: fit.py DIR COVARIANCE D K MAX_ITER

Prints the processor time of `fit` on one thread, iterations, how much more memory it took, and the mean log-likelihood of the rows.
"""
import json
import sys
import time
from pathlib import Path

import numpy as np
import thalweg

from memory import peak_growth

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers"))
import mixture_files  # noqa: E402


def fit(folder, covariance, d, K, max_iter):
    rows = mixture_files.rows(folder, "rows", d)
    weights, means, covariances = mixture_files.load(folder, "start", covariance, d, K)
    model = thalweg.GaussianMixture(
        K, covariance_type=covariance, max_iter=max_iter, n_threads=1, weights_init=weights, means_init=means,
        precisions_init=np.linalg.inv(covariances) if covariance == "full" else 1 / covariances)
    begin = time.process_time()
    grown = peak_growth(lambda: model.fit(rows))
    seconds = time.process_time() - begin
    return dict(seconds=seconds, iterations=model.n_iter_, lower_bound=model.lower_bound_, grown=grown / rows.nbytes,
                held_out=model.score(mixture_files.rows(folder, "held_out", d)))


print(json.dumps(fit(*sys.argv[1:3], *map(int, sys.argv[3:]))))
