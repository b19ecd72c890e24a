"""predict --condition-on: some columns of a Gaussian mixture where the others are known."""

import math
import unittest

from support import COUNTS, DEATHS, FAITHFUL, Case, csv, log_normal, log_sum_exp, read_csv

DATA, USAGE = 1, 2


class Condition(Case):
    def setUp(self):
        super().setUp()
        self.run_program("fit", FAITHFUL, "-k", 2, "-o", "m.json", "--quiet")
        self.p = self.model("m.json")["parameters"]
        self.rows = read_csv(FAITHFUL)[1][:20]
        self.write("x.csv", csv(("waiting",), [[row[1]] for row in self.rows]))

    def test_textbook(self):
        got = self.run_program("predict", "m.json", "x.csv", "--condition-on", "waiting", "--proba")
        self.assertEqual([*got.rows[0]], ["log_density", "component", "p0", "p1", "eruptions",
                                          "sd_eruptions"])
        parts = [*zip(self.p["weights"], self.p["means"], self.p["covariances"])]
        for (_, y), row in zip(self.rows, got.rows, strict=True):
            joint = [math.log(w) + log_normal(y, m[1], c[1][1]) for w, m, c in parts]
            density = log_sum_exp(joint)
            r = [math.exp(j - density) for j in joint]
            means = [m[0] + c[0][1] / c[1][1] * (y - m[1]) for _, m, c in parts]
            mean = sum(a * b for a, b in zip(r, means))
            variance = sum(a * (c[0][0] - c[0][1] ** 2 / c[1][1] + (b - mean) ** 2)
                           for a, b, (_, _, c) in zip(r, means, parts))
            self.near(float(row["log_density"]), density, 1e-10)
            self.assertEqual(int(row["component"]), r.index(max(r)))
            self.near([float(row["p0"]), float(row["p1"])], r, 1e-10)
            self.near(float(row["eruptions"]), mean, 1e-10)
            self.near(float(row["sd_eruptions"]), math.sqrt(variance), 1e-10)

    def test_input_columns_in_front(self):
        self.write("x.csv", csv(("name", "waiting"), [["one", 60], ["two", 80]]))
        flags = ("--condition-on", "waiting")
        got = self.run_program("predict", "m.json", "x.csv", *flags, "--append").rows
        self.assertEqual([*got[0]], ["name", "waiting", "log_density", "component", "eruptions",
                                     "sd_eruptions"])
        self.assertEqual([*self.run_program("predict", "m.json", "x.csv", *flags, "--id", "name")
                         .rows[1].values()][0], "two")

    def test_every_kind_of_covariance(self):
        for kind in ("full", "tied", "diag", "spherical"):
            self.run_program("fit", FAITHFUL, "-k", 3, "--covariance", kind, "-o", "k.json",
                             "--quiet")
            got = self.run_program("predict", "k.json", "x.csv", "--condition-on", "waiting").rows
            self.assertTrue(all(1 < float(row["eruptions"]) < 6 for row in got), kind)

    def test_refusals(self):
        on = ("predict", "m.json", "x.csv", "--condition-on")
        self.refused(*on, "waitin", status=USAGE, says=('"waitin"', '"waiting"'))
        self.refused(*on, "waiting,eruptions", status=USAGE, says="none is left")
        self.refused(*on, "waiting,waiting", status=USAGE, says="twice")
        self.refused(*on, "eruptions", status=DATA, says='"eruptions"')
        self.run_program("fit", DEATHS, *COUNTS, "-k", 2, "-o", "p.json", "--quiet")
        self.refused("predict", "p.json", DEATHS, "--condition-on", "count", status=USAGE,
                     says=("gaussian", "poisson"))


if __name__ == "__main__":
    unittest.main()
