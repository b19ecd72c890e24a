"""partial_fit of portions of 10,000 rows: portion.py DIR COVARIANCE D K

For every line on stdin one call for each portion, after the first ones gave a start: {"seconds" on the clock}.
"""
import json
import sys
import time
from pathlib import Path

import thalweg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers"))
import mixture_files  # noqa: E402

folder, covariance = sys.argv[1:3]
d, K = map(int, sys.argv[3:])
weights, means, covariances = mixture_files.load(folder, "truth", covariance, d, K)
portions = mixture_files.rows(folder, "rows", d, 200_000).reshape(-1, 10_000, d)
model = thalweg.GaussianMixture.from_parameters(
    weights=weights, means=means, covariances=covariances, reg_covar=0, random_state=0)
for line in sys.stdin:
    begin = time.perf_counter()
    for portion in portions:
        model.partial_fit(portion)
    print(json.dumps(dict(seconds=time.perf_counter() - begin)), flush=True)
