"""Model files: the promised keys, numbers bit for bit, nothing of the machine, same seed same bytes."""

import json
import math
import os
import subprocess
import unittest

from support import (COUNTS, DEATHS, DIAGONAL, FAITHFUL, PAPER, PROGRAM, Case, csv, normal_rows,
                     poisson_rows)


def leaves(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{name}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, name)
    else:
        yield name, value


class Keys(Case):
    def check(self, model, columns):
        self.assertEqual(model["format"], "thalweg-model")
        self.assertEqual(model["version"], 1)
        self.assertEqual(model["columns"], columns)
        self.assertGreaterEqual(set(model), {"model", "options", "parameters", "statistics",
                                             "training"})
        self.assertGreaterEqual(set(model["training"]), {
            "observations", "rows", "passes", "progressive_mean_log_likelihood", "method", "seed",
            "events"})
        for name, value in leaves(model):
            for word in ("thread", "time", "date", "path", "host", "user", "file"):
                self.assertNotIn(word, name.lower())
            if isinstance(value, float):
                self.assertTrue(math.isfinite(value), name)
            if isinstance(value, str):
                self.assertNotIn(str(self.dir), value)
                self.assertNotIn(".csv", value)

    def test_poisson(self):
        self.fit(DEATHS, *COUNTS, "-k", 2, "--weight-column", "freq", "-o", "model.json")
        model = self.model()
        self.check(model, ["count"])
        self.assertEqual(set(model["parameters"]), {"weights", "rates"})
        self.assertEqual([len(r) for r in model["parameters"]["rates"]], [1, 1])
        self.assertEqual(model["training"]["observations"], 1096)
        self.assertEqual(model["training"]["rows"], 10)

    def test_gaussian(self):
        self.fit(FAITHFUL, *DIAGONAL, "-k", 3, "--seed", 5, "-o", "model.json")
        model = self.model()
        self.check(model, ["eruptions", "waiting"])
        p = model["parameters"]
        self.assertEqual(set(p), {"weights", "means", "covariances"})
        self.assertEqual([len(m) for m in p["means"]], [2] * 3)
        self.assertEqual([len(m) for m in p["covariances"]], [2] * 3)
        self.near(sum(p["weights"]), 1, 1e-12)
        self.assertEqual(model["training"]["seed"], 5)
        self.assertIsNone(model["training"]["progressive_mean_log_likelihood"])

    def test_online(self):
        self.write("x.csv", csv(["x"], poisson_rows(4000)))
        self.fit("x.csv", *COUNTS, "-k", 2, "--method", "online", "-o", "model.json")
        self.check(self.model(), ["x"])
        training = self.model()["training"]
        self.assertEqual((training["method"], training["passes"]), ("online", 1))
        self.assertLess(training["progressive_mean_log_likelihood"], 0)

    def test_no_output_no_file(self):
        self.fit(FAITHFUL, *DIAGONAL, "-k", 2)
        self.assertEqual(self.files(), {})


class BitForBit(Case):
    def test_numbers_survive_a_round_trip(self):
        self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "-o", "a.json")
        self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "--init", "a.json", "--method", "batch",
                 "--max-iterations", 0, "-o", "b.json")
        self.assertEqual(self.model("a.json")["parameters"], self.model("b.json")["parameters"])

    def test_numbers_of_a_file_written_by_hand(self):
        numbers = {"weights": [0.1 + 0.2, 1 - (0.1 + 0.2)],
                   "means": [[math.pi, 1 / 3], [-5e-300, 2.0 ** 60]],
                   "covariances": [[1e-17, math.e], [math.nextafter(1, 2), 1e18]]}
        self.write("hand.json", {"model": "gaussian", "options": {"covariance": "diag"},
                                 "parameters": numbers})
        shown = self.run_program("show", "hand.json", "--json").json
        self.assertEqual(shown["parameters"], numbers)

    def test_show_json_is_a_model_file(self):
        self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "-o", "a.json")
        self.write("b.json", self.run_program("show", "a.json", "--json").out)
        self.assertEqual(self.run_program("predict", "b.json", FAITHFUL, "--proba").out,
                         self.run_program("predict", "a.json", FAITHFUL, "--proba").out)

    def test_start_with_only_model_and_parameters(self):
        start = {"model": "poisson", "parameters": {"weights": [0.5, 0.5], "rates": [[1], [3]]}}
        self.write("start.json", start)
        got = self.fit(DEATHS, "--weight-column", "freq", "--init", "start.json", "-o", "m.json")
        self.assertEqual(got["model"], "poisson")
        self.assertAlmostEqual(got["log_likelihood"], -1989.945860, delta=1096e-6)
        self.assertEqual(self.model("m.json")["columns"], ["count"])
        # The components keep the order of the start.
        rates = self.model("m.json")["parameters"]["rates"]
        self.assertLess(rates[0], rates[1])


