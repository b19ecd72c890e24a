"""Order of components, entropy and ICL, and repairs by name."""

import math
import re
import unittest

from support import COUNTS, DEATHS, DIAGONAL, FAITHFUL, Case, Mixture, csv, normal_rows, read_csv

TWO = ("-k", 2)


class Order(Case):
    def ordered(self, rule, *args):
        self.run_program("fit", *args, "--order-components", rule, "-o", f"{rule}.json", "--quiet")
        return self.model(f"{rule}.json")

    def test_by_weight_and_mean(self):
        for args in ((FAITHFUL, "-k", 3), (FAITHFUL, "-k", 3, *DIAGONAL),
                     (FAITHFUL, "-k", 3, "--covariance", "tied"),
                     (DEATHS, *COUNTS, "--weight-column", "freq", *TWO)):
            with self.subTest(args=args):
                first = "rates" if args[0] == DEATHS else "means"
                weight, mean = self.ordered("weight", *args), self.ordered("first-mean", *args)
                weights = weight["parameters"]["weights"]
                self.assertEqual(weights, sorted(weights, reverse=True))
                means = [m[0] for m in mean["parameters"][first]]
                self.assertEqual(means, sorted(means))
                # Statistics went along: they are those of the same components.
                self.near(weight["statistics"]["mean"]["weights"], weights, 1e-3)
                one, other = (self.run_program("evaluate", f"{rule}.json", args[0], "--json").json
                              for rule in ("weight", "first-mean"))
                self.near(one["log_likelihood"], other["log_likelihood"], 1e-12)

    def test_none_is_the_default(self):
        self.run_program("fit", FAITHFUL, "-k", 3, "-o", "plain.json", "--quiet")
        self.assertEqual(self.ordered("none", FAITHFUL, "-k", 3), self.model("plain.json"))

    def test_table_is_in_order_too(self):
        done = self.run_program("fit", FAITHFUL, *TWO, "--order-components", "weight", "--json")
        weights = done.json["parameters"]["weights"]
        shown = [float(line.split()[1]) for line in re.findall(r"^ +[01] +0\.\d+.*$", done.err, re.M)]
        self.near(shown, weights, 1e-5)
        self.assertGreater(weights[0], weights[1])


class Criteria(Case):
    def test_entropy_and_icl(self):
        got = self.fit(FAITHFUL, *TWO, *DIAGONAL, "-o", "m.json")
        mixture, rows = Mixture(self.model("m.json")), read_csv(FAITHFUL)[1]
        entropy = -math.fsum(p * math.log(p) for row in rows for p in mixture.posterior(row) if p)
        self.near(got["entropy"], entropy, 1e-9)
        self.near(got["icl"], got["bic"] + 2 * entropy, 1e-9)
        seen = self.run_program("evaluate", "m.json", FAITHFUL, "--json").json
        for key in ("entropy", "icl"):
            self.near(seen[key], got[key], 1e-9)
        compared = self.fit(FAITHFUL, "-k", "2:3", *DIAGONAL)["comparison"]
        self.near(compared[0]["icl"], got["icl"], 1e-6)

    def test_weights_count(self):
        got = self.fit(DEATHS, *COUNTS, "--weight-column", "freq", *TWO, "-o", "m.json")
        seen = self.run_program("evaluate", "m.json", DEATHS, "--weight-column", "freq", "--json")
        self.near(seen.json["entropy"], got["entropy"], 1e-9)

    def test_summary_line(self):
        done = self.run_program("fit", FAITHFUL, *TWO)
        self.assertRegex(done.err, r"log-likelihood \S+, mean \S+, AIC \S+, BIC \S+, ICL \S+, "
                                   r"entropy \S+\n")

    def test_a_stream_has_none(self):
        rows = normal_rows(5000, (0.6, 0.4), ((0,), (3,)), ((1,), (1,)))
        got = self.fit(*TWO, "--method", "online", stdin=csv("x", rows))
        self.assertIsNone(got["entropy"])
        self.assertIsNone(got["icl"])


class Repairs(Case):
    def test_components_and_columns_are_named(self):
        rows = [[x, y, 7] for x, y in normal_rows(300, (1,), ((0, 0),), ((1, 1),))]
        self.write("x.csv", csv(("length", "width", "constant"), rows))
        done = self.run_program("fit", "x.csv", *TWO, *DIAGONAL, "-o", "m.json")
        self.assertRegex(done.err, r"  \d+ × a variance, rate or probability was lifted to its floor "
                                   r"\(components 0, 1; column constant\)\n")
        # The file counts, it does not say where.
        self.assertRegex(self.run_program("show", "m.json").out, r"lifted to its floor\n")
        done = self.run_program("fit", "x.csv", *TWO)
        self.assertRegex(done.err, r"widened there to the floor \(components 0, 1; columns? .*"
                                   r"constant\)\n")


if __name__ == "__main__":
    unittest.main()
