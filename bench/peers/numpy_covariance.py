"""Covariance and eigenvalues by NumPy, asked for like the fits of ppca_pass: numpy_covariance.py DIR D

Centred rows, their product, eigh: as few passes over the rows as NumPy needs (numpy.cov makes more).
"""
import json
import sys
import time

import mixture_files
import numpy as np


def serve(folder, d):
    rows = mixture_files.rows(folder, "rows", d)
    for _ in sys.stdin:
        begin = time.process_time()
        centred = rows - rows.mean(axis=0)
        np.linalg.eigh(centred.T @ centred / len(rows))
        print(json.dumps(dict(seconds=time.process_time() - begin)), flush=True)


serve(sys.argv[1], int(sys.argv[2]))
