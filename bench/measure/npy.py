"""Reading .npy files: how far from a plain sum over the same numbers in memory?"""
import statistics
import tempfile
from pathlib import Path

from .processes import PEER_PYTHON, Turns, output, take_turns

DRAW = "import sys, numpy; numpy.save(sys.argv[1], numpy.random.default_rng(1).random((int(sys.argv[2]), 16)))"


def read(table, build, rows=2_000_000):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        output(PEER_PYTHON, "-c", DRAW, path, rows)
        program = Turns(build / "bench/npy_pass", path)
        take_turns(9, program)
    ratio = statistics.median(a / b for a, b in zip(program.seconds, program.all("memory")))
    speed = program.answers[0]["bytes"] / statistics.median(program.seconds) / 1e9
    table.at_most(f"npy file of {rows:.0e} rows × 16, mapped, over a sum of the same memory".replace("e+0", "e"),
                  ratio, 1.5, f"{ratio:.2f} × ({speed:.1f} GB/s)")
