"""The same rows in every format, packing and pipe give the same model, byte for byte; NumPy, gzip and zstd are the writers."""

import json
import os
import pathlib
import shlex
import signal
import subprocess
import unittest

import numpy as np
from support import COUNTS, FAITHFUL, PROGRAM, Case, at_rest, environment, read_csv, until

PACKERS = {".gz": ["gzip", "-c"], ".zst": ["zstd", "-q", "-c"]}


class Formats(Case):
    def setUp(self):
        super().setUp()
        _, self.rows = read_csv(FAITHFUL)

    def data(self, name):
        return (self.dir / name).read_bytes()

    def write_all(self):
        rows, lines = self.rows, []
        array = np.array(rows)
        for name, content in {
                "x.csv": "c0,c1\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows),
                "x.tsv": "c0\tc1\n" + "".join(f"{a!r}\t{b!r}\n" for a, b in rows),
                "x.jsonl": "".join(json.dumps({"c0": a, "c1": b}) + "\n" for a, b in rows),
                "array.ndjson": "".join(json.dumps(row) + "\n" for row in rows),
                "x.docs": f"{len(rows)} 2 {2 * len(rows)}\n" + "".join(f"-1 0:{a!r} 1:{b!r}\n" for a, b in rows),
                "x.svm": "".join(f"1 0:{a!r} 1:{b!r}\n" for a, b in rows)}.items():
            lines.append(self.write(name, content))
        for name, saved in {
                "c.npy": array, "fortran.npy": np.asfortranarray(array), "big.npy": array.astype(">f8")}.items():
            np.save(self.dir / name, saved)
            lines.append(name)
        return lines

    def model_of(self, *args, **options):
        self.run_program("fit", *args, "-k", 2, "-o", "m.json", "--quiet", **options)
        return self.data("m.json")

    def test_same_model_from_every_format(self):
        names = self.write_all()
        expected = self.model_of("x.csv")
        for name in names:
            self.assertEqual(self.model_of(name), expected, name)
            for ending, packer in PACKERS.items():
                if name == "fortran.npy":
                    continue
                packed = subprocess.run(packer, input=self.data(name), stdout=subprocess.PIPE, check=True).stdout
                (self.dir / (name + ending)).write_bytes(packed)
                self.assertEqual(self.model_of(name + ending), expected, name + ending)

    def test_same_model_through_pipes(self):
        for name in self.write_all():
            if name == "fortran.npy":
                continue
            flags = ["--format", "tsv"] if name.endswith(".tsv") else ["--width", "2"] if name.endswith(".svm") else []
            for packer in (["cat"], *PACKERS.values()):
                line = f"{shlex.join(packer)} < {name} | {shlex.quote(PROGRAM)} fit -k 2 -o m.json --quiet {shlex.join(flags)}"
                done = subprocess.run(["bash", "-c", line], cwd=self.dir, capture_output=True, text=True)
                self.assertEqual(done.stderr, "", line)
                if name == "x.csv" and packer == ["cat"]:
                    expected = self.data("m.json")
                self.assertEqual(self.data("m.json"), expected, line)

    def test_types_of_numpy(self):
        rng = np.random.default_rng(1)
        counts = rng.poisson(5, (400, 2))
        self.write("x.csv", "c0,c1\n" + "".join(f"{a},{b}\n" for a, b in counts))
        expected = self.model_of("x.csv", *COUNTS)
        for kind in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">f4"):
            np.save(self.dir / "x.npy", counts.astype(kind))
            self.assertEqual(self.model_of("x.npy", *COUNTS), expected, kind)
        np.save(self.dir / "x.npy", np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]))
        self.refused("fit", "x.npy", status=1, says="structured")
        np.save(self.dir / "x.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
        self.refused("fit", "x.npy", status=1, says="object")

    def test_patterns(self):
        half = len(self.rows) // 2
        for i, part in enumerate((self.rows[:half], self.rows[half:])):
            self.write(f"part-{i}.csv", "c0,c1\n" + "".join(f"{a!r},{b!r}\n" for a, b in part))
        self.write("x.csv", "c0,c1\n" + "".join(f"{a!r},{b!r}\n" for a, b in self.rows))
        self.assertEqual(self.model_of("part-*.csv"), self.model_of("x.csv"))
        self.refused("fit", "none-*.csv", status=1, says="no file matches")
        self.refused("fit", "part-*.csv", "-o", "part-0.csv", status=2, says="would replace it")

    def test_cut_short(self):
        self.write_all()
        for ending, packer in PACKERS.items():
            packed = subprocess.run(packer, input=self.data("x.csv"), stdout=subprocess.PIPE, check=True).stdout
            (self.dir / ("cut.csv" + ending)).write_bytes(packed[:len(packed) // 2])
            self.refused("fit", "cut.csv" + ending, "-k", 2, status=1, says=("cut.csv" + ending, "end in the middle"))


class Faults(Case):
    def setUp(self):
        super().setUp()
        lines = [json.dumps({"x": i % 7, "y": i % 5}) for i in range(200)]
        lines[10] = '{"x": "abc", "y": 1}'
        lines[20] = "{nonsense"
        lines[30] = '{"x": 1, "y": "def"}'
        self.write("x.jsonl", "\n".join(lines) + "\n")

    def test_stop(self):
        self.refused("fit", "x.jsonl", *COUNTS, "-k", 1, status=1, says=("x.jsonl:11:", '"abc"', "--on-error"))

    def test_skip(self):
        done = self.run_program("fit", "x.jsonl", *COUNTS, "-k", 1, "--on-error", "skip", "--json", "--quiet", "-o", "m.json")
        self.assertIn("skipped 3 of 200 rows: ", done.err)
        self.assertIn("2 × not a number", done.err)
        self.assertIn("x.jsonl:11:", done.err)
        self.assertEqual(done.json["rows"], 197)
        self.assertEqual(done.json["faults"]["rows_skipped"], 3)
        self.assertEqual(len(done.json["faults"]["first"]), 3)
        done = self.run_program("evaluate", "m.json", "x.jsonl", "--on-error", "skip", "--json")
        self.assertEqual(done.json["observations"], 197)
        self.assertEqual(done.json["faults"]["rows_skipped"], 3)
        done = self.run_program("predict", "m.json", "x.jsonl", "--on-error", "skip")
        self.assertEqual(len(done.rows), 197)
        self.assertIn("skipped 3 of 200 rows", done.err)

    def test_nothing_left(self):
        self.write("bad.jsonl", '{"x": "a"}\n' * 20)
        self.refused("fit", "bad.jsonl", "--columns", "x", "--on-error", "skip", status=1, says="no row could be used")


class Filters(Case):
    def test_limit_and_sample(self):
        self.assertEqual(self.fit(FAITHFUL, "-k", 1, "--limit", 100)["rows"], 100)
        half = self.fit(FAITHFUL, "-k", 1, "--sample", 0.5)
        self.assertLess(abs(half["rows"] - 136), 40)
        self.assertEqual(half, self.fit(FAITHFUL, "-k", 1, "--sample", 0.5))
        self.assertNotEqual(half["rows"], self.fit(FAITHFUL, "-k", 1, "--sample", 0.5, "--seed", 1)["rows"])
        for flag, value in (("--sample", "0"), ("--sample", "2"), ("--sample", "x"), ("--limit", "0"),
                            ("--shuffle-buffer", "0"), ("--on-error", "maybe"), ("--width", "0")):
            self.refused("fit", FAITHFUL, flag, value, status=2, says=flag)

    def test_limit_ends_an_endless_stream(self):
        line = f"yes 1 | {shlex.quote(PROGRAM)} fit --no-header {shlex.join(COUNTS)} -k 1 --limit 1000 --json --quiet"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout)["rows"], 1000)

    def test_sorted_rows_are_warned_of(self):
        self.write("x.csv", "x\n" + "".join(f"{i}\n" for i in range(20000)))
        said = self.run_program("fit", "x.csv", *COUNTS, "-k", 2, "--method", "online", "--order", "sequential").err
        self.assertRegex(said, r'warning: the rows look sorted \(column "x" never falls')
        for flags in (("--shuffle-buffer", 20000), ("--order", "shuffled")):
            said = self.run_program("fit", "x.csv", *COUNTS, "-k", 2, "--method", "online", *flags).err
            self.assertNotIn("sorted", said, flags)
        self.assertNotIn("sorted", self.run_program("fit", "x.csv", *COUNTS, "-k", 2, "--max-iterations", 3).err)

    def test_counts_are_noticed_where_no_model_is_named(self):
        self.write("x.csv", "x,y\n" + "".join(f"{i % 7},{i % 3}\n" for i in range(50)))
        self.write("half.csv", "x,y\n" + "".join(f"{i % 7},{i % 3}.5\n" for i in range(50)))
        hint = "every column holds counts: --model poisson may fit better"
        self.assertIn(hint, self.run_program("fit", "x.csv").err)
        self.assertNotIn(hint, self.run_program("fit", "x.csv", "--model", "gaussian", "-k", 1).err)
        self.assertNotIn(hint, self.run_program("fit", "half.csv").err)


class Follow(Case):
    def follow(self, *flags):
        self.path = self.dir / "log.csv"
        self.path.write_text("x\n" + "1\n2\n3\n" * 1000)
        self.child = subprocess.Popen(
            [PROGRAM, "fit", "log.csv", *COUNTS, "-k", "1", "--method", "online", "--follow", "--json", *flags],
            cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(self.child.kill)
        self.until_idle()

    def until_idle(self):
        """All that is in the file was read, and learned."""
        process, wanted = pathlib.Path("/proc", str(self.child.pid)), self.path.stat().st_size

        def read():
            return any(os.path.realpath(fd) == str(self.path.resolve()) and
                       f"pos:\t{wanted}\n" in (process / "fdinfo" / fd.name).read_text()
                       for fd in (process / "fd").iterdir())

        until(lambda: read() and at_rest(self.child.pid), "the end of the file", lambda: self.child.poll() is None)

    def test_a_growing_file(self):
        self.follow("-o", "m.json")
        with self.path.open("a") as log:
            log.write("4\n" * 500)
        self.until_idle()
        self.child.send_signal(signal.SIGINT)
        out, err = self.child.communicate()
        self.assertEqual(self.child.returncode, 130, err)
        self.assertEqual(json.loads(out)["rows"], 3500)
        self.assertEqual(self.model("m.json")["training"]["rows"], 3500)
        self.refused("fit", "--follow", status=2, says="--follow")

    def test_ends_when_the_file_is_replaced(self):
        self.follow()
        os.rename(self.path, self.dir / "log.1")
        out, err = self.child.communicate()
        self.assertEqual(self.child.returncode, 0, err)
        self.assertEqual(json.loads(out)["rows"], 3000)


class Sniff(Case):
    def test_a_table(self):
        got = self.run_program("sniff", FAITHFUL, "--json").json
        self.assertEqual((got["format"], got["packing"], got["delimiter"], got["header"]), ("csv", "none", "comma", True))
        self.assertEqual(got["rows_estimated"], 272)
        first = got["columns"][0]
        self.assertEqual((first["name"], first["type"], first["smallest"], first["largest"]), ("eruptions", "number", 1.6, 5.1))
        self.assertAlmostEqual(first["mean"], 3.4877830882, delta=1e-6)
        self.assertEqual(got["columns"][1]["type"], "count")

    def test_types_and_warnings(self):
        lines = [f"{i},{i % 2},{i % 5},{i * 0.5},7,{'abc'[i % 3]},name{i},{'' if i % 4 == 0 else i}" for i in range(2000)]
        self.write("x.csv", "id,flag,n,x,same,kind,name,gaps\n" + "\n".join(lines) + "\n")
        got = self.run_program("sniff", "x.csv", "--json").json
        self.assertEqual([c["type"] for c in got["columns"]],
                         ["count", "binary", "count", "number", "constant", "category", "text", "count"])
        self.assertEqual(got["columns"][7]["missing_share"], 0.25)
        self.assertTrue(any("sorted" in w for w in got["warnings"]))
        self.assertTrue(any('"same" is constant' in w for w in got["warnings"]))
        self.works(got["command"])
        shown = self.run_program("sniff", "x.csv").out
        self.assertIn(got["command"], shown)

    def works(self, command):
        words = shlex.split(command)
        self.assertEqual(words[0], "thalweg")
        self.run_program(*words[1:])

    def test_every_format_gives_a_command_that_works(self):
        rng = np.random.default_rng(2)
        counts = rng.poisson(3, (300, 3))
        np.save(self.dir / "x.npy", counts)
        self.write("x y.jsonl", "".join(json.dumps({"a": int(a), "b c": float(b) / 3, "t": "w"}) + "\n" for a, b, _ in counts))
        self.write("x.docs", "300 3 900\n" + "".join(f"0 0:{a} 1:{b} 2:{c}\n" for a, b, c in counts))
        self.write("x.svm", "".join(f"1 1:{a} 2:{b} 3:{c}\n" for a, b, c in counts))
        for name, kind in (("x.npy", "npy"), ("x y.jsonl", "jsonl"), ("x.docs", "docs"), ("x.svm", "libsvm")):
            got = self.run_program("sniff", name, "--json").json
            self.assertEqual(got["format"], kind)
            self.assertEqual(got["rows_estimated"], 300, name)
            self.works(got["command"])
        subprocess.run(["gzip", "x.docs"], cwd=self.dir, check=True)
        got = self.run_program("sniff", "x.docs.gz", "--json").json
        self.assertEqual((got["format"], got["packing"]), ("docs", "gzip"))
        self.works(got["command"])

    def test_refusals(self):
        self.refused("sniff", "nothing.csv", status=1, says="no such file")
        self.refused("sniff", status=2, says="FILE")


if __name__ == "__main__":
    unittest.main()
