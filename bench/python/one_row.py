"""partial_fit of one row at a time beside scikit-learn's MiniBatchKMeans: one_row.py D K

Prints the median time of a call on either side, in turns of 300 calls.
"""
import json
import sys
import time
from statistics import median

import numpy as np
import thalweg
from sklearn.cluster import MiniBatchKMeans

d, K = map(int, sys.argv[1:])
rows = np.random.default_rng(0).normal(size=(3000, 1, d)) + np.arange(3000).reshape(-1, 1, 1) % K * 4
first = rows.reshape(-1, d)
ours = thalweg.GaussianMixture(K, random_state=0).fit(first)
theirs = MiniBatchKMeans(K, random_state=0, n_init=1).fit(first)
calls = {"ours": ours.partial_fit, "theirs": theirs.partial_fit}
seconds = {name: [] for name in calls}
for turn in range(10):
    for name, call in calls.items():
        for row in rows[turn * 300:(turn + 1) * 300]:
            begin = time.perf_counter()
            call(row)
            seconds[name].append(time.perf_counter() - begin)
print(json.dumps({name: median(times) for name, times in seconds.items()}
                 | {f"mean_{name}": sum(times) / len(times) for name, times in seconds.items()}))
