"""Programs written for scikit-learn's GaussianMixture run with only the import changed, and find the same."""

import json
import pathlib
import subprocess
import sys

import pytest

PROGRAMS = sorted((pathlib.Path(__file__).parent / "programs").glob("*.py"))
THEIRS = "from sklearn.mixture import GaussianMixture\n"
OURS = "from thalweg import GaussianMixture\n"


def run(text, folder):
    program = folder / "program.py"
    program.write_text(text)
    command = [sys.executable, "program.py", "picture.png"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(mine, theirs, where=""):
    """Equal, numbers up to what the tolerance of EM leaves."""
    assert type(mine) is type(theirs), where
    if isinstance(mine, dict):
        assert mine.keys() == theirs.keys(), where
        for key in mine:
            same(mine[key], theirs[key], f"{where}/{key}")
    elif isinstance(mine, list):
        assert len(mine) == len(theirs), where
        for place, pair in enumerate(zip(mine, theirs)):
            same(*pair, f"{where}/{place}")
    elif isinstance(mine, float):
        assert mine == pytest.approx(theirs, rel=5e-3, abs=5e-3), where
    else:
        assert mine == theirs, where


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_only_the_import_changes(path, tmp_path):
    text = path.read_text()
    assert text.count(THEIRS) == 1
    same(run(text.replace(THEIRS, OURS), tmp_path), run(text, tmp_path))


def test_there_are_three():
    assert len(PROGRAMS) == 3
