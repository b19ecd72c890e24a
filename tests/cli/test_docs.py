"""Every example in README and docs runs: shell lines through the program, the C++ block as examples/quickstart.cpp."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["THALWEG_SOURCE_DIR"])
PROGRAM = os.environ["THALWEG_PROGRAM"]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    return [text for kind, text in FENCE.findall(page.read_text()) if kind == language]


class Documentation(unittest.TestCase):
    def test_shell_examples(self):
        run = 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
                for line in "".join(blocks(page, "sh")).splitlines():
                    command = line.split("  #")[0].replace("build/release/thalweg", "thalweg")
                    if not command.startswith("thalweg "):
                        continue
                    with self.subTest(page=page.name, command=command):
                        script = f'thalweg() {{ "{PROGRAM}" "$@"; }}; {command}'
                        done = subprocess.run(["bash", "-o", "pipefail", "-c", script], cwd=folder,
                                              capture_output=True, text=True)
                        self.assertEqual(done.returncode, 0, done.stderr)
                    run += 1
        self.assertGreater(run, 8)

    def test_quickstart_is_the_readme(self):
        (block,) = blocks(ROOT / "README.md", "cpp")
        self.assertEqual(block, (ROOT / "examples" / "quickstart.cpp").read_text())

    def test_programs_are_examples(self):
        """A whole program in a page is one of the examples, which are built and run."""
        examples = {path.read_text() for path in (ROOT / "examples").rglob("*.cpp")}
        for page in sorted((ROOT / "docs").rglob("*.md")):
            for block in blocks(page, "cpp"):
                if "int main(" in block:
                    with self.subTest(page=page.name):
                        self.assertIn(block, examples)

    def test_the_guide_shows_its_programs(self):
        """Each program of the guide stands whole in a page of docs/cpp."""
        shown = {block for page in (ROOT / "docs" / "cpp").glob("*.md") for block in blocks(page, "cpp")}
        programs = sorted((ROOT / "examples" / "guide").glob("*.cpp"))
        self.assertGreaterEqual(len(programs), 5)
        for program in programs:
            with self.subTest(program=program.name):
                self.assertIn(program.read_text(), shown)


if __name__ == "__main__":
    unittest.main()
