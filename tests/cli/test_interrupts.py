"""Ctrl-C at any moment: what was learned is written, status 130, and an idle pipe is no prison."""

import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import termios
import unittest

from support import COUNTS, DIAGONAL, PATIENCE, PROGRAM, Case, at_rest, csv, environment, poisson_rows, table, until

ENDLESS = ("--tolerance", "1e-300", "--max-iterations", "1000000000")


class Job(Case):
    """A fit in the background that talks to files, so that it never waits for a reader."""

    def start(self, *args, stdin=subprocess.DEVNULL):
        with open(self.dir / "out", "w") as out, open(self.dir / "err", "w") as err:
            self.child = subprocess.Popen(
                [PROGRAM, "fit", *args, "-o", "model.json"], stdin=stdin, stdout=out, stderr=err,
                cwd=self.dir, env=environment())
        self.addCleanup(self.child.wait)
        self.addCleanup(self.child.kill)

    def until(self, what, condition):
        until(condition, what, lambda: self.child.poll() is None)

    def line(self, pattern=r"\d+ .*"):
        """Waits for a whole line of the table."""
        self.until("a line of the table", lambda: re.search(rf"(?m)^ +{pattern}\n", self.read("err")))

    def interrupt(self, kind=signal.SIGINT):
        """What stderr held in the end."""
        self.assertIsNone(self.child.poll(), "the job has no end")
        self.child.send_signal(kind)
        self.assertEqual(self.child.wait(PATIENCE), 130, self.read("err"))
        return self.read("err")

    def kept(self, err):
        """The model, which is usable and was announced."""
        self.assertRegex(err, r"(?m)^interrupted: ")
        self.assertIn("written to model.json", err)
        self.run_program("show", "model.json")
        return self.model()


class Files(Job):
    def rows(self, count):
        """Too many components for two wide clouds: EM creeps for thousands of iterations."""
        self.write("truth.json", {"model": "gaussian", "options": {"covariance": "diag"},
                                  "parameters": {"weights": [0.5, 0.5],
                                                 "means": [[0, 0, 0], [1, 1, 1]],
                                                 "covariances": [[1, 1, 1], [4, 4, 4]]}})
        self.write("x.csv", self.run_program("sample", "truth.json", "-n", count).out)

    def summary(self):
        got = json.loads(self.read("out"))
        self.assertTrue(got["interrupted"])
        return got

    def test_batch(self):
        self.rows(100_000)
        for method in ("batch", "auto", "incremental", "variance-reduced"):
            self.start("x.csv", *DIAGONAL, "-k", "9", "--method", method, "--json", "--trace",
                       "t.csv", *ENDLESS)
            self.line("1 .*")
            model, got = self.kept(self.interrupt()), self.summary()
            self.assertFalse(got["converged"])
            self.assertEqual(model["parameters"], got["parameters"])
            again = self.run_program("evaluate", "model.json", "x.csv", "--json").json
            self.near(again["log_likelihood"], got["log_likelihood"], 1e-9)
            # The trace ends where the model is.
            last = table(self.read("t.csv"))[-1]
            self.assertEqual([float(last[f"weights[{k}]"]) for k in range(9)],
                             model["parameters"]["weights"])

    def test_passes(self):
        self.rows(2000)
        self.start("x.csv", *DIAGONAL, "-k", "3", "--passes", "1000000000", "--tolerance", "1e-300",
                   "--json")
        self.line()
        self.assertEqual(self.kept(self.interrupt())["parameters"], self.summary()["parameters"])


@unittest.skipUnless(os.path.exists("/proc/self/status"), "needs to see whether the job is at rest")
class IdlePipe(Job):
    """The writer has not closed its end, but writes no more."""

    def idle(self, text, *flags):
        end, self.pipe = os.pipe()
        self.addCleanup(os.close, self.pipe)
        self.start(*COUNTS, *flags, stdin=end)
        os.close(end)
        os.write(self.pipe, text.encode())
        self.until("its signal handler", self.catches)
        self.until("all was read", lambda: self.unread() == 0 and at_rest(self.child.pid))

    def unread(self):
        return struct.unpack("i", fcntl.ioctl(self.pipe, termios.FIONREAD, b"\0" * 4))[0]

    def catches(self):
        with open(f"/proc/{self.child.pid}/status") as f:
            caught = re.search(r"(?m)^SigCgt:\s*(\w+)", f.read())[1]
        return int(caught, 16) >> (signal.SIGINT - 1) & 1

    def test_every_row_is_learned(self):
        for rows, flags in ((8000, ()), (8000, ("--keep", "1K")), (8000, ("--method", "online")),
                            (8000, ("--method", "batch")), (100, ())):
            for kind in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(rows=rows, flags=flags, kind=kind):
                    self.idle(csv("x", poisson_rows(rows)), "-k", "2", *flags)
                    model = self.kept(self.interrupt(kind))
                    self.assertEqual(model["training"]["rows"], rows)
                    os.remove(self.dir / "model.json")

    def test_quiet(self):
        self.idle(csv("x", poisson_rows(3000)), "-k", "2", "--quiet")
        self.assertEqual(self.interrupt(), "")
        self.assertEqual(self.model()["training"]["rows"], 3000)

    def test_nothing_learned_nothing_written(self):
        self.write("model.json", "precious")
        for text in ("", "x", "x\n"):
            with self.subTest(text):
                self.idle(text, "-k", "2")
                self.assertRegex(self.interrupt(), r"\Athalweg: interrupted [^\n]+\n\Z")
                self.assertEqual(self.read("model.json"), "precious")

    def test_comparison_before_its_first_fit(self):
        self.write("model.json", "precious")
        self.idle(csv("x", poisson_rows(3000)), "-k", "1:3")
        self.assertRegex(self.interrupt(), r"(?m)^thalweg: interrupted [^\n]+\n\Z")
        self.assertEqual(self.read("model.json"), "precious")


if __name__ == "__main__":
    unittest.main()
