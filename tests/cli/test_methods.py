"""Methods, steps, averages, starts and traces: what each flag promises, checked from outside."""

import math
import unittest

from support import (COUNTS, DEATHS, DIAGONAL, FAITHFUL, PAPER, Case, Mixture, blend, csv,
                     normal_rows, poisson_rows, read_csv, table)


class Auto(Case):
    def test_272_rows_end_at_the_maximum(self):
        auto = self.fit(FAITHFUL, *DIAGONAL, "-k", 2)
        batch = self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--method", "batch")
        self.assertAlmostEqual(auto["log_likelihood"], batch["log_likelihood"], delta=272e-6)
        self.assertTrue(auto["converged"])
        self.assertIn("batch", auto["why"])
        self.assertIn("--keep", auto["why"])
        self.assertIn(auto["why"], self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2).err)

    def test_200000_rows_end_at_the_maximum(self):
        self.write("m.json", PAPER)
        self.write("x.csv", self.run_program("sample", "m.json", "-n", 200_000).out)
        auto = self.fit("x.csv", *COUNTS, "-k", 2, "-o", "auto.json")
        batch = self.fit("x.csv", *COUNTS, "-k", 2, "--method", "batch")
        self.assertAlmostEqual(auto["mean_log_likelihood"], batch["mean_log_likelihood"],
                               delta=1e-6)
        self.assertTrue(auto["converged"])
        self.assertIn("200000", auto["why"])
        # The textbook sees no gain left: the histogram of the counts says it all.
        counts = {}
        for y in self.read("x.csv").split()[1:]:
            counts[int(y)] = counts.get(int(y), 0) + 1
        rows, weights = [[y] for y in counts], list(counts.values())
        mixture = Mixture(self.model("auto.json"))
        before = mixture.log_likelihood(rows, weights)
        self.near(auto["log_likelihood"], before, 1e-9)
        for _ in range(300):
            mixture.batch_step(rows, weights)
        self.assertLess((mixture.log_likelihood(rows, weights) - before) / 200_000, 1e-6)

    def test_small_keep_means_one_pass(self):
        self.write("x.csv", csv(["x"], poisson_rows(20_000)))
        got = self.fit("x.csv", *COUNTS, "-k", 2, "--keep", "1K")
        self.assertEqual((got["method"], got["passes"]), ("online", 1))
        self.assertIn("--keep", got["why"])
        self.assertIsNotNone(got["progressive_mean_log_likelihood"])
        said = self.run_program("fit", "x.csv", *COUNTS, "-k", 2, "--keep", "1K").err
        self.assertIn(got["why"], said)

    def test_keep_in_any_unit(self):
        for size in ("100", "1K", "1k", "64M", "2G"):
            self.fit(FAITHFUL, *DIAGONAL, "-k", 1, "--keep", size)


