"""One online pass beside scikit-learn's fit to convergence: how good, and in what share of the time."""
from statistics import median

from .processes import answer, peer

SEEDS = (0, 1, 2)


def nat(difference):
    return f"{abs(difference):.2g} nat a row {'above' if difference >= 0 else 'below'}"


def report_time(table, fits, their_seconds, bar, whose):
    times = their_seconds / median(fit["seconds"] for fit in fits)
    table.at_most("— … its time", 1 / times, 1 / bar, f"1/{times:.0f} of {whose}", f"1/{bar}")


def compare(table, build, work, case):
    theirs = answer(*peer("sklearn_fit.py", *case))
    tolerance = work.free_parameters / work.N  # what a good fit may lose by chance: p/2 a sample, twice
    from_start(table, build, case, theirs, tolerance)
    from_races(table, build, case, theirs, tolerance)
    return theirs


def from_start(table, build, case, theirs, tolerance):
    fits = [answer(build / "bench/mixture_fit", *case, seed, "start") for seed in SEEDS]
    gain = min(fit["held_out"] for fit in fits) - theirs["held_out"]
    table.at_least("— online pass from scikit-learn's k-means start, held-out rows", gain, -tolerance,
                   f"{nat(gain)} scikit-learn's fit", f"−p/n = −{tolerance:.2g}")
    report_time(table, fits, theirs["em_seconds"], 50,
                f"scikit-learn's from there ({theirs['iterations']} iterations)")


def from_races(table, build, case, theirs, tolerance):
    fits = [answer(build / "bench/mixture_fit", *case, seed) for seed in SEEDS]
    gain = min(fit["held_out"] for fit in fits) - theirs["held_out"]
    short = theirs["held_out_at_truth"] - theirs["held_out"]
    must_win = short > tolerance
    table.add(f"— online pass from raced starts, held-out rows, worst of {len(SEEDS)} seeds",
              f"{nat(gain)} scikit-learn's default fit, which is {nat(-short)} the truth",
              "> 0" if must_win else f"≥ −p/n = −{tolerance:.2g}",
              gain > 0 if must_win else gain >= -tolerance)
    report_time(table, fits, theirs["start_seconds"] + theirs["em_seconds"], 10, "scikit-learn's default fit")
