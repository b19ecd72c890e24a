"""Kills a fit again and again, by SIGKILL at random moments, and goes on from its checkpoint each time.

A clock chooses the moments and nothing else: a run that came to its end first is made once more, with earlier moments."""

import random
import subprocess
import time

from support import PATIENCE, PROGRAM, environment


class Mortal:
    """For a Case: the same command as an undisturbed run, and as one that is killed."""

    def undisturbed(self, *args, stdin=None):
        self.run_program("fit", *args, "-o", "whole.json", "--quiet", stdin=stdin or "")
        return (self.dir / "whole.json").read_bytes()

    def killed(self, *args, deaths, seed, stdin=None, every="500"):
        """The model file in the end."""
        begin = time.monotonic()
        self.undisturbed(*args, stdin=stdin)
        lasts = time.monotonic() - begin
        for name in ("state", "model.json"):
            (self.dir / name).unlink(missing_ok=True)
        rng = random.Random(seed)
        command = [PROGRAM, "fit", *args, "-o", "model.json", "--quiet", "--checkpoint", "state",
                   "--checkpoint-every", every, "--resume"]
        died = 0
        while died < deaths:
            begin = time.monotonic()
            child = subprocess.Popen(command, cwd=self.dir, env=environment(), stdout=subprocess.DEVNULL,
                                     stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                if stdin:
                    self.feed(child, stdin)
                child.wait(rng.uniform(0, 1.2 * lasts))
                self.assertEqual(child.returncode, 0, child.stderr.read())
                (self.dir / "state").unlink(missing_ok=True)  # it came to its end: once more from the beginning
                lasts = min(lasts, time.monotonic() - begin)
            except subprocess.TimeoutExpired:
                child.kill()
                died += 1
            finally:
                child.wait()
                child.stderr.close()
            self.nothing_torn()
        done = subprocess.run(command, cwd=self.dir, env=environment(), input=(stdin or "").encode(), timeout=PATIENCE,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.dir / "model.json").read_bytes()

    @staticmethod
    def feed(child, text):
        try:
            child.stdin.write(text.encode())
            child.stdin.close()
        except BrokenPipeError:
            pass

    def nothing_torn(self):
        """A model file that is there is whole; so is a checkpoint (the next run reads it)."""
        if (self.dir / "model.json").exists():
            self.run_program("show", "model.json")
