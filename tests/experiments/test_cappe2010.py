"""The experiments with few replications against the stored quantiles, within simulation error: test_cappe2010.py PROGRAM"""
import csv
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

STORED = Path(__file__).resolve().parents[2] / "docs/experiments/cappe2010"
SHARE = 0.04
BOXES = ("batch_ppca", "online_ppca", "tours", "gradient")
CURVES = ("batch_ppca_limit", "limiting", "passes", "trajectories")  # nothing is random but the fixed streams


def read(path, *keys):
    with open(path, newline="", encoding="utf-8") as file:
        return {tuple(row[k] for k in keys): row for row in csv.DictReader(file)}


def median_error(row):
    """sd of a median: 1.2533 sigma / sqrt(R), sigma from the quartiles."""
    sigma = (float(row["upper_quartile"]) - float(row["lower_quartile"])) / 1.349
    return 1.2533 * sigma / math.sqrt(int(row["replications"]))


class Cappe2010(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        names = [*BOXES, "limiting", "passes", "trajectories"]
        only = [word for name in names for word in ("--only", name)]
        subprocess.run([PROGRAM, cls.folder.name, "--share", str(SHARE), *only], check=True, stderr=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def both(self, name, *keys):
        few, stored = read(Path(self.folder.name, f"{name}.csv"), *keys), read(STORED / f"{name}.csv", *keys)
        self.assertEqual(few.keys(), stored.keys(), name)
        return [(key, few[key], stored[key]) for key in stored]

    def test_boxes(self):
        for name in BOXES:
            for key, few, stored in self.both(name, "panel", "x"):
                with self.subTest(name=name, box=key):
                    error = math.hypot(median_error(few), median_error(stored))
                    # Quartiles of few values may be tight by chance: those of the stored box count as well.
                    error = max(error, median_error({**stored, "replications": few["replications"]}))
                    self.assertLess(abs(float(few["median"]) - float(stored["median"])), 5 * error + 1e-9)

    def test_curves(self):
        for name in CURVES:
            for key, few, stored in self.both(name, "panel", "series", "x"):
                with self.subTest(name=name, point=key):
                    a, b = float(few["y"]), float(stored["y"])
                    self.assertLess(abs(a - b), 1e-5 * abs(b) + 1e-10)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
