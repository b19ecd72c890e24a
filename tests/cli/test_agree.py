"""Fit, evaluate, predict and show agree with each other, with the textbook and with published answers."""

import math
import unittest

from support import (COUNTS, DEATHS, DIAGONAL, FAITHFUL, Case, Mixture, csv, normal_rows,
                     poisson_rows, read_csv, reference_data)


class DeathNotices(Case):
    """A frequency table: 10 rows that stand for 1,096 days."""

    def setUp(self):
        super().setUp()
        self.summary = self.fit(DEATHS, *COUNTS, "-k", 2, "--weight-column", "freq",
                                "-o", "model.json")
        _, rows = read_csv(DEATHS)
        self.rows, self.weights = [[y] for y, _ in rows], [w for _, w in rows]

    def test_published_maximum(self):
        p = self.model()["parameters"]
        self.assertAlmostEqual(self.summary["log_likelihood"], -1989.945860, places=5)
        small, large = sorted(zip([r[0] for r in p["rates"]], p["weights"]))
        for got, published in zip((*small, *large), (1.256, 0.3599, 2.663, 0.6401)):
            self.assertAlmostEqual(got, published, delta=6e-4)

    def test_evaluate_is_the_textbook_and_the_summary(self):
        got = self.run_program("evaluate", "model.json", DEATHS, "--weight-column", "freq",
                               "--json").json
        exact = Mixture(self.model()).log_likelihood(self.rows, self.weights)
        self.assertGreaterEqual(set(got), {"observations", "log_likelihood", "mean_log_likelihood",
                                           "free_parameters", "aic", "bic"})
        self.near(got["log_likelihood"], exact, 1e-9)
        self.near(self.summary["log_likelihood"], exact, 1e-9)
        self.assertEqual(got["observations"], 1096)
        self.near(got["mean_log_likelihood"], exact / 1096, 1e-9)
        self.assertEqual(got["free_parameters"], 3)
        self.near(got["aic"], 6 - 2 * exact, 1e-9)
        self.near(got["bic"], 3 * math.log(1096) - 2 * exact, 1e-9)
        self.near(self.summary["bic"], got["bic"], 1e-9)

    def test_weights_are_repetitions(self):
        expanded = [row for row, w in zip(self.rows, self.weights) for _ in range(int(w))]
        self.write("days.csv", csv(["count"], [[int(y)] for y, in expanded]))
        got = self.run_program("evaluate", "model.json", "days.csv", "--json").json
        self.near(got["log_likelihood"], self.summary["log_likelihood"], 1e-9)
        again = self.fit("days.csv", *COUNTS, "-k", 2)
        self.assertAlmostEqual(again["log_likelihood"], -1989.945860, delta=1096e-6)

    def test_predict_is_the_textbook(self):
        mixture = Mixture(self.model())
        got = self.run_program("predict", "model.json", DEATHS, "--proba").rows
        self.assertEqual(len(got), len(self.rows))
        for row, line in zip(self.rows, got):
            self.near(float(line["log_density"]), mixture.log_density(row), 1e-9)
            p = [float(line["p0"]), float(line["p1"])]
            self.near(p, mixture.posterior(row), 1e-9)
            self.near(sum(p), 1, 1e-12)
            self.assertEqual(int(line["component"]), p.index(max(p)))

    def test_show_has_the_numbers_of_the_file(self):
        text = self.run_program("show", "model.json").out
        for rate, in self.model()["parameters"]["rates"]:
            self.assertIn(f"{rate:.6g}", text)
        for weight in self.model()["parameters"]["weights"]:
            self.assertIn(f"{weight:.6g}", text)
        self.assertIn("count", text)
        self.assertEqual(self.run_program("show", "model.json", "--json").json, self.model())


