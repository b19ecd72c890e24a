"""What the summary says of EM's rate, and of runs that are too short."""

import json
import unittest

from support import COUNTS, FAITHFUL, Case, csv, poisson_rows

START = {"model": "poisson", "parameters": {"weights": [0.5, 0.5], "rates": [[0.7], [4.5]]}}


class Diagnosis(Case):
    def setUp(self):
        super().setUp()
        self.write("counts.csv", csv(["calls"], poisson_rows(20_000)))
        self.write("start.json", json.dumps(START))

    def online(self, *args):
        return self.run_program("fit", "counts.csv", *COUNTS, "-k", 2, "--init", "start.json", "--method", "online",
                                "--buffer", 0, "--warmup", 20, *args, "--json")

    def test_a_rate_that_theory_knows(self):
        got = self.fit("counts.csv", *COUNTS, "-k", 2)
        # 1 - .02639 at the truth; 4,096 of 20,000 rows and their maximum move it a little
        self.near(got["em_rate"], 0.9736, 0.01)
        self.assertIsNone(got["forgotten"])

    def test_one_over_n_cannot_converge(self):
        done = self.online("--step", "1/n")
        self.assertIn("warning: the slowest direction has forgotten", done.err)
        self.assertIn("use --step 0.6", done.err)
        # n^-removed of the start is left
        rate = done.json["em_rate"]
        self.near(1 - done.json["forgotten"], 20_000 ** -(1 - rate), 0.05)

    def test_a_long_run_is_not_warned_of(self):
        done = self.online("--passes", 20)
        self.assertNotIn("warning: the slowest", done.err)
        self.assertGreater(done.json["forgotten"], 0.9)

    def test_a_short_run_is(self):
        done = self.online("--step", 0.9)
        self.assertIn("this run is too short for it", done.err)
        self.assertLess(done.json["forgotten"], 0.9)

    def test_nothing_to_say_of_one_component(self):
        self.assertIsNone(self.fit(FAITHFUL, "-k", 1)["em_rate"])


if __name__ == "__main__":
    unittest.main()
