"""--continue: rows that come later are learned as if all had come in one stream."""

import unittest

from support import COUNTS, DIAGONAL, Case, csv, normal_rows, poisson_rows

ONLINE = ("--method", "online", "--batch-size", "50", "--average", "off")
CLOUDS = ((0.6, 0.4), ((0, 0), (5, 2)), ((1, 1), (2, 1)))


class Continue(Case):
    def halves(self, rows, names, cut):
        self.write("all.csv", csv(names, rows))
        self.write("first.csv", csv(names, rows[:cut]))
        self.write("second.csv", csv(names, rows[cut:]))

    def test_two_runs_are_one(self):
        for rows, names, model in ((normal_rows(6000, *CLOUDS), ["a", "b"], DIAGONAL),
                                   (normal_rows(6000, *CLOUDS), ["a", "b"], ("--covariance", "full")),
                                   (poisson_rows(6000), ["y"], COUNTS)):
            self.halves(rows, names, 4000)
            # One start: a race would end at another row. The first part ends with a full mini-batch.
            args = (*model, "-k", "2", *ONLINE, "--starts", "1", "--quiet")
            self.run_program("fit", "all.csv", *args, "-o", "all.json")
            self.run_program("fit", "first.csv", *args, "-o", "first.json")
            self.run_program("fit", "second.csv", *ONLINE, "--quiet", "--continue", "first.json", "-o", "both.json")
            whole, both = self.model("all.json"), self.model("both.json")
            for name, values in whole["parameters"].items():
                self.near(both["parameters"][name], values, 1e-9)
            self.assertEqual(both["training"]["rows"], 6000)
            self.assertEqual(both["training"]["observations"], 6000)
            self.near(both["statistics"]["weight"], whole["statistics"]["weight"], 1e-12)

    def test_a_long_fit_is_not_thrown_away_by_a_few_rows(self):
        rows = normal_rows(8000, *CLOUDS)
        self.halves(rows, ["a", "b"], 7900)
        self.run_program("fit", "first.csv", "-k", "2", "-o", "first.json", "--quiet")
        self.run_program("fit", "second.csv", "--continue", "first.json", "-o", "both.json", "--quiet")
        before, after = (self.run_program("evaluate", name, "all.csv", "--json").json["mean_log_likelihood"]
                         for name in ("first.json", "both.json"))
        self.assertGreater(after, before - 0.01)

    def test_refused(self):
        self.halves(normal_rows(3000, *CLOUDS), ["a", "b"], 1500)
        self.run_program("fit", "first.csv", "-k", "2", "-o", "first.json", "--quiet")
        bare = self.model("first.json")
        self.write("bare.json", {key: bare[key] for key in ("model", "options", "columns", "parameters")})
        go_on = ("fit", "second.csv", "--continue")
        self.refused(*go_on, "bare.json", status=1, says="no statistics")
        self.refused(*go_on, "none.json", status=1, says="none.json")
        self.refused(*go_on, "first.json", "--init", "first.json", status=2, says="exclude")
        self.refused(*go_on, "first.json", "-k", "3", status=2, says="components")
        self.refused(*go_on, "first.json", "--method", "batch", status=2, says="--init")
        self.refused(*go_on, "first.json", "--prior", "5", status=2, says="--prior")


if __name__ == "__main__":
    unittest.main()