class SameBytes(Case):
    def setUp(self):
        super().setUp()
        rows = normal_rows(5000, (0.3, 0.7), ((0, 0), (3, 2)), ((1, 1), (1, 2)))
        self.write("x.csv", csv("ab", rows))

    KINDS = (("--max-iterations", "30"), ("--method", "online"),
             ("--method", "batch", "--max-iterations", "30"),
             ("--keep", "10K"), ("--method", "online", "--passes", "2", "--order", "shuffled"),
             ("--method", "online", "--passes", "2", "--order", "random"))

    def test_same_seed(self):
        for kind in self.KINDS:
            with self.subTest(kind):
                for name in "pq":
                    self.fit("x.csv", *DIAGONAL, "-k", 3, *kind, "--seed", 7, "-o", name)
                self.assertEqual(self.read("p"), self.read("q"))

    def test_other_seed(self):
        for seed in (1, 2):
            self.fit("x.csv", *DIAGONAL, "-k", 3, "--method", "online", "--passes", 2, "--order",
                     "shuffled", "--seed", seed, "-o", f"{seed}.json")
        self.assertNotEqual(self.model("1.json")["parameters"], self.model("2.json")["parameters"])

    def test_file_pipe_and_odd_chunks(self):
        text = self.read("x.csv").encode()
        for kind in self.KINDS:
            with self.subTest(kind):
                options = (*DIAGONAL, "-k", "3", "--quiet", *kind)
                self.run_program("fit", "x.csv", *options, "-o", "file.json")
                self.run_program("fit", *options, "-o", "pipe.json", stdin=text.decode())
                child = subprocess.Popen([PROGRAM, "fit", "-", *options, "-o", "odd.json"],
                                         stdin=subprocess.PIPE, cwd=self.dir)
                sizes, at = (1, 7, 4097, 13, 65537, 3, 999), 0
                while at < len(text):
                    step = sizes[at % len(sizes)]
                    os.write(child.stdin.fileno(), text[at:at + step])
                    at += step
                child.stdin.close()
                self.assertEqual(child.wait(), 0)
                self.assertEqual(self.read("file.json"), self.read("pipe.json"))
                self.assertEqual(self.read("file.json"), self.read("odd.json"))

    def test_two_files_are_one(self):
        lines = self.read("x.csv").splitlines(keepends=True)
        self.write("1.csv", "".join(lines[:1777]))
        self.write("2.csv", "".join(lines[:1] + lines[1777:]))
        for kind in self.KINDS:
            with self.subTest(kind):
                self.fit("x.csv", *DIAGONAL, "-k", 2, *kind, "-o", "one.json")
                self.fit("1.csv", "2.csv", *DIAGONAL, "-k", 2, *kind, "-o", "two.json")
                self.assertEqual(self.read("one.json"), self.read("two.json"))

    def test_line_ends_and_number_styles_are_no_matter(self):
        lines = self.read("x.csv").splitlines()
        self.fit("x.csv", *DIAGONAL, "-k", 2, "-o", "a.json")
        self.write("y.csv", "\ufeff" + "\r\n".join(
            ",".join(f'"{cell}"' for cell in line.split(",")) for line in lines))
        self.fit("y.csv", *DIAGONAL, "-k", 2, "-o", "b.json")
        self.assertEqual(self.read("a.json"), self.read("b.json"))


