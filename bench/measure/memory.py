"""Memory of a stream: does it grow with the rows?"""
from .processes import answer


def through_pipe(table, build, small=10**6, large=10**8):
    fit = [build / "thalweg", "fit", "--model", "poisson", "-k", "2", "--method", "online", "--quiet"]

    def peak(rows, times=3):
        """How far the parser gets ahead hangs on the moment, and a peak is the largest of several."""
        return max(answer(build / "bench/memory", rows, *fit)["peak_bytes"] for _ in range(times))

    before, after = peak(small), peak(large)
    table.at_most(f"peak memory of a one-pass fit through a pipe, {large:.0e} rows over {small:.0e}".replace("e+0", "e"),
                  after / before, 1.1,
                  f"{after / before:.2f} × ({before / 1e6:.1f} and {after / 1e6:.1f} MB)")
