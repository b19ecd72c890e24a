"""Bad input and wrong usage: one line that says where and how to mend it, the right status, no file."""

import os
import pathlib
import unittest

from support import COUNTS, DEATHS, DIAGONAL, FAITHFUL, Case

OUT = ("-o", "out.json")
DATA, USAGE = 1, 2


class Refusals(Case):
    """Every refusal leaves an output file of before as it was."""

    def setUp(self):
        super().setUp()
        self.write("out.json", "precious")
        self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "model.json", "--quiet")

    def no_fit(self, *args, status=DATA, says=(), **options):
        self.refused("fit", *args, *OUT, status=status, says=says, **options)
        os.remove(self.dir / "out.json")
        self.refused("fit", *args, *OUT, status=status, says=says, **options)
        self.write("out.json", "precious")


class Data(Refusals):
    def bad(self, text, *says, flags=("-k", "2"), name="x.csv"):
        self.write(name, text)
        self.no_fit(name, *flags, says=says)
        # The same from a pipe.
        if text:
            self.no_fit(*flags, stdin=text, says=[s for s in says if name not in s])

    def test_no_such_file(self):
        self.no_fit("nothing.csv", "-k", 2, says="nothing.csv")
        self.no_fit(FAITHFUL, "nothing.csv", "-k", 2, *DIAGONAL, says="nothing.csv")

    def test_directory(self):
        (self.dir / "folder").mkdir()
        self.no_fit("folder", "-k", 2, says=("folder", "directory"))

    def test_unreadable_file(self):
        self.write("secret.csv", "x\n1\n2\n")
        os.chmod(self.dir / "secret.csv", 0)
        if os.access(self.dir / "secret.csv", os.R_OK):
            self.skipTest("this user may read everything")
        done = self.run_program("fit", "secret.csv", status=DATA)
        self.assertRegex(done.err, r"\Athalweg: secret.csv: [^\n]+\n\Z")

    def test_empty_file(self):
        self.bad("", "x.csv", "empty")
        self.no_fit("-k", 2, stdin="", says="empty")

    def test_header_only(self):
        self.bad("x,y\n", "no data rows", flags=(*DIAGONAL, "-k", "2"))
        self.bad("x,y", "no data rows", flags=(*DIAGONAL, "-k", "2"))

    def test_ragged_rows(self):
        self.bad("x,y\n1,2\n3\n4,5\n", ":3:", "expected 2", flags=(*DIAGONAL, "-k", "1"))
        self.bad("x,y\n1,2\n3,4\n4,5,6\n", ":4:", "3 fields", flags=(*DIAGONAL, "-k", "1"))

    def test_text_among_numbers(self):
        self.bad("x\n1\n2\nabc\n3\n", "x.csv:4:", ":4:", 'column "x"', '"abc" is not a number')
        self.bad("a,x\n1,1\n\n2,2\n3,1 2\n", ":5:", '"1 2"', flags=(*DIAGONAL, "-k", "1"))

    def test_text_far_down(self):
        self.bad("x\n" + "1\n" * 150_000 + "oops\n", ":150002:", '"oops"',
                 flags=("-k", "2", "--quiet"))

    def test_negative_and_fractional_counts(self):
        self.bad("x\n1\n2\n-1\n3\n", ":4:", "-1", "poisson", flags=(*COUNTS, "-k", "2"))
        self.bad("x\n1\n2\n3\n1.5\n", ":5:", "1.5", "poisson", flags=(*COUNTS, "-k", "2"))

    def test_numbers_out_of_range(self):
        for cell in ("inf", "-inf", "Infinity", "1e400", "-1e400"):
            self.bad(f"x\n1\n2\n{cell}\n3\n", ":4:", cell)
            self.bad(f"x\n1\n2\n{cell}\n3\n", ":4:", cell, flags=(*COUNTS, "-k", "2"))
        self.bad("x\n1\n2\n1e300\n-1e300\n", ":4:")

    def test_missing_cells(self):
        for cell in ("", "NA", "NaN", "nan"):
            for model in ("gaussian", "poisson"):
                flags = ("--model", model, "-k", "1")
                flags += DIAGONAL if model == "gaussian" else ()
                self.bad(f"x,y\n1,2\n2,{cell}\n3,4\n", ":3:", 'column "y"', "missing", model,
                         flags=flags)

    def test_fewer_rows_than_components(self):
        self.bad("x\n1\n2\n3\n", "3 rows", "5", flags=("-k", "5"))
        self.bad("x\n1\n2\n3\n", "3 rows", "5", flags=(*COUNTS, "-k", "5"))

    def test_no_numeric_column(self):
        self.bad("a,b\nx,y\nz,w\n", "numeric", "a, b")

    def test_two_columns_of_one_name(self):
        self.bad("x,x\n1,2\n3,4\n", '"x"', "twice", flags=(*DIAGONAL, "-k", "1"))

    def test_weights(self):
        flags = ("-k", "1", "--weight-column", "w")
        self.bad("x,w\n1,1\n2,-1\n3,1\n", ":3:", '"w"', "-1", flags=flags)
        self.bad("x,w\n1,1\n2,nan\n3,1\n", ":3:", '"w"', flags=flags)
        self.bad("x,w\n1,1\n2,a\n3,1\n", ":3:", '"w"', flags=flags)
        self.bad("x,w\n1,1\n2,inf\n3,1\n", ":3:", '"w"', flags=flags)
        self.bad("x,w\n1,0\n2,0\n3,0\n", flags=flags)

    def test_binary_rubbish(self):
        (self.dir / "x.csv").write_bytes(bytes(range(256)) * 40)
        self.no_fit("x.csv", "-k", 1)

    def test_unknown_columns(self):
        self.no_fit(FAITHFUL, "--columns", "eruptions,waitin", *DIAGONAL,
                    says=('"waitin"', 'did you mean "waiting"'))
        self.no_fit(FAITHFUL, "--columns", "nothing", *DIAGONAL, says='"nothing"')
        self.no_fit(FAITHFUL, "--weight-column", "nothing", *DIAGONAL, says='"nothing"')

    def test_other_columns_in_the_second_file(self):
        self.no_fit(FAITHFUL, DEATHS, *DIAGONAL, "-k", 2, says="death_notices.csv")

    def test_validation_file(self):
        self.no_fit(FAITHFUL, *DIAGONAL, "-k", 2, "--validate", "no.csv", says="no.csv")
        self.no_fit(FAITHFUL, *DIAGONAL, "-k", 2, "--validate", DEATHS, says="eruptions")


