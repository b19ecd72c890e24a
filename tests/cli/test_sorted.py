"""Rows that lie sorted end where the same rows in random order end; what was done about it is said in one line."""

import random
import unittest

from support import COUNTS, Case, csv, normal_rows, poisson_rows

CLOUDS = ((0.5, 0.3, 0.2), ((0, 0), (6, 1), (-4, 8)), ((1, 1), (2, 1), (1, 2)))
MIXED = 'note: the order of the rows would mislead a fit (column "'
BY_A_WINDOW = 'warning: the order of the rows would mislead a fit (column "'


class Sorted(Case):
    def setUp(self):
        super().setUp()
        self.rows = normal_rows(30_000, *CLOUDS, seed=4)
        random.Random(5).shuffle(self.rows)
        self.best = self.mean(self.write("mixed.csv", csv(["a", "b"], self.rows)))

    def mean(self, file, *flags):
        """Of a row of all of them at what was fitted."""
        self.said = self.run_program("fit", file, "-k", 3, "-o", "model.json", *flags).err
        return self.run_program("evaluate", "model.json", "mixed.csv", "--json").json["mean_log_likelihood"]

    def orders(self):
        yield "sorted", sorted(self.rows)
        yield "reversed", sorted(self.rows, reverse=True)
        yield "by the second", sorted(self.rows, key=lambda row: row[1])
        yield "in waves", [row for i in range(10) for row in sorted(self.rows[i::10])]

    def test_files_that_do_not_fit_end_as_shuffled_ones_do(self):
        for name, rows in self.orders():
            file = self.write("x.csv", csv(["a", "b"], rows))
            for method in ("auto", "online"):
                got = self.mean(file, "--method", method, "--keep", "200K")
                # One pass over 30,000 rows costs about p / n = 17 / 30,000 nat a row; order costs 1 to 10 where nothing is done.
                self.assertGreater(got, self.best - 0.02, (name, method))
                self.assertIn(MIXED, self.said)
                self.assertEqual(self.said.count("would mislead"), 1)

    def test_mixed_rows_are_left_alone(self):
        for method in ("auto", "online"):
            self.mean("mixed.csv", "--method", method, "--keep", "200K")
            self.assertNotIn("would mislead", self.said)

    def test_a_pipe_is_mixed_within_what_fits(self):
        rows = [row for i in range(10) for row in sorted(self.rows[i::10])]
        text = csv(["a", "b"], rows)
        self.run_program("fit", "-k", 3, "-o", "model.json", "--keep", "200K", "--order", "sequential", stdin=text)
        plain = self.run_program("evaluate", "model.json", "mixed.csv", "--json").json["mean_log_likelihood"]
        said = self.run_program("fit", "-k", 3, "-o", "model.json", "--keep", "200K", stdin=text).err
        got = self.run_program("evaluate", "model.json", "mixed.csv", "--json").json["mean_log_likelihood"]
        self.assertIn(BY_A_WINDOW, said)
        self.assertGreater(got, self.best - 0.05)
        self.assertLess(plain, got)

    def test_the_order_that_was_asked_for_is_kept(self):
        file = self.write("x.csv", csv(["a", "b"], sorted(self.rows)))
        for method in ("auto", "online"):
            self.mean(file, "--method", method, "--keep", "200K", "--order", "sequential")
            self.assertNotIn("would mislead", self.said)

    def test_quiet_leaves_out_the_note_but_no_warning(self):
        file = self.write("x.csv", csv(["a", "b"], sorted(self.rows)))
        self.mean(file, "--method", "online", "--keep", "200K", "--quiet")
        self.assertEqual(self.said, "")
        text = csv(["a", "b"], sorted(self.rows))
        said = self.run_program("fit", "-k", 3, "--keep", "200K", "--quiet", stdin=text).err
        self.assertIn(BY_A_WINDOW, said)

    def test_packed_files(self):
        import gzip
        rows = sorted(self.rows)
        (self.dir / "x.csv.gz").write_bytes(gzip.compress(csv(["a", "b"], rows).encode()))
        self.mean("x.csv.gz", "--method", "online", "--keep", "4M")
        self.assertRegex(self.said, 'note: the order of the rows would mislead a fit .*: they are mixed within')

    def test_weights_samples_and_limits(self):
        weighted = [(*row, i % 3) for i, row in enumerate(sorted(self.rows))]
        file = self.write("x.csv", csv(["a", "b", "w"], weighted))
        flags = ("--method", "online", "--keep", "200K", "-k", 1, "--step", "1/n", "--average", "off")
        online = self.fit(file, "--weight-column", "w", *flags)
        whole = self.fit(file, "--weight-column", "w", "--method", "batch", "-k", 1)
        self.assertEqual(online["observations"], whole["observations"])
        self.near(online["parameters"]["means"], whole["parameters"]["means"], 1e-9)
        for part in (("--limit", 10_000), ("--sample", 0.3)):
            chosen = self.fit(file, "--columns", "a,b", *part, *flags)
            expected = self.fit(file, "--columns", "a,b", *part, "--method", "batch", "-k", 1)
            self.assertEqual(chosen["rows"], expected["rows"])
            self.near(chosen["parameters"]["means"], expected["parameters"]["means"], 1e-9)

    def test_errors_name_their_line(self):
        rows = sorted(poisson_rows(20_000))
        rows[15_000] = (-4,)
        self.write("x.csv", csv(["y"], rows))
        for method in ("auto", "online"):
            self.refused("fit", "x.csv", *COUNTS, "-k", 2, "--method", method, "--keep", "64K", "--quiet", status=1,
                         says="x.csv:15002")

    def test_passes_visit_fresh_orders(self):
        """A few hundred rows of one column, sorted: thirty passes end no lower than one."""
        rng = random.Random(6)
        rows = sorted((rng.gauss(rng.choice((0, 2, 5)), 1),) for _ in range(915))
        file = self.write("mixed.csv", csv(["x"], rows))
        one = self.mean(file, "--method", "online")
        many = self.mean(file, "--method", "online", "--passes", 30)
        in_order = self.mean(file, "--method", "online", "--passes", 30, "--order", "sequential")
        self.assertGreater(many, one - 0.003)
        self.assertLess(in_order, many)


if __name__ == "__main__":
    unittest.main()
