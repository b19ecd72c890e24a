"""One pass and three passes of online EM over large data, against the best maximum that batch EM is known to reach."""

import gzip
import json
import math
import os
import pathlib
import unittest

from support import Case

# set, columns as in the file, whether the reference standardised them
SETS = {"skin": ("B,G,R", False), "htru2": (None, True), "flights200k": ("delay,distance,time", True)}
BOUNDS = {}


class Rows:
    """A set as its reference fits saw it, and the best of those fits for each K."""

    def __init__(self, name):
        folder = pathlib.Path(os.environ.get("THALWEG_DATA", ""), name)
        if not os.environ.get("THALWEG_DATA") or not folder.exists():
            raise unittest.SkipTest(f"needs the data set {name} (set THALWEG_DATA)")
        with gzip.open(folder / "data.csv.gz", "rt") as file:
            self.names = file.readline().strip().split(",")
            cells = [line.split(",") for line in file]
        wanted, standardised = SETS[name]
        columns = [self.names.index(c) for c in wanted.split(",")] if wanted else range(8)
        self.names = [self.names[c] for c in columns]
        self.columns = [[float(row[c]) for row in cells] for c in columns]
        if standardised:
            self.columns = [self.standard(column) for column in self.columns]
        self.best = {}
        for fit in json.loads((folder / "reference.json").read_text()).values():
            mean = fit["loglik"] / fit["n"]
            self.best[fit["K"]] = max(mean, self.best.get(fit["K"], -math.inf))

    @staticmethod
    def standard(column):
        mean = math.fsum(column) / len(column)
        sd = math.sqrt(math.fsum((x - mean) ** 2 for x in column) / len(column))
        return [(x - mean) / sd for x in column]

    def csv(self):
        lines = (",".join(map(repr, row)) for row in zip(*self.columns))
        return ",".join(self.names) + "\n" + "\n".join(lines) + "\n"


class Passes(Case):
    def gaps(self, name, order):
        """Nat a row below the reference maximum, for each K and number of passes."""
        rows = Rows(name)
        self.write("rows.csv", rows.csv())
        for k, best in sorted(rows.best.items()):
            for passes in (1, 3):
                self.run_program("fit", "rows.csv", "-k", k, "--method", "online", "--passes",
                                 passes, "--order", order, "-o", "m.json", "--quiet")
                got = self.run_program("evaluate", "m.json", "rows.csv", "--json").json
                gap = best - got["mean_log_likelihood"]
                print(f"{name}, {order}, K = {k}, {passes} passes: {gap:.5f} nat a row below the "
                      "reference maximum", flush=True)
                with self.subTest(name=name, order=order, k=k, passes=passes):
                    self.assertLess(gap, BOUNDS[name, order, k, passes])

    def test_skin_shuffled(self):
        self.gaps("skin", "shuffled")

    def test_skin_sorted(self):
        self.gaps("skin", "sequential")

    def test_htru2(self):
        self.gaps("htru2", "shuffled")

    def test_flights(self):
        self.gaps("flights200k", "shuffled")


if __name__ == "__main__":
    unittest.main()
