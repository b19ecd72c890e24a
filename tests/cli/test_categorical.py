"""Categorical columns through the real command: dictionaries, unknown levels, every verb, and latent classes by a slow textbook."""

import json
import math
import random
import subprocess
import unittest

import numpy as np
from support import FAITHFUL, Case, csv, reference_data

LEVELS = {"colour": ["red", "green", "blue"], "size": ["small", "large"], "n": ["1", "2", "3", "4"]}
TRUTH = [
    (0.6, [[.7, .2, .1], [.9, .1], [.6, .2, .1, .1]]),
    (0.4, [[.1, .3, .6], [.2, .8], [.1, .1, .2, .6]]),
]
NAMES = list(LEVELS)


def drawn(rows, seed=1, holes=0.05):
    rng = random.Random(seed)
    table = []
    for _ in range(rows):
        _, tables = rng.choices(TRUTH, [w for w, _ in TRUTH])[0]
        row = [rng.choices(levels, p)[0] for levels, p in zip(LEVELS.values(), tables)]
        table.append(["NA" if rng.random() < holes else cell for cell in row])
    return table


class Lca:
    """Latent class analysis as in a textbook, from the parameters of a model file."""

    def __init__(self, model):
        self.levels = [model["levels"][name] for name in model["columns"]]
        self.weights, self.tables = model["parameters"]["weights"], model["parameters"]["probabilities"]

    def joint(self, row):
        parts = []
        for k, weight in enumerate(self.weights):
            for cell, levels, table in zip(row, self.levels, self.tables):
                weight *= table[k][levels.index(cell)] if cell in levels else 1
            parts.append(weight)
        return parts

    def log_likelihood(self, rows):
        return math.fsum(math.log(sum(self.joint(row))) for row in rows)

    def step(self, rows):
        posterior = [[p / sum(joint) for p in joint] for joint in map(self.joint, rows)]
        K = range(len(self.weights))
        self.weights = [sum(r[k] for r in posterior) / len(rows) for k in K]
        self.tables = [
            [[x / sum(counts) for x in counts] for counts in (
                [sum(r[k] for r, row in zip(posterior, rows) if row[j] == level) for level in levels]
                for k in K)]
            for j, levels in enumerate(self.levels)]