class OldFaithful(Case):
    def setUp(self):
        super().setUp()
        self.summary = self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "-o", "model.json")
        self.names, self.rows = read_csv(FAITHFUL)

    def test_maximum(self):
        self.assertAlmostEqual(self.summary["log_likelihood"], -1147.806353, delta=272e-6)
        exact = Mixture(self.model()).log_likelihood(self.rows)
        got = self.run_program("evaluate", "model.json", FAITHFUL, "--json").json
        self.near(got["log_likelihood"], exact, 1e-9)
        self.near(self.summary["log_likelihood"], exact, 1e-9)
        self.assertEqual(got["free_parameters"], 9)

    def test_predict_sums_to_evaluate(self):
        mixture = Mixture(self.model())
        got = self.run_program("predict", "model.json", FAITHFUL, "--proba").rows
        self.near(math.fsum(float(line["log_density"]) for line in got),
                  self.summary["log_likelihood"], 1e-9)
        for row, line in zip(self.rows, got, strict=True):
            self.near(float(line["log_density"]), mixture.log_density(row), 1e-9)
            p = [float(line["p0"]), float(line["p1"])]
            self.near(p, mixture.posterior(row), 1e-9)
            self.near(sum(p), 1, 1e-12)
            self.assertEqual(int(line["component"]), p.index(max(p)))

    def test_nothing_to_gain_by_one_more_step(self):
        mixture = Mixture(self.model())
        before = mixture.log_likelihood(self.rows)
        mixture.batch_step(self.rows)
        self.assertLess(abs(mixture.log_likelihood(self.rows) - before) / 272, 1e-8)

    def test_far_rows_have_finite_densities(self):
        self.write("far.csv", "eruptions,waiting\n1e6,-1e6\n-1e50,0\n")
        for line in self.run_program("predict", "model.json", "far.csv", "--proba").rows:
            self.assertTrue(math.isfinite(float(line["log_density"])))
            self.near(float(line["p0"]) + float(line["p1"]), 1, 1e-12)

    def test_append_and_id(self):
        lines = ["name,note," + ",".join(self.names)]
        lines += [f'"r, {i}",x{i},{a},{b}' for i, (a, b) in enumerate(self.rows)]
        self.write("named.csv", "\n".join(lines) + "\n")
        plain = self.run_program("predict", "model.json", FAITHFUL).out.splitlines()
        whole = self.run_program("predict", "model.json", "named.csv", "--append").out.splitlines()
        ids = self.run_program("predict", "model.json", "named.csv", "--id", "note").out.splitlines()
        self.assertEqual(whole, [a + "," + b for a, b in zip(lines, plain, strict=True)])
        self.assertEqual(ids[0], "note," + plain[0])
        self.assertEqual(ids[3], "x2," + plain[3])

    def test_columns_are_found_by_name(self):
        self.write("swapped.csv", csv(["waiting", "other", "eruptions"],
                                      [[b, 1, a] for a, b in self.rows]))
        got = self.run_program("predict", "model.json", "swapped.csv").out
        self.assertEqual(got, self.run_program("predict", "model.json", FAITHFUL).out)

    def test_columns_of_fit_in_the_order_asked_for(self):
        self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--columns", "waiting,eruptions", "-o", "other.json")
        self.assertEqual(self.model("other.json")["columns"], ["waiting", "eruptions"])
        p = self.model("other.json")["parameters"]
        self.assertTrue(all(m[0] > 40 > m[1] for m in p["means"]))
        got = self.run_program("evaluate", "other.json", FAITHFUL, "--json").json
        self.assertAlmostEqual(got["log_likelihood"], -1147.806353, delta=272e-6)

    def test_one_column_needs_no_covariance(self):
        got = self.fit(FAITHFUL, "--columns", "waiting", "-k", 2, "-o", "one.json")
        self.assertAlmostEqual(got["log_likelihood"], -1034.002, delta=2e-3)
        p = self.model("one.json")["parameters"]
        self.assertEqual([len(m) for m in p["means"]], [1, 1])
        self.assertEqual([[len(r) for r in c] for c in p["covariances"]], [[1], [1]])


class OtherData(Case):
    def check(self, path, options, rows, known=None):
        got = self.fit(path, *options, "-o", "model.json")
        exact = Mixture(self.model()).log_likelihood(rows)
        self.near(got["log_likelihood"], exact, 1e-9)
        if known is not None:
            self.assertGreater(got["log_likelihood"], known - 1e-6 * len(rows))

    def test_several_count_columns(self):
        rows = poisson_rows(500, (0.5, 0.5), ((1, 5, 0.2), (6, 2, 2)))
        self.write("x.csv", csv("abc", rows))
        self.check("x.csv", (*COUNTS, "-k", 2), rows)

    def test_large_offset(self):
        rows = normal_rows(400, (0.4, 0.6), ((-4, 0), (4, 1)), ((1, 1), (1, 2)))
        moved = [[a + 1e6, b] for a, b in rows]
        self.write("x.csv", csv("ab", rows))
        self.write("moved.csv", csv("ab", moved))
        a = self.fit("x.csv", *DIAGONAL, "-k", 2)
        b = self.fit("moved.csv", *DIAGONAL, "-k", 2)
        self.near(b["log_likelihood"], a["log_likelihood"], 1e-6)
        order = [sorted(range(2), key=lambda k, p=p: p["means"][k]) for p in
                 (a["parameters"], b["parameters"])]
        for i, j in zip(*order):
            self.near([b["parameters"]["means"][j][0] - 1e6],
                      [a["parameters"]["means"][i][0]], 1e-6)

    def test_scale_of_the_data_is_no_matter(self):
        rows = normal_rows(400, (0.4, 0.6), ((-4, 0), (4, 1)), ((1, 1), (1, 2)))
        self.write("x.csv", csv("ab", rows))
        self.write("small.csv", csv("ab", [[a * 1e-20, b * 1e20] for a, b in rows]))
        a = self.fit("x.csv", *DIAGONAL, "-k", 2)
        b = self.fit("small.csv", *DIAGONAL, "-k", 2)
        self.near(b["log_likelihood"], a["log_likelihood"], 1e-9)

    def test_earthquakes(self):
        path = reference_data("earthquakes")
        names, rows = read_csv(path)
        i = names.index("count")
        self.check(path, (*COUNTS, "--columns", "count", "-k", 2), [[r[i]] for r in rows])

    def test_iris(self):
        path = reference_data("iris")
        with open(path) as f:
            rows = [[float(x) for x in line.split(",")[:4]] for line in f.readlines()[1:]]
        self.check(path, (*DIAGONAL, "-k", 3), rows)


if __name__ == "__main__":
    unittest.main()
