"""The relatives of batch and online EM from outside: the same maximum, what they say of themselves, what they refuse."""

import unittest

from support import COUNTS, DEATHS, DIAGONAL, FAITHFUL, Case, csv, poisson_rows

NOTICES = (DEATHS, *COUNTS, "-k", 2, "--weight-column", "freq")
MAXIMUM = -1989.945859883225


class SameMaximum(Case):
    METHODS = (("batch", "--accelerate", "squarem"), ("incremental",), ("variance-reduced",))

    def test_faithful(self):
        best = self.fit(FAITHFUL, "-k", 2, "--method", "batch")["mean_log_likelihood"]
        for method in self.METHODS:
            got = self.fit(FAITHFUL, "-k", 2, "--method", *method)
            self.assertTrue(got["converged"], method)
            self.assertEqual(got["method"], method[0])
            self.assertAlmostEqual(got["mean_log_likelihood"], best, delta=1e-7)

    def test_death_notices(self):
        for method in self.METHODS:
            got = self.fit(*NOTICES, "--method", *method)
            self.assertTrue(got["converged"], method)
            self.assertAlmostEqual(got["log_likelihood"] / 1096, MAXIMUM / 1096, delta=1e-6)

    def test_auto_takes_the_accelerator_along(self):
        self.write("far.json", '{"model": "poisson", "parameters": {"weights": [0.5, 0.5], "rates": [[1], [6]]}}')
        far = (*NOTICES, "--init", "far.json")  # the search for starts would leave little to do
        plain = self.fit(*far, "--accelerate", "none")
        fast = self.fit(*far)
        self.assertEqual(self.fit(*far, "--accelerate", "squarem"), fast)
        self.assertAlmostEqual(fast["log_likelihood"], plain["log_likelihood"], delta=1096e-7)
        self.assertLess(fast["iterations"], plain["iterations"])

    def test_priors_and_fixed_parameters(self):
        best = self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--prior", 5, "--method", "batch", "-o", "m.json")
        for method in self.METHODS:
            got = self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--prior", 5, "--method", *method)
            self.near(got["mean_log_likelihood"], best["mean_log_likelihood"], 1e-6)
            held = self.fit(FAITHFUL, "--init", "m.json", "--fix", "means", "--method", *method)
            self.assertEqual(held["parameters"]["means"], best["parameters"]["means"])

    def test_gradient_comes_near_in_passes(self):
        best = self.fit(FAITHFUL, *DIAGONAL, "-k", 2)["mean_log_likelihood"]
        got = self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--method", "gradient", "--passes", 20,
                       "--buffer", 100, "--validate", FAITHFUL)
        self.assertEqual(got["method"], "gradient")
        self.assertAlmostEqual(got["held_out_mean_log_likelihood"], best, delta=0.01)

    def test_gradient_streams(self):
        self.write("x.csv", csv(["x"], poisson_rows(20_000)))
        got = self.fit("x.csv", *COUNTS, "-k", 2, "--method", "gradient", "--keep", "1K")
        self.assertEqual((got["method"], got["passes"]), ("gradient", 1))
        online = self.fit("x.csv", *COUNTS, "-k", 2, "--method", "online", "--keep", "1K")
        self.assertAlmostEqual(got["progressive_mean_log_likelihood"],
                               online["progressive_mean_log_likelihood"], delta=2e-3)


