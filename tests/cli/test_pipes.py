"""Pipes that break, disks that fill and signals: no mess, no half-written file, the right status."""

import json
import os
import resource
import signal
import subprocess
import unittest

from support import COUNTS, DIAGONAL, FAITHFUL, PAPER, PROGRAM, Case, Mixture, environment


def small_files(limit):
    """In the child: files longer than this give an error instead of a signal."""
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return prepare


class FullDisk(Case):
    def test_old_model_survives(self):
        self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "m.json", "--quiet")
        for limit in (0, 1, 100, 700):
            with self.subTest(limit):
                self.refused("fit", FAITHFUL, *DIAGONAL, "-k", 3, "-o", "m.json", "--quiet",
                             status=1, says="m.json", preexec_fn=small_files(limit))

    def test_no_new_model_left(self):
        self.refused("fit", FAITHFUL, *DIAGONAL, "-k", 3, "-o", "m.json", "--quiet", status=1,
                     says="m.json", preexec_fn=small_files(100))

    def test_trace(self):
        done = self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 3, "--trace", "t.csv", "--quiet",
                                status=1, preexec_fn=small_files(1000))
        self.assertRegex(done.err, r"\Athalweg: t.csv: [^\n]+\n\Z")

    def test_standard_output(self):
        self.write("m.json", PAPER)
        self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "f.json", "--quiet")
        for args in (("models",), ("sample", "m.json", "-n", "100"), ("show", "m.json"),
                     ("predict", "f.json", FAITHFUL), ("evaluate", "f.json", FAITHFUL),
                     ("fit", FAITHFUL, *DIAGONAL, "--json", "--quiet")):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *args], stdout=full, stderr=subprocess.PIPE,
                                      text=True, cwd=self.dir)
            self.assertEqual(done.returncode, 1, args)
            self.assertRegex(done.stderr, r"\Athalweg: [^\n]+\n\Z")


class Replacing(Case):
    def test_only_the_model_is_left(self):
        self.fit(FAITHFUL, *DIAGONAL, "-k", 2, "-o", "m.json")
        self.assertEqual(os.listdir(self.dir), ["m.json"])

    def test_output_to_a_device(self):
        self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "/dev/null", "--quiet")
        self.assertTrue(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"))


class BrokenPipe(Case):
    def test_head(self):
        self.write("m.json", PAPER)
        self.write("x.csv", self.run_program("sample", "m.json", "-n", 100_000).out)
        for args in (("sample", "m.json", "-n", "10000000"),
                     ("predict", "m.json", "x.csv", "--no-header"), ("predict", "m.json", "x.csv")):
            child = subprocess.Popen([PROGRAM, *args], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, cwd=self.dir)
            child.stdout.readline()
            child.stdout.close()
            said = child.stderr.read().decode()
            child.stderr.close()
            self.assertNotEqual(child.wait(), -signal.SIGABRT)
            if "--no-header" not in args:
                self.assertEqual(said, "")


class Interrupt(Case):
    """The stream has no end; the signal comes when a line of the table says that enough was learned."""

    ENOUGH = 200_000  # rows

    def stream(self, *flags):
        source = subprocess.Popen([PROGRAM, "sample", "paper.json", "-n", "2000000000"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.dir)
        self.addCleanup(source.wait)
        self.addCleanup(source.kill)
        child = subprocess.Popen(
            [PROGRAM, "fit", *COUNTS, "-k", "2", "-o", "m.json", *flags], stdin=source.stdout,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.dir,
            env=environment())
        source.stdout.close()
        return child

    def test_usable_model_and_130(self):
        self.write("paper.json", PAPER)
        for kind in (signal.SIGINT, signal.SIGTERM):
            child = self.stream("--json")
            rows = 0
            while rows < self.ENOUGH:
                words = child.stderr.readline().split()
                self.assertTrue(words, "the table goes on")
                rows = int(words[0]) if words[0].isdigit() else 0
            child.send_signal(kind)
            out, err = child.communicate()
            self.assertEqual(child.returncode, 130)
            self.assertTrue(json.loads(out)["interrupted"])
            self.assertIn("interrupted", err)
            model = self.model("m.json")
            self.assertGreaterEqual(model["training"]["rows"], rows)
            self.assertEqual(self.run_program("evaluate", "m.json", stdin="c0\n1\n2\n").err, "")
            # What was learned is near the truth: E log f = -1.581295 there.
            mixture = Mixture(model)
            value = sum(p * mixture.log_density([y]) for y, p in enumerate(truth()))
            self.assertAlmostEqual(value, -1.581295, delta=0.01)
            os.remove(self.dir / "m.json")


def truth():
    mixture = Mixture(PAPER)
    return [2.718281828459045 ** mixture.log_density([y]) for y in range(60)]


if __name__ == "__main__":
    unittest.main()
