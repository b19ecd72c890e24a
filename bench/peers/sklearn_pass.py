"""EM iterations of scikit-learn's GaussianMixture, asked for like those of mixture_pass: sklearn_pass.py DIR COVARIANCE D K [ROWS]"""
import json
import sys
import time

import mixture_files
import sklearn_mixture


def serve(folder, covariance, d, K, at_most=-1):
    rows = mixture_files.rows(folder, "rows", d, at_most)
    model = sklearn_mixture.at(*mixture_files.load(folder, "truth", covariance, d, K), covariance)
    for _ in sys.stdin:
        # One turn of the loop inside fit(), whose start-up would run k-means first.
        begin = time.process_time()
        mean_log_likelihood, log_posterior = model._e_step(rows)
        model._m_step(rows, log_posterior)
        seconds = time.process_time() - begin
        print(json.dumps(dict(seconds=seconds, log_likelihood=len(rows) * mean_log_likelihood)), flush=True)


serve(*sys.argv[1:3], *map(int, sys.argv[3:]))
