"""The whole default fit beside scikit-learn's, cell by cell: time and likelihood."""
import tempfile
from dataclasses import dataclass
from itertools import product

from .processes import answer, output, peer

COVARIANCES = ("full", "tied", "diag", "spherical")
ROWS = (150, 1_000, 10_000, 100_000)
WIDTHS = COMPONENTS = (2, 8, 32, 64)


@dataclass
class Cell:
    covariance: str
    N: int
    d: int
    K: int
    tails: str = "gauss"

    def __str__(self):
        return f"{self.covariance} {self.N} × {self.d}, K = {self.K}" + (", heavy tails" if self.tails == "t" else "")

    def measured(self, build, seeds):
        """Theirs, and ours for each seed."""
        with tempfile.TemporaryDirectory() as folder:
            case = [folder, self.covariance, self.d, self.K]
            output(*peer("draw_grid.py", *case, self.N, self.tails, 1))
            theirs = answer(*peer("sklearn_default.py", *case))
            return theirs, [answer(build / "bench/default_fit", *case, seed) for seed in seeds]


def cells(rows=ROWS, tails=("gauss",)):
    """All that have enough rows for their components."""
    for kind, N, d, K, tail in product(COVARIANCES, rows, WIDTHS, COMPONENTS, tails):
        if N > 2 * K:
            yield Cell(kind, N, d, K, tail)
