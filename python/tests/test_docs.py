"""Every example in the pages on Python runs, and prints what the page says; their tables agree with the catalogue."""

import contextlib
import io
import os
import pathlib
import re

import pytest
import thalweg

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# A block of text straight after one of Python is what that prints.
PRINTS = re.compile(r"\A\n+```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(page):
    """(line, code, what it prints or None) of every block of Python."""
    text = page.read_text()
    for found in FENCE.finditer(text):
        if found[1] == "python":
            printed = PRINTS.match(text[found.end() :])
            yield text.count("\n", 0, found.start()) + 2, found[2], printed and printed[1]


WITH_EXAMPLES = [page for page in PAGES if any(examples(page))]


def test_there_are_examples():
    assert {"README.md", "coming-from-scikit-learn.md", "a-stream-row-by-row.md"} <= {page.name for page in WITH_EXAMPLES}


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    os.symlink(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for line, code, expected in examples(page):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)
        if expected is not None:
            assert out.getvalue() == expected, f"{page.name}:{line}"
    pyplot.close("all")


def test_table_of_estimators_is_the_catalogue():
    text = (ROOT / "docs" / "python" / "README.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    known = [
        (name, cls._entry["summary"], ", ".join(f"`{piece['name']}_`" for piece in cls._entry["parameters"]))
        for name, cls in thalweg._classes.items()
    ]
    assert rows == known


def test_links_lead_somewhere():
    for page in (ROOT / "docs" / "python").glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name}: {target}"


def test_pictures_can_be_drawn_again(tmp_path):
    pytest.importorskip("matplotlib")
    path = ROOT / "docs" / "python" / "pictures.py"
    names = {"__name__": "pictures", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), names)
    names["draw"](tmp_path)
    drawn = {file.name for file in tmp_path.iterdir()}
    assert drawn == {file.name for file in path.parent.glob("*.png")}
    assert all(0 < file.stat().st_size < 60_000 for file in path.parent.glob("*.png"))
