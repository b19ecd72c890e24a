"""Two hundred deaths at random moments, fifty of them in a row in one fit."""

import unittest

from deaths import Mortal
from support import COUNTS, Case, csv, normal_rows, poisson_rows
from test_checkpoint import CLOUDS


class Kills(Case, Mortal):
    def same(self, *args, deaths, stdin=None, every="500"):
        whole = self.undisturbed(*args, stdin=stdin)
        self.assertEqual(self.killed(*args, deaths=deaths, seed=5, stdin=stdin, every=every), whole, args)

    def rows(self, n):
        return self.write("x.csv", csv(["a", "b"], normal_rows(n, *CLOUDS)))

    def test_fifty_in_a_row(self):
        self.same(self.rows(20_000), "-k", "3", deaths=50, every="5000")

    def test_stream(self):
        self.same(self.rows(60_000), "-k", "3", "--keep", "100K", deaths=50, every="5000")

    def test_every_method(self):
        for method in ("online", "batch", "incremental", "variance-reduced", "gradient"):
            self.same(self.rows(6000), "-k", "3", "--method", method, deaths=15, every="1000")

    def test_pipe(self):
        self.same(*COUNTS, "-k", "2", "--keep", "1K", deaths=25, stdin=csv(["y"], poisson_rows(60_000)))


if __name__ == "__main__":
    unittest.main()
