"""What type checkers are told is true: the stubs name what the package has, and a small program is judged rightly."""

import ast
import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys

import pytest
import thalweg
from thalweg import _native

PACKAGE = pathlib.Path(thalweg.__file__).parent
TOOL = pathlib.Path(__file__).parents[1] / "tools" / "write_stubs.py"


def test_the_stub_of_the_classes_is_what_the_tool_writes():
    spec = importlib.util.spec_from_file_location("write_stubs", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    written = (TOOL.parents[1] / "thalweg" / "__init__.pyi").read_text()
    assert tool.text() == written, "run python/tools/write_stubs.py"
    assert (PACKAGE / "__init__.pyi").read_text() == written, "run make python"


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


def functions_of(scope):
    return {node.name: [a.arg for a in node.args.args if a.arg != "self"] for node in scope if isinstance(node, ast.FunctionDef)}


def native_arguments(function):
    """Names of the arguments, by the first line of what pybind11 documents."""
    inside = re.match(r"\w+\((.*)\) ->", function.__doc__)[1]
    return [name for name in re.findall(r"(?:^|, )(\w+): ", inside) if name != "self"]


def test_the_native_stub_has_the_names_of_the_module():
    tree = ast.parse((PACKAGE / "_native.pyi").read_text()).body
    classes = {node.name: node.body for node in tree if isinstance(node, ast.ClassDef)}
    told = set(classes) | set(functions_of(tree)) | {node.target.id for node in tree if isinstance(node, ast.AnnAssign)}
    there = {name for name in vars(_native) if not name.startswith("__")} | {"__version__"}
    assert told == there
    for name, body in classes.items():
        cls = getattr(_native, name)
        if issubclass(cls, Exception):
            continue
        told = functions_of(body)
        public = {name for name in vars(cls) if not name.startswith("_")}
        assert set(told) - {"__init__"} == public, name
        for function in public:
            found = inspect.getattr_static(cls, function)
            if not isinstance(found, property):
                assert told[function] == native_arguments(getattr(cls, function)), f"{name}.{function}"


PROGRAM = """
import numpy.typing
import numpy as np
import thalweg

X = np.zeros((10, 2))
model = thalweg.GaussianMixture(2, covariance_type="diag", random_state=0).fit(X)
rows, labels = model.sample(3)
first: int = model.predict_one({"a": 1.0}) or 0
means: np.typing.NDArray[np.float64] = model.marginal([0]).means_
ppca = thalweg.PPCA(n_components=1).partial_fit(X, sample_weight=[1.0] * 10)
noise: float = ppca.noise_variance_
model.means_ = np.zeros((2, 2))
thalweg.plot.density(model, X, columns=[0, 1])
model.partial_fit(thalweg.Files("rows.csv", columns=["a", "b"], limit=10))


class Mine(thalweg.Model):
    def maximise(self, s: dict[str, float], theta: dict[str, float]) -> dict[str, float]:
        return theta


own = thalweg.EM(Mine(), on_step=lambda step: None).fit(X)
print(own.rates_, thalweg.plot.density)
try:
    thalweg.load("model.json")
except (thalweg.Error, thalweg.NotFittedError):
    pass
"""
WRONG = {
    'thalweg.GaussianMixture(n_componets=2)\n': "n_componets",
    'thalweg.PPCA("three")\n': "incompatible type",
    'thalweg.PPCA().predict(X)\n': 'has no attribute "predict"',
    'label: str = thalweg.PoissonMixture().score(X)\n': "Incompatible types",
}


def test_the_stub_of_the_pictures_has_their_signatures():
    types = ast.parse((PACKAGE / "plot.pyi").read_text())
    told = {node.name: [a.arg for a in node.args.args] for node in types.body if isinstance(node, ast.FunctionDef)}
    public = {name: value for name, value in vars(thalweg.plot).items() if not name.startswith("_") and inspect.isfunction(value)}
    assert told == {name: list(inspect.signature(value).parameters) for name, value in public.items()}


def test_mypy_agrees(tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(PROGRAM + "".join(WRONG))
    for program, faults in (("program.py", []), ("wrong.py", list(WRONG.values()))):
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", program]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        errors = [line for line in done.stdout.splitlines() if ": error:" in line]
        assert len(errors) == len(faults), done.stdout + done.stderr
        for error, words in zip(errors, faults):
            assert words in error
