"""An array much larger than what a fit may take: 3 GB in a file, mapped."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np

ROWS, COLUMNS = 25_000_000, 16  # 3.2 GB


def write_rows(path):
    """Two clusters, drawn once and repeated with small shifts: drawing all of it would take longer than the fit."""
    rng = np.random.default_rng(3)
    piece = rng.normal(size=(250_000, COLUMNS))
    piece[rng.random(len(piece)) < 0.3] += 5
    with open(path, "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (ROWS, COLUMNS)}
        np.lib.format.write_array_header_1_0(file, header)
        for i in range(ROWS // len(piece)):
            (piece + 1e-3 * (i % 7)).tofile(file)


PROGRAM = textwrap.dedent(
    """
    import json, re, sys, threading
    import numpy as np
    import thalweg

    def own_bytes():  # pages of the mapped file belong to the system's cache
        return int(re.search(r"RssAnon:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) * 1024

    X = np.load(sys.argv[1], mmap_mode="r")
    model = thalweg.GaussianMixture(2, method=sys.argv[2], max_iter=2, random_state=0)
    before, peak, done = own_bytes(), 0, threading.Event()

    def watch():
        global peak
        while not done.wait(0.01):
            peak = max(peak, own_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    model.fit(X)
    done.set()
    watcher.join()
    print(json.dumps(dict(grown=peak - before, rows=model.n_samples_seen_, weights=sorted(model.weights_))))
    """
)


def test_a_mapped_array_of_3_gb_is_fitted_in_constant_memory(tmp_path):
    path = tmp_path / "rows.npy"
    try:
        write_rows(path)
        assert os.path.getsize(path) > 3e9
        for method in ("online", "batch"):
            run = [sys.executable, "-c", PROGRAM, str(path), method]
            found = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
            assert found["rows"] == ROWS
            assert found["grown"] < 64e6
            assert abs(found["weights"][0] - 0.3) < 0.01
    finally:
        path.unlink(missing_ok=True)
