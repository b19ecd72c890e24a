"""The textbook recursion, one row a step: what its generality costs, and how it grows with the columns."""
import re
import subprocess
from statistics import median

from . import mixtures
from .processes import Turns, answer, ratios, take_turns


def instructions_a_row(program, face, rows=100_000):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                          "--toggle-collect=*counted_learn*", program, face, str(rows)],
                         check=True, text=True, capture_output=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1]) / rows


def poisson(table, build):
    program = build / "bench/textbook_poisson"
    plain, library = (instructions_a_row(program, face) for face in ("plain", "library"))
    ran = answer(program)
    what = "textbook recursion, two Poissons, one row a step"
    table.at_most(what, library / plain, 1.3, f"{library / plain:.2f} × plain loop's instructions")
    table.add("— processor time", f"{ran['time']:.2f} × plain loop's")
    table.at_most("— heap allocations after the first row", ran["allocations"], 0,
                  str(ran["allocations"]))
    table.at_most("— parameters and likelihood apart from plain loop's", ran["difference"], 1e-10,
                  f"{ran['difference']:.1e} relative")


def gaussian(table, build, rows_a_turn=2000, rounds=15):
    """A rank-one update of a Cholesky factor is O(d²), an M-step from scratch O(d³)."""
    small, large = (mixtures.Workload("full", 200_000, d, 8, held_out=0) for d in (16, 32))
    with small.drawn() as narrow, large.drawn() as wide:
        runs = [Turns(build / "bench/textbook_gaussian", *case, rows_a_turn) for case in (narrow, wide)]
        take_turns(rounds, *runs)
    growth = median(ratios(runs[1].seconds, runs[0].seconds))
    rate = rows_a_turn / median(runs[0].seconds)
    table.at_most("textbook recursion, full Gaussian, K = 8, one row a step: d = 32 over d = 16", growth, 4.5,
                  f"{growth:.2f} × the time a row ({rate / 1e3:.0f} thousand rows/s at d = 16)")
