"""Peak memory of a one-pass fit through a pipe does not grow with the number of rows."""

import os
import subprocess
import unittest

from support import COUNTS, DIAGONAL, FAITHFUL, PAPER, PROGRAM, Case

MEGABYTE = 1024  # in the kilobytes of ru_maxrss


class Memory(Case):
    def peak(self, model, rows, *flags):
        source = subprocess.Popen([PROGRAM, "sample", model, "-n", str(rows)],
                                  stdout=subprocess.PIPE, cwd=self.dir)
        fit = subprocess.Popen([PROGRAM, "fit", "--quiet", *flags], stdin=source.stdout,
                               cwd=self.dir)
        source.stdout.close()
        _, status, usage = os.wait4(fit.pid, 0)
        fit.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((source.wait(), fit.returncode), (0, 0))
        return usage.ru_maxrss

    def grows_by(self, model, *flags):
        small, large = (self.peak(model, n, *flags) for n in (200_000, 4_000_000))
        return large - small

    def test_counts(self):
        self.write("m.json", PAPER)
        for flags in (("--keep", "1M"), ("--method", "online")):
            self.assertLess(self.grows_by("m.json", *COUNTS, "-k", "2", *flags), 10 * MEGABYTE)

    def test_kept_rows_stay_within_keep(self):
        self.write("m.json", PAPER)
        peak = self.peak("m.json", 4_000_000, *COUNTS, "-k", "2", "--max-iterations", "3")
        self.assertLess(peak, (64 + 40) * MEGABYTE)

    def test_two_columns(self):
        self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "-o", "m.json")
        self.assertLess(self.grows_by("m.json", *DIAGONAL, "-k", "2", "--keep", "1M"),
                        10 * MEGABYTE)

    def test_predict_and_evaluate(self):
        self.write("m.json", PAPER)
        peaks = []
        for rows in (200_000, 2_000_000):
            source = subprocess.Popen([PROGRAM, "sample", "m.json", "-n", str(rows)],
                                      stdout=subprocess.PIPE, cwd=self.dir)
            child = subprocess.Popen([PROGRAM, "evaluate", "m.json"], stdin=source.stdout,
                                     stdout=subprocess.DEVNULL, cwd=self.dir)
            source.stdout.close()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual((source.wait(), child.returncode), (0, 0))
            peaks.append(usage.ru_maxrss)
        self.assertLess(peaks[1] - peaks[0], 10 * MEGABYTE)


if __name__ == "__main__":
    unittest.main()
