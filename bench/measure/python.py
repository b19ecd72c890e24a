"""The Python package: what it adds to the library's time and memory, beside scikit-learn."""
from statistics import median

from .processes import HOME, Turns, answer, ratios, take_turns

OURS = HOME / "build/venv/bin/python"  # where `make python` installs it


def program(script, *arguments):
    return [OURS, HOME / "bench/python" / script, *arguments]


def fit(table, case, theirs):
    """From where scikit-learn's k-means start-up left off, with its tolerance."""
    ours = answer(*program("fit.py", *case, theirs["iterations"] + 10))
    gain = theirs["em_seconds"] / ours["seconds"]
    table.at_least("Python: GaussianMixture.fit from scikit-learn's start, one thread", gain, 7,
                   f"{gain:.1f} × scikit-learn ({ours['iterations']} and {theirs['iterations']} iterations)")
    apart = abs(ours["held_out"] - theirs["held_out"])
    table.at_most("— held-out rows apart from scikit-learn's fit", apart, 1e-6, f"{apart:.1g} nat a row")
    table.at_most("— memory beside that of the rows", ours["grown"], 0.1, f"{ours['grown']:.2f} × theirs")


def portions(table, build, case, rounds=9):
    ours = Turns(*program("portion.py", *case))
    plain = Turns(build / "bench/online_portion", *case)
    take_turns(rounds, ours, plain)
    cost = median(ratios(ours.seconds, plain.seconds))
    table.at_most("Python: partial_fit of 10,000 rows", cost, 1.05, f"{cost:.3f} × the C++ call")


def one_row(table):
    times = answer(*program("one_row.py", 8, 4))
    gain = times["mean_theirs"] / times["mean_ours"]
    table.at_most("Python: partial_fit of one row, d = 8, K = 4", 1 / gain, 0.1,
                  f"1/{gain:.0f} of MiniBatchKMeans' ({times['mean_ours'] * 1e6:.1f} µs)", "1/10")


def at_once(table, case):
    found = answer(*program("two_at_once.py", *case))
    table.at_least("Python: two estimators in two threads", found["gain"], 1.7,
                   f"{found['gain']:.2f} × one after the other")
    table.add("— the models", "the same bits" if found["same"] else "not the same", "same bits", found["same"])
