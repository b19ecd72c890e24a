"""Rows whose component is known, by number or name."""

import random
import unittest

from support import FAITHFUL, Case, csv, normal_rows

DATA, USAGE = 1, 2
NAMES = ("red", "green", "blue")
MEANS = ((0, 0), (3, 0), (0, 3))


def labelled(n, share, name=str, seed=3):
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        k = rng.randrange(3)
        label = name(k) if rng.random() < share else rng.choice(("", "NA"))
        rows.append([*(rng.gauss(m, 1) for m in MEANS[k]), label])
    return rows


class Labels(Case):
    def check_means(self, parameters, order, tolerance=0.25):
        for k, old in enumerate(order):
            for got, truth in zip(parameters["means"][k], MEANS[old]):
                self.assertLess(abs(got - truth), tolerance)

    def test_numbers_name_components(self):
        self.write("x.csv", csv(("x", "y", "c"), labelled(3000, 0.2, lambda k: str(2 - k))))
        for flags in ((), ("--method", "online"), ("--method", "batch"),
                      ("--method", "batch", "--keep", "1K"),
                      ("--method", "online", "--passes", 2, "--order", "shuffled")):
            with self.subTest(flags=flags):
                got = self.fit("x.csv", "-k", 3, "--label-column", "c", *flags)
                self.assertEqual(got["columns"], ["x", "y"])
                self.assertEqual(got["labels"], [])
                self.check_means(got["parameters"], (2, 1, 0))

    def test_names_in_order_of_appearance(self):
        rows = labelled(3000, 0.2, lambda k: NAMES[k])
        self.write("x.csv", csv(("x", "y", "c"), rows))
        seen = list(dict.fromkeys(row[2] for row in rows if row[2] in NAMES))
        done = self.run_program("fit", "x.csv", "-k", 3, "--label-column", "c", "-o", "m.json")
        self.assertEqual(self.model("m.json")["training"]["labels"], seen)
        self.check_means(self.model("m.json")["parameters"], [NAMES.index(s) for s in seen])
        for k, name in enumerate(seen):
            self.assertIn(f"label {name} is component {k}\n", done.err)
            self.assertIn(f"label {name} is component {k}\n",
                          self.run_program("show", "m.json").out)
        # A start from that file knows the names, in whatever order they come now.
        self.write("y.csv", csv(("x", "y", "c"), rows[::-1]))
        got = self.fit("y.csv", "--init", "m.json", "--label-column", "c")
        self.assertEqual(got["labels"], seen)
        self.check_means(got["parameters"], [NAMES.index(s) for s in seen])

    def test_all_known_is_the_mean_of_each_group(self):
        rows = labelled(300, 1)
        self.write("x.csv", csv(("x", "y", "c"), rows))
        got = self.fit("x.csv", "-k", 3, "--label-column", "c")
        for k in range(3):
            own = [row for row in rows if row[2] == str(k)]
            self.near(got["parameters"]["weights"][k], len(own) / 300, 1e-9)
            for j in range(2):
                self.near(got["parameters"]["means"][k][j], sum(r[j] for r in own) / len(own), 1e-9)
        self.assertAlmostEqual(got["entropy"], 0)

    def test_repeated_rows_with_different_labels(self):
        rows = [[0, "a"], [0, "b"], [4, "a"], [4, "b"]] * 40 + [[0, "a"], [4, "b"]] * 100
        self.write("x.csv", csv("xc", rows))
        p = self.fit("x.csv", "-k", 2, "--label-column", "c")["parameters"]
        self.near(p["weights"], [0.5, 0.5], 1e-9)
        self.near(p["means"], [[4 * 40 / 180], [4 * 140 / 180]], 1e-9)

    def test_unlabelled_files_say_nothing(self):
        self.run_program("fit", FAITHFUL, "-k", 2, "-o", "m.json", "--quiet")
        self.assertNotIn("labels", self.model("m.json")["training"])

    def test_refusals(self):
        self.write("x.csv", csv(("x", "y", "c"), labelled(200, 1, lambda k: NAMES[k])))
        column = ("--label-column", "c")
        err = self.refused("fit", "x.csv", "-k", 2, *column, status=DATA, says=("x.csv:", "2"))
        self.assertTrue(any(name in err for name in NAMES), err)
        self.refused("fit", "x.csv", "-k", "1:3", *column, status=USAGE, says="-k")
        self.refused("fit", "x.csv", "-k", 3, *column, "--order-components", "weight",
                     status=USAGE, says="--order-components")
        self.refused("fit", "x.csv", "-k", 3, "--label-column", "d", status=DATA, says='"d"')
        self.refused("fit", "x.csv", "-k", 3, "--label-column", "x", "--columns", "x,y",
                     status=USAGE, says='"x"')
        self.refused("fit", "x.csv", "-k", 3, "--label-column", "x", "--weight-column", "x",
                     status=USAGE, says='"x"')
        self.write("n.csv", csv("xc", [[1, 0], [2, 1], [3, 2]] * 9))
        self.refused("fit", "n.csv", "-k", 2, *column, status=DATA, says=("n.csv:4", '"2"', "0 to 1"))
        self.write("n.csv", csv("xc", [[1, 0], [2, "b"], [3, 1]] * 9))
        self.refused("fit", "n.csv", "-k", 2, *column, status=DATA, says=("n.csv:3", '"b"'))


class Held(Case):
    def test_validation_needs_no_labels(self):
        self.write("x.csv", csv(("x", "y", "c"), labelled(500, 0.5)))
        self.write("v.csv", csv("xy", normal_rows(50, (1,), (MEANS[0],), ((1, 1),))))
        got = self.fit("x.csv", "-k", 3, "--label-column", "c", "--validate", "v.csv")
        self.assertIsNotNone(got["held_out_mean_log_likelihood"])


if __name__ == "__main__":
    unittest.main()
