"""What a user is told before a fit is trusted: degenerate components, comparisons that avoid them, and warnings that --quiet lets through."""

import json
import math
import pathlib
import random
import re
import unittest

from support import COUNTS, FAITHFUL, Case, csv, poisson_rows, reference_data

# mclust 6.0.0 on Old Faithful: its EEE, VVV models are our tied and full ones, its BIC has the other sign.
MCLUST = {(2, "full"): 2322.19174309888, (2, "tied"): 2325.2199354046, (3, "tied"): 2314.29567845895}


def clouds_and_a_point(n=150, repeated=40):
    """Two clouds and a row that comes many times: a mixture of three puts a component on it."""
    draw = random.Random(4)
    rows = []
    for t in range(n):
        rows.append((draw.gauss(0, 1), draw.gauss(0, 1)))
        rows.append((draw.gauss(4, 1), draw.gauss(20, 1)))
        if t < repeated:
            rows.append((9, 9))
    return csv(["width", "length"], rows)


class Degenerate(Case):
    def test_is_named_in_every_summary(self):
        self.write("x.csv", clouds_and_a_point())
        done = self.run_program("fit", "x.csv", "-k", 3, "-o", "m.json", "--json")
        [found] = done.json["degenerate"]
        self.assertEqual((found["kind"], found["columns"]), ("thin", [0, 1]))
        [thin] = found["components"]
        self.near(self.model("m.json")["parameters"]["means"][thin][0], 9, 1e-9)
        said = rf"(?m)^warning: this fit is degenerate: component {thin} has a variance at its floor in columns width and length \("
        self.assertRegex(done.err, said)
        self.assertIn("degenerate", [w["kind"] for w in done.json["warnings"]])
        quiet = self.run_program("fit", "x.csv", "-k", 3, "--quiet")
        self.assertRegex(quiet.err, r"\Awarning: this fit is degenerate: [^\n]+\n\Z")
        once = self.run_program("fit", "x.csv", "--one-step-from", "m.json", "--quiet")
        self.assertRegex(once.err, r"\Awarning: this fit is degenerate: [^\n]+\n\Z")

    def test_a_prior_or_a_ridge_mends_it(self):
        self.write("x.csv", clouds_and_a_point())
        for flags in (("--prior", 20), ("--ridge", 1)):
            self.assertEqual(self.fit("x.csv", "-k", 3, *flags)["degenerate"], [])

    def test_is_never_chosen_unless_that_is_allowed(self):
        self.write("x.csv", clouds_and_a_point(repeated=8))
        done = self.run_program("fit", "x.csv", "-k", "1:4", "-o", "m.json", "--json")
        rows = {r["components"]: r for r in done.json["comparison"]}
        self.assertEqual(rows[2]["degenerate"], [])
        self.assertTrue(rows[3]["degenerate"])
        self.assertLess(rows[3]["bic"], rows[2]["bic"])
        self.assertEqual(len(self.model("m.json")["parameters"]["weights"]), 2)
        self.assertRegex(done.err, r"(?m)^ +3 .*  degenerate \(thin\)$")
        self.assertRegex(done.err, r"left out although bic is better there: K = 3.*--degenerate allow")
        allowed = self.fit("x.csv", "-k", "1:4", "--degenerate", "allow")
        best = min(allowed["comparison"], key=lambda r: r["bic"])
        self.assertEqual(allowed["options"]["components"], best["components"])
        self.assertGreater(best["components"], 2)

    def test_where_all_are_the_best_of_them_is_kept(self):
        self.write("x.csv", clouds_and_a_point())
        got = self.fit("x.csv", "-k", "3:4")
        best = min(got["comparison"], key=lambda r: r["bic"])
        self.assertEqual(got["options"]["components"], best["components"])
        self.assertTrue(got["degenerate"])

    def test_a_constant_column_is_not_held_against_sizes(self):
        draw = random.Random(1)
        self.write("x.csv", csv(["a", "same"], [(draw.gauss(9 * (t % 2), 1), 5) for t in range(300)]))
        got = self.fit("x.csv", "-k", "1:3")
        self.assertEqual(got["options"]["components"], 2)
        self.assertTrue(all(r["degenerate"] for r in got["comparison"]))

    def test_what_did_not_converge_is_avoided_too(self):
        self.write("x.csv", csv(["x"], poisson_rows(3000)))
        few = ("--method", "batch", "--max-iterations", 12, "--tolerance", "1e-13")
        got = self.fit("x.csv", *COUNTS, "-k", "1:3", *few)
        by_size = {r["components"]: r for r in got["comparison"]}
        self.assertTrue(by_size[1]["converged"])
        self.assertFalse(by_size[2]["converged"])
        self.assertLess(by_size[2]["bic"], by_size[1]["bic"])
        self.assertEqual(got["options"]["components"], 1)
        allowed = self.fit("x.csv", *COUNTS, "-k", "1:3", *few, "--degenerate", "allow")
        self.assertEqual(allowed["options"]["components"], 2)
        self.assertIn("not_converged", [w["kind"] for w in allowed["warnings"]])

    def test_ranks_are_marked(self):
        draw = random.Random(2)
        plane = [(a, b, a + b, a - b) for a, b in ((draw.gauss(0, 1), draw.gauss(0, 3)) for _ in range(200))]
        self.write("x.csv", csv(["a", "b", "c", "d"], plane))
        done = self.run_program("fit", "x.csv", "--model", "ppca", "-r", "1:2", "--json")
        self.assertEqual([bool(r["degenerate"]) for r in done.json["comparison"]], [False, True])
        self.assertEqual(done.json["options"]["rank"], 1)

    def test_it_needs_a_comparison(self):
        self.refused("fit", FAITHFUL, "-k", 2, "--degenerate", "allow", status=2, says="--degenerate")

    def test_iris(self):
        data = reference_data("iris")
        for kind in ("full", "diag", "spherical", "tied"):
            got = self.fit(data, "-k", "1:9", "--covariance", kind)
            kept = next(r for r in got["comparison"] if r["components"] == got["options"]["components"])
            self.assertEqual((kept["degenerate"], kept["converged"]), ([], True), kind)
            self.assertEqual(got["degenerate"], [], kind)
            if kind == "full":  # what mclust keeps of the same family
                self.assertEqual(kept["components"], 2)


