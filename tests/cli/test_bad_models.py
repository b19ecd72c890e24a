"""Damaged model files are refused by every verb with one line that names the file and the fault."""

import copy
import json
import unittest

from support import DIAGONAL, FAITHFUL, Case


class Damage(Case):
    def setUp(self):
        super().setUp()
        self.run_program("fit", FAITHFUL, *DIAGONAL, "-k", 2, "-o", "good.json", "--quiet")
        self.text = self.read("good.json")

    def bad(self, content, *says):
        self.write("bad.json", content)
        for args in (("evaluate", "bad.json", FAITHFUL), ("predict", "bad.json", FAITHFUL),
                     ("show", "bad.json"), ("sample", "bad.json", "-n", 2),
                     ("fit", FAITHFUL, "--init", "bad.json", "-o", "out.json")):
            with self.subTest(verb=args[0]):
                self.refused(*args, status=1, says=("bad.json", *says))

    def changed(self, value, *path):
        model = copy.deepcopy(json.loads(self.text))
        place = model
        for key in path[:-1]:
            place = place[key]
        if value is None:
            del place[path[-1]]
        else:
            place[path[-1]] = value
        return model

    def test_not_json(self):
        for content in ("", "hello", "{", "[]", "3", "null", '"x"', self.text + "x",
                        "[" * 100_000, "\x00\x01"):
            self.bad(content)

    def test_truncated_anywhere(self):
        for share in (0.1, 0.3, 0.5, 0.8, 0.99):
            self.write("bad.json", self.text[:int(len(self.text) * share)])
            self.refused("show", "bad.json", status=1, says="bad.json")

    def test_other_format_or_version(self):
        self.bad(self.changed("other", "format"), "thalweg-model")
        self.bad(self.changed(2, "version"), "2")
        self.bad(self.changed("1", "version"))

    def test_not_a_number(self):
        cell = repr(json.loads(self.text)["parameters"]["means"][0][0])
        for other in ("NaN", "Infinity", "null", '"x"', "1e999", "true"):
            self.bad(self.text.replace(cell, other, 1))

    def test_impossible_parameters(self):
        self.bad(self.changed(-1.0, "parameters", "covariances", 0, 0), "covariances", "-1")
        self.bad(self.changed(0, "parameters", "covariances", 0, 0), "covariances")
        self.bad(self.changed([0.5, 0.6], "parameters", "weights"), "weights", "1.1")
        self.bad(self.changed([-0.5, 1.5], "parameters", "weights"), "weights")
        self.bad({"model": "poisson", "parameters": {"weights": [1], "rates": [[-2]]}}, "rates")

    def test_wrong_shapes(self):
        self.bad(self.changed([1.0], "parameters", "weights"), "weights", "[2]")
        self.bad(self.changed([[1, 2]], "parameters", "means"), "means")
        self.bad(self.changed([[1], [2]], "parameters", "means"), "means")
        self.bad(self.changed([[1, 2], [2]], "parameters", "means"), "means")
        self.bad(self.changed(7, "parameters", "means"), "means")
        self.bad(self.changed([], "parameters", "weights"), "weights")
        self.bad(self.changed(3, "options", "components"))
        self.bad(self.changed(["a"], "columns"))
        self.bad(self.changed("ab", "columns"))

    def test_parts_that_are_missing_or_unknown(self):
        self.bad(self.changed(None, "model"), "model")
        self.bad(self.changed(None, "parameters"), "parameters")
        self.bad(self.changed(None, "parameters", "means"), "means")
        self.bad(self.changed([1], "parameters", "foo"), "foo")
        self.bad(self.changed("gausian", "model"), "gausian", "gaussian")
        self.bad(self.changed("x", "options", "foo"), "foo")

    def test_statistics_of_another_shape(self):
        self.bad(self.changed(5, "statistics"))
        self.bad(self.changed([1], "statistics", "mean", "sums"), "sums")
        self.bad(self.changed([0, 0], "constants", "scale"))


if __name__ == "__main__":
    unittest.main()
