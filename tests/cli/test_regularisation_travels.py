"""Prior, floor, ridge and held parameters go with a fit: into its file, its merge, its next step and its continuation."""

import unittest

from support import COUNTS, DIAGONAL, FAITHFUL, Case, csv, normal_rows, poisson_rows

DATA, USAGE = 1, 2
ONLINE = ("--method", "online", "--batch-size", "50", "--average", "off")
CLOUDS = ((0.5, 0.3, 0.2), ((0, 0), (6, 1), (-5, 4)), ((1, 1), (2, 1), (1, 2)))
INIT = {"model": "gaussian", "parameters": {
    "weights": [0.4, 0.3, 0.3], "means": [[0.5, 0], [6, 1.5], [-5, 4.5]],
    "covariances": [[[1, 0.1], [0.1, 1]], [[3, 0], [0, 1]], [[1, 0], [0, 3]]]}}


class Travelling(Case):
    def shards(self, rows, names, cut):
        self.write("all.csv", csv(names, rows))
        self.write("one.csv", csv(names, rows[:cut]))
        self.write("two.csv", csv(names, rows[cut:]))

    def clouds(self, n=3000):
        self.shards(normal_rows(n, *CLOUDS), ["a", "b"], n // 3)

    def quietly(self, *args):
        self.run_program("fit", *args, "--quiet")

    def same_parameters(self, one, other, relative):
        one, other = (self.model(name)["parameters"] for name in (one, other))
        for name, values in other.items():
            self.near(one[name], values, relative)

    def pooled_weights(self, files):
        """(n S + n_0 S_0) / (n + n_0) of the weights: the prior once, whatever the number of files."""
        models = [self.model(name) for name in files]
        prior = models[0]["terms"]["prior"]
        n_0 = prior.get("strength", prior.get("weight"))
        n = sum(m["statistics"]["weight"] for m in models)
        sums = [sum(m["statistics"]["weight"] * m["statistics"]["mean"]["weights"][k] for m in models)
                + n_0 * prior["mean"]["weights"][k] for k in range(len(prior["mean"]["weights"]))]
        return [s / (n + n_0) for s in sums]


class TheFile(Travelling):
    def test_what_nobody_asked_for_is_not_written(self):
        for flags in ((), ("--floor", "1e-6"), ("--ridge", 0), ("--method", "online")):
            self.quietly(FAITHFUL, "-k", 2, *flags, "-o", "m.json")
            self.assertNotIn("terms", self.model("m.json"), flags)

    def test_what_was_asked_for_is(self):
        self.quietly(FAITHFUL, "-k", 2, "--floor", 0.01, "--ridge", 0.5, "-o", "m.json")
        self.assertEqual(self.model("m.json")["terms"], {"floor": 0.01, "ridge": 0.5})
        self.quietly(FAITHFUL, "--init", "m.json", "--fix", "means[1],weights", "-o", "held.json")
        self.assertEqual(self.model("held.json")["terms"], {"fixed": ["means[1]", "weights"]})
        for method in ("auto", "online", "batch", "incremental", "variance-reduced", "gradient"):
            self.quietly(FAITHFUL, *DIAGONAL, "-k", 2, "--prior", 3, "--method", method, "-o", "p.json")
            prior = self.model("p.json")["terms"]["prior"]
            self.assertEqual((prior["strength"], prior["mean"]["weights"]), (3, [0.5, 0.5]), method)

    def test_a_prior_file_is_written_with_the_constants_of_this_one(self):
        """One component: (n S + n_0 S_0) / (n + n_0) in the file is the mean of its own file."""
        self.clouds()
        self.quietly("one.csv", "-k", 1, "-o", "prior.json")
        self.quietly("two.csv", "-k", 1, "--prior", "prior.json", "-o", "m.json")
        model = self.model("m.json")
        S, prior = model["statistics"], model["terms"]["prior"]
        self.assertEqual(prior["weight"], 1000)
        for j in range(2):
            pooled = (2000 * S["mean"]["sums"][j][0] + 1000 * prior["mean"]["sums"][j][0]) / 3000
            shift, scale = (model["constants"][name][j] for name in ("shift", "scale"))
            self.near(shift + scale * pooled, model["parameters"]["means"][0][j], 1e-12)

    def test_show_and_evaluate_know_them(self):
        self.write("init.json", INIT)
        self.clouds()
        fit = self.fit("all.csv", "--init", "init.json", "--fix", "means,covariances[2]", "--prior", 7,
                       "--ridge", 0.25, "-o", "m.json")
        shown = self.run_program("show", "m.json").out
        for words in ("held: covariances[2], means\n", "prior worth 7 rows\n", "ridge 0.25\n", "free parameters 8\n"):
            self.assertIn(words, shown)
        found = self.run_program("evaluate", "m.json", "all.csv", "--json").json
        self.assertEqual(found["free_parameters"], fit["free_parameters"])
        self.near(found["bic"], fit["bic"], 1e-9)

    def test_held_parts_follow_their_components(self):
        self.write("init.json", dict(INIT, parameters=dict(INIT["parameters"], weights=[0.1, 0.1, 0.8])))
        self.clouds()
        self.quietly("all.csv", "--init", "init.json", "--fix", "means[0]", "--order-components", "first-mean",
                     "-o", "m.json")
        self.assertEqual(self.model("m.json")["terms"], {"fixed": ["means[1]"]})
        self.assertEqual(self.model("m.json")["parameters"]["means"][1], [0.5, 0])
        self.quietly("all.csv", "--continue", "m.json", "-o", "more.json")
        self.assertEqual(self.model("more.json")["parameters"]["means"][1], [0.5, 0])

    def test_a_prior_file_follows_them_too(self):
        """The fit of the prior's file and its own rows has its components elsewhere, and so has the prior."""
        self.clouds()
        self.quietly("one.csv", "-k", 3, "--order-components", "weight", "-o", "prior.json")
        self.quietly("two.csv", "-k", 3, "--prior", "prior.json", "--order-components", "first-mean", "-o", "m.json")
        model = self.model("m.json")
        self.near(self.pooled_weights(["m.json"]), model["parameters"]["weights"], 1e-6)
        self.assertNotEqual(model["parameters"]["weights"], sorted(model["parameters"]["weights"], reverse=True))


class Merge(Travelling):
    def test_shards_of_a_step_are_the_step_with_the_prior_once(self):
        self.clouds()
        for model in (("-k", 3), ("-k", 3, *DIAGONAL), ("-k", 3, "--covariance", "spherical"),
                      ("--model", "ppca", "-r", 1)):
            self.quietly("one.csv", *model, "--prior", 60, "--ridge" if "-k" in model else "--floor", 0.01,
                         "-o", "base.json")
            for part in ("one", "two", "all"):
                self.quietly(f"{part}.csv", "--one-step-from", "base.json", "-o", f"{part}.json")
            self.run_program("merge", "one.json", "two.json", "-o", "merged.json", "--quiet")
            self.same_parameters("merged.json", "all.json", 1e-10)
            for name in ("one.json", "merged.json"):
                self.assertEqual(self.model(name)["terms"], self.model("base.json")["terms"])
            if "-k" in model:
                self.near(self.model("merged.json")["parameters"]["weights"],
                          self.pooled_weights(["one.json", "two.json"]), 1e-12)

    def test_iterations_over_shards_end_where_map_does(self):
        """A fit with a prior is a fixed point of one step on its rows, in shards or not."""
        rows = poisson_rows(3000)
        self.shards(rows, ["y"], 1100)
        self.quietly("all.csv", *COUNTS, "-k", 2, "--prior", 200, "--tolerance", 1e-13, "-o", "map.json")
        for part in ("one", "two"):
            self.quietly(f"{part}.csv", "--one-step-from", "map.json", "-o", f"{part}.json")
        self.run_program("merge", "one.json", "two.json", "-o", "merged.json", "--quiet")
        self.same_parameters("merged.json", "map.json", 1e-6)

    def test_a_fit_with_a_prior_and_itself(self):
        for method in ("auto", "online"):
            self.quietly(FAITHFUL, "-k", 2, "--prior", 20, "--method", method, "-o", "map.json")
            self.run_program("merge", "map.json", "map.json", "-o", "merged.json", "--quiet")
            self.near(self.model("merged.json")["parameters"]["weights"],
                      self.pooled_weights(["map.json", "map.json"]), 1e-12)
            self.near(self.model("merged.json")["terms"]["prior"]["mean"]["squares"],
                      self.model("map.json")["terms"]["prior"]["mean"]["squares"], 1e-12)

    def test_passes_do_not_weaken_the_prior(self):
        """Three passes see the rows three times, and there are not more of them."""
        self.clouds(600)
        for passes in (1, 3):
            self.quietly("all.csv", "-k", 1, "--prior", 300, "--passes", passes, "--method", "online", "--step", "1/n",
                         "--average", "off", "-o", f"{passes}.json")
        self.run_program("merge", "1.json", "1.json", "-o", "once.json", "--quiet")
        self.run_program("merge", "3.json", "3.json", "-o", "thrice.json", "--quiet")
        self.same_parameters("thrice.json", "once.json", 1e-9)

    def test_usual_priors_of_shards_are_pooled(self):
        """Each shard scaled the prior by its own rows; what they say together is what all rows say."""
        self.shards([[y] for y in range(30)] + [[y] for y in range(100, 160)], ["y"], 30)
        for part in ("one", "two", "all"):
            self.run_program("fit", f"{part}.csv", *COUNTS, "-k", 1, "--prior", 40, "--quiet", "-o", f"{part}.json")
        self.run_program("merge", "one.json", "two.json", "-o", "merged.json", "--quiet")
        self.same_parameters("merged.json", "all.json", 1e-12)
        self.assertEqual(self.model("merged.json")["terms"]["prior"]["strength"], 40)
        self.near(self.model("merged.json")["terms"]["prior"]["mean"]["sums"],
                  self.model("all.json")["terms"]["prior"]["mean"]["sums"], 1e-12)

    def test_held_means_stay(self):
        self.write("init.json", INIT)
        self.clouds()
        for part, order in (("one", "weight"), ("two", "first-mean")):
            self.quietly(f"{part}.csv", "--init", "init.json", "--fix", "means[0],means[2]", "--method", "online",
                         "--order-components", order, "-o", f"{part}.json")
        self.run_program("merge", "one.json", "two.json", "-o", "merged.json", "--quiet")
        merged = self.model("merged.json")
        self.assertEqual(merged["terms"]["fixed"], self.model("one.json")["terms"]["fixed"])
        for mean in ([0.5, 0], [-5, 4.5]):
            self.assertIn(mean, merged["parameters"]["means"])

    def test_other_terms_are_refused(self):
        self.clouds()
        self.write("init.json", INIT)
        other = dict(INIT["parameters"], means=[[0.25, 0], [6, 1.5], [-5, 4.5]])
        self.write("elsewhere.json", dict(INIT, parameters=other))
        start = ("one.csv", "--init", "init.json")
        fits = {"plain": (), "floor": ("--floor", 0.5), "ridge": ("--ridge", 2), "weak": ("--prior", 2),
                "strong": ("--prior", 5), "held": ("--fix", "means[0]"), "more": ("--fix", "means")}
        for name, flags in fits.items():
            self.quietly(*start, *flags, "-o", f"{name}.json")
        self.quietly("one.csv", "--init", "elsewhere.json", "--fix", "means[0]", "-o", "moved.json")
        self.quietly("one.csv", "--init", "elsewhere.json", "-o", "plain2.json")
        for name in ("one", "two"):  # of as many rows
            self.quietly(f"{name}.csv", "--limit", 900, "-k", 3, "-o", f"{name}.json")
            self.quietly(*start, "--prior", f"{name}.json", "-o", f"{name}-prior.json")
        for one, other, says in (
                ("plain", "floor", ("floor.json", "floor is 0.5, not 1e-06")), ("ridge", "plain", "ridge is 0, not 2"),
                ("plain", "weak", "it has a prior of 2 rows, not no prior"), ("weak", "strong", "of 5 rows, not"),
                ("weak", "plain", "it has no prior, not a prior of 2 rows"), ("plain", "held", "holds means[0], not nothing"),
                ("held", "more", "holds means, not means[0]"), ("held", "moved", "holds means at other values"),
                ("one-prior", "two-prior", "another prior")):
            self.refused("merge", f"{one}.json", f"{other}.json", status=DATA, says=says)
        self.run_program("merge", "one-prior.json", "one-prior.json", "--quiet")
        self.quietly("one.csv", "-k", 3, *DIAGONAL, "--prior", 5, "--method", "gradient", "-o", "gradient.json")
        self.refused("merge", "gradient.json", "gradient.json", status=DATA, says="gradient steps with a prior")


class OneStep(Travelling):
    def test_flags_are_honoured(self):
        """An independent way to the same place: batch EM that is stopped after one iteration."""
        self.clouds()
        gauge = ("--buffer", 100_000)  # of all rows, for a floor is relative to their scale
        self.quietly("all.csv", "-k", 3, *gauge, "-o", "base.json")
        for flags in (("--ridge", 50), ("--floor", 0.5), ("--ridge", 50, "--floor", 0.5)):
            self.quietly("all.csv", "--one-step-from", "base.json", *flags, "-o", "step.json")
            self.run_program("fit", "all.csv", "--init", "base.json", "--method", "batch", "--max-iterations", 1,
                             *gauge, *flags, "-o", "batch.json")
            self.same_parameters("step.json", "batch.json", 1e-9)
            recorded = {flag.strip("-"): value for flag, value in zip(flags[::2], flags[1::2])}
            self.assertEqual(self.model("step.json")["terms"], recorded)

    def test_what_the_file_says_is_honoured_too(self):
        self.clouds()
        self.write("init.json", INIT)
        terms = ("--ridge", 2, "--fix", "means")
        self.quietly("one.csv", "--init", "init.json", *terms, "-o", "base.json")
        self.quietly("all.csv", "--one-step-from", "base.json", "-o", "step.json")
        self.run_program("fit", "all.csv", "--init", "base.json", "--method", "batch", "--max-iterations", 1, *terms,
                         "-o", "batch.json")
        self.same_parameters("step.json", "batch.json", 1e-9)
        self.assertEqual(self.model("step.json")["parameters"]["means"], INIT["parameters"]["means"])
        self.quietly("all.csv", "--one-step-from", "base.json", "--ridge", 0, "-o", "step.json")
        self.assertEqual(self.model("step.json")["terms"], {"fixed": ["means"]})

    def test_refused(self):
        self.write("y.csv", csv(["y"], poisson_rows(300)))
        self.quietly("y.csv", *COUNTS, "-k", 2, "-o", "m.json")
        step = ("fit", "y.csv", "--one-step-from", "m.json")
        self.refused(*step, "--ridge", 1, status=USAGE, says=("--ridge", "poisson"))
        self.refused(*step, "--floor", 2, status=USAGE, says="--floor 2")
        self.refused(*step, "--prior", 2, status=USAGE, says="--prior")


class Continue(Travelling):
    def test_two_runs_are_one(self):
        self.write("init.json", INIT)
        clouds = normal_rows(6000, *CLOUDS)
        counts = poisson_rows(6000)
        for rows, names, flags in (
                (clouds, "ab", ("-k", 3, "--prior", 500)), (clouds, "ab", ("-k", 3, *DIAGONAL, "--prior", 500, "--ridge", 1)),
                (clouds, "ab", ("--init", "init.json", "--fix", "means[1],covariances[0]")),
                (clouds, "ab", ("--init", "init.json", "--prior", 300, "--floor", 0.3)),
                (counts, "y", (*COUNTS, "-k", 2, "--prior", 500))):
            self.shards(rows, list(names), 4000)
            # One start: a race would end at another row. The first part ends with a full mini-batch.
            args = (*flags, *ONLINE, *(() if "--init" in flags else ("--starts", "1")))
            self.quietly("all.csv", *args, "-o", "all.json")
            self.quietly("one.csv", *args, "-o", "one.json")
            self.quietly("two.csv", *ONLINE, "--continue", "one.json", "-o", "both.json")
            self.same_parameters("both.json", "all.json", 1e-9)
            self.assertEqual(self.model("both.json")["terms"], self.model("one.json")["terms"], flags)

    def test_gradient_steps_go_on(self):
        self.shards(normal_rows(6000, *CLOUDS), ["a", "b"], 4000)
        args = ("--method", "gradient", *ONLINE[2:])
        first = (*DIAGONAL, "-k", 3, "--prior", 500, "--starts", 1, *args)
        self.quietly("all.csv", *first, "-o", "all.json")
        self.quietly("one.csv", *first, "-o", "one.json")
        self.quietly("two.csv", *args, "--continue", "one.json", "-o", "both.json")
        self.same_parameters("both.json", "all.json", 1e-9)
        self.refused("fit", "two.csv", "--continue", "one.json", status=DATA, says=("one.json", "--method gradient"))

    def test_a_prior_stays_as_strong_after_passes(self):
        """One component: whatever the passes, the rows and the prior count once."""
        self.clouds(900)
        ends = []
        for passes in (1, 4):
            self.quietly("one.csv", "-k", 1, "--prior", 300, "--method", "online", "--passes", passes, "--step", "1/n",
                         "--average", "off", "-o", "first.json")
            self.quietly("two.csv", "--continue", "first.json", "--step", "1/n", "--average", "off", "-o", "both.json")
            ends.append(self.model("both.json")["parameters"])
        for name, values in ends[0].items():
            self.near(ends[1][name], values, 1e-9)

    def test_the_summary_knows_them(self):
        self.clouds(600)
        self.quietly("one.csv", "-k", 2, "--prior", 30, "-o", "first.json")
        done = self.run_program("fit", "two.csv", "--continue", "first.json", "--json")
        self.assertEqual(done.json["prior_weight"], 30)
        self.assertIn("prior worth 30 rows\n", done.err)

    def test_flags_may_repeat_and_not_change_them(self):
        self.clouds(600)
        self.write("init.json", INIT)
        self.quietly("one.csv", "-k", 3, "-o", "prior.json")
        self.quietly("two.csv", "-k", 3, "-o", "other.json", "--limit", 200)
        terms = {"--floor": 0.01, "--ridge": 0.5, "--fix": "means[1]", "--prior": 20}
        flags = [word for pair in terms.items() for word in pair]
        self.quietly("one.csv", "--init", "init.json", *flags, "-o", "usual.json")
        self.quietly("one.csv", "--init", "init.json", *flags[:-1], "prior.json", "-o", "filed.json")
        go_on = ("fit", "two.csv", "--continue")
        self.quietly("two.csv", "--continue", "usual.json", "-o", "a.json")
        self.quietly("two.csv", "--continue", "usual.json", *flags, "-o", "b.json")
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        self.quietly("two.csv", "--continue", "filed.json", "--prior", "prior.json", "-o", "c.json")
        for file, flag, value, says in (
                ("usual", "--floor", 0.02, "floor is 0.01, not 0.02"), ("usual", "--ridge", 0, "ridge is 0.5, not 0"),
                ("usual", "--fix", "means", "holds means[1], not means"), ("usual", "--prior", 21, "of 20 rows, not"),
                ("usual", "--prior", "prior.json", "prior file"), ("filed", "--prior", 200, "prior file"),
                ("filed", "--prior", "other.json", "another prior"), ("prior", "--prior", 5, "no prior"),
                ("prior", "--ridge", 5, "ridge is 0, not 5"), ("prior", "--fix", "means", "holds nothing")):
            self.refused(*go_on, f"{file}.json", flag, value, status=USAGE, says=(f"{file}.json", flag, says))


if __name__ == "__main__":
    unittest.main()
