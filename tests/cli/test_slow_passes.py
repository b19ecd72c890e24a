"""One pass and three passes of online EM over large data, against the best maximum that batch EM is known to reach."""

import gzip
import json
import math
import os
import pathlib
import unittest

from support import Case

# set: columns as in the file, whether the reference standardised them
SETS = {"skin": ("B,G,R", False), "flights200k": ("delay,distance,time", True),
        "htru2": ("mean_ip,sd_ip,kurt_ip,skew_ip,mean_dm,sd_dm,kurt_dm,skew_dm", True)}

# Nat a row below the reference maximum that are allowed, by (set, K, passes): three times what was measured. Where several
# maxima lie close together (five components of skin, from .043 above the reference to .042 below) the worst of them.
SHUFFLED = {("skin", 3, 1): 0.0005, ("skin", 3, 3): 0.00005,
            ("skin", 5, 1): 0.05, ("skin", 5, 3): 0.05,
            ("htru2", 2, 1): 0.01, ("htru2", 2, 3): 0.003,
            ("htru2", 3, 1): 0.06, ("htru2", 3, 3): 0.008,
            ("flights200k", 3, 1): 0.001, ("flights200k", 3, 3): 0.0002,
            ("flights200k", 5, 1): 0.03, ("flights200k", 5, 3): 0.03}
SORTED = {(3, 1): 3, (3, 3): 2.5, (5, 1): 4.5, (5, 3): 4}


class Rows:
    """A set as its reference fits saw it, and the best of those fits for each K."""

    def __init__(self, name):
        folder = pathlib.Path(os.environ.get("THALWEG_DATA", ""), name)
        if not os.environ.get("THALWEG_DATA") or not folder.exists():
            raise unittest.SkipTest(f"needs the data set {name} (set THALWEG_DATA)")
        with gzip.open(folder / "data.csv.gz", "rt") as file:
            head = file.readline().strip().split(",")
            cells = [line.split(",") for line in file]
        wanted, standardised = SETS[name]
        self.names = wanted.split(",")
        columns = [[float(row[head.index(c)]) for row in cells] for c in self.names]
        if standardised:
            columns = [self.standard(column) for column in columns]
        self.rows = list(zip(*columns))
        self.labels = [row[-1].strip() for row in cells]
        self.best = {}
        for fit in json.loads((folder / "reference.json").read_text()).values():
            mean = fit["loglik"] / fit["n"]
            self.best[fit["K"]] = max(mean, self.best.get(fit["K"], -math.inf))

    @staticmethod
    def standard(column):
        mean = math.fsum(column) / len(column)
        sd = math.sqrt(math.fsum((x - mean) ** 2 for x in column) / len(column))
        return [(x - mean) / sd for x in column]

    def csv(self, label=None):
        lines = [",".join(map(repr, row)) for row, own in zip(self.rows, self.labels)
                 if label in (None, own)]
        return "\n".join([",".join(self.names), *lines]) + "\n"


class Passes(Case):
    def mean(self, file="rows.csv"):
        return self.run_program("evaluate", "m.json", file, "--json").json["mean_log_likelihood"]

    def gaps(self, name, rows, order, bounds):
        """Fits with all defaults, one and three passes."""
        for k, best in sorted(rows.best.items()):
            for passes in (1, 3):
                self.run_program("fit", "rows.csv", "-k", k, "--method", "online", "--passes",
                                 passes, "--order", order, "-o", "m.json", "--quiet")
                gap = best - self.mean()
                print(f"{name}, {order}, K = {k}, passes {passes}: {gap:.5f} nat a row below the "
                      "reference maximum", flush=True)
                with self.subTest(name=name, order=order, k=k, passes=passes):
                    self.assertLess(gap, bounds[k, passes])
                yield

    def shuffled(self, name):
        rows = Rows(name)
        self.write("rows.csv", rows.csv())
        bounds = {key[1:]: bound for key, bound in SHUFFLED.items() if key[0] == name}
        for _ in self.gaps(name, rows, "shuffled", bounds):
            pass

    def test_skin(self):
        self.shuffled("skin")

    def test_htru2(self):
        self.shuffled("htru2")

    def test_flights(self):
        self.shuffled("flights200k")

    def test_skin_sorted_by_label(self):
        """The stream changes once for good: what is learned is its end, and the summary cannot know."""
        rows = Rows("skin")
        self.write("rows.csv", rows.csv())
        for label, name in (("1", "skin"), ("2", "other")):
            self.write(f"{name}.csv", rows.csv(label))
        for _ in self.gaps("skin", rows, "sequential", SORTED):
            first, last = self.mean("skin.csv"), self.mean("other.csv")
            print(f"    the first fifth of the rows (skin) has {first:.3f}, the others {last:.3f}")
            self.assertTrue(math.isfinite(first))


if __name__ == "__main__":
    unittest.main()