class Textbook(Case):
    """One row a step from a given start, against the recursion written out (20 rows frozen)."""

    START = {"model": "poisson", "parameters": {"weights": [0.5, 0.5], "rates": [[0.7], [4.5]]}}

    def setUp(self):
        super().setUp()
        self.rows = poisson_rows(300)
        self.write("x.csv", csv(["x"], self.rows))
        self.write("start.json", self.START)

    def online(self, *flags):
        self.fit("x.csv", "--init", "start.json", "--batch-size", 1, "--buffer", 0, "--method",
                 "online", "--warmup", 20, *flags, "-o", "m.json")
        p = self.model("m.json")["parameters"]
        return [*p["weights"], *(r[0] for r in p["rates"])]

    def recursion(self, step, eta=None, passes=1):
        mixture, s, average = Mixture(self.START), None, None
        for k, row in enumerate(self.rows * passes, 1):
            s = blend(s, mixture.statistic(row), step(k))
            if k > 20:
                mixture.maximise(s)
            if eta is not None:
                average = blend(average, s, (eta + 1) / (k + eta))
        if eta is not None:
            mixture.maximise(average)
        p = mixture.p
        return [*p["weights"], *(r[0] for r in p["rates"])]

    def test_power_step(self):
        self.near(self.online("--step", "0.6", "--average", "off"),
                  self.recursion(lambda k: k ** -0.6), 1e-9)

    def test_other_exponent(self):
        self.near(self.online("--step", "0.9", "--average", "off"),
                  self.recursion(lambda k: k ** -0.9), 1e-9)
        self.near(self.online("--step", "1", "--average", "off"),
                  self.recursion(lambda k: 1 / k), 1e-9)

    def test_one_over_n(self):
        self.near(self.online("--step", "1/n", "--average", "off"),
                  self.recursion(lambda k: 1 / k), 1e-9)

    def test_polynomial_average(self):
        self.near(self.online("--average", "poly:3"),
                  self.recursion(lambda k: k ** -0.6, eta=3), 1e-9)
        self.near(self.online("--average", "poly:1"),
                  self.recursion(lambda k: k ** -0.6, eta=1), 1e-9)
        self.assertEqual(self.online(), self.online("--average", "poly:3"))

    def test_passes(self):
        self.near(self.online("--average", "off", "--passes", 3, "--order", "sequential"),
                  self.recursion(lambda k: k ** -0.6, passes=3), 1e-9)

    def test_offset_and_constant_run_and_differ(self):
        plain = self.online("--average", "off")
        for step in ("0.6,offset=100", "constant:0.01"):
            other = self.online("--average", "off", "--step", step)
            self.assertNotEqual(other, plain)
            self.near(sum(other[:2]), 1, 1e-12)

    def test_averages(self):
        seen = {tuple(self.online("--average", kind)) for kind in ("off", "poly:3", "from:150")}
        self.assertEqual(len(seen), 3)
        self.assertNotEqual(self.online("--average", "poly:3", "--average-of", "parameters"),
                            self.online("--average", "poly:3", "--average-of", "statistic"))

    def test_needs_a_start(self):
        self.refused("fit", "x.csv", *COUNTS, "-k", 2, "--batch-size", 1, "--buffer", 0,
                     status=2, says="--init")

    def test_warmup_saves_the_first_rows(self):
        self.write("g.json", {"model": "gaussian", "options": {"covariance": "diag"}, "parameters": {
            "weights": [0.5, 0.5], "means": [[2, 55], [4, 80]],
            "covariances": [[0.3, 40], [0.3, 40]]}})
        got = self.fit(FAITHFUL, "--init", "g.json", "--method", "online", "--batch-size", 1,
                       "--buffer", 0, "--warmup", 50, "-o", "m.json")
        self.assertEqual(got["events"], {})
        _, rows = read_csv(FAITHFUL)
        mean = Mixture(self.model("m.json")).log_likelihood(rows) / 272
        self.assertGreater(mean, -1147.81 / 272 - 0.1)


