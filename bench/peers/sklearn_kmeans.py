"""A pass of scikit-learn's MiniBatchKMeans, batches of 1024, for every line on stdin: sklearn_kmeans.py DIR COVARIANCE D K"""
import json
import sys
import time
import warnings

from sklearn.cluster import MiniBatchKMeans

import mixture_files


def serve(folder, d, K):
    rows = mixture_files.rows(folder, "rows", d)
    warnings.filterwarnings("ignore")  # one pass is not enough for it, and it says so
    for _ in sys.stdin:
        means = MiniBatchKMeans(K, batch_size=1024, max_iter=1, n_init=1, max_no_improvement=None,
                                compute_labels=False, random_state=0)
        begin = time.process_time()
        means.fit(rows)
        print(json.dumps(dict(seconds=time.process_time() - begin)), flush=True)


folder, _, d, K = sys.argv[1:]
serve(folder, int(d), int(K))
