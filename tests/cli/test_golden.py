"""Checkpoints and models of earlier versions: tests/golden holds what they wrote, this version goes on from it."""

import shutil
import unittest

from support import DEATHS, FAITHFUL, SOURCE, Case

# The command that wrote each checkpoint, and its model in the end.
WRITTEN = {
    "gaussian_online_v1": (FAITHFUL, "-k", "2", "--covariance", "diag", "--passes", "3", "--order", "shuffled"),
    "poisson_batch_v1": (DEATHS, "--model", "poisson", "-k", "2", "--weight-column", "freq", "--method", "batch"),
    "gaussian_auto_v1": (FAITHFUL, "-k", "2", "--tolerance", "1e-12"),
    "gaussian_incremental_v1": (FAITHFUL, "-k", "2", "--method", "incremental"),
    "ppca_exact_v1": (FAITHFUL, "--model", "ppca", "-r", "1", "--method", "exact"),
}


class Golden(Case):
    def test_checkpoints_go_on(self):
        for name, command in WRITTEN.items():
            with self.subTest(name):
                shutil.copy(SOURCE / "tests/golden" / f"{name}.state", self.dir / "state")
                done = self.run_program("fit", *command, "--checkpoint", "state", "--resume", "-o", "model.json")
                self.assertIn("going on from the checkpoint", done.err)
                self.same_model(self.model(), SOURCE / "tests/golden" / f"{name}.json")

    def test_all_are_named_here(self):
        self.assertEqual({path.stem for path in (SOURCE / "tests/golden").glob("*.state")}, set(WRITTEN))

    def same_model(self, found, path):
        shutil.copy(path, self.dir / "golden.json")
        golden = self.model("golden.json")
        self.run_program("show", "golden.json")
        for name, values in golden["parameters"].items():
            self.near(found["parameters"][name], values, 1e-9)
        for key in ("rows", "observations", "method", "converged"):
            self.assertEqual(found["training"][key], golden["training"][key], key)


if __name__ == "__main__":
    unittest.main()
