"""scikit-learn's GaussianMixture with its defaults: sklearn_default.py DIR COVARIANCE D K prints seconds, log_likelihood, iterations."""
import json
import sys
import time
import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

import mixture_files

warnings.simplefilter("ignore", ConvergenceWarning)
folder, covariance, d, K = sys.argv[1:]
rows = mixture_files.rows(folder, "rows", int(d))
GaussianMixture(2, random_state=0, max_iter=2).fit(rows[:100])  # what is loaded at first use is not the fit's
model = GaussianMixture(int(K), covariance_type=covariance, random_state=0)
begin = time.process_time()
model.fit(rows)
seconds = time.process_time() - begin
print(json.dumps(dict(seconds=seconds, log_likelihood=model.score(rows), iterations=model.n_iter_,
                      converged=model.converged_)))
