"""The number of threads changes the time a fit takes, and nothing else."""

import unittest

from support import Case, csv, normal_rows


class Threads(Case):
    def setUp(self):
        super().setUp()
        rows = normal_rows(12000, (0.5, 0.3, 0.2), ((0, 0, 1), (4, 1, 0), (1, 6, 2)),
                           ((1, 2, 1), (1, 1, 0.5), (2, 1, 1)))
        self.write("x.csv", csv("abc", rows))

    def test_model_files_are_the_same_bytes(self):
        for covariance in ("full", "tied", "diag", "spherical"):
            for method in ("auto", "online", "batch"):
                files = set()
                few = () if method == "online" else ("--max-iterations", 30)
                for threads in (1, 2, 8):
                    self.run_program("fit", "x.csv", "-k", 3, "--covariance", covariance,
                                     "--method", method, "--starts", 2, *few,
                                     "--threads", threads, "-o", "m.json", "--quiet")
                    files.add(self.read("m.json"))
                self.assertEqual(len(files), 1, f"{covariance}, {method}")

    def test_predictions_are_the_same_bytes(self):
        self.run_program("fit", "x.csv", "-k", 3, "-o", "m.json", "--quiet")
        text = self.read("x.csv")
        head, body = text.split("\n", 1)
        self.write("long.csv", head + "\n" + 4 * body)  # several chunks
        for flags in (("--append", "--proba"), ("--id", "a"), ("--condition-on", "b")):
            answers = {self.run_program("predict", "m.json", "long.csv", *flags, "--threads", threads).out
                       for threads in (1, 2, 8)}
            self.assertEqual(len(answers), 1, flags)
            self.assertEqual(answers.pop().count("\n"), 4 * 12000 + 1)
        answers = {self.run_program("evaluate", "m.json", "long.csv", "--threads", threads).out
                   for threads in (1, 2, 8)}
        self.assertEqual(len(answers), 1)

    def test_a_pool_needs_somebody(self):
        self.refused("fit", "x.csv", "-k", 2, "--threads", 0, status=2, says="--threads")
        self.refused("fit", "x.csv", "-k", 2, "--threads", "many", status=2, says="--threads")
        self.refused("predict", "m.json", "x.csv", "--threads", 0, status=2, says="--threads")


if __name__ == "__main__":
    unittest.main()
