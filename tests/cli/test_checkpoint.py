"""--checkpoint and --resume: killed at any moment, a fit goes on to the same bytes; what does not belong together is refused."""

import fcntl
import os
import resource
import signal
import subprocess
import unittest

from deaths import Mortal
from support import COUNTS, DIAGONAL, PROGRAM, Case, at_rest, csv, environment, normal_rows, poisson_rows, until

CLOUDS = ((0.5, 0.3, 0.2), ((0, 0), (3, 1), (-2, 4)), ((1, 1), (2, 1), (1, 2)))


class Checkpoints(Case, Mortal):
    def rows(self, n=6000, name="x.csv", seed=1):
        return self.write(name, csv(["a", "b"], normal_rows(n, *CLOUDS, seed=seed)))


class Killed(Checkpoints):
    """Twenty deaths in all; test_long_kills.py dies more often."""

    def same(self, *args, deaths=3, seed=1, **options):
        whole = self.undisturbed(*args, stdin=options.get("stdin"))
        self.assertEqual(self.killed(*args, deaths=deaths, seed=seed, **options), whole, args)

    def test_auto(self):
        self.same(self.rows(), "-k", "3", deaths=4)

    def test_online_that_does_not_fit_into_memory(self):
        self.same(self.rows(40_000), "-k", "3", "--keep", "100K", deaths=4, every="5000")

    def test_shuffled_passes(self):
        self.same(self.rows(), "-k", "3", "--passes", "4", "--order", "shuffled", deaths=3, every="3000")

    def test_sorted_rows_that_are_mixed(self):
        rows = sorted(normal_rows(20_000, *CLOUDS, seed=1))
        sorted_file = self.write("x.csv", csv(["a", "b"], rows))
        self.same(sorted_file, "-k", "3", "--keep", "100K", deaths=2, every="5000")
        self.same(sorted_file, "-k", "3", "--method", "online", "--passes", "2", "--keep", "100K", deaths=2, every="5000")
        self.same("-k", "3", "--keep", "200K", deaths=2, every="5000", stdin=csv(["a", "b"], rows))

    def test_batch_that_reads_the_file_again(self):
        self.same(self.rows(), "-k", "3", "--method", "batch", "--keep", "50K", "--tolerance", "1e-6", deaths=3,
                  every="1")

    def test_incremental(self):
        self.same(self.rows(), "-k", "3", "--method", "incremental", deaths=3, every="1")

    def test_through_a_pipe(self):
        rows = csv(["y"], poisson_rows(30_000))
        self.same(*COUNTS, "-k", "2", "--keep", "1K", deaths=3, stdin=rows)


class Interrupted(Checkpoints):
    def interrupt(self, kind, *args):
        """Stderr is a pipe that is full: the fit waits at the first line of its table until it was sent the signal."""
        reader, writer = os.pipe()
        filling = b"x" * fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        os.write(writer, filling)
        child = subprocess.Popen([PROGRAM, "fit", *args, "-o", "model.json", "--checkpoint", "state"], cwd=self.dir,
                                 env=environment(), stderr=writer, stdout=subprocess.DEVNULL)
        os.close(writer)
        until(lambda: at_rest(child.pid), "the first line of the table", lambda: child.poll() is None)
        child.send_signal(kind)
        with open(reader, "rb") as stream:
            err = stream.read()[len(filling):].decode()
        return child.wait(), err

    def test_a_signal_leaves_a_checkpoint_and_a_usable_model(self):
        args = (self.rows(), "-k", "6", "--method", "batch", "--tolerance", "1e-13")
        whole = self.undisturbed(*args)
        for kind in (signal.SIGINT, signal.SIGTERM):
            status, err = self.interrupt(kind, *args)
            self.assertEqual(status, 130, err)
            self.assertIn("--resume goes on from state", err)
            self.assertTrue((self.dir / "state").exists())
            self.run_program("show", "model.json")
            done = self.run_program("fit", *args, "-o", "model.json", "--checkpoint", "state", "--resume")
            self.assertIn("going on from the checkpoint state", done.err)
            self.assertEqual((self.dir / "model.json").read_bytes(), whole)
            (self.dir / "state").unlink()


