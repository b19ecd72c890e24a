"""The versions of scikit-learn and what it stands on."""
import ctypes
import json
import re
from pathlib import Path

import numpy as np
import sklearn
import sklearn.mixture  # loads the BLAS


def versions():
    """NumPy does not know which BLAS Debian's alternatives gave it; the loader does."""
    libraries = set(re.findall(r"/\S*blas\S*\.so\S*", Path("/proc/self/maps").read_text()))
    names = {Path(library).resolve().name for library in libraries}
    fast = sorted(name for name in names if "openblas" in name)
    return {"scikit-learn": sklearn.__version__, "NumPy": np.__version__,
            "BLAS": f"{fast[0]} with {kernels(libraries)} kernels" if fast else "reference " + " ".join(sorted(names))}


def kernels(libraries):
    """The processor for which OpenBLAS chose its code."""
    openblas = ctypes.CDLL(next(library for library in libraries if "openblas" in Path(library).resolve().name))
    openblas.openblas_get_corename.restype = ctypes.c_char_p
    return openblas.openblas_get_corename().decode()


print(json.dumps(versions()))
