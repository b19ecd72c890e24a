"""The table of options is what the command and the classes have: flags, arguments, defaults and words."""

import ast
import inspect
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest
import thalweg
from thalweg import _native, _params

ROOT = pathlib.Path(__file__).parents[2]
TABLE = _native.options()
CLASSES = [*thalweg._classes.values(), thalweg.EM]


def help_of(verb):
    found = pathlib.Path(os.environ.get("THALWEG_PROGRAM", ROOT / "build" / "release" / "thalweg"))
    if not found.exists():
        pytest.skip("the command thalweg is not built")
    return subprocess.run([found, verb, "--help"], capture_output=True, text=True, check=True).stdout


def test_every_flag_of_the_table_is_a_flag_of_fit_and_no_other_is():
    model_options = {option["name"] for entry in thalweg.models() for option in entry["options"]}
    known = {row["flag"] for row in TABLE if row["flag"]} | {f"--{name}" for name in model_options} | {"--help"}
    told = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", help_of("fit"), re.MULTILINE))
    assert told == known


def rows_of(cls):
    return COMMON if cls is thalweg.EM else cls._entry["arguments"]


COMMON = [row for row in TABLE if row["rank"] > 0 and row["for_all"]]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_argument_of_the_table_is_in_signature_and_documentation(cls):
    parameters = inspect.signature(cls.__init__).parameters
    for row in rows_of(cls):
        default = parameters[row["argument"]].default
        own = {("PPCA", "method"): "exact", ("EM", "threads"): 1}  # said where the class is made
        assert default == own.get((cls.__name__, row["name"]), ast.literal_eval(row["default"])), row["name"]
        assert f"\n{row['argument']} : default={default!r}\n" in cls.__doc__, row["name"]
        if (cls.__name__, row["name"]) != ("EM", "threads"):
            assert f"\n    {row['help']}\n" in cls.__doc__, row["name"]
    named = {row["argument"] for row in rows_of(cls)}
    assert set(parameters) - {"self", "model", "init"} == named | set(cls._arguments.values())


def test_every_argument_that_all_have_is_on_every_class():
    for cls in CLASSES:
        assert {row["name"] for row in COMMON} <= {row["name"] for row in rows_of(cls)}, cls


def test_arguments_of_files_are_those_of_the_table():
    parameters = inspect.signature(thalweg.Files.__init__).parameters
    rows = {row["argument"]: row for row in TABLE if row["place"] == "files"}
    assert set(parameters) - {"self", "paths", "seed"} == set(rows)
    for name, row in rows.items():
        assert parameters[name].default == ast.literal_eval(row["default"]), name
        assert f"\n    {name} : " in thalweg.Files.__doc__, name


def test_methods_of_the_table_are_methods():
    for row in TABLE:
        if row["place"] == "method":
            assert all(callable(getattr(cls, row["argument"])) for cls in CLASSES), row["name"]


def test_every_plain_default_keeps_its_own_rule():
    for cls in CLASSES:
        for name, parameter in inspect.signature(cls.__init__).parameters.items():
            if name in _params.RULES:
                fits, what = _params.RULES[name]
                assert fits(parameter.default), (name, what)


def test_documentation_speaks_of_arguments_not_of_flags():
    for cls in CLASSES:
        assert not re.search(r"--[a-z]|[{}]", cls.__doc__), cls


X = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    "act, words",
    [
        (lambda folder: thalweg.GaussianMixture(method="exact").fit(X), r"method='exact' needs one"),
        (lambda folder: thalweg.PPCA(buffer=0).partial_fit(X), r"buffer=0 .*\(all of them, given to the constructor\)"),
        (lambda folder: thalweg.GaussianMixture().fit(folder / "data.csv"), r"use thalweg.Files\(…, on_error='missing'\) to"),
        (lambda folder: thalweg.GaussianMixture().fit(folder / "words.csv"), r"thalweg.CategoricalMixture takes them"),
        (lambda folder: thalweg.GaussianMixture().fit(folder / "twice.csv"), r"pick other columns with thalweg.Files\(…, columns=…\)"),
    ],
)
def test_errors_speak_of_arguments(tmp_path, act, words):
    (tmp_path / "data.csv").write_text("a,b\n1,1\n2,2\noops,3\n")
    (tmp_path / "words.csv").write_text("a,b\nx,y\nz,y\n")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n3,4\n")
    with pytest.raises(thalweg.Error, match=words) as caught:
        act(tmp_path)
    assert "--" not in str(caught.value)
