"""Hidden Markov models: whole sequences through every verb, whatever the blocks, against forward-backward written out."""

import math
import random
import unittest

from support import Case, csv, log_normal, log_poisson, poisson_draw

DATA, USAGE = 1, 2
START = (0.5, 0.3, 0.2)
CYCLE = ((0.7, 0.25, 0.05), (0.05, 0.7, 0.25), (0.3, 0.05, 0.65))
COUNTS = ("--model", "hmm", "--emission", "poisson")
BY_NAME = ("--sequence", "who")


def chain_rows(lengths, seed=1):
    """(name of the sequence, count, number) of every row."""
    rng = random.Random(seed)
    rows = []
    for s, length in enumerate(lengths):
        k = rng.choices(range(3), START)[0]
        for _ in range(length):
            rows.append((f"s{s}", poisson_draw(rng, (1, 4, 9)[k]), round(rng.gauss((0, 4, -3)[k], 1), 3)))
            k = rng.choices(range(3), CYCLE[k])[0]
    return rows


def forward_backward(p, rows, log_emission):
    """Log density of each row given those before it, and P(state | all rows), of one sequence."""
    K = len(p["start"])
    g = [[math.exp(log_emission(p, k, y)) for k in range(K)] for y in rows]
    filtered, densities = [], []
    predicted = p["start"]
    for here in g:
        joint = [a * b for a, b in zip(predicted, here)]
        total = sum(joint)
        densities.append(math.log(total))
        filtered.append([x / total for x in joint])
        predicted = [sum(filtered[-1][i] * p["transition"][i][j] for i in range(K)) for j in range(K)]
    beta = [1.0] * K
    posterior = [filtered[-1]]
    for t in range(len(rows) - 2, -1, -1):
        beta = [sum(p["transition"][i][j] * g[t + 1][j] * beta[j] for j in range(K)) for i in range(K)]
        scale = sum(beta)
        beta = [b / scale for b in beta]
        joint = [a * b for a, b in zip(filtered[t], beta)]
        posterior.insert(0, [x / sum(joint) for x in joint])
    return densities, posterior


def by_sequence(rows):
    groups = []
    for row in rows:
        if not groups or groups[-1][0][0] != row[0]:
            groups.append([])
        groups[-1].append(row)
    return groups


