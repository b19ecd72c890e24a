"""docs/benchmarks.md around a table."""
import datetime
import os
import platform
import re
from pathlib import Path

from .processes import output


def machine(build, versions):
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    cache = (build / "CMakeCache.txt").read_text()
    compiler = output(re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", cache)[1], "--version").splitlines()[0]
    peers = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (f"{datetime.date.today()} · {cpu[1] if cpu else platform.machine()}, {os.cpu_count()} cores · "
            f"{compiler} · {peers} · {output('valgrind', '--version').strip()}")


def page(table, where):
    return f"""# Benchmarks

What `make bench` measured last; it writes this page and fails when a bar is missed.

{table.markdown()}

Measured on: {where}.

Everything is a ratio within one run. Instructions are counted by callgrind inside the loop alone; times are medians of
interleaved repetitions in processor time on one core, in wall time where two cores are compared with one.

- **Textbook recursion**, two Poissons: step n^-0.6, the first M-step after 20 rows, no averaging. The plain loop is written
  for two Poissons and nothing else, in log space and with a table of log y!
  ([bench/textbook_poisson.cpp](../bench/textbook_poisson.cpp)).. The full Gaussian
  continues from the truth and its statistic on 100,000 rows
  ([bench/textbook_gaussian.cpp](../bench/textbook_gaussian.cpp)).
- **Data of the mixtures** ([bench/peers/draw_mixture.py](../bench/peers/draw_mixture.py)): means N(0, 9 I), weights
  Dirichlet(5); full covariances turned at random, eigenvalues log-uniform on 3 … 60; variances of diagonal ones log-uniform
  on 1 … 10. 200,000 more rows of the same law are held out. All programs read the same files.
- **EM pass**: E-step, statistics and M-step from memory, all sides on the same rows from the truth
  ([bench/mixture_pass.cpp](../bench/mixture_pass.cpp), [bench/peers](../bench/peers)). scikit-learn stands on NumPy's BLAS:
  with Debian's reference BLAS it is some 2.5 times slower than with OpenBLAS, so the table names it. Where OpenBLAS does not
  know the processor and falls back to its oldest kernels, the peers are told the right ones (`OPENBLAS_CORETYPE`). At d = 2
  scikit-learn gets a tenth of the rows, and rates are compared. Armadillo's `learn` looks over the data first: its pass is
  the time with one iteration less that with none; it is compiled with `-O3 -march=native`, without OpenMP.
- **Products**: scores and statistics, 4 K D floating-point operations a row, D = 1 + d + d(d+1)/2, alone and on tiles of the
  size a pass uses ([bench/products.cpp](../bench/products.cpp)). Beside them NumPy multiplies two square matrices of size
  1536. The line after it divides the same operations by the time of the whole pass, features, softmax and M-step included.
- **Online pass**: `Fit` with `Method::online` over rows in memory, defaults otherwise
  ([bench/mixture_fit.cpp](../bench/mixture_fit.cpp)). The first time it begins where scikit-learn's k-means start-up leaves
  off, and its time is compared with that of scikit-learn's EM from there to its default tolerance of 1e-3
  ([bench/peers/sklearn_fit.py](../bench/peers/sklearn_fit.py), run once); then it finds starts of its own, and its time is
  compared with the whole of `GaussianMixture(K).fit`. p/n is the number of free parameters over that of rows; where
  scikit-learn ends more than that below the truth, ours has to end above it. The worst of three seeds counts.
- **PPCA**: `Fit` over rows in memory, defaults otherwise ([bench/ppca_pass.cpp](../bench/ppca_pass.cpp)); factor variances from
  100 down to 4 over noise 1 ([bench/peers/draw_factors.py](../bench/peers/draw_factors.py)), a quarter as many rows held out.
  IncrementalPCA has its default batches of 5 d rows. NumPy centres the rows, multiplies and decomposes.
- **Epoch of variance-reduced EM**: a sweep and a pass of steps, against one E-step over the same rows
  ([bench/epoch.cpp](../bench/epoch.cpp)).
- **MiniBatchKMeans** sees as many rows as there are, once, without labels at the end.
- **CSV**: the rows of the full Gaussian mixture as text, read from the page cache into doubles
  ([bench/csv_parse.cpp](../bench/csv_parse.cpp)) and by `pandas.read_csv` as it comes
  ([bench/peers/pandas_csv.py](../bench/peers/pandas_csv.py)), both in processor time; two cores are compared in wall time.
  `predict` writes to /dev/null; E-step and formatting are its time on one thread less that of parsing alone, and the larger of them
  is at least half of that. `fit` makes one online pass from raced starts; alone, it reads the same numbers from an .npy file.
- **npy**: rows of a mapped file, against a sum over the same numbers in memory ([bench/npy_pass.cpp](../bench/npy_pass.cpp)).
- **Python** ([bench/python](../bench/python)): `fit` begins where scikit-learn's k-means start-up leaves off, with the same tolerance and
  `reg_covar`; its memory is the growth of the process' peak over the size of the rows. `partial_fit` goes on from the truth;
  beside it `Online` learns the same portions ([bench/online_portion.cpp](../bench/online_portion.cpp)). Single rows are timed one
  by one, ours and those of scikit-learn's MiniBatchKMeans in turns.
- **Memory**: counts as CSV through a pipe into `thalweg fit --method online`
  ([bench/memory.cpp](../bench/memory.cpp)).
"""
