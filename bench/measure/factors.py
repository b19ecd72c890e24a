"""Probabilistic PCA beside scikit-learn's IncrementalPCA and NumPy's covariance."""
import tempfile
from statistics import median

from .fits import nat
from .processes import Turns, output, peer, ratios, take_turns


def compare(table, build, N, d=256, r=8, rounds=3):
    with tempfile.TemporaryDirectory() as folder:
        output(*peer("draw_factors.py", folder, d, r, N, N // 4))
        online = Turns(build / "bench/ppca_pass", folder, d, r, "online", 1)
        theirs = Turns(*peer("sklearn_incremental_pca.py", folder, d, r))
        take_turns(rounds, theirs, online)
        exact = Turns(build / "bench/ppca_pass", folder, d, r, "exact", 1)
        numpy = Turns(*peer("numpy_covariance.py", folder, d))
        take_turns(2 * rounds + 1, numpy, exact)
        twice = Turns(build / "bench/ppca_pass", folder, d, r, "online", 2)
        take_turns(1, twice)

    text = f"N = {N:.0e}, d = {d}, r = {r}".replace("e+0", "e")
    speed = median(ratios(theirs.seconds, online.seconds))
    table.at_least(f"PPCA, one online pass, {text}, one core", speed, 20, f"{speed:.0f} × scikit-learn's IncrementalPCA")
    p = d + d * r - r * (r - 1) // 2 + 1
    for passes, fit in (("one pass", online), ("two passes", twice)):
        gain = fit.all("held_out")[0] - exact.all("held_out")[0]
        told = f"{nat(gain)} the exact maximum"
        if fit is twice:
            table.at_least(f"— held-out rows after {passes}", gain, -p / N, told, f"−p/n = −{p / N:.2g}")
        else:
            table.add(f"— held-out rows after {passes}", told)
    cost = median(ratios(exact.seconds, numpy.seconds))
    table.at_most("— exact method", cost, 1.3, f"{cost:.2f} × the time of NumPy's covariance and eigh")
