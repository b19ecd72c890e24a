"""What an epoch of variance-reduced EM costs in E-steps."""
from statistics import median

from .processes import Turns, ratios, take_turns


def epochs(table, build, rounds=7):
    for what, name in (("two Poissons", "poisson"), ("full Gaussian, d = K = 8", "gaussian")):
        runs = Turns(build / "bench/epoch", name)
        take_turns(rounds, runs)
        cost = median(ratios(runs.seconds, runs.all("step")))
        table.at_most(f"epoch of variance-reduced EM, {what}, N = 4e5", cost, 3,
                      f"{cost:.2f} × an E-step over all rows")
