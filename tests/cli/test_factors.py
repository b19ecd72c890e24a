"""Probabilistic PCA from outside: every verb, every method, and the flags that mean nothing to it."""

import math
import random
import unittest

from support import FAITHFUL, Case, csv, read_csv

try:
    import numpy as np
    from sklearn.decomposition import PCA
except ImportError:
    np = None

DATA, USAGE = 1, 2
PPCA = ("--model", "ppca")
METHODS = ("auto", "batch", "exact")


def factor_rows(n, loadings, noise, seed=1):
    """Rows W z + sqrt(noise) e around (0, 1, 2, …)."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        z = [rng.gauss(0, 1) for _ in loadings[0]]
        rows.append([j + sum(w * f for w, f in zip(row, z)) + rng.gauss(0, math.sqrt(noise))
                     for j, row in enumerate(loadings)])
    return rows


LOADINGS = [[2.0, 0.1], [1.0, -0.9], [-1.5, 0.6], [0.5, 1.2], [0.2, 0.4]]


class Fits(Case):
    def setUp(self):
        super().setUp()
        self.rows = factor_rows(3000, LOADINGS, 0.5)
        self.write("x.csv", csv("abcde", self.rows))

    def test_one_factor_in_two_columns_is_the_full_gaussian(self):
        gaussian = self.fit(FAITHFUL, "-k", 1)
        for method in METHODS:
            got = self.fit(FAITHFUL, *PPCA, "-r", 1, "--method", method)
            self.near(got["log_likelihood"], gaussian["log_likelihood"], 1e-9)
            p = got["parameters"]
            self.near(p["mean"], gaussian["parameters"]["means"][0], 1e-9)
            w = [row[0] for row in p["loadings"]]
            sigma = [[a * b + p["noise_variance"] * (i == j) for j, b in enumerate(w)] for i, a in enumerate(w)]
            self.near(sigma, gaussian["parameters"]["covariances"][0], 1e-5)
            self.assertEqual(got["method"], "exact" if method == "exact" else "batch")
            self.assertEqual(got["free_parameters"], 5)

    def test_methods_agree(self):
        best = self.fit("x.csv", *PPCA, "-r", 2, "--method", "exact")
        self.assertTrue(best["converged"])
        for flags in (("--method", "auto"), ("--method", "batch"), ("--mstep", "plain"), ("--threads", 1)):
            got = self.fit("x.csv", *PPCA, "-r", 2, *flags)
            self.near(got["mean_log_likelihood"], best["mean_log_likelihood"], 1e-8)
            self.near(got["parameters"]["loadings"], best["parameters"]["loadings"], 1e-2)
        online = self.fit("x.csv", *PPCA, "-r", 2, "--method", "online", "-o", "online.json")
        self.assertIsNone(online["log_likelihood"])
        at = self.run_program("evaluate", "online.json", "x.csv", "--json").json
        self.assertGreater(at["mean_log_likelihood"], best["mean_log_likelihood"] - 20 / 3000)

    def test_exact_is_the_same_file_for_any_cut(self):
        files = set()
        for threads in (1, 2, 3):
            self.run_program("fit", "x.csv", *PPCA, "-r", 2, "--method", "exact", "--threads", threads,
                             "-o", "m.json", "--quiet")
            files.add(self.read("m.json"))
        with open(self.dir / "x.csv") as text:
            self.run_program("fit", "-", *PPCA, "-r", 2, "--method", "exact", "-o", "p.json", "--quiet",
                             stdin=text.read())
        files.add(self.read("p.json"))
        self.assertEqual(len(files), 1)

    def test_canonical_loadings(self):
        for flags in ((), ("--mstep", "plain"), ("--method", "exact"), ("--method", "online"), ("--prior", 5)):
            w = self.fit("x.csv", *PPCA, "-r", 2, *flags)["parameters"]["loadings"]
            first, second = zip(*w)
            self.assertAlmostEqual(sum(a * b for a, b in zip(first, second)), 0, 9)
            self.assertGreater(sum(a * a for a in first), sum(b * b for b in second))
            for column in (first, second):
                self.assertGreater(max(column, key=abs), 0)

    def test_ranks_are_compared(self):
        done = self.run_program("fit", "x.csv", *PPCA, "-r", "1:4", "--json")
        table = done.json["comparison"]
        self.assertEqual([line["rank"] for line in table], [1, 2, 3, 4])
        self.assertEqual(done.json["options"]["rank"], 2)
        self.assertNotIn("icl", table[0])
        self.assertIn("kept r = 2 by bic", done.err)
        self.assertNotIn("ICL", done.err)
        self.assertTrue(all(line["held_out_mean_log_likelihood"] is not None for line in table))

    def test_summary(self):
        done = self.run_program("fit", "x.csv", *PPCA, "-r", 2)
        for words in ("column", "z1", "share of variance", "noise variance", "BIC"):
            self.assertIn(words, done.err)
        self.assertIn("no -r given", self.run_program("fit", "x.csv", *PPCA).err)

    def test_prior_and_fix(self):
        free = self.fit("x.csv", *PPCA, "-r", 2, "-o", "m.json")
        pulled = self.fit("x.csv", *PPCA, "-r", 2, "--prior", 1000)
        self.assertLess(pulled["log_likelihood"], free["log_likelihood"])
        as_file = self.fit("x.csv", *PPCA, "-r", 2, "--prior", "m.json")
        self.near(as_file["log_likelihood"], free["log_likelihood"], 1e-6)  # the same rows again
        model = self.model("m.json")
        model["parameters"]["mean"] = [0, 1, 2, 3, 4]
        self.write("init.json", model)
        for flags in (("--method", "batch"), ("--method", "exact"), ("--method", "online"), ("--mstep", "expanded")):
            held = self.fit("x.csv", *PPCA, "--init", "init.json", "--fix", "mean", *flags)
            self.assertEqual(held["parameters"]["mean"], [0, 1, 2, 3, 4])
            self.assertEqual(held["free_parameters"], free["free_parameters"] - 5)
        held = self.fit("x.csv", *PPCA, "--init", "init.json", "--fix", "loadings,noise_variance")
        self.assertEqual(held["parameters"]["loadings"], model["parameters"]["loadings"])
        self.assertEqual(held["free_parameters"], 5)

    def test_trace(self):
        self.run_program("fit", "x.csv", *PPCA, "-r", 2, "--trace", "t.csv", "--quiet")
        head = self.read("t.csv").splitlines()[0]
        for name in ("mean[4]", "loadings[4][1]", "noise_variance"):
            self.assertIn(name, head)


class Verbs(Case):
    MODEL = {"model": "ppca", "parameters": {"mean": [1, 2, 3], "loadings": [[2], [0], [-1]], "noise_variance": 0.5}}

    def setUp(self):
        super().setUp()
        self.write("m.json", self.MODEL)

    def test_predict(self):
        self.write("x.csv", csv("abc", [[1, 2, 3], [3, 2, 2], [0, 0, 0]]))
        rows = self.run_program("predict", "m.json", "x.csv", "--append").rows
        self.assertEqual(list(rows[0]), ["a", "b", "c", "log_density", "z0"])
        # M = |u|² + noise = 5.5, z = u'(y - mean) / M; x' Sigma^-1 x = (|x|² - (u'x)² / M) / noise.
        for row in rows:
            x = [float(row[name]) - m for name, m in zip("abc", (1, 2, 3))]
            along = 2 * x[0] - x[2]
            self.near(float(row["z0"]), along / 5.5, 1e-12)
            distance = (sum(v * v for v in x) - along ** 2 / 5.5) / 0.5
            log_determinant = 2 * math.log(0.5) + math.log(5.5)
            self.near(float(row["log_density"]), -0.5 * (3 * math.log(2 * math.pi) + log_determinant + distance), 1e-12)

    def test_show_sample_evaluate(self):
        shown = self.run_program("show", "m.json").out
        self.assertIn("share of variance", shown)
        self.assertIn("0.8462", shown)  # (5 + 0.5) / (5 + 1.5)
        drawn = self.run_program("sample", "m.json", "-n", 4000, "--seed", 3).out
        self.write("drawn.csv", drawn)
        got = self.fit("drawn.csv", *PPCA, "-r", 1)
        self.near(got["parameters"]["mean"], [1, 2, 3], 0.1)
        self.near(got["parameters"]["noise_variance"], 0.5, 0.05)
        at = self.run_program("evaluate", "m.json", "drawn.csv", "--json").json
        self.assertNotIn("icl", at)
        self.assertEqual(at["free_parameters"], 7)

    def test_models(self):
        entry = next(e for e in self.run_program("models", "--json").json if e["name"] == "ppca")
        self.assertEqual([o["flag"] for o in entry["options"]], ["-r", "--mstep"])

    @unittest.skipIf(np is None, "needs NumPy and scikit-learn")
    def test_scikit_learns_score(self):
        names, rows = read_csv(FAITHFUL)
        rows = [row + [row[0] * 3 - row[1] / 9 + math.sin(7 * row[0])] for row in rows]
        self.write("x.csv", csv([*names, "third"], rows))
        pca = PCA(1).fit(np.array(rows))
        u = pca.components_[0] * np.sqrt(pca.explained_variance_[0] - pca.noise_variance_)
        self.write("sk.json", {"model": "ppca", "parameters": {
            "mean": pca.mean_.tolist(), "loadings": [[w] for w in u], "noise_variance": pca.noise_variance_}})
        at = self.run_program("evaluate", "sk.json", "x.csv", "--json").json
        self.near(at["mean_log_likelihood"], pca.score(np.array(rows)), 1e-10)


class Refusals(Case):
    def setUp(self):
        super().setUp()
        self.write("x.csv", csv("abc", factor_rows(60, LOADINGS[:3], 0.3)))

    def test_flags_that_mean_nothing(self):
        for flags, says in ((("-k", 2), ("-k", "-r")), (("--covariance", "full"), "--covariance"),
                            (("--order-components", "weight"), "--order-components"),
                            (("--label-column", "c"), "--label-column"), (("--choose-by", "icl"), "icl"),
                            (("--ridge", 1), "--ridge"), (("-r", 0), "-r"), (("-r", "2:1"), "-r"),
                            (("-r", 3), ("rank 3", "4 columns")), (("-r", "1:5"), "rank 5"),
                            (("--mstep", "fast"), "expanded, plain"),
                            (("--method", "exact", "--prior", 3), "prior"),
                            (("--method", "exact", "--passes", 2), "--passes")):
            with self.subTest(flags=flags):
                self.refused("fit", "x.csv", *PPCA, *flags, status=USAGE, says=says)
        for flags in (("-k", 2, "-r", 1), ("-k", 2, "--mstep", "plain")):
            self.refused("fit", "x.csv", *flags, status=USAGE, says="gaussian knows no")
        self.refused("fit", "x.csv", "-k", 2, "--method", "exact", status=USAGE, says="closed form")

    def test_held_loadings_have_no_closed_form(self):
        self.run_program("fit", "x.csv", *PPCA, "-o", "m.json", "--quiet")
        self.refused("fit", "x.csv", "--init", "m.json", "--fix", "loadings", "--method", "exact", status=USAGE,
                     says=("loadings", "mean"))
        self.refused("fit", "x.csv", "--init", "m.json", "--fix", "mean[1]", status=USAGE, says="mean")
        self.refused("predict", "m.json", "x.csv", "--proba", status=USAGE, says="--proba")

    def test_bad_model_files(self):
        good = dict(Verbs.MODEL["parameters"])
        for change, says in (({"noise_variance": 0}, "noise_variance"), ({"noise_variance": [1]}, "noise_variance"),
                             ({"loadings": [[1, 0, 0]] * 3}, "columns"), ({"mean": [1, 2]}, "loadings"),
                             ({"weights": [1]}, "weights")):
            self.write("bad.json", {"model": "ppca", "parameters": {**good, **change}})
            self.refused("show", "bad.json", status=DATA, says=says)

    def test_few_rows(self):
        self.write("few.csv", csv("abc", factor_rows(2, LOADINGS[:3], 0.3)))
        for method in METHODS:
            self.refused("fit", "few.csv", *PPCA, "-r", 1, "--method", method, status=DATA,
                         says="at least 3")

    def test_nothing_varies(self):
        self.write("same.csv", csv("abc", [[1, 2, 3]] * 9))
        for method in METHODS:
            done = self.run_program("fit", "same.csv", *PPCA, "--method", method)
            self.assertIn("floor", done.err)


if __name__ == "__main__":
    unittest.main()
