"""thalweg merge: exact for statistics taken at the same parameters, approximate for fits of shards, refused otherwise."""

import unittest

from support import COUNTS, DIAGONAL, Case, csv, normal_rows, poisson_rows

CLOUDS = ((0.5, 0.3, 0.2), ((0, 0), (6, 1), (-5, 4)), ((1, 1), (2, 1), (1, 2)))


class Merge(Case):
    def shards(self, n=4000):
        rows = normal_rows(n, *CLOUDS)
        cut = n // 3
        self.write("all.csv", csv(["a", "b"], rows))
        self.write("one.csv", csv(["a", "b"], rows[:cut]))
        self.write("two.csv", csv(["a", "b"], rows[cut:]))

    def fit(self, *args):
        self.run_program("fit", *args, "--quiet")

    def test_one_distributed_batch_iteration(self):
        self.shards()
        for kind in ("full", "tied", "diag", "spherical"):
            self.fit("one.csv", "-k", "3", "--covariance", kind, "--method", "online", "-o", "base.json")
            for part in ("one", "two", "all"):
                self.fit(f"{part}.csv", "--one-step-from", "base.json", "-o", f"{part}.json")
            done = self.run_program("merge", "one.json", "two.json", "-o", "merged.json", "--json")
            self.assertTrue(done.json["exact"])
            self.assertIn("exact", done.err)
            merged, whole = self.model("merged.json"), self.model("all.json")
            for name, values in whole["parameters"].items():
                self.near(merged["parameters"][name], values, 1e-10)
            self.assertEqual(merged["training"]["rows"], 4000)
            self.near(merged["training"]["log_likelihood"], whole["training"]["log_likelihood"], 1e-12)
            # An independent way to the same place: batch EM that is stopped after one iteration.
            self.fit("all.csv", "--init", "base.json", "--method", "batch", "--max-iterations", "1", "-o", "batch.json")
            for name, values in self.model("batch.json")["parameters"].items():
                self.near(merged["parameters"][name], values, 1e-9)

    def test_merged_steps_go_on(self):
        """Iterations over shards climb like batch EM."""
        self.shards()
        self.fit("one.csv", "-k", "3", *DIAGONAL, "--method", "online", "-o", "model.json")
        means = []
        for _ in range(3):
            for part in ("one", "two"):
                self.fit(f"{part}.csv", "--one-step-from", "model.json", "-o", f"{part}.json")
            self.run_program("merge", "one.json", "two.json", "-o", "model.json")
            means.append(self.run_program("evaluate", "model.json", "all.csv", "--json").json["mean_log_likelihood"])
        self.assertEqual(means, sorted(means))

    def test_online_fits_of_shards_are_matched_and_near(self):
        self.shards(20_000)
        self.fit("one.csv", "-k", "3", "--method", "online", "-o", "one.json", "--order-components", "weight")
        self.fit("two.csv", "-k", "3", "--method", "online", "-o", "two.json", "--order-components", "first-mean")
        self.fit("all.csv", "-k", "3", "-o", "all.json")
        done = self.run_program("merge", "one.json", "two.json", "-o", "merged.json")
        self.assertIn("approximate", done.err)
        best = self.run_program("evaluate", "all.json", "all.csv", "--json").json["mean_log_likelihood"]
        merged = self.run_program("evaluate", "merged.json", "all.csv", "--json").json["mean_log_likelihood"]
        self.assertGreater(merged, best - 17 / 20_000 * 2, "within twice p/n of the maximum")

    def test_other_models(self):
        self.write("y.csv", csv(["y"], poisson_rows(3000)))
        self.fit("y.csv", *COUNTS, "-k", "2", "-o", "base.json")
        self.fit("y.csv", "--one-step-from", "base.json", "-o", "step.json")
        merged = self.run_program("merge", "step.json", "step.json", "--json").json
        for name, values in self.model("step.json")["parameters"].items():
            self.near(merged["parameters"][name], values, 1e-12)
        self.shards()
        self.fit("all.csv", "--model", "ppca", "-r", "1", "-o", "base.json")
        for part in ("one", "two", "all"):
            self.fit(f"{part}.csv", "--one-step-from", "base.json", "-o", f"{part}.json")
        merged = self.run_program("merge", "one.json", "two.json", "--json").json
        for name, values in self.model("all.json")["parameters"].items():
            self.near(merged["parameters"][name], values, 1e-10)

    def test_refused_with_the_reason(self):
        self.shards()
        self.fit("one.csv", "-k", "3", *DIAGONAL, "-o", "a.json")
        self.fit("one.csv", "-k", "2", *DIAGONAL, "-o", "b.json")
        self.fit("one.csv", "-k", "3", "-o", "full.json")
        self.fit("one.csv", "-k", "3", *DIAGONAL, "--columns", "a", "-o", "narrow.json")
        self.fit("one.csv", "--one-step-from", "a.json", "-o", "step.json")
        self.fit("two.csv", "--one-step-from", "step.json", "-o", "later.json")
        bare = self.model("a.json")
        self.write("bare.json", {key: bare[key] for key in ("model", "options", "columns", "parameters")})
        self.refused("merge", "a.json", status=2, says="at least two")
        self.refused("merge", "a.json", "b.json", status=1, says=("b.json", "components is 2"))
        self.refused("merge", "a.json", "full.json", status=1, says="covariance")
        self.refused("merge", "a.json", "narrow.json", status=1, says="columns")
        self.refused("merge", "a.json", "step.json", status=1, says="--one-step-from")
        self.refused("merge", "step.json", "later.json", status=1, says="different parameters")
        self.refused("merge", "a.json", "bare.json", status=1, says="no statistics")
        self.refused("merge", "a.json", "none.json", status=1, says="none.json")
        self.refused("fit", "one.csv", "--one-step-from", "a.json", "-k", "3", status=2, says="-k")
        for flag, value in (("--starts", 3), ("--order-components", "weight"), ("--validate", "two.csv"), ("--columns", "x"),
                            ("--step", "1/n"), ("--average", "off"), ("--tolerance", "1e-3")):
            self.refused("fit", "one.csv", "--one-step-from", "a.json", flag, value, status=2, says=flag)


if __name__ == "__main__":
    unittest.main()
