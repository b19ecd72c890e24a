"""Small slips in names, numbers and outputs are noticed before they cost data or an answer."""

import os
import resource
import unittest

from support import COUNTS, DEATHS, DIAGONAL, FAITHFUL, PAPER, Case, csv, read_csv

DATA, USAGE = 1, 2
TWO = (*DIAGONAL, "-k", 2)


class WithModel(Case):
    def setUp(self):
        super().setUp()
        self.run_program("fit", FAITHFUL, *TWO, "-o", "f.json", "--quiet")
        self.rows = read_csv(FAITHFUL)[1]


class Names(WithModel):
    def test_a_column_is_data_or_weight(self):
        for verb in ("evaluate", "predict"):
            self.refused(verb, "f.json", FAITHFUL, "--weight-column", "waiting", status=USAGE,
                         says='"waiting"')
        self.refused("fit", FAITHFUL, *DIAGONAL, "--columns", "eruptions,waiting",
                     "--weight-column", "waiting", status=USAGE, says='"waiting"')

    def test_columns_without_a_name(self):
        self.refused("fit", FAITHFUL, *DIAGONAL, "--columns", "", status=USAGE, says="--columns")

    def test_columns_taken_by_position_are_noted(self):
        self.write("x.csv", csv("ab", self.rows).split("\n", 1)[1])
        for verb in ("evaluate", "predict"):
            done = self.run_program(verb, "f.json", "x.csv")
            self.assertRegex(done.err, r"\Anote: .*\beruptions, waiting\b.*position\n\Z")
            self.assertEqual(done.out, self.run_program(verb, "f.json", FAITHFUL).out)

    def test_model_without_names_goes_by_position(self):
        parameters = self.model("f.json")["parameters"]
        self.write("m.json", {"model": "gaussian", "options": {"covariance": "diag"},
                              "parameters": parameters})
        # Without constants the gauge is that of the parameters: the same to rounding.
        one, other = (self.run_program("evaluate", name, FAITHFUL, "--json").json
                      for name in ("m.json", "f.json"))
        self.near([*one.values()], [*other.values()], 1e-12)
        # The shape of the parameters says which covariance they have.
        self.write("m.json", {"model": "gaussian", "parameters": parameters})
        for flags in ((), TWO):
            got = self.fit(FAITHFUL, "--init", "m.json", *flags)
            self.assertAlmostEqual(got["log_likelihood"], -1147.806353, delta=272e-6)

    def test_model_with_a_name_twice(self):
        self.write("bad.json", {**self.model("f.json"), "columns": ["eruptions", "eruptions"]})
        self.refused("evaluate", "bad.json", FAITHFUL, status=DATA,
                     says=("bad.json", '"eruptions"', "twice"))

    def test_flag_that_the_model_does_not_know_is_named_as_typed(self):
        self.refused("fit", DEATHS, *COUNTS, *TWO, status=USAGE, says=("poisson", "--covariance"))

    def test_tabs_and_semicolons_on_stdin_are_seen(self):
        text = csv("ab", self.rows)
        answers = [self.fit(*TWO, stdin=text.replace(",", delimiter)) for delimiter in ",\t;|"]
        for answer in answers[1:]:
            self.assertEqual(answer, answers[0])


