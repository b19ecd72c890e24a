"""A pass of scikit-learn's IncrementalPCA, asked for like those of ppca_pass: sklearn_incremental_pca.py DIR D R"""
import json
import sys
import time

import mixture_files
from sklearn.decomposition import IncrementalPCA


def serve(folder, d, r):
    rows = mixture_files.rows(folder, "rows", d)
    for _ in sys.stdin:
        begin = time.process_time()
        IncrementalPCA(n_components=r).fit(rows)
        print(json.dumps(dict(seconds=time.process_time() - begin)), flush=True)


serve(sys.argv[1], *map(int, sys.argv[2:]))