class Together(Checkpoints):
    """What a checkpoint is compared with."""

    def setUp(self):
        super().setUp()
        self.args = (self.rows(), "-k", "2", "--method", "online", *DIAGONAL)
        self.keep = ("--checkpoint", "state", "--checkpoint-every", "2000")
        self.run_program("fit", *self.args, *self.keep, "-o", "whole.json")
        self.state = (self.dir / "state").read_bytes()

    def test_the_end_of_a_finished_fit_can_be_had_again(self):
        self.run_program("fit", *self.args, *self.keep, "--resume", "-o", "again.json")
        self.assertEqual(self.read("again.json"), self.read("whole.json"))

    def test_other_threads_and_names_change_nothing(self):
        (self.dir / "x.csv").rename(self.dir / "y.csv")
        for threads in ("1", "2", "5"):
            self.run_program("fit", "y.csv", *self.args[1:], *self.keep, "--resume", "--threads", threads, "-o",
                             "again.json")
            self.assertEqual(self.read("again.json"), self.read("whole.json"))
            (self.dir / "state").write_bytes(self.state)

    def test_the_trace_goes_on(self):
        self.run_program("fit", *self.args, "--trace", "whole.csv")
        self.run_program("fit", *self.args, "--checkpoint", "s2", "--checkpoint-every", "2500", "--trace", "first.csv")
        self.run_program("fit", *self.args, "--checkpoint", "s2", "--checkpoint-every", "2500", "--resume", "--trace",
                         "again.csv")
        self.assertEqual(self.read("again.csv"), self.read("whole.csv"))

    def test_other_flags_are_refused_by_name(self):
        for flags, says in ((("--seed", "7"), ("--seed 0", "--seed 7")),
                            (("--step", "0.8"), ("--step 0.6", "--step 0.8")),
                            (("--columns", "a"), ("--columns a,b", "--columns a"))):
            self.refused("fit", *self.args, *self.keep, "--resume", *flags, status=1, says=("state", *says))
        self.refused("fit", self.args[0], "-k", "3", *self.args[3:], *self.keep, "--resume", status=1,
                     says="--components 2")

    def test_another_input_is_refused(self):
        self.rows(seed=2)
        self.refused("fit", *self.args, *self.keep, "--resume", status=1)
        self.write("x.csv", csv(["a", "b"], normal_rows(100, *CLOUDS)))
        self.refused("fit", *self.args, *self.keep, "--resume", status=1)

    def test_damage_and_other_versions_are_refused(self):
        for content in (self.state[:-5], self.state[:100] + b"x" + self.state[101:], b"",
                        self.state.replace(b"thalweg-state 1", b"thalweg-state 2", 1)):
            (self.dir / "state").write_bytes(content)
            self.refused("fit", *self.args, *self.keep, "--resume", status=1, says="state")

    def test_a_file_of_another_kind_is_not_replaced(self):
        self.write("notes", "my notes\n")
        self.refused("fit", *self.args, "--checkpoint", "notes", status=1, says="is no checkpoint")

    def test_wrong_usage(self):
        self.refused("fit", *self.args, "--resume", status=2, says="--checkpoint FILE")
        for pace in ("0", "ten", "-3", "0s", "s", ""):
            self.refused("fit", *self.args, "--checkpoint", "s", "--checkpoint-every", pace, status=2)
        self.refused("fit", self.args[0], "-k", "1:3", "--checkpoint", "s", status=2, says="-k")
        self.refused("fit", *self.args, "-o", "same", "--checkpoint", "same", status=2, says="same file")

    def test_nowhere_to_write(self):
        self.refused("fit", *self.args, "--checkpoint", "nowhere/state", status=1, says="nowhere/state")

    def test_a_full_disk_costs_no_fit(self):
        def small_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

        args = (*self.args, "--buffer", "5000", "--checkpoint", "big", "--checkpoint-every", "1000")
        done = self.run_program("fit", *args, "-o", "model.json", preexec_fn=small_disk)
        self.assertIn("warning: big: cannot be written", done.err)
        self.assertEqual(done.err.count("cannot be written"), 1, "once is enough")
        self.run_program("show", "model.json")


if __name__ == "__main__":
    unittest.main()
