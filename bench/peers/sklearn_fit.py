"""scikit-learn's GaussianMixture as its users call it: sklearn_fit.py DIR COVARIANCE D K

Leaves the parameters that its k-means start-up makes as start.* and prints the processor time of start-up and EM, iterations, and the
mean log-likelihood of the held-out rows at the start, at the end and at the truth.
"""
import json
import sys
import time

from sklearn.mixture import GaussianMixture

import mixture_files
import sklearn_mixture


class Watched(GaussianMixture):
    """Remembers where EM began, and when."""

    def _initialize_parameters(self, rows, random_state):
        super()._initialize_parameters(rows, random_state)
        self.start = self.weights_, self.means_, self.covariances_
        self.started = time.process_time()


def fit(folder, covariance, d, K):
    rows = mixture_files.rows(folder, "rows", d)
    held_out = mixture_files.rows(folder, "held_out", d)
    model = Watched(K, covariance_type=covariance, random_state=0)
    begin = time.process_time()
    model.fit(rows)
    end = time.process_time()
    mixture_files.save(folder, "start", *model.start)
    truth = mixture_files.load(folder, "truth", covariance, d, K)
    return dict(start_seconds=model.started - begin, em_seconds=end - model.started,
                iterations=model.n_iter_, converged=model.converged_,
                held_out=model.score(held_out),
                held_out_at_start=sklearn_mixture.at(*model.start, covariance).score(held_out),
                held_out_at_truth=sklearn_mixture.at(*truth, covariance).score(held_out))


print(json.dumps(fit(*sys.argv[1:3], *map(int, sys.argv[3:]))))
