"""Two estimators, each in a thread of its own, beside one after the other: two_at_once.py DIR COVARIANCE D K

Prints the ratio of wall times, median of five, and whether the models agree bit for bit.
"""
import json
import sys
import threading
import time
from pathlib import Path
from statistics import median

import thalweg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers"))
import mixture_files  # noqa: E402

folder, covariance = sys.argv[1:3]
d, K = map(int, sys.argv[3:])
rows = mixture_files.rows(folder, "rows", d, 200_000)


def fits(at_once):
    models = [thalweg.GaussianMixture(K, covariance_type=covariance, method="online", n_threads=1, random_state=seed)
              for seed in (1, 2)]
    threads = [threading.Thread(target=model.fit, args=(rows,)) for model in models]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
        if not at_once:
            thread.join()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin, b"".join(model.means_.tobytes() for model in models)


gains, same = [], True
for _ in range(5):
    (alone, one), (together, other) = fits(False), fits(True)
    gains.append(alone / together)
    same = same and one == other
print(json.dumps(dict(gain=median(gains), same=same)))
