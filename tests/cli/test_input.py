"""What the command makes of its input: columns, headers, formats, and the notes it gives."""

import unittest

from support import COUNTS, DEATHS, DIAGONAL, FAITHFUL, Case, csv, poisson_rows, read_csv

MAXIMUM = -1147.806353


class Columns(Case):
    def setUp(self):
        super().setUp()
        _, self.rows = read_csv(FAITHFUL)

    def said(self, *args, **options):
        return self.run_program("fit", *args, *DIAGONAL, "-k", 2, "-o", "m.json", **options).err

    def at_the_maximum(self, columns):
        model = self.model("m.json")
        self.assertEqual(model["columns"], columns)
        self.assertAlmostEqual(model["training"]["log_likelihood"], MAXIMUM, delta=272e-6)

    def test_text_columns_are_left_out_and_named(self):
        self.write("x.csv", csv(["id", "eruptions", "waiting", "remark"],
                                [[f"r{i}", a, b, "ok"] for i, (a, b) in enumerate(self.rows)]))
        self.assertRegex(self.said("x.csv"), r"note: .*\bid, remark\b")
        self.at_the_maximum(["eruptions", "waiting"])

    def test_weight_column_is_no_data(self):
        self.run_program("fit", DEATHS, *COUNTS, "-k", 2, "--weight-column", "freq", "-o", "m.json")
        self.assertEqual(self.model("m.json")["columns"], ["count"])

    def test_header_is_noticed_to_be_missing(self):
        self.write("x.csv", csv("ab", self.rows).split("\n", 1)[1])
        self.assertRegex(self.said("x.csv"), r"note: .*no header.*c0, c1")
        self.at_the_maximum(["c0", "c1"])
        self.assertNotIn("note", self.said("x.csv", "--no-header"))
        self.at_the_maximum(["c0", "c1"])

    def test_headerless_data_at_predict(self):
        self.write("x.csv", csv("ab", self.rows).split("\n", 1)[1])
        self.said("x.csv", "--no-header")
        got = self.run_program("evaluate", "m.json", "x.csv", "--no-header", "--json").json
        self.assertAlmostEqual(got["log_likelihood"], MAXIMUM, delta=272e-6)

    def test_tab_separated(self):
        self.write("x.tsv", csv(["a b", "c"], self.rows).replace(",", "\t"))
        self.said("x.tsv")
        self.at_the_maximum(["a b", "c"])
        self.said("--format", "tsv", stdin=self.read("x.tsv"))
        self.at_the_maximum(["a b", "c"])

    def test_dash_is_stdin(self):
        self.said("-", stdin=csv("ab", self.rows))
        self.at_the_maximum(["a", "b"])

    def test_quoted_names_with_commas(self):
        self.write("x.csv", '"a, b","c ""d"""\n' + csv("ab", self.rows).split("\n", 1)[1])
        self.said("x.csv")
        self.at_the_maximum(["a, b", 'c "d"'])
        first = self.run_program("predict", "m.json", "x.csv", "--append").out.splitlines()[0]
        self.assertEqual(first, '"a, b","c ""d""",log_density,component')

    def test_blank_lines_and_no_last_newline(self):
        self.write("x.csv", csv("ab", self.rows).replace("\n", "\n\n", 5).rstrip("\n"))
        self.said("x.csv")
        self.at_the_maximum(["a", "b"])

    def test_hint_when_every_column_is_a_count(self):
        self.write("x.csv", csv("ab", poisson_rows(300, (1,), ((1, 5),))))
        self.assertIn("--model poisson", self.said("x.csv"))
        self.write("x.csv", csv("ab", [[a, b + 0.5] for a, b in
                                       poisson_rows(300, (1,), ((1, 5),))]))
        self.assertNotIn("poisson", self.said("x.csv"))

    def test_one_component_when_none_is_asked_for(self):
        self.assertRegex(self.run_program("fit", FAITHFUL, *DIAGONAL).err, r"note: no -k")

    def test_rows_of_weight_zero_count_nothing(self):
        rows = [[a, b, 1] for a, b in self.rows] + [[99, 99, 0]]
        self.write("x.csv", csv(["a", "b", "w"], rows))
        self.said("x.csv", "--weight-column", "w")
        self.at_the_maximum(["a", "b"])


class Degenerate(Case):
    """Data that a model cannot love still give finite numbers and a word about it."""

    def test_constant_column(self):
        self.write("x.csv", csv("ab", [[5, i] for i in range(20)]))
        got = self.run_program("fit", "x.csv", *DIAGONAL, "-k", 2, "--json").json
        self.assertIsNotNone(got["log_likelihood"])

    def test_all_zero_counts(self):
        self.write("x.csv", csv("a", [[0]] * 20))
        done = self.run_program("fit", "x.csv", *COUNTS, "-k", 2, "-o", "m.json", "--json")
        self.assertIn("no better", done.err)
        self.assertAlmostEqual(done.json["log_likelihood"], 0, delta=1e-6)
        self.run_program("evaluate", "m.json", "x.csv")

    def test_few_distinct_values(self):
        self.write("x.csv", csv("a", [[1.5]] * 10 + [[2.5]] * 10))
        got = self.run_program("fit", "x.csv", "-k", 3, "-o", "m.json", "--json").json
        self.assertTrue(got["events"], "a repair is counted and named")
        self.run_program("predict", "m.json", "x.csv", "--proba")


if __name__ == "__main__":
    unittest.main()