class Categorical(Case):
    def setUp(self):
        super().setUp()
        self.rows = drawn(1200)
        self.write("x.csv", csv(NAMES, self.rows))

    def fit_model(self, *args, name="model.json", **options):
        self.run_program("fit", *args, "--model", "categorical", "-k", 2, "-o", name, "--quiet", **options)
        return self.model(name)

    def test_the_textbook(self):
        model = self.fit_model("x.csv", "--tolerance", "1e-12")
        first_seen = [list(dict.fromkeys(row[j] for row in self.rows if row[j] != "NA")) for j in range(3)]
        self.assertEqual(model["levels"], dict(zip(NAMES, first_seen)))
        self.assertEqual([len(table) for table in model["parameters"]["probabilities"]], [2, 2, 2])
        slow = Lca(model)
        self.near(model["training"]["log_likelihood"], slow.log_likelihood(self.rows), 1e-10)
        slow.step(self.rows)  # a maximum is a fixed point
        self.near(slow.weights, model["parameters"]["weights"], 1e-5)
        self.near(slow.tables, model["parameters"]["probabilities"], 1e-5)
        self.write("start.json", {**model, "parameters": {
            "weights": [0.5, 0.5], "probabilities": [[[0.5, *[0.5 / (len(t) - 1)] * (len(t) - 1)],
                                                      [1 / len(t)] * len(t)] for t in first_seen]}})
        slow = Lca(self.model("start.json"))
        for _ in range(3):
            slow.step(self.rows)
        fast = self.fit_model("x.csv", "--init", "start.json", "--method", "batch", "--max-iterations", 3, name="f.json")
        self.near(fast["parameters"]["probabilities"], slow.tables, 1e-9)

    def test_real_table(self):
        path = reference_data("whiskey")
        for k, best in ((2, -13371.218291), (3, -13170.712876), (4, -12984.952702)):
            got = self.fit(path, "--model", "categorical", "--weight-column", "freq", "-k", k)
            self.assertGreater(got["log_likelihood"], best - 1e-3)
            self.assertEqual(got["observations"], 2218)

    def test_same_model_however_it_comes(self):
        model = self.fit_model("x.csv")
        expected = self.read("model.json")
        for threads in (1, 3):
            self.fit_model("x.csv", "--threads", threads)
            self.assertEqual(self.read("model.json"), expected)
        self.fit_model(stdin=self.read("x.csv")[:8000].rsplit("\n", 1)[0] + "\n", name="pipe.json")  # shorter than the look ahead
        self.write("part.csv", self.read("x.csv")[:8000].rsplit("\n", 1)[0] + "\n")
        self.fit_model("part.csv", name="part.json")
        self.assertEqual(self.read("pipe.json"), self.read("part.json"))
        self.write("x.jsonl", "".join(json.dumps(dict(zip(NAMES, row))) + "\n" for row in self.rows))
        self.fit_model("x.jsonl")
        self.assertEqual(self.read("model.json"), expected)
        self.write("x.tsv", self.read("x.csv").replace(",", "\t"))
        subprocess.run(["gzip", "x.tsv"], cwd=self.dir, check=True)
        self.fit_model("x.tsv.gz")
        self.assertEqual(self.read("model.json"), expected)
        self.assertEqual(self.fit_model("x.csv", "--categorical", "colour:n"), model)

    def test_some_columns(self):
        self.assertEqual(self.fit_model("x.csv", "--categorical", "n,size")["columns"], ["n", "size"])
        self.assertEqual(self.fit_model("x.csv", "--columns", "size,colour")["columns"], ["size", "colour"])
        self.refused("fit", "x.csv", "--model", "categorical", "-k", 2, "--columns", "n,size", "--categorical", "n",
                     status=2, says='column "size" is numeric')
        self.refused("fit", "x.csv", "-k", 2, "--categorical", "colour", status=2,
                     says="model gaussian takes no categorical columns (--model categorical takes them)")
        self.refused("fit", FAITHFUL, "--model", "poisson", "-k", 2, "--levels", "a=b|c", status=2,
                     says="model poisson takes no categorical columns")

    def test_unknown_levels_at_prediction(self):
        model = self.fit_model("x.csv")
        new = [["teal", "small", "1"], ["red", "large", "2"], ["mauve", "small", "9"], ["teal", "large", "4"]]
        self.write("new.csv", csv(NAMES, new))
        for source in ("new.csv", "new.jsonl"):
            if source == "new.jsonl":
                self.write(source, "".join(json.dumps(dict(zip(NAMES, row))) + "\n" for row in new))
            done = self.run_program("predict", "model.json", source, "--append", "--proba")
            self.assertEqual(
                done.err,
                "warning: 3 cells of column colour held levels the model has not seen (teal, mauve): taken as missing\n"
                "warning: 1 cell of column n held levels the model has not seen (9): taken as missing\n")
            for row, told in zip(new, done.rows):
                joint = Lca(model).joint(row)
                self.assertEqual([told[name] for name in NAMES], row)
                self.near(float(told["log_density"]), math.log(sum(joint)), 1e-12)
                self.near(float(told["p1"]), joint[1] / sum(joint), 1e-12)
        done = self.run_program("evaluate", "model.json", "new.csv", "--json")
        self.assertIn("3 cells of column colour", done.err)
        self.assertEqual(done.json["unknown_levels"]["n"], {"cells": 1, "first": ["9"]})
        self.assertEqual(self.run_program("predict", "model.json", "x.csv").err, "")

    def test_pipes(self):
        head = csv(["c", "d"], [["a", "x"], ["b", "y"]] * 600)
        says = "give --levels c=a|b|late, or use --on-error missing"
        fit = ("fit", "--model", "categorical", "-k", 1)
        self.refused(*fit, stdin=head + "late,x\n", status=1, says=["<stdin>:1202", says])
        done = self.run_program(*fit, "--on-error", "skip", "--json", stdin=head + "late,x\n")
        self.assertEqual(done.json["faults"]["rows_skipped"], 1)
        done = self.run_program(*fit, "--on-error", "missing", "--json", stdin=head + "late,x\n")
        self.assertEqual(done.json["faults"]["cells_missing"], 1)
        self.assertIn("not a known level", done.err)
        self.run_program(*fit, "--levels", "c=late|b|a", "-o", "m.json", stdin=head + "late,x\n")
        self.assertEqual(self.model("m.json")["levels"], {"c": ["late", "b", "a"], "d": ["x", "y"]})
        self.write("late.csv", head + "late,x\n")
        self.run_program("fit", "late.csv", "--model", "categorical", "-k", 1, "-o", "m.json")
        self.assertEqual(self.model("m.json")["levels"]["c"], ["a", "b", "late"])

    def test_levels_flag(self):
        fit = ("fit", "x.csv", "--model", "categorical", "-k", 2)
        for levels, says in (("colour", "is not like colour=red|green|blue"), ("colour=", "is not like"),
                             ("colour=a||b", "means a missing cell"), ("colour=a|a", "is there twice"),
                             ("nothing=a|b", 'no column "nothing"')):
            self.refused(*fit, "--levels", levels, status=1 if "no column" in says else 2, says=says)
        self.refused(*fit, "--levels", "colour=a|b", "--levels", "colour=c", status=2, says="twice")
        self.refused(*fit, "--levels", "colour=red|green", status=1, says=["is none of its levels", "colour=red|green|blue"])
        ids = csv(["id"], [[f"u{i}"] for i in range(10001)])
        self.refused("fit", self.write("ids.csv", ids), "--model", "categorical", "-k", 2, status=1,
                     says="looks like an id or free text")
        np.save(self.dir / "x.npy", np.zeros((3, 2)))
        self.refused("fit", "x.npy", "--model", "categorical", "-k", 2, status=2, says="need csv, tsv or jsonl")

    def test_sample_and_show(self):
        self.fit_model("x.csv")
        drawn_rows = self.run_program("sample", "model.json", "-n", 3000, "--seed", 4).rows
        for name, levels in LEVELS.items():
            self.assertEqual({row[name] for row in drawn_rows}, set(levels))
        share = sum(row["size"] == "small" for row in drawn_rows) / 3000
        self.near(share, 0.6 * 0.9 + 0.4 * 0.2, 0.05)
        shown = self.run_program("show", "model.json").out
        for levels in LEVELS.values():
            for level in levels:
                self.assertRegex(shown, rf"(?m)^ +\w+ +{level} +[0-9.e-]+ +[0-9.e-]+$")
        self.assertEqual(json.loads(self.run_program("show", "model.json", "--json").out), self.model())

    def test_sniff(self):
        self.write("mixed.csv", csv(["x", "colour", "who"], [[i / 7, "rgb"[i % 3], f"p{i}"] for i in range(200)]))
        got = self.run_program("sniff", "mixed.csv", "--json").json
        self.assertEqual([c["type"] for c in got["columns"]], ["number", "category", "text"])
        self.assertIn("--model categorical --categorical colour ", got["categorical_command"])
        self.run_program(*got["categorical_command"].split()[1:])
        self.assertEqual(self.model()["levels"], {"colour": ["r", "g", "b"]})
        self.assertIn("looks categorical: colour (3 levels)", self.run_program("sniff", "mixed.csv").out)
        self.assertIsNone(self.run_program("sniff", FAITHFUL, "--json").json["categorical_command"])

    def test_continue_merge_and_prior_compare_dictionaries(self):
        self.fit_model("x.csv", name="a.json")
        self.write("y.csv", csv(NAMES, drawn(300, seed=2)))
        self.write("z.csv", csv(NAMES, [[row[0].replace("red", "teal"), *row[1:]] for row in drawn(300, seed=3)]))
        going_on = self.run_program("fit", "z.csv", "--continue", "a.json", "-o", "b.json")
        self.assertRegex(going_on.err, r"cells of column colour held levels the model has not seen \(teal\)")
        self.assertEqual(self.model("b.json")["levels"], self.model("a.json")["levels"])
        self.assertEqual(self.model("b.json")["training"]["rows"], 1500)
        self.fit_model("y.csv", name="c.json")
        self.assertNotEqual(self.model("a.json")["levels"], self.model("c.json")["levels"])
        self.refused("merge", "a.json", "c.json", "-o", "m.json", status=1, says=["c.json", "has the levels"])
        self.refused("fit", "y.csv", "--model", "categorical", "-k", 2, "--prior", "a.json", status=2,
                     says=["--prior: a.json", "has the levels"])
        self.refused("fit", "y.csv", "--init", "a.json", "--levels", "colour=a|b", status=2, says="a.json")
        for shard in ("x", "y"):
            self.run_program("fit", "--one-step-from", "a.json", f"{shard}.csv", "-o", f"{shard}.json")
        self.run_program("merge", "x.json", "y.json", "-o", "m.json")
        self.write("xy.csv", csv(NAMES, self.rows + drawn(300, seed=2)))
        self.run_program("fit", "xy.csv", "--init", "a.json", "--method", "batch", "--max-iterations", 1, "-o", "one.json")
        self.near(self.model("m.json")["parameters"]["probabilities"],
                  self.model("one.json")["parameters"]["probabilities"], 1e-12)

    def test_resume(self):
        command = ("fit", "x.csv", "--model", "categorical", "-k", "2", "--method", "online", "--passes", "3",
                   "--checkpoint", "state", "--checkpoint-every", "100")
        self.run_program(*command, "-o", "whole.json")
        self.assertTrue((self.dir / "state").exists())
        self.run_program(*command, "--resume", "-o", "again.json")
        self.assertEqual(self.read("again.json"), self.read("whole.json"))
        before = self.read("x.csv")
        self.write("x.csv", before.replace("red", "teal"))
        self.refused(*command, "--resume", status=1, says=["was made with --levels colour=", "teal"])

    def test_damaged_files(self):
        model = self.fit_model("x.csv")
        def refuse(change, says):
            other = json.loads(json.dumps(model))
            change(other)
            self.refused("show", self.write("bad.json", other), status=1, says=["not a usable model file", says])
        refuse(lambda m: m["levels"]["size"].append("small"), 'has the level "small" twice')
        refuse(lambda m: m["levels"]["size"].append(""), "a level without a name")
        refuse(lambda m: m["levels"].update(other=["a"]), 'levels of "other"')
        refuse(lambda m: m["levels"]["size"].append("huge"), '"probabilities" has shape')
        refuse(lambda m: m["levels"].pop("size"), 'column "size" is numeric')
        refuse(lambda m: m["parameters"]["probabilities"][1][0].__setitem__(0, 0.3), "sums to")
        refuse(lambda m: m["parameters"]["probabilities"][0].pop(), '"probabilities" is not')
        refuse(lambda m: m["parameters"]["probabilities"][0][0].__setitem__(0, -0.1), "has the entry -0.1")
        self.write("little.json", {"model": "categorical", "parameters": model["parameters"]})
        self.assertEqual(json.loads(self.run_program("show", "little.json", "--json").out)["levels"]["c1"], ["0", "1"])

    def test_labels_weights_and_limits(self):
        rows = [[*row, "ab"[i % 2] if i % 3 else "", 1 + i % 2] for i, row in enumerate(self.rows)]
        self.write("l.csv", csv([*NAMES, "k", "w"], rows))
        model = self.fit_model("l.csv", "--label-column", "k", "--weight-column", "w")
        self.assertEqual(model["columns"], NAMES)
        self.assertEqual(sorted(model["training"]["labels"]), ["a", "b"])
        self.write("late.csv", csv(["c"], [["a"], ["b"]] * 50 + [["late"]]))
        limited = self.fit_model("late.csv", "--limit", 100)
        self.assertEqual((limited["levels"], limited["training"]["rows"]), ({"c": ["a", "b", "late"]}, 100))

    def test_sequences_are_refused(self):
        for flags in (("--sequence", "size"), ("--sequence-blank-lines",)):
            self.refused("fit", "x.csv", "--model", "categorical", "-k", 2, *flags, status=2,
                         says="--model hmm takes them")

    def test_models_say_what_they_take(self):
        takes = {m["name"]: m["categorical_columns"] for m in self.run_program("models", "--json").json}
        self.assertEqual([name for name, does in takes.items() if does], ["categorical"])

    def test_every_method(self):
        best = self.fit("x.csv", "--model", "categorical", "-k", 2, "--method", "batch")["mean_log_likelihood"]
        for method in ("online", "incremental", "variance-reduced", "gradient"):
            got = self.fit("x.csv", "--model", "categorical", "-k", 2, "--method", method, "--passes",
                           *(["30"] if method in ("online", "gradient") else ["1"]), "--validate", "x.csv")
            self.near(got["held_out_mean_log_likelihood"], best, 2e-3)


if __name__ == "__main__":
    unittest.main()