class Numbers(WithModel):
    def test_counts(self):
        for flag, least in (("--buffer", 0), ("--warmup", 0), ("--max-iterations", 0),
                            ("--seed", 0), ("--batch-size", 1), ("--passes", 1), ("--starts", 1)):
            for text in (str(least - 1), "-1", "1.5", "1e3", " 1", "", "9" * 23):
                with self.subTest(flag, text=text):
                    self.refused("fit", FAITHFUL, *TWO, flag, text, status=USAGE,
                                 says=(flag, f'"{text}"', f"from {least} on"))

    def test_rows_of_a_sample(self):
        def short_life():
            resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
        for text in ("-1", "1.5", "", "9" * 23):
            self.refused("sample", "f.json", "-n", text, status=USAGE, says=f'"{text}"',
                         preexec_fn=short_life)

    def test_flags_of_the_other_method(self):
        for flags in (("--passes", 3), ("--order", "shuffled")):
            self.refused("fit", FAITHFUL, *TWO, "--method", "batch", *flags, status=USAGE,
                         says=(flags[0], "online"))

    def test_no_minus_zero(self):
        said = self.run_program("fit", FAITHFUL, *DIAGONAL, "--init", "f.json").err
        self.assertRegex(said, r"\b0\.000000\b")
        self.assertNotIn("-0.000000", said)

    def test_half_of_a_file(self):
        got = self.fit(FAITHFUL, *TWO, "--method", "online", "--average", "half")
        self.assertEqual(got["rows"], 272)

    def test_half_of_a_file_that_is_not_kept(self):
        got = self.fit(FAITHFUL, "-k", "1:2", "--method", "online", "--average", "half", "--keep", "1K")
        self.assertEqual([line["components"] for line in got["comparison"]], [1, 2])

    def test_one_component_beside_an_online_fit(self):
        said = self.run_program("fit", FAITHFUL, *TWO, "--method", "online").err
        self.assertIn("one component", said)

    def test_too_few_iterations_are_noted(self):
        said = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 3, "--max-iterations", 2).err
        self.assertRegex(said, r"after 2 iterations, not converged\n")
        self.assertRegex(said, r"warning: batch EM did not converge in 2 iterations: .*raise --max-iterations")


class Outputs(WithModel):
    def test_folder(self):
        (self.dir / "folder").mkdir()
        for flag in ("-o", "--trace"):
            self.refused("fit", FAITHFUL, *TWO, flag, "folder", status=DATA,
                         says=("folder", "directory"))

    def test_no_name(self):
        self.refused("fit", FAITHFUL, *TWO, "-o", "", status=USAGE, says="-o")

    def test_never_over_an_input(self):
        self.write("x.csv", csv(["eruptions", "waiting"], self.rows))
        os.symlink("x.csv", self.dir / "soft.csv")
        os.link(self.dir / "x.csv", self.dir / "hard.csv")
        for flag in ("-o", "--trace"):
            for name in ("x.csv", "./x.csv", self.dir / "x.csv", "soft.csv", "hard.csv"):
                self.refused("fit", "x.csv", *TWO, flag, name, status=USAGE,
                             says=(str(name), "input"))
            self.refused("fit", FAITHFUL, *TWO, "--validate", "x.csv", flag, "x.csv", status=USAGE,
                         says=("x.csv", "input"))

    def test_model_and_trace_in_one_file(self):
        self.refused("fit", FAITHFUL, *TWO, "-o", "one", "--trace", "one", status=USAGE, says="one")

    def test_start_may_be_replaced_by_its_result(self):
        self.write("m.json", PAPER)
        self.fit(DEATHS, "--weight-column", "freq", "--init", "m.json", "-o", "m.json")
        self.assertEqual(self.model("m.json")["training"]["rows"], 10)

    def test_permissions_are_kept(self):
        self.write("m.json", "old")
        os.chmod(self.dir / "m.json", 0o640)
        self.fit(FAITHFUL, *TWO, "-o", "m.json")
        self.assertEqual(self.model("m.json")["columns"], ["eruptions", "waiting"])
        self.assertEqual(os.stat(self.dir / "m.json").st_mode & 0o777, 0o640)

    def test_links_are_followed(self):
        self.write("real.json", "old")
        os.symlink("real.json", self.dir / "link.json")
        self.fit(FAITHFUL, *TWO, "-o", "link.json")
        self.assertTrue((self.dir / "link.json").is_symlink())
        self.assertEqual(self.model("real.json")["columns"], ["eruptions", "waiting"])

    def test_trace_of_a_short_input_has_a_header(self):
        self.fit(FAITHFUL, *TWO, "--method", "online", "--trace", "t.csv")
        self.assertRegex(self.read("t.csv"), r"\Aphase,.*\bweights\[0\],")


if __name__ == "__main__":
    unittest.main()