class Covariances(Case):
    def test_types_and_sizes_together(self):
        done = self.run_program("fit", FAITHFUL, "-k", "1:4", "--covariance", "all", "-o", "m.json", "--json")
        rows = {(r["components"], r["covariance"]): r for r in done.json["comparison"]}
        self.assertEqual(len(rows), 16)
        for key, bic in MCLUST.items():
            self.near(rows[key]["bic"], bic, 1e-5)
        model = self.model("m.json")
        self.assertEqual((model["options"]["covariance"], len(model["parameters"]["weights"])), ("tied", 3))
        self.near(done.json["bic"], MCLUST[3, "tied"], 1e-5)
        self.assertRegex(done.err, r"(?m)^ +K +covariance +mean log-lik")
        self.assertIn("kept K = 3 tied by bic (bic prefers 3 tied", done.err)

    def test_types_of_one_size(self):
        got = self.fit(FAITHFUL, "-k", 2, "--covariance", "all", "--choose-by", "icl")
        self.assertEqual([r["covariance"] for r in got["comparison"]], ["full", "tied", "diag", "spherical"])
        self.assertEqual(got["options"]["covariance"], min(got["comparison"], key=lambda r: r["icl"])["covariance"])
        self.assertEqual(len(self.fit(FAITHFUL, "--covariance", "all")["comparison"]), 4)

    def test_other_data_beside_mclust(self):
        letters = {"EEE": "tied", "VVV": "full", "VVI": "diag", "V": "full", "E": "tied"}
        for name, columns in (("iris", ()), ("wine", range(13)), ("galaxies", (1,))):
            data = reference_data(name)
            with open(data, encoding="utf-8") as lines:
                names = lines.readline().strip().split(",")
            flags = ("--columns", ",".join(names[j] for j in columns)) if columns else ()
            file = pathlib.Path(data).with_name("reference_R.json")
            known = [v for k, v in json.loads(file.read_text()).items() if k.startswith("mclust") and "K" in v]
            known = {(v["K"], letters[v["model"].split()[1]]): -v["bic_mclust_sign"] for v in known if v["model"].split()[1] in letters}
            got = self.fit(data, *flags, "-k", f"{min(k for k, _ in known)}:{max(k for k, _ in known)}", "--covariance", "all")
            rows = {(r["components"], r["covariance"]): r for r in got["comparison"]}
            for key, bic in known.items():  # at least as high a maximum: it starts otherwise
                self.assertLess(rows[key]["bic"], bic + 1e-3, (name, key))
            self.assertEqual(got["degenerate"], [], name)

    def test_what_it_does_not_go_with(self):
        self.fit(FAITHFUL, "-k", 2, "-o", "m.json")
        for flags, says in ((("--init", "m.json"), "covariance"), (("--checkpoint", "c"), "--checkpoint"),
                            (("--model", "poisson"), "--covariance"), (("--model", "hmm", "--emission", "poisson"), "--covariance")):
            self.refused("fit", FAITHFUL, "-k", 2, "--covariance", "all", *flags, status=2, says=says)
        self.refused("fit", FAITHFUL, "--model", "ppca", "-r", 1, "--mstep", "all", status=2, says="--mstep")