class WhatTheySay(Case):
    def test_memory_of_incremental(self):
        got = self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--method", "incremental", "--batch-size", 1)
        self.assertEqual(got["kept_bytes"], 272 * 2 * 8)
        self.assertEqual(got["passes"], got["iterations"] + 1)
        said = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "--method", "incremental",
                                "--batch-size", 1).err
        self.assertIn("1 rows a block, 4352 bytes kept", said)

    def test_rate_of_variance_reduced(self):
        got = self.fit(FAITHFUL, "-k", 2, "--method", "variance-reduced", "-o", "m.json")
        self.assertGreater(got["rate"], 0)
        self.assertEqual(got["passes"], 2 * got["iterations"] + 1)
        training = self.model("m.json")["training"]
        self.assertEqual(training["method"], "variance-reduced")
        self.assertTrue(training["step"].startswith("constant:"))
        self.assertIsNone(training["progressive_mean_log_likelihood"])
        said = self.run_program("fit", FAITHFUL, "-k", 2, "--method", "variance-reduced").err
        self.assertRegex(said, r"converged after \d+ epochs, \d+ passes in all; .* rate ")
        given = self.fit(FAITHFUL, "-k", 2, "--method", "variance-reduced", "--step", "constant:0.2")
        self.assertEqual(given["rate"], 0.2)

    def test_iterations_are_limited(self):
        for method in ("incremental", "variance-reduced"):
            got = self.fit(FAITHFUL, "-k", 3, "--method", method, "--max-iterations", 2)
            self.assertEqual((got["iterations"], got["converged"]), (2, False))
            said = self.run_program("fit", FAITHFUL, "-k", 3, "--method", method,
                                    "--max-iterations", 2).err
            self.assertIn("raise --max-iterations", said)

    def test_threads_and_pipes_change_no_bit(self):
        text = csv(["x"], poisson_rows(30_000))
        self.write("x.csv", text)
        for method in ("incremental", "variance-reduced", "gradient"):
            few = () if method == "gradient" else ("--max-iterations", 3)
            flags = (*COUNTS, "-k", 2, "--method", method, *few)
            first = self.fit("x.csv", *flags, "--threads", 1)
            self.assertEqual(self.fit("x.csv", *flags, "--threads", 3), first)
            self.assertEqual(self.fit("-", *flags, stdin=text), first)

    def test_incremental_takes_an_order(self):
        flags = (FAITHFUL, "-k", 2, "--method", "incremental", "--max-iterations", 1)
        self.assertNotEqual(self.fit(*flags, "--order", "shuffled")["parameters"],
                            self.fit(*flags)["parameters"])


class WhatTheyRefuse(Case):
    def test_flags_that_mean_nothing(self):
        for method, flags, says in (
                ("incremental", ("--passes", 3), "--passes"),
                ("incremental", ("--average", "off"), "--average"),
                ("incremental", ("--step", "1/n"), "--step"),
                ("incremental", ("--accelerate", "squarem"), "--accelerate"),
                ("variance-reduced", ("--passes", 3), "--passes"),
                ("variance-reduced", ("--step", "0.7"), "--step 0.7"),
                ("variance-reduced", ("--warmup", 5), "--warmup"),
                ("variance-reduced", ("--order", "shuffled"), "--order"),
                ("variance-reduced", ("--average-of", "parameters"), "--average"),
                ("gradient", ("--accelerate", "squarem"), "--accelerate"),
                ("gradient", ("--ridge", 1), "--ridge"),
                ("online", ("--accelerate", "squarem"), "--accelerate"),
                ("online", ("--max-iterations", 5), "--max-iterations"),
                ("batch", ("--step", "1/n"), "--step"),
                ("batch", ("--average", "off"), "--average"),
                ("batch", ("--average-of", "parameters"), "--average"),
                ("batch", ("--batch-size", 10), "--batch-size"),
                ("batch", ("--warmup", 5), "--warmup")):
            self.refused("fit", FAITHFUL, "-k", 2, "--method", method, *flags, status=2,
                         says=(says, "--method " + method))

    def test_a_closed_form_has_no_steps(self):
        for flag, value in (("--step", "1/n"), ("--average", "off"), ("--batch-size", 10), ("--warmup", 5), ("--starts", 3),
                            ("--buffer", 100), ("--tolerance", "1e-3"), ("--max-iterations", 5), ("--passes", 2)):
            self.refused("fit", FAITHFUL, "--model", "ppca", "--method", "exact", flag, value, status=2,
                         says=(flag, "--method exact"))

    def test_a_pace_without_a_checkpoint(self):
        self.refused("fit", FAITHFUL, "-k", 2, "--checkpoint-every", "5s", status=2, says="--checkpoint FILE")

    def test_unknown_names(self):
        self.refused("fit", FAITHFUL, "--method", "incremntal", status=2, says="variance-reduced")
        self.refused("fit", FAITHFUL, "--accelerate", "fast", status=2, says="squarem")

    def test_rows_that_do_not_fit(self):
        self.write("x.csv", csv(["x"], poisson_rows(5_000)))
        for method in ("incremental", "variance-reduced"):
            self.refused("fit", "x.csv", *COUNTS, "-k", 2, "--method", method, "--keep", "1K",
                         status=1, says=("--keep", method))


if __name__ == "__main__":
    unittest.main()
