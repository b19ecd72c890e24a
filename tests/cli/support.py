"""Runs the program as a user does, and holds a slow textbook mixture to compare its answers with."""

import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
from at_rest import PATIENCE, at_rest, until  # noqa: E402, F401

PROGRAM = os.environ.get("THALWEG_PROGRAM", "thalweg")
SOURCE = pathlib.Path(os.environ.get("THALWEG_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
FAITHFUL = str(SOURCE / "examples/data/faithful.csv")
DEATHS = str(SOURCE / "examples/data/death_notices.csv")

DIAGONAL = ("--covariance", "diag")
COUNTS = ("--model", "poisson")
# The Poisson mixture of the source's experiments.
PAPER = {"model": "poisson", "parameters": {"weights": [0.8, 0.2], "rates": [[1.0], [3.0]]}}


def reference_data(name):
    """Path of a reference data set, or a skip that says which one is wanted."""
    folder = os.environ.get("THALWEG_DATA")
    path = pathlib.Path(folder or "", name, "data.csv")
    if not folder or not path.exists():
        raise unittest.SkipTest(f"needs the data set {name} (set THALWEG_DATA)")
    return str(path)


def environment(**extra):
    names = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}
    return {**names, **extra}


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def rows(self):
        """The CSV on standard output as dictionaries (no quoted cells)."""
        return table(self.out)


def table(text):
    lines = text.splitlines()
    names = lines[0].split(",")
    return [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]


class Case(unittest.TestCase):
    """A test in its own empty folder; file names are relative to it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="thalweg-cli-")
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name)

    def run_program(self, *args, stdin="", status=0, **options):
        done = subprocess.run(
            [PROGRAM, *map(str, args)], input=stdin, capture_output=True, cwd=self.dir, text=True,
            timeout=PATIENCE, env=environment(), **options)
        self.assertEqual(done.returncode, status, f"{args}\n{done.stderr}")
        return Result(done.returncode, done.stdout, done.stderr)

    def fit(self, *args, **options):
        """The JSON summary of a fit that says nothing else, unless it warns."""
        done = self.run_program("fit", *args, "--json", "--quiet", **options)
        self.assertRegex(done.err, r"\A(warning: [^\n]+\n)*\Z")
        self.assertEqual(done.err.count("\n"), len(done.json["warnings"]))
        return done.json

    def refused(self, *args, status, says=(), stdin="", **options):
        """One line on stderr, the right status, and every file as it was."""
        before = self.files()
        done = self.run_program(*args, stdin=stdin, status=status, **options)
        self.assertEqual(self.files(), before, f"{args} left files behind")
        self.assertRegex(done.err, r"\Athalweg: [^\n]+\n\Z", args)
        self.assertEqual(done.out, "", args)
        self.assertLess(len(done.err), 400, args)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.err)
        return done.err

    def write(self, name, content):
        if not isinstance(content, str):
            content = json.dumps(content)
        (self.dir / name).write_text(content)
        return name

    def read(self, name):
        return (self.dir / name).read_text()

    def model(self, name="model.json"):
        return json.loads(self.read(name))

    def files(self):
        return {str(p): p.read_bytes() for p in self.dir.rglob("*") if p.is_file()}

    def near(self, a, b, relative):
        """Numbers, or nested lists of them, that agree to this relative error."""
        if isinstance(b, (list, tuple)):
            self.assertEqual(len(a), len(b))
            for x, y in zip(a, b):
                self.near(x, y, relative)
        else:
            self.assertLessEqual(abs(a - b), relative * max(1.0, abs(b)), f"{a} against {b}")


def read_csv(path):
    """Column names and rows of numbers."""
    lines = pathlib.Path(path).read_text().split()
    return lines[0].split(","), [[float(x) for x in line.split(",")] for line in lines[1:]]


def csv(names, rows):
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n"


# --- the textbook --------------------------------------------------------------------------------


def log_sum_exp(values):
    top = max(values)
    return top + math.log(math.fsum(math.exp(v - top) for v in values))


def log_poisson(y, rate):
    return y * math.log(rate) - rate - math.lgamma(y + 1)


def log_normal(y, mean, variance):
    return -0.5 * (math.log(2 * math.pi * variance) + (y - mean) ** 2 / variance)


class Mixture:
    """A mixture as in a textbook: one row at a time, every formula written out."""

    def __init__(self, model):
        self.model, self.p = model["model"], model["parameters"]

    def log_joint(self, row):
        p = self.p
        if self.model == "poisson":
            parts = [[log_poisson(y, r) for y, r in zip(row, rates)] for rates in p["rates"]]
        else:
            parts = [[log_normal(y, m, v) for y, m, v in zip(row, means, variances)]
                     for means, variances in zip(p["means"], p["covariances"])]
        return [math.log(w) + math.fsum(part) for w, part in zip(p["weights"], parts)]

    def log_density(self, row):
        return log_sum_exp(self.log_joint(row))

    def posterior(self, row):
        joint = self.log_joint(row)
        total = log_sum_exp(joint)
        return [math.exp(j - total) for j in joint]

    def log_likelihood(self, rows, weights=None):
        return math.fsum(
            w * self.log_density(row) for row, w in zip(rows, weights or [1] * len(rows)))

    # Statistics are averages of r, r y and r y² (the last for the Gaussian only).

    def statistic(self, row):
        r = self.posterior(row)
        parts = [r, [[x * y for y in row] for x in r]]
        if self.model == "gaussian":
            parts.append([[x * y * y for y in row] for x in r])
        return parts

    def maximise(self, s):
        weights = [r / sum(s[0]) for r in s[0]]
        means = [[v / r for v in part] for part, r in zip(s[1], s[0])]
        if self.model == "poisson":
            self.p = {"weights": weights, "rates": means}
            return
        variances = [[v / r - m * m for v, m in zip(part, mean)]
                     for part, mean, r in zip(s[2], means, s[0])]
        self.p = {"weights": weights, "means": means, "covariances": variances}

    def batch_step(self, rows, weights=None):
        total, mean = 0.0, None
        for row, w in zip(rows, weights or [1] * len(rows)):
            total += w
            mean = blend(mean, self.statistic(row), w / total)
        self.maximise(mean)


def blend(old, new, rate):
    """(1 - rate) old + rate new, over nested lists."""
    if old is None:
        return new
    if isinstance(new, list):
        return [blend(a, b, rate) for a, b in zip(old, new)]
    return old + rate * (new - old)


def poisson_draw(rng, rate):
    """Knuth's method: independent of the program."""
    limit, k, p = math.exp(-rate), 0, rng.random()
    while p > limit:
        k += 1
        p *= rng.random()
    return k


def poisson_rows(n, weights=(0.8, 0.2), rates=((1.0,), (3.0,)), seed=1):
    rng = random.Random(seed)
    pick = rng.choices(range(len(weights)), weights, k=n)
    return [[poisson_draw(rng, r) for r in rates[k]] for k in pick]


def normal_rows(n, weights, means, deviations, seed=1):
    rng = random.Random(seed)
    pick = rng.choices(range(len(weights)), weights, k=n)
    return [[rng.gauss(m, s) for m, s in zip(means[k], deviations[k])] for k in pick]


if __name__ == "__main__":
    unittest.main()