class Said(Case):
    def test_what_still_moves(self):
        self.write("x.csv", csv(["calls"], poisson_rows(3000)))
        self.write("start.json", {"model": "poisson", "parameters": {"weights": [0.5, 0.5], "rates": [[0.7], [4.5]]}})
        common = ("fit", "x.csv", "--init", "start.json", "--method", "batch")
        done = self.run_program(*common, "--max-iterations", 100, "--json")
        found = r"did not converge in 100 iterations: rates of component 1 in column calls moved by [0-9.e-]+ in the last of them, ([0-9.]+) nat or more are left to gain \(raise --max-iterations"
        self.assertRegex(done.err, found)
        most = self.run_program(*common, "--json").json["log_likelihood"]
        left = float(re.search(found, done.err)[1])
        self.near(left, most - done.json["log_likelihood"], 0.2)
        # Not even --quiet hides it.
        self.assertRegex(self.run_program(*common, "--max-iterations", 100, "--quiet").err, r"\Awarning: batch EM did not converge[^\n]+\n\Z")

    def test_nothing_of_a_good_fit(self):
        self.assertEqual(self.run_program("fit", FAITHFUL, "-k", 2, "--quiet").err, "")

    def test_sorted_rows_under_quiet(self):
        self.write("x.csv", "x\n" + "".join(f"{i}\n" for i in range(20000)))
        said = self.run_program("fit", "x.csv", "-k", 2, "--method", "online", "--order", "sequential", "--quiet", "--json")
        self.assertRegex(said.err, r'(?m)^warning: the rows look sorted \(column "x" never falls')
        self.assertIn("on_the_way", [w["kind"] for w in said.json["warnings"]])


class Textbook(Case):
    def test_the_command_of_the_readme_stays_at_the_maximum(self):
        self.fit(FAITHFUL, "-k", 2, "-o", "m.json")
        common = ("fit", FAITHFUL, "--init", "m.json", "--method", "online", "--batch-size", 1, "--buffer", 0)
        done = self.run_program(*common, "--json")
        self.near(min(done.json["parameters"]["weights"]), 0.356, 0.1)
        self.assertNotIn("degenerate", done.err)
        # Without the wait it dies, and says so.
        at_once = self.run_program(*common, "--warmup", 0, "--json", "--quiet")
        self.assertLess(min(at_once.json["parameters"]["weights"]), 1e-6)
        self.assertRegex(at_once.err, r"\Awarning: this fit is degenerate: component \d has less than one row")

    def test_an_offset_weighs_the_start(self):
        self.fit(FAITHFUL, "-k", 2, "-o", "m.json")
        common = ("fit", FAITHFUL, "--init", "m.json", "--method", "online", "--batch-size", 1, "--buffer", 0, "--warmup", 0,
                  "--average", "off", "--limit", 1, "--json", "--quiet")
        before = self.model("m.json")["parameters"]["weights"][0]
        moved = [abs(self.run_program(*common, "--step", f"0.6,offset={t}").json["parameters"]["weights"][0] - before)
                 for t in (20, 200)]
        self.near(moved[1] / moved[0], (21 / 201) ** 0.6, 1e-6)
        # From S_0 the first step goes the rate's part of the way to the posterior of the first row.
        at_once = self.run_program(*common, "--step", "0.6").json["parameters"]["weights"][0]
        self.near(moved[0], abs(at_once - before) * 21**-0.6, 1e-6)
        self.assertTrue(math.isfinite(at_once))

    def test_a_model_without_moments_refuses_an_offset(self):
        self.fit(FAITHFUL, "-k", 2, "--model", "hmm", "-o", "m.json")
        self.refused("fit", FAITHFUL, "--init", "m.json", "--method", "online", "--buffer", 0, "--step", "0.6,offset=5",
                     status=2, says="offset")


if __name__ == "__main__":
    unittest.main()