class Flags(Case):
    def test_orders(self):
        seen = set()
        for order in ("sequential", "shuffled", "random"):
            got = self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--method", "online", "--passes", 5,
                           "--order", order, "-o", "m.json")
            self.assertEqual(got["passes"], 5)
            _, rows = read_csv(FAITHFUL)
            mean = Mixture(self.model("m.json")).log_likelihood(rows) / 272
            self.assertGreater(mean, -1147.806353 / 272 - 0.03)
            seen.add(str(got["parameters"]))
        self.assertEqual(len(seen), 3)

    def test_constant_steps_track_unless_an_average_is_asked_for(self):
        def online(*more):
            got = self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--method", "online", "--buffer", 100,
                           "--step", "constant:0.1", *more, "-o", "m.json")
            return got["parameters"], self.model("m.json")["training"]["average"]
        plain = online()
        self.assertEqual(plain[1], "off")
        self.assertEqual(plain, online("--average", "off"))
        self.assertNotEqual(plain[0], online("--average", "poly:3")[0])

    def test_half_on_a_stream_is_refused_with_the_fix(self):
        with open(FAITHFUL) as f:
            text = f.read()
        self.refused("fit", *DIAGONAL, "-k", 2, "--method", "online", "--average", "half",
                     stdin=text, status=2, says=("half", "poly:3"))

    def test_starts_and_seed(self):
        got = self.fit(FAITHFUL, *DIAGONAL, "-k", 3, "--starts", 4)
        self.assertEqual(len(got["starts"]), 4)
        self.assertEqual(sum(s["chosen"] for s in got["starts"]), 1)
        self.assertEqual(len(self.fit(FAITHFUL, *DIAGONAL, "-k", 3)["starts"]) % 8, 0)
        others = [str(self.fit(FAITHFUL, *DIAGONAL, "-k", 3, "--starts", 1, "--max-iterations", 1,
                               "--seed", seed)["parameters"]) for seed in range(4)]
        self.assertGreater(len(set(others)), 1)

    def test_race_is_between_different_starts(self):
        self.write("x.csv", csv(["x"], poisson_rows(3000)))
        starts = self.fit("x.csv", *COUNTS, "-k", 2, "--method", "online")["starts"]
        self.assertEqual(sum(s["chosen"] for s in starts), 1)
        raced = [s["after_short_em"] for s in starts if s["in_race"] is not None]
        self.assertEqual(len(set(raced)), len(raced))

    def test_more_iterations_never_hurt(self):
        self.write("start.json", {"model": "poisson", "parameters": {
            "weights": [0.5, 0.5], "rates": [[0.7], [4.5]]}})
        _, table_rows = read_csv(DEATHS)
        rows, weights = [[y] for y, _ in table_rows], [w for _, w in table_rows]
        mixture = Mixture(Textbook.START)
        for i in range(6):
            got = self.run_program("fit", DEATHS, "--weight-column", "freq", "--init", "start.json",
                                   "--method", "batch", "--max-iterations", i, "--json").json
            self.assertEqual(got["iterations"], i)
            self.assertFalse(got["converged"])
            self.near(got["log_likelihood"], mixture.log_likelihood(rows, weights), 1e-9)
            mixture.batch_step(rows, weights)

    def test_tolerance(self):
        counts = {}
        self.write("far.json", '{"model": "poisson", "parameters": {"weights": [0.5, 0.5], "rates": [[1], [6]]}}')
        for accelerate in ("none", "squarem"):
            runs = [self.fit(DEATHS, *COUNTS, "--init", "far.json", "--weight-column", "freq", "--tolerance", e,
                             "--accelerate", accelerate) for e in ("1e-3", "1e-6", "1e-10")]
            counts[accelerate] = [r["iterations"] for r in runs]
            for run, e in zip(runs, (1e-3, 1e-6, 1e-9)):
                self.assertLess(abs(run["log_likelihood"] + 1989.9458601), 1.5 * 1096 * e)
        plain, fast = counts["none"], counts["squarem"]
        self.assertEqual(plain, sorted(plain))
        # Leaps pause for the stop rule, sooner with a larger tolerance, and where they go on from hangs on that: their counts need
        # not rise with the digits asked for, but they stay far below those of EM alone.
        self.assertLess(fast[0], min(fast[1:]))
        for few, many in zip(fast[1:], plain[1:]):
            self.assertLess(4 * few, many)

    def test_floor_holds_variances_up(self):
        self.write("x.csv", csv(["x"], [[0], [0], [0], [0], [1], [2], [3], [7], [8], [9], [11]]))
        for floor in (1e-6, 1e-2):
            got = self.fit("x.csv", "-k", 2, "--floor", floor)
            least = min(c[0][0] for c in got["parameters"]["covariances"])
            self.assertGreater(least, 0.5 * floor * 1)
        self.assertTrue(math.isfinite(got["log_likelihood"]))

    def test_batch_size_and_buffer_are_reported(self):
        self.write("x.csv", csv(["x"], poisson_rows(3000)))
        got = self.fit("x.csv", *COUNTS, "-k", 2, "--method", "online", "--batch-size", 17,
                       "--buffer", 500)
        self.assertEqual((got["batch_size"], got["buffer"]), (17, 500))


class Trace(Case):
    def names(self, model):
        p = model["parameters"]
        cells = {f"weights[{k}]": w for k, w in enumerate(p["weights"])}
        for name in set(p) - {"weights"}:
            for k, row in enumerate(p[name]):
                cells.update({f"{name}[{k}][{j}]": v for j, v in enumerate(row)})
        return cells

    def test_batch(self):
        for data, flags in ((FAITHFUL, DIAGONAL), (DEATHS, (*COUNTS, "--weight-column", "freq"))):
            self.fit(data, *flags, "-k", 2, "--trace", "t.csv", "-o", "m.json")
            rows = table(self.read("t.csv"))
            seen = [int(r["rows"]) for r in rows]
            self.assertEqual(seen, sorted(seen))
            cells = self.names(self.model("m.json"))
            self.assertGreaterEqual(set(rows[0]), set(cells))
            self.assertEqual({n: float(rows[-1][n]) for n in cells}, cells)
            gains = [float(r["mean_log_likelihood"]) for r in rows]
            for a, b in zip(gains, gains[1:]):
                self.assertGreaterEqual(b, a - 1e-12)

    def test_online(self):
        self.write("x.csv", csv("ab", normal_rows(3000, (0.5, 0.5), ((0, 0), (4, 4)),
                                                  ((1, 1), (1, 1)))))
        self.fit("x.csv", *DIAGONAL, "-k", 2, "--method", "online", "--trace", "t.csv",
                 "-o", "m.json")
        rows = table(self.read("t.csv"))
        seen = [int(r["rows"]) for r in rows]
        self.assertEqual(seen, sorted(set(seen)))
        self.assertLessEqual(seen[-1], 3000)
        self.assertGreaterEqual(set(rows[0]), set(self.names(self.model("m.json"))))
        for row in rows:
            self.near(float(row["weights[0]"]) + float(row["weights[1]"]), 1, 1e-12)