class Hmm(Case):
    # A sequence longer than blocks and slices, short ones around their borders.
    LENGTHS = (3, 9000, 1, 250, 40, 3000, 7, 7, 90)

    def setUp(self):
        super().setUp()
        self.data = chain_rows(self.LENGTHS)
        self.write("s.csv", csv(("who", "n", "x"), self.data))
        blanks = "\n\n".join("\n".join(f"{n},{x}" for _, n, x in group) for group in by_sequence(self.data))
        self.write("blank.csv", "n,x\n" + blanks + "\n")

    def small(self):
        self.write("small.csv", csv(("who", "n", "x"), chain_rows([5 + s * 7 % 60 for s in range(60)], 2)))
        return "small.csv"

    def slow(self, model, column):
        def poisson(p, k, y):
            return log_poisson(y, p["rates"][k][0])

        def normal(p, k, y):
            return log_normal(y, p["means"][k][0], p["covariances"][k][0])

        emission = poisson if column == 1 else normal
        found = [forward_backward(model["parameters"], [row[column] for row in group], emission)
                 for group in by_sequence(self.data)]
        return [x for d, _ in found for x in d], [x for _, p in found for x in p]

    def test_every_verb_against_the_textbook(self):
        for column, flags in ((1, (*COUNTS, "--columns", "n")),
                              (2, ("--model", "hmm", "--covariance", "diag", "--columns", "x"))):
            summary = self.fit("s.csv", *flags, "-k", 3, *BY_NAME, "-o", "m.json")
            self.assertTrue(summary["converged"])
            model = self.model("m.json")
            densities, posterior = self.slow(model, column)
            total = math.fsum(densities)
            self.near(summary["log_likelihood"], total, 1e-10)
            seen = self.run_program("evaluate", "m.json", "s.csv", *BY_NAME, "--json").json
            self.near(seen["log_likelihood"], total, 1e-10)
            entropy = -math.fsum(x * math.log(x) for p in posterior for x in p if x > 0)
            self.near(seen["entropy"], entropy, 1e-9)
            got = self.run_program("predict", "m.json", "s.csv", *BY_NAME, "--proba", "--id", "who")
            self.assertEqual(len(got.rows), len(self.data))
            for row, d, p, (who, *_) in zip(got.rows, densities, posterior, self.data, strict=True):
                self.assertEqual(row["who"], who)
                self.near(float(row["log_density"]), d, 1e-9)
                self.near([float(row[f"p{k}"]) for k in range(3)], p, 1e-9)
                self.assertGreaterEqual(p[int(row["component"])], max(p) - 1e-9)
            for more in (("--threads", 4), ("--threads", 1)):
                again = self.run_program("predict", "m.json", "s.csv", *BY_NAME, "--proba", "--id", "who", *more)
                self.assertEqual(again.out, got.out)

    def test_other_columns_by_the_states_of_the_whole_sequence(self):
        self.fit("s.csv", "--model", "hmm", "--columns", "n,x", "-k", 3, *BY_NAME, "-o", "m.json")
        p = self.model("m.json")["parameters"]
        self.write("n.csv", csv(("who", "n"), [row[:2] for row in self.data]))
        got = self.run_program("predict", "m.json", "n.csv", *BY_NAME, "--condition-on", "n", "--proba")

        def of_n(p, k, y):
            return log_normal(y, p["means"][k][0], p["covariances"][k][0][0])

        found = [forward_backward(p, [n for _, n, _ in group], of_n) for group in by_sequence(self.data)]
        posterior = [each for _, sequence in found for each in sequence]
        self.assertEqual(len(got.rows), len(self.data))
        for row, states, (_, n, _) in zip(got.rows, posterior, self.data, strict=True):
            self.near([float(row[f"p{k}"]) for k in range(3)], states, 1e-9)
            means, variances = [], []
            for (of_n_mean, of_x), ((v, c), (_, w)) in zip(p["means"], p["covariances"], strict=True):
                means.append(of_x + c / v * (n - of_n_mean))
                variances.append(w - c * c / v)
            mean = sum(q * m for q, m in zip(states, means, strict=True))
            square = sum(q * (s + m * m) for q, m, s in zip(states, means, variances, strict=True))
            self.near(float(row["x"]), mean, 1e-8)
            self.near(float(row["sd_x"]), math.sqrt(square - mean * mean), 1e-7)

    def test_blank_lines_say_the_same_as_a_column(self):
        flags = ("--columns", "n", "-k", 2, "--json", "--quiet")
        by_column = self.run_program("fit", "s.csv", *COUNTS, *flags, *BY_NAME, "-o", "a.json").json
        by_blanks = self.run_program("fit", "blank.csv", *COUNTS, *flags, "--sequence-blank-lines", "-o", "b.json").json
        self.assertEqual(by_column, by_blanks)
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        blanks = ("--sequence-blank-lines", "--append")
        self.assertEqual(self.run_program("predict", "a.json", "blank.csv", *blanks).out,
                         self.run_program("predict", "a.json", "-", *blanks, stdin=self.read("blank.csv")).out)

    def test_without_marks_all_rows_are_one_sequence(self):
        done = self.run_program("fit", "s.csv", *COUNTS, "--columns", "n", "-k", 2, "-o", "m.json")
        self.assertIn("note: all rows are one sequence", done.err)
        model = self.model("m.json")
        densities, _ = forward_backward(
            model["parameters"], [n for _, n, _ in self.data], lambda p, k, y: log_poisson(y, p["rates"][k][0]))
        seen = self.run_program("evaluate", "m.json", "s.csv", "--json")
        self.assertIn("all rows are one sequence", seen.err)
        self.near(seen.json["log_likelihood"], math.fsum(densities), 1e-10)
        self.near(model["training"]["log_likelihood"], math.fsum(densities), 1e-10)

    def test_every_method_climbs_over_whole_sequences(self):
        data = self.small()
        flags = (data, *COUNTS, "--columns", "n", "-k", 3, *BY_NAME)
        best = self.fit(*flags)["mean_log_likelihood"]
        for method in ("batch", "incremental", "variance-reduced"):
            summary = self.fit(*flags, "--method", method)
            self.assertTrue(summary["converged"], method)
            self.near(summary["mean_log_likelihood"], best, 1e-5)
        self.fit(*flags, "--method", "online", "--passes", 20, "-o", "o.json")
        seen = self.run_program("evaluate", "o.json", data, *BY_NAME, "--json").json
        self.near(seen["mean_log_likelihood"], best, 5e-3)
        leaps = self.fit(*flags, "--method", "batch", "--accelerate", "squarem")
        self.near(leaps["mean_log_likelihood"], best, 1e-6)
        self.refused("fit", *flags, "--method", "gradient", status=USAGE, says="no gradient recursion")

    def test_order_and_held_out_rows_go_by_sequences(self):
        data = self.small()
        flags = (data, *COUNTS, "--columns", "n", *BY_NAME)
        plain = self.fit(*flags, "-k", 3)
        mixed = self.fit(*flags, "-k", 3, "--order", "shuffled")
        self.near(mixed["mean_log_likelihood"], plain["mean_log_likelihood"], 1e-6)
        self.refused("fit", *flags, "-k", 3, "--order", "random", status=USAGE, says="shuffled")
        self.refused("fit", *flags, "-k", 3, "--sample", 0.5, status=USAGE, says="tear")
        self.refused("fit", data, *COUNTS, "--columns", "n", "-k", 3, "--shuffle-buffer", 9, status=USAGE, says="tear")
        compared = self.fit(*flags, "-k", "1:3")["comparison"]
        self.assertEqual([row["components"] for row in compared], [1, 2, 3])
        self.assertGreater(compared[2]["held_out_mean_log_likelihood"], compared[0]["held_out_mean_log_likelihood"] + 0.1)
        # A row that is held out alone would have no memory: what is scored here is scored with it.
        self.assertGreater(compared[2]["held_out_mean_log_likelihood"], plain["mean_log_likelihood"] - 0.1)
        held = self.fit(*flags, "-k", 3, "--validate", data)
        self.near(held["held_out_mean_log_likelihood"], held["mean_log_likelihood"], 1e-12)

    def test_model_file_show_sample_and_init(self):
        data = self.small()
        self.fit(data, *COUNTS, "--columns", "n", "-k", 3, *BY_NAME, "-o", "m.json", "--order-components", "first-mean")
        p = self.model("m.json")["parameters"]
        self.assertEqual([len(p["start"]), len(p["transition"]), len(p["transition"][0])], [3, 3, 3])
        self.assertEqual([*p], ["start", "transition", "rates"])
        self.assertEqual(sorted(p["rates"]), p["rates"])
        for row in [p["start"], *p["transition"]]:
            self.near(sum(row), 1, 1e-12)
        for i in range(3):  # a transposed count would show
            self.near(p["transition"][i], CYCLE[i], 0.12)
        self.assertIn("transition[2]", self.run_program("show", "m.json").out)
        self.write("bare.json", {"model": "hmm", "columns": ["n"], "parameters": p})
        self.assertEqual(self.run_program("evaluate", "bare.json", data, *BY_NAME).out,
                         self.run_program("evaluate", "m.json", data, *BY_NAME).out)
        self.fit(data, "--init", "bare.json", "--columns", "n", *BY_NAME, "--fix", "transition", "-o", "f.json")
        self.assertEqual(self.model("f.json")["parameters"]["transition"], p["transition"])
        drawn = self.run_program("sample", "m.json", "-n", 5000, "--sequence-rows", 50).out
        self.assertEqual(drawn.count("\n\n"), 99)
        again = self.run_program("fit", "-", *COUNTS, "-k", 3, "--sequence-blank-lines", "--order-components",
                                 "first-mean", "-o", "again.json", "--quiet", stdin=drawn)
        self.assertEqual(again.err, "")
        for i in range(3):
            self.near(self.model("again.json")["parameters"]["transition"][i], p["transition"][i], 0.1)
        self.assertNotIn("\n\n", self.run_program("sample", "m.json", "-n", 100).out)

    def test_shards_and_resumed_fits(self):
        data = chain_rows([5 + s * 7 % 60 for s in range(60)], 2)
        names = sorted({row[0] for row in data})
        halves = [[row for row in data if (row[0] in names[:30]) == first] for first in (True, False)]
        self.write("all.csv", csv(("who", "n", "x"), halves[0] + halves[1]))
        flags = (*COUNTS, "--columns", "n", "-k", 3, *BY_NAME)
        self.fit("all.csv", *flags, "--method", "batch", "--max-iterations", 2, "-o", "base.json")
        for i, rows in enumerate(halves):
            self.write(f"{i}.csv", csv(("who", "n", "x"), rows))
            self.run_program("fit", f"{i}.csv", "--one-step-from", "base.json", *BY_NAME, "-o", f"{i}.json", "--quiet")
        self.run_program("fit", "all.csv", "--one-step-from", "base.json", *BY_NAME, "-o", "whole.json", "--quiet")
        self.run_program("merge", "0.json", "1.json", "-o", "merged.json")
        for name in ("start", "transition", "rates"):
            self.near(self.model("merged.json")["parameters"][name], self.model("whole.json")["parameters"][name], 1e-12)
        self.fit("0.csv", *flags, "--method", "online", "-o", "online.json")
        self.fit("1.csv", *flags, "--init", "online.json", "-o", "second.json")
        self.run_program("merge", "online.json", "second.json", "-o", "both.json")
        self.near(sorted(self.model("both.json")["parameters"]["rates"]), [[1.0], [4.0], [9.0]], 0.25)

    def test_another_emission_is_refused_by_name(self):
        for model, flags in (("a.json", COUNTS), ("b.json", ("--model", "hmm", "--covariance", "diag"))):
            self.run_program("fit", "s.csv", *flags, "--columns", "n", "-k", 2, *BY_NAME, "-o", model, "--quiet")
        normal = ("fit", "s.csv", "--model", "hmm", "--covariance", "diag", "--columns", "n", "-k", 2, *BY_NAME)
        self.refused(*normal, "--prior", "a.json", status=USAGE, says=("emission poisson", "gaussian"))
        for both in (("a.json", "b.json"), ("b.json", "a.json")):
            self.refused("merge", *both, "-o", "c.json", status=DATA, says="emission")

    def test_refusals(self):
        data = self.small()
        self.refused("fit", data, *COUNTS, "-k", 2, "--columns", "n", "--order-components", "weight", status=USAGE,
                     says=("no weights", "first-mean"))
        self.refused("fit", data, *COUNTS, "--covariance", "diag", "-k", 2, status=USAGE, says=("--covariance", "gaussian"))
        self.refused("fit", data, *COUNTS, "--columns", "n", "-k", 2, "--ridge", 1, status=USAGE, says="covariances")
        self.refused("fit", data, "-k", 2, "--columns", "n", *BY_NAME, status=USAGE, says="--model hmm")
        self.fit(data, "-k", 2, "--columns", "n", "-o", "g.json")
        self.refused("predict", "g.json", data, *BY_NAME, status=USAGE, says="--model hmm")
        self.refused("evaluate", "g.json", data, *BY_NAME, status=USAGE, says="--model hmm")
        self.refused("sample", "g.json", "-n", 5, "--sequence-rows", 2, status=USAGE, says="no sequences")
        self.refused("fit", data, *COUNTS, "--columns", "x", "-k", 2, *BY_NAME, status=DATA, says='"x"')
        self.write("w.csv", csv(("who", "n", "w"), [["a", 1, 2], ["a", 2, 3], ["b", 1, 1]]))
        self.refused("fit", "w.csv", *COUNTS, "--columns", "n", "-k", 1, *BY_NAME, "--weight-column", "w",
                     status=DATA, says=("w.csv:3", "sequence counts as a whole"))

    def test_a_row_of_weight_0_is_a_time_step(self):
        model = {"model": "hmm", "columns": ["n"],
                 "parameters": {"start": [1.0, 0.0], "transition": [[0.0, 1.0], [1.0, 0.0]],
                                "rates": [[1.0], [50.0]]}}
        self.write("m.json", model)
        self.write("w.csv", csv(("n", "w"), [[1, 1], [999, 0], [2, 1]]))
        seen = self.run_program("evaluate", "m.json", "w.csv", "--weight-column", "w", "--json").json
        self.near(seen["log_likelihood"], log_poisson(1, 1) + log_poisson(2, 1), 1e-9)
        got = self.run_program("predict", "m.json", "w.csv", "--weight-column", "w").rows
        self.assertEqual([row["component"] for row in got], ["0", "1", "0"])


if __name__ == "__main__":
    unittest.main()
