"""predict --condition-on: some columns of a model where the others are known, against slow formulas."""

import json
import math
import unittest

import numpy as np
from support import FAITHFUL, Case, csv, log_normal, log_poisson, log_sum_exp, read_csv

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


class OtherModels(Case):
    """Models made by hand: parameters alone are a model file."""

    def predicted(self, model, names, rows, *flags):
        self.write("m.json", json.dumps(model))
        self.write("x.csv", csv(names, rows))
        return self.run_program("predict", "m.json", "x.csv", "--condition-on", ",".join(names), *flags).rows

    def test_poisson(self):
        weights, rates = [0.5, 0.3, 0.2], [[1.0, 4.0, 0.5], [5.0, 1.5, 2.0], [9.0, 8.0, 30.0]]
        given = [[4, 2], [0, 0], [30, 9], [1, 6]]
        model = {"model": "poisson", "columns": ["a", "b", "c"], "parameters": {"weights": weights, "rates": rates}}
        got = self.predicted(model, ("c", "a"), given, "--proba")
        self.assertEqual([*got[0]], ["log_density", "component", "p0", "p1", "p2", "b", "sd_b"])
        for (c, a), row in zip(given, got, strict=True):
            joint = [math.log(w) + log_poisson(c, r[2]) + log_poisson(a, r[0]) for w, r in zip(weights, rates)]
            density = log_sum_exp(joint)
            p = [math.exp(j - density) for j in joint]
            mean = sum(x * r[1] for x, r in zip(p, rates))
            variance = sum(x * (r[1] + r[1] ** 2) for x, r in zip(p, rates)) - mean**2
            self.near(float(row["log_density"]), density, 1e-10)
            self.near([float(row[f"p{k}"]) for k in range(3)], p, 1e-10)
            self.near([float(row["b"]), float(row["sd_b"])], [mean, math.sqrt(variance)], 1e-10)

    def test_categorical_shows_the_probability_of_every_level(self):
        levels = {"colour": ["red", "green", "blue"], "size": ["small", "large"], "n": ["1", "2"]}
        weights = [0.6, 0.4]
        tables = [[[.7, .2, .1], [.1, .3, .6]], [[.9, .1], [.2, .8]], [[.6, .4], [.25, .75]]]
        model = {"model": "categorical", "columns": [*levels], "levels": levels,
                 "parameters": {"weights": weights, "probabilities": tables}}
        given = [["large", "blue"], ["small", "NA"], ["NA", "NA"]]
        got = self.predicted(model, ("size", "colour"), given)
        self.assertEqual([*got[0]], ["log_density", "component", "n=1", "n=2"])
        for (size, colour), row in zip(given, got, strict=True):
            joint = [w * (1 if size == "NA" else tables[1][k][levels["size"].index(size)])
                     * (1 if colour == "NA" else tables[0][k][levels["colour"].index(colour)])
                     for k, w in enumerate(weights)]
            wanted = [sum(j * tables[2][k][l] for k, j in enumerate(joint)) / sum(joint) for l in (0, 1)]
            self.near([float(row["n=1"]), float(row["n=2"])], wanted, 1e-12)
            self.near(float(row["log_density"]), math.log(sum(joint)), 1e-10)

    def test_factors(self):
        mean = np.array([1.0, -2.0, 0.5, 3.0])
        loadings = np.array([[1.5, 0.2], [-0.8, 1.1], [0.4, -0.3], [2.0, 0.9]])
        covariance = loadings @ loadings.T + 0.7 * np.eye(4)
        model = {"model": "ppca", "columns": ["a", "b", "c", "d"],
                 "parameters": {"mean": mean.tolist(), "loadings": loadings.tolist(), "noise_variance": 0.7}}
        for names in (("d", "b"), ("c",), ("a", "d", "b")):  # fewer given columns than factors too
            g = ["abcd".index(name) for name in names]
            o = [j for j in range(4) if j not in g]
            given = np.array([[0.7, -2.0, 1.0], [4.0, 0.0, -3.0]])[:, : len(g)]
            gain = covariance[np.ix_(o, g)] @ np.linalg.inv(covariance[np.ix_(g, g)])
            deviations = np.sqrt(np.diag(covariance[np.ix_(o, o)] - gain @ covariance[np.ix_(g, o)]))
            got = self.predicted(model, names, given.tolist())
            others = ["abcd"[j] for j in o]
            self.assertEqual([*got[0]], ["log_density", "z0", "z1", *(n for x in others for n in (x, f"sd_{x}"))])
            for y, row in zip(given, got, strict=True):
                apart = y - mean[g]
                density = -0.5 * (len(g) * math.log(2 * math.pi) + np.linalg.slogdet(covariance[np.ix_(g, g)])[1]
                                  + apart @ np.linalg.solve(covariance[np.ix_(g, g)], apart))
                self.near(float(row["log_density"]), density, 1e-10)
                self.near([float(row[x]) for x in others], [*(mean[o] + gain @ apart)], 1e-10)
                self.near([float(row[f"sd_{x}"]) for x in others], [*deviations], 1e-10)

    def test_values_are_checked(self):
        model = {"model": "poisson", "columns": ["a", "b"], "parameters": {"weights": [1.0], "rates": [[1.0, 2.0]]}}
        self.write("m.json", json.dumps(model))
        self.write("x.csv", csv(("a",), [[1], [1.5]]))
        self.refused("predict", "m.json", "x.csv", "--condition-on", "a", status=DATA, says=("x.csv:3", "1.5"))


if __name__ == "__main__":
    unittest.main()