class Validation(Case):
    def test_held_out_rows_are_scored(self):
        rows = poisson_rows(9000)
        self.write("train.csv", csv(["x"], rows[:8000]))
        self.write("test.csv", csv(["x"], rows[8000:]))
        for method in ("online", "batch"):
            done = self.run_program("fit", "train.csv", *COUNTS, "-k", 2, "--method", method,
                                    "--validate", "test.csv", "-o", "m.json", "--json")
            self.assertIn("held out", done.err)
            exact = Mixture(self.model("m.json")).log_likelihood(rows[8000:]) / 1000
            self.near(done.json["held_out_mean_log_likelihood"], exact, 1e-9)
            self.assertIn(f"{exact:.6f}", done.err)


class Comparison(Case):
    def test_table_json_and_the_best_kept(self):
        done = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", "1:4", "--json", "-o", "m.json")
        rows = done.json["comparison"]
        self.assertEqual([r["components"] for r in rows], [1, 2, 3, 4])
        for r in rows:
            free = 5 * r["components"] - 1
            self.near(r["bic"], free * math.log(272) - 2 * 272 * r["mean_log_likelihood"], 1e-9)
            self.assertGreaterEqual(r["icl"], r["bic"] - 1e-9)
            self.assertLess(r["held_out_mean_log_likelihood"], -4)
        best = min(rows, key=lambda r: r["bic"])["components"]
        self.assertEqual(len(self.model("m.json")["parameters"]["weights"]), best)
        self.assertEqual(done.json["options"]["components"], best)
        for word in ("BIC", "ICL", "held out", f"kept K = {best}"):
            self.assertIn(word, done.err)
        self.near(done.json["bic"], min(r["bic"] for r in rows), 1e-9)

    def test_other_judges(self):
        for judge, key, sign in (("icl", "icl", 1),
                                 ("held-out", "held_out_mean_log_likelihood", -1)):
            got = self.fit(FAITHFUL, *DIAGONAL, "-k", "1:3", "--choose-by", judge)
            best = min(got["comparison"], key=lambda r: sign * r[key])
            self.assertEqual(got["options"]["components"], best["components"])

    def test_finds_the_truth_from_a_pipe(self):
        rows = poisson_rows(5000, (0.5, 0.5), ((1,), (9,)))
        got = self.fit(*COUNTS, "-k", "1:3", stdin=csv(["x"], rows))
        self.assertEqual(got["options"]["components"], 2)

    def test_a_pipe_that_is_not_kept(self):
        rows = poisson_rows(5000, (0.5, 0.5), ((1,), (9,)))
        self.refused("fit", *COUNTS, "-k", "1:3", "--keep", "1K", stdin=csv(["x"], rows),
                     status=1, says="--keep")
        self.write("x.csv", csv(["x"], rows))
        got = self.fit("x.csv", *COUNTS, "-k", "1:3", "--keep", "1K")
        self.assertEqual([r["components"] for r in got["comparison"]], [1, 2, 3])


class Baseline(Case):
    def test_one_component_is_printed_beside(self):
        done = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2)
        one = self.fit(FAITHFUL, *DIAGONAL, "-k", 1)
        self.assertIn(f"{one['mean_log_likelihood']:.6f}", done.err)
        self.assertIn("one component", done.err)
        self.assertNotIn("warning", done.err)
        two = self.fit(FAITHFUL, *DIAGONAL, "-k", 2)
        self.near(two["baseline_mean_log_likelihood"], one["mean_log_likelihood"], 1e-9)

    def test_warning_when_the_mixture_is_no_better(self):
        self.write("x.csv", csv(["x"], poisson_rows(4000, (1,), ((2.5,),))))
        said = self.run_program("fit", "x.csv", *COUNTS, "-k", 2).err
        self.assertRegex(said, r"(?m)^warning: 2 components are no better than one")
        # Not even --quiet hides a warning, and the fit is still done.
        self.assertRegex(self.run_program("fit", "x.csv", *COUNTS, "-k", 2, "--quiet").err,
                         r"\A(thalweg: )?warning: [^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
