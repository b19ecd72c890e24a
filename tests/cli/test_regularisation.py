"""What M-steps are told: threads, ridge, priors, fixed parameters."""

import unittest

from support import COUNTS, DEATHS, FAITHFUL, Case, csv, normal_rows, read_csv

DATA, USAGE = 1, 2
TWO = ("-k", 2)


class Threads(Case):
    def test_same_file_for_any_number(self):
        rows = normal_rows(6000, (0.6, 0.4), ((0, 0), (2, 3)), ((1, 1), (1, 2)))
        self.write("x.csv", csv("ab", rows))
        for flags in ((), ("--method", "online"), ("--prior", 3)):
            files = set()
            for threads in (1, 2, 5):
                self.run_program("fit", "x.csv", *TWO, *flags, "--threads", threads, "--quiet",
                                 "-o", "m.json")
                files.add(self.read("m.json"))
            self.assertEqual(len(files), 1, flags)


class Ridge(Case):
    def test_one_component(self):
        plain = self.fit(FAITHFUL, "-k", 1)["parameters"]
        ridged = self.fit(FAITHFUL, "-k", 1, "--ridge", 2.5)["parameters"]
        self.near(ridged["means"], plain["means"], 1e-12)
        expected = [[[v + 2.5 * (i == j) for j, v in enumerate(row)] for i, row in enumerate(m)]
                    for m in plain["covariances"]]
        self.near(ridged["covariances"], expected, 1e-10)

    def test_counts_have_no_variances(self):
        self.refused("fit", DEATHS, *COUNTS, *TWO, "--ridge", 1, status=USAGE,
                     says=("--ridge", "poisson"))


class Prior(Case):
    def test_strength(self):
        weak = self.fit(FAITHFUL, *TWO, "--prior", 1e-6)
        # It says that two components are no better than one.
        strong = self.run_program("fit", FAITHFUL, *TWO, "--prior", 1e6, "--json").json
        free = self.fit(FAITHFUL, *TWO)
        self.near(weak["log_likelihood"], free["log_likelihood"], 1e-6)
        self.assertLess(strong["log_likelihood"], free["log_likelihood"] - 10)
        self.near(strong["parameters"]["weights"], [0.5, 0.5], 1e-3)
        self.assertEqual((weak["prior_weight"], free["prior_weight"]), (1e-6, None))

    def test_summary(self):
        done = self.run_program("fit", FAITHFUL, *TWO, "--prior", 12.5)
        self.assertIn("prior worth 12.5 rows\n", done.err)

    def test_file_is_so_many_rows_more(self):
        """One component: the maximum with a prior is that of prior rows and new rows together."""
        names, rows = read_csv(FAITHFUL)
        self.write("a.csv", csv(names, rows[:100]))
        self.write("b.csv", csv(names, rows[100:]))
        self.run_program("fit", "a.csv", "-k", 1, "-o", "a.json", "--quiet")
        got = self.fit("b.csv", "-k", 1, "--prior", "a.json")
        self.assertEqual(got["prior_weight"], 100)
        for name, values in self.fit(FAITHFUL, "-k", 1)["parameters"].items():
            self.near(got["parameters"][name], values, 1e-9)

    def test_options_of_the_model_file_are_the_same(self):
        self.run_program("fit", FAITHFUL, *TWO, "--prior", 5, "-o", "p.json", "--quiet")
        self.assertEqual(self.model("p.json")["options"], {"components": 2, "covariance": "full"})

    def test_refusals(self):
        self.run_program("fit", FAITHFUL, *TWO, "-o", "m.json", "--quiet")
        model = self.model("m.json")
        self.write("bare.json", {key: model[key] for key in ("model", "columns", "parameters")})
        swapped = dict(model, columns=model["columns"][::-1])
        self.write("swapped.json", swapped)
        for flags, says in ((("-k", 3, "--prior", "m.json"), ("components 2", "3")),
                            (("-k", "1:3", "--prior", "m.json"), "strength"),
                            ((*TWO, "--covariance", "diag", "--prior", "m.json"), "covariance"),
                            ((*TWO, *COUNTS, "--prior", "m.json"), ("gaussian", "poisson")),
                            ((*TWO, "--prior", "bare.json"), ("bare.json", "statistics")),
                            ((*TWO, "--prior", "swapped.json"), "waiting, eruptions"),
                            ((*TWO, "--prior", 0), "positive"), ((*TWO, "--prior", -1), "positive"),
                            ((*TWO, "--prior", "nan"), "--prior"),
                            (("--init", "m.json", "--buffer", 0, "--prior", 1), "--buffer")):
            self.refused("fit", FAITHFUL, *flags, status=USAGE, says=says)
        self.refused("fit", FAITHFUL, *TWO, "--prior", "no.json", status=DATA,
                     says=("no.json", "number of rows"))