class Usage(Refusals):
    def wrong(self, *flags, says=()):
        self.no_fit(FAITHFUL, *DIAGONAL, "-k", 2, *flags, status=USAGE, says=says)

    def test_step(self):
        for step in ("0.5", "1.1", "0", "-1"):
            self.wrong("--step", step, says=(step, "(0.5, 1]"))
        for step in ("abc", "", "0.6,offset=x", "constant:", "constant:2", "2/n", "nan"):
            self.wrong("--step", step)

    def test_components(self):
        for k in ("0", "-1", "abc", "5:2", "2.5", "1:", ":3", "0:3", ""):
            self.no_fit(FAITHFUL, *DIAGONAL, "-k", k, status=USAGE, says="-k")

    def test_names_of_choices(self):
        self.wrong("--method", "onlin", says="online")
        self.wrong("--order", "up", says="shuffled")
        self.wrong("--average", "abc", says="poly:3")
        self.wrong("--average", "poly:x", says="poly:3")
        self.wrong("--average-of", "abc", says="statistic")
        self.wrong("--progress", "maybe", says="never")
        self.wrong("--keep", "abc", says=("abc", "64M"))
        self.wrong("--keep", "-1")
        self.wrong("--format", "xls", says="csv")

    def test_numbers(self):
        for flag in ("--batch-size", "--buffer", "--warmup", "--passes", "--starts", "--seed",
                     "--max-iterations", "--tolerance", "--floor", "--ridge", "--threads"):
            self.wrong(flag, "abc", says=flag)
        for flag in ("--tolerance", "--floor", "--ridge"):
            self.wrong(flag, "-1", says=flag)
            self.wrong(flag, "nan", says=flag)
        for flag in ("--batch-size", "--threads"):
            self.wrong(flag, "0", says=flag)
        self.wrong("--threads", "100000", says="1024")

    def test_unknown_model(self):
        for name, meant in (("gausian", "gaussian"), ("poison", "poisson")):
            self.no_fit(FAITHFUL, "--model", name, "-k", 2, status=USAGE,
                        says=(name, f"did you mean {meant}"))
        self.no_fit(FAITHFUL, "--model", "xyzzy", "-k", 2, status=USAGE, says="thalweg models")

    def test_flag_that_the_model_does_not_know(self):
        self.no_fit(DEATHS, *COUNTS, *DIAGONAL, "-k", 2, status=USAGE,
                    says=("poisson", "covariance"))

    def test_unknown_flags_and_verbs(self):
        self.no_fit(FAITHFUL, "--covarience", "diag", status=USAGE, says="--covariance")
        self.no_fit(FAITHFUL, "--xyzzy", status=USAGE, says="--xyzzy")
        self.no_fit(FAITHFUL, "-k", status=USAGE, says="-k")
        self.refused("fitt", FAITHFUL, status=USAGE, says=("fitt", "did you mean fit"))
        self.refused(status=USAGE, says="--help")
        self.refused("predict", status=USAGE, says="MODEL")
        self.refused("models", "more", status=USAGE, says="more")
        self.refused("sample", "model.json", status=USAGE)
        self.refused("sample", "model.json", "-n", "abc", status=USAGE)

    def test_flags_of_later_versions_are_unknown(self):
        for flag in ("--emission", "--family", "--target"):
            self.wrong(flag, "x", says=flag)

    def test_unknown_covariance(self):
        self.no_fit(FAITHFUL, "-k", 2, "--covariance", "ful", status=USAGE, says="full")

    def test_start_file_and_flags_that_differ(self):
        self.no_fit(FAITHFUL, "--init", "model.json", "-k", 3, status=USAGE, says=("2", "3"))
        self.no_fit(DEATHS, "--init", "model.json", *COUNTS, status=USAGE,
                    says=("gaussian", "poisson"))

    def test_stdin_twice(self):
        self.no_fit("-", "-", "-k", 1, stdin="x\n1\n2\n3\n", status=USAGE)

    def test_no_start_file(self):
        self.no_fit(FAITHFUL, "--init", "nothing.json", says="nothing.json")


