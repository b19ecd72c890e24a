"""Programs that measure: what they answer, and taking turns with them."""
import functools
import json
import os
import subprocess
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent.parent
PEER_PYTHON = "/usr/bin/python3"  # the one that Debian's scikit-learn belongs to
ONE_CORE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@functools.cache
def openblas_settings():
    """OpenBLAS of Debian 12 takes a processor that is younger than itself for one of 2004 (its issue 4267): the peers get the
    kernels that they deserve."""
    versions = json.loads(output(PEER_PYTHON, HOME / "bench/peers/python_versions.py"))
    flags = Path("/proc/cpuinfo").read_text()
    if "Prescott" not in versions["BLAS"] or "avx2" not in flags:
        return []
    return [f"OPENBLAS_CORETYPE={'SkylakeX' if 'avx512f' in flags else 'Haswell'}"]


def peer(script, *arguments):
    """The command line of a Python program of bench/peers."""
    return ["env", *openblas_settings(), PEER_PYTHON, HOME / "bench/peers" / script, *arguments]


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, text=True, env=ONE_CORE,
                          stdout=subprocess.PIPE).stdout


def answer(*command):
    return json.loads(output(*command))


class Turns:
    """A program that does its work once for every line it is sent, and answers with its time."""

    def __init__(self, *command):
        self.process = subprocess.Popen([str(word) for word in command], text=True, env=ONE_CORE,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answers = []

    def next(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args[0]} ended early, status {self.process.wait()}")
        self.answers.append(json.loads(line))

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def all(self, what):
        return [answer[what] for answer in self.answers]

    @property
    def seconds(self):
        return self.all("seconds")


def take_turns(rounds, *programs):
    """All of them once in every round: what disturbs one disturbs its neighbours too."""
    for _ in range(rounds):
        for program in programs:
            program.next()
    for program in programs:
        program.end()


def ratios(above, below):
    """Of the numbers of neighbours in turn."""
    return [a / b for a, b in zip(above, below)]