class Fix(Case):
    def setUp(self):
        super().setUp()
        self.write("init.json", {"model": "gaussian", "parameters": {
            "weights": [0.5, 0.5], "means": [[2, 55], [4, 80]],
            "covariances": [[[0.1, 0], [0, 30]], [[0.2, 0], [0, 40]]]}})
        self.start = self.model("init.json")["parameters"]

    def fixed(self, names, *flags):
        return self.fit(FAITHFUL, "--init", "init.json", "--fix", names, *flags)

    def test_pieces_stay(self):
        got = self.fixed("means")
        self.assertEqual(got["parameters"]["means"], self.start["means"])
        self.assertNotEqual(got["parameters"]["covariances"], self.start["covariances"])
        self.assertEqual(got["free_parameters"], 11 - 4)
        self.near(got["aic"], -2 * got["log_likelihood"] + 2 * 7, 1e-12)

    def test_part_of_a_component(self):
        for flags in ((), ("--method", "online"), ("--method", "batch")):
            got = self.fixed("covariances[1],means[0]", *flags)
            p = got["parameters"]
            self.assertEqual(p["covariances"][1], self.start["covariances"][1])
            self.assertEqual(p["means"][0], self.start["means"][0])
            if "online" not in flags:  # so few rows are a buffer and no more
                self.assertNotEqual(p["means"][1], self.start["means"][1])
            self.assertEqual(got["free_parameters"], 11 - 3 - 2)

    def test_weights(self):
        self.assertEqual(self.fixed("weights")["free_parameters"], 10)
        got = self.fixed("weights[0]")
        self.assertEqual(got["free_parameters"], 10)
        self.near(got["parameters"]["weights"], [0.5, 0.5], 1e-12)

    def test_everything(self):
        got = self.fixed("weights,means,covariances")
        self.assertEqual(got["parameters"], self.start)
        self.assertEqual(got["free_parameters"], 0)

    def test_summary(self):
        done = self.run_program("fit", FAITHFUL, "--init", "init.json", "--fix", "means")
        self.assertIn("7 free parameters, 4 held by --fix\n", done.err)

    def test_refusals(self):
        self.refused("fit", FAITHFUL, *TWO, "--fix", "means", status=USAGE, says="--init")
        for names, says in (("mean", "means"), ("means[2]", "component 2"), ("means[", "means[2]"),
                            ("rates", "rates"), ("shift", "shift")):
            self.refused("fit", FAITHFUL, "--init", "init.json", "--fix", names, status=USAGE,
                         says=says)

    def test_counts(self):
        self.write("p.json", {"model": "poisson", "parameters": {
            "weights": [0.4, 0.6], "rates": [[1.25], [2.5]]}})
        got = self.fit(DEATHS, "--weight-column", "freq", "--init", "p.json", "--fix", "rates[1]")
        self.assertEqual(got["parameters"]["rates"][1], [2.5])
        self.assertEqual(got["free_parameters"], 2)


if __name__ == "__main__":
    unittest.main()
