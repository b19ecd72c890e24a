"""evaluate --standard-errors against closed forms and the figures of the source."""

import json
import math
import unittest

from support import COUNTS, FAITHFUL, PAPER, Case, csv, normal_rows, poisson_rows


class StandardErrors(Case):
    def errors(self, *args):
        return self.run_program("evaluate", *args, "--standard-errors", "--json").json["standard_errors"]

    def test_one_gaussian(self):
        n = 10_000
        self.write("normal.csv", csv(["a", "b"], normal_rows(n, [1.0], [[1e4, -2.0]], [[3.0, 0.1]])))
        self.run_program("fit", "normal.csv", "-k", 1, "-o", "m.json", "--quiet")
        covariance = self.model("m.json")["parameters"]["covariances"][0]
        errors = self.errors("m.json", "normal.csv")
        for j in range(2):
            variance = covariance[j][j]
            # the empirical information of n rows is within a few 1 / sqrt(n)
            self.near(errors[f"means[0][{j}]"] / math.sqrt(variance / n), 1, 0.05)
            self.near(errors[f"covariances[0][{j}][{j}]"] / (variance * math.sqrt(2 / n)), 1, 0.1)
        self.assertEqual(errors["covariances[0][0][1]"], errors["covariances[0][1][0]"])
        self.assertEqual(errors["weights[0]"], 0)

    def test_what_was_held_has_no_error(self):
        n = 10_000
        self.write("normal.csv", csv(["a"], normal_rows(n, [1.0], [[2.0]], [[3.0]])))
        start = {"format": "thalweg-model", "version": 1, "model": "gaussian", "options": {"components": 1, "covariance": "diag"},
                 "parameters": {"weights": [1], "means": [[2.5]], "covariances": [[3]]}}
        self.write("start.json", json.dumps(start))
        self.run_program("fit", "normal.csv", "--init", "start.json", "--fix", "means", "-o", "m.json", "--quiet")
        errors = self.errors("m.json", "normal.csv")
        self.assertEqual(errors["means[0][0]"], 0)
        self.assertGreater(errors["covariances[0][0]"], 0)

    def test_the_mixture_of_the_source(self):
        n = 40_000
        self.write("counts.csv", csv(["calls"], poisson_rows(n)))
        self.write("truth.json", json.dumps(PAPER))
        errors = self.errors("truth.json", "counts.csv")
        # sd sqrt(n) of (omega, b1, b2); the empirical information of n rows is within a few per cent
        for name, sd in (("weights[0]", 2.0395), ("rates[0][0]", 2.6931), ("rates[1][0]", 11.5453)):
            self.near(errors[name] * math.sqrt(n) / sd, 1, 0.1)

    def test_fits_scatter_as_it_says(self):
        """Twenty fits of 4,000 rows: mean square of (estimate - truth) / error is 1 up to a chi-square with 20 degrees."""
        scores = []
        self.write("truth.json", json.dumps(PAPER))
        for seed in range(20):
            self.write("counts.csv", csv(["calls"], poisson_rows(4_000, seed=100 + seed)))
            self.run_program("fit", "counts.csv", *COUNTS, "-k", 2, "--init", "truth.json", "--order-components",
                             "first-mean", "-o", "m.json", "--quiet")
            error = self.errors("m.json", "counts.csv")["rates[0][0]"]
            scores.append((self.model("m.json")["parameters"]["rates"][0][0] - 1) / error)
        mean_square = sum(z * z for z in scores) / len(scores)
        self.assertLess(mean_square, 2.7)  # 99.995 % of a chi-square with 20 degrees, over 20
        self.assertGreater(mean_square, 0.25)

    def test_table(self):
        self.run_program("fit", FAITHFUL, "-k", 2, "-o", "m.json", "--quiet")
        out = self.run_program("evaluate", "m.json", FAITHFUL, "--standard-errors").out
        self.assertRegex(out, r"(?m)^means\[1\]\[0\] +\S+ +\S+$")

    def test_what_the_rows_do_not_determine(self):
        alike = {"model": "poisson", "parameters": {"weights": [0.5, 0.5], "rates": [[2.0], [2.0]]}}
        self.write("alike.json", json.dumps({**alike, "columns": ["calls"]}))
        self.write("counts.csv", csv(["calls"], poisson_rows(100)))
        self.refused("evaluate", "alike.json", "counts.csv", "--standard-errors", status=1,
                     says=["no standard errors", "do not determine"])


if __name__ == "__main__":
    unittest.main()