class Places(Refusals):
    def test_output_folder(self):
        self.refused("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "no/such/out.json", status=DATA,
                     says="no/such/out.json")
        self.refused("fit", FAITHFUL, *DIAGONAL, "-k", 2, "--trace", "no/such/t.csv", *OUT,
                     status=DATA, says="no/such/t.csv")

    def test_failed_fit_leaves_the_old_trace(self):
        self.write("x.csv", "x\n" + "1\n2\n" * 600 + "abc\n")
        self.write("t.csv", "precious")
        self.no_fit("x.csv", *COUNTS, "-k", 2, "--trace", "t.csv", "--quiet", says='"abc"')

    def test_read_only_folder(self):
        folder = pathlib.Path(self.dir, "locked")
        folder.mkdir()
        os.chmod(folder, 0o500)
        self.addCleanup(os.chmod, folder, 0o700)
        if os.access(folder, os.W_OK):
            self.skipTest("this user may write everywhere")
        self.refused("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "locked/out.json", status=DATA,
                     says="locked/out.json")


class OtherVerbs(Refusals):
    def test_wrong_columns(self):
        for verb in ("predict", "evaluate"):
            self.refused(verb, "model.json", DEATHS, status=DATA, says=('"eruptions"', "count"))

    def test_bad_data(self):
        self.write("x.csv", "eruptions,waiting\n1,2\n3,abc\n")
        self.refused("evaluate", "model.json", "x.csv", status=DATA, says=("x.csv:3:", '"abc"'))
        done = self.run_program("predict", "model.json", "x.csv", status=DATA)
        self.assertRegex(done.err, r"\Athalweg: x.csv:3: [^\n]+\n\Z")
        self.write("x.csv", "eruptions,waiting\n1,\n")
        self.refused("evaluate", "model.json", "x.csv", status=DATA, says=("x.csv:2:", "missing"))

    def test_no_data(self):
        self.write("empty.csv", "")
        for verb in ("predict", "evaluate"):
            self.refused(verb, "model.json", "empty.csv", status=DATA, says="empty")
            self.refused(verb, "model.json", "no.csv", status=DATA, says="no.csv")

    def test_unknown_id(self):
        self.refused("predict", "model.json", FAITHFUL, "--id", "name", status=DATA,
                     says=('"name"', "eruptions"))

    def test_no_model(self):
        for args in (("predict", "no.json", FAITHFUL), ("evaluate", "no.json", FAITHFUL),
                     ("show", "no.json"), ("sample", "no.json", "-n", 5)):
            self.refused(*args, status=DATA, says="no.json")

    def test_folder_as_model(self):
        (self.dir / "folder").mkdir()
        self.refused("show", "folder", status=DATA, says="folder")


if __name__ == "__main__":
    unittest.main()
