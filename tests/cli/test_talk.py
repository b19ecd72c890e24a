"""What goes to stdout and stderr: data and talk apart, the progress table, help with examples."""

import re
import unittest

from support import COUNTS, DIAGONAL, FAITHFUL, PAPER, Case, csv, poisson_rows

VERBS = ("fit", "evaluate", "predict", "sample", "show", "models")


class Streams(Case):
    def test_json_is_one_object_and_all_of_stdout(self):
        done = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "--json")
        self.assertIsInstance(done.json, dict)
        self.assertEqual(done.out.count("\n"), 1)

    def test_without_json_nothing_on_stdout(self):
        self.assertEqual(self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2).out, "")

    def test_quiet_says_nothing(self):
        for flags in ((), ("-o", "m.json"), ("--trace", "t.csv"), ("--validate", FAITHFUL),
                      ("-k", "1:2")):
            done = self.run_program("fit", FAITHFUL, *DIAGONAL, *(() if "-k" in flags else
                                                                  ("-k", 2)), *flags, "--quiet")
            self.assertEqual((done.out, done.err), ("", ""))

    def test_other_verbs_talk_to_stdout_only(self):
        self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "m.json")
        for args in (("evaluate", "m.json", FAITHFUL), ("predict", "m.json", FAITHFUL),
                     ("show", "m.json"), ("sample", "m.json", "-n", 3), ("models",)):
            done = self.run_program(*args)
            self.assertEqual(done.err, "")
            self.assertTrue(done.out)

    def test_no_escape_sequences_away_from_a_terminal(self):
        self.write("x.csv", csv(["x"], poisson_rows(5000)))
        done = self.run_program("fit", "x.csv", *COUNTS, "-k", 2)
        self.assertNotRegex(done.out + done.err, r"[\x1b\r]")


class Progress(Case):
    def setUp(self):
        super().setUp()
        self.write("x.csv", csv(["x"], poisson_rows(20_000)))

    def lines(self, *flags):
        said = self.run_program("fit", "x.csv", *COUNTS, "-k", 2, "--method", "online", *flags).err
        return said.split("\n\n")[0].splitlines()

    def test_table_at_powers_of_two(self):
        head, *rows = self.lines("--batch-size", 1)
        for word in ("rows", "rows/s", "step", "mean log-lik", "since last", "min weight"):
            self.assertIn(word, head)
        seen = [int(row.split()[0]) for row in rows]
        self.assertEqual(seen, [2 ** i for i in range(10, 15)])
        for row in rows:
            cells = row.split()
            self.assertEqual(len(cells), 6)
            self.assertGreater(float(cells[2]), 0)
            self.assertLess(float(cells[5]), 0.51)
            self.assertAlmostEqual(float(cells[3]), -1.58, delta=0.3)

    def test_larger_steps_pass_the_powers(self):
        seen = [int(row.split()[0]) for row in self.lines("--batch-size", 100)[1:]]
        powers = [2 ** (rows.bit_length() - 1) for rows in seen]
        self.assertEqual(powers[-4:], [2 ** i for i in range(11, 15)])
        for rows, power in zip(seen, powers):
            self.assertLess(rows, power + 100)

    def test_never(self):
        said = self.run_program("fit", "x.csv", *COUNTS, "-k", 2, "--progress", "never").err
        self.assertNotIn("since last", said)
        self.assertIn("component", said)

    def test_mean_so_far_is_the_mean_of_the_pieces(self):
        rows = [[float(c) for c in (r.split()[0], *r.split()[3:5])]
                for r in self.lines("--batch-size", 1)[1:]]
        buffer = 1000
        for (n, mean, _), (m, later, piece) in zip(rows, rows[1:]):
            total = (n - buffer) * mean + (m - n) * piece
            self.assertAlmostEqual(total / (m - buffer), later, delta=2e-5)

    def test_batch_table(self):
        said = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 3, "--method", "batch").err
        rows = re.findall(r"(?m)^ +(\d+) +(?:[\d.]+[kMG]?|-) +(-\d+\.\d+)", said.split("\n\n")[0])
        self.assertGreater(len(rows), 2)
        self.assertEqual([int(i) for i, _ in rows], [2 ** i for i in range(len(rows))])
        values = [float(v) for _, v in rows]
        self.assertEqual(values, sorted(values))


class Summary(Case):
    def test_says_what_was_found(self):
        said = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "m.json").err
        for words in ("log-likelihood -1147.806353", "272 rows", "m.json", "one component",
                      "BIC", "converged"):
            self.assertIn(words, said)

    def test_table_of_starts(self):
        said = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "--starts", 3).err
        rows = re.findall(r"(?m)^ +([123]) +-\d+\.\d+ +-\d+\.\d+.*$", said)
        self.assertEqual(sorted(rows), ["1", "2", "3"])
        self.assertEqual(said.count("chosen"), 1)


class Help(Case):
    def test_every_verb_teaches_with_an_example(self):
        for verb in VERBS:
            done = self.run_program(verb, "--help")
            self.assertRegex(done.out, rf"Examples?:[\s\S]*\n  .*\bthalweg {verb}\b", verb)
            self.assertEqual(done.err, "")

    def test_the_program_names_its_verbs(self):
        out = self.run_program("--help").out
        for verb in VERBS:
            self.assertIn(verb, out)
        self.assertIn("thalweg fit", out)

    def test_version(self):
        self.assertRegex(self.run_program("--version").out, r"\Athalweg \d+\.\d+\.\d+\n\Z")

    def test_promised_flags_of_fit(self):
        out = self.run_program("fit", "--help").out
        for flag in ("--columns", "--weight-column", "--no-header", "--format", "--model", "-k",
                     "--covariance", "--method", "--keep", "--step", "--batch-size", "--buffer",
                     "--warmup", "--average", "--average-of", "--passes", "--order", "--tolerance",
                     "--max-iterations", "--floor", "--init", "--starts", "--seed", "--validate",
                     "--trace", "--quiet", "--progress", "--json", "-o", "--threads", "--ridge",
                     "--prior", "--fix", "--label-column", "--order-components"):
            self.assertIn(flag, out)

    def test_examples_of_the_help_run(self):
        self.write("model.json", PAPER)
        rows = poisson_rows(300)
        self.write("data.csv", csv(["c0", "name"], [[y, f"n{i}"] for i, (y,) in enumerate(rows)]))
        self.write("test.csv", self.read("data.csv"))
        self.run_program("fit", FAITHFUL, "-k", 2, "-o", "geyser.json", "--quiet")
        self.write("new.csv", "waiting\n60\n")
        for verb in ("evaluate", "predict", "show"):
            for line in re.findall(rf"(?m)^  (thalweg {verb} [^|>\n]*)",
                                   self.run_program(verb, "--help").out):
                self.run_program(*line.split()[1:])


if __name__ == "__main__":
    unittest.main()