class Catalogue(Case):
    def test_models_json_is_complete(self):
        models = {m["name"]: m for m in self.run_program("models", "--json").json}
        self.assertGreaterEqual(set(models), {"gaussian", "poisson"})
        names = {n: {p["name"] for p in m["parameters"]} for n, m in models.items()}
        self.assertEqual(names["gaussian"], {"weights", "means", "covariances"})
        self.assertEqual(names["poisson"], {"weights", "rates"})
        for model in models.values():
            self.assertTrue(model["summary"])
            size = "-r" if "loadings" in names[model["name"]] else "-k"
            self.assertIn(size, [o["flag"] for o in model["options"]])
            for parameter in model["parameters"]:
                self.assertTrue(parameter["shape"] and parameter["meaning"])
        covariance, = (o for o in models["gaussian"]["options"] if o["name"] == "covariance")
        self.assertIn("diag", covariance["choices"])

    def test_models_table_has_the_same_names(self):
        text = self.run_program("models").out
        for model in self.run_program("models", "--json").json:
            self.assertIn(model["name"], text)
            for part in model["options"] + model["parameters"]:
                self.assertIn(part.get("flag", part["name"]), text)


class Samples(Case):
    def test_rows_header_and_seed(self):
        self.write("m.json", PAPER)
        a = self.run_program("sample", "m.json", "-n", 1000, "--seed", 3).out
        self.assertEqual(a, self.run_program("sample", "m.json", "-n", 1000, "--seed", 3).out)
        self.assertNotEqual(a, self.run_program("sample", "m.json", "-n", 1000, "--seed", 4).out)
        self.assertEqual(len(a.splitlines()), 1001)
        # More rows go on where fewer stopped.
        self.assertTrue(self.run_program("sample", "m.json", "-n", 2000, "--seed", 3).out
                        .startswith(a))

    def test_nothing_asked_for(self):
        self.write("m.json", PAPER)
        self.assertEqual(self.run_program("sample", "m.json", "-n", 0).out.count("\n"), 1)

    def test_poisson_moments(self):
        self.write("m.json", PAPER)
        n = 100_000
        y = [int(v) for v in self.run_program("sample", "m.json", "-n", n).out.split()[1:]]
        mean = sum(y) / n
        variance = sum((v - mean) ** 2 for v in y) / n
        # Mean 1.4; variance 1.4 + 0.8 · 0.2 · 2² = 2.04; five standard errors.
        self.assertAlmostEqual(mean, 1.4, delta=5 * math.sqrt(2.04 / n))
        self.assertAlmostEqual(variance, 2.04, delta=0.08)
        zeros = 0.8 * math.exp(-1) + 0.2 * math.exp(-3)
        self.assertAlmostEqual(y.count(0) / n, zeros, delta=5 * math.sqrt(zeros / n))

    def test_gaussian_moments(self):
        self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "-o", "m.json")
        p, n = self.model("m.json")["parameters"], 50_000
        out = self.run_program("sample", "m.json", "-n", n).out.splitlines()
        self.assertEqual(out[0], "eruptions,waiting")
        rows = [[float(x) for x in line.split(",")] for line in out[1:]]
        for j in range(2):
            mean = sum(w * m[j] for w, m in zip(p["weights"], p["means"]))
            square = sum(w * (m[j] ** 2 + v[j]) for w, m, v in
                         zip(p["weights"], p["means"], p["covariances"]))
            sd = math.sqrt(square - mean ** 2)
            got = sum(r[j] for r in rows) / n
            self.assertAlmostEqual(got, mean, delta=5 * sd / math.sqrt(n))
            spread = math.sqrt(sum((r[j] - got) ** 2 for r in rows) / n)
            self.assertAlmostEqual(spread, sd, delta=0.02 * sd)

    def test_sample_into_fit(self):
        self.write("m.json", PAPER)
        source = subprocess.Popen([PROGRAM, "sample", "m.json", "-n", "300000"],
                                  stdout=subprocess.PIPE, cwd=self.dir)
        done = subprocess.run(
            [PROGRAM, "fit", *COUNTS, "-k", "2", "--keep", "100K", "--json", "--quiet"],
            stdin=source.stdout, capture_output=True, check=True)
        source.stdout.close()
        self.assertEqual(source.wait(), 0)
        got = json.loads(done.stdout)["parameters"]
        (low, w), (high, _) = sorted(zip([r[0] for r in got["rates"]], got["weights"]))
        # Four standard errors of the averaged estimate (2.04, 2.69, 11.5 over √n, factor 16/7).
        se = [math.sqrt(16 / 7) * s / math.sqrt(300_000) for s in (2.0395, 2.6931, 11.5453)]
        self.assertAlmostEqual(w, 0.8, delta=4 * se[0])
        self.assertAlmostEqual(low, 1, delta=4 * se[1])
        self.assertAlmostEqual(high, 3, delta=4 * se[2])


if __name__ == "__main__":
    unittest.main()
