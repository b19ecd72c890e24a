"""Thousands of generated tables, read by thalweg, by Python's csv module and by pandas: the same fields and the same bits."""

import csv
import io
import json
import math
import os
import random
import re
import subprocess
import unittest

import pandas

from support import PATIENCE, Case

READ_TABLES = os.environ["THALWEG_READ_TABLES"]
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
MISSING = ("", "na", "nan")

PLAIN = ["1", "-2.5", "0.873421", "12.3456", "-0", "7.", "+.5", "1e-320", "1E+3", "12345678901234567890",
         "123456789012345678901234567890", "0.1", "2.2250738585072011e-308", "9007199254740993",
         "0.30000000000000004", "-1234.5678901234567", "4.9e-324", "1e22", "1e23", "8.5e-7", "00012",
         "179769313486231570000e288", "0.000000000000000000000000000001"]
NONE = ["", "NA", "nan", "NaN"]
ODD = ["inf", "-Infinity", "1e400", "179769313486231570000e289", "abc", "1,5", "0x10", "1 2", "--1", "N/A", " 7 ", "\t8\t", "5\" pipe",
       "1e", ".", "ü", "1;2", "a\nb", "x\r\ny", "q\"q", "+-1", "1_000", " ", "-nan"]


def random_number(rng):
    kind = rng.randrange(4)
    if kind == 0:
        return repr(rng.uniform(-1000, 1000))
    if kind == 1:
        return f"{rng.gauss(0, 10):.6g}"
    if kind == 2:
        return repr(rng.uniform(1, 10) * 10.0 ** rng.randrange(-300, 300))
    return str(rng.randrange(10 ** rng.randrange(1, 25)))


def field(rng, text):
    """A cell as a file may write it."""
    must = any(c in text for c in ",\r\n") or text.startswith('"')
    if must or rng.random() < 0.15:
        return '"' + text.replace('"', '""') + '"'
    return text


def table(rng, odd):
    """The text of a table, with every liberty that real files take."""
    ends = rng.choice([["\n"], ["\r\n"], ["\n", "\r\n"], ["\r"], ["\n", "\r", "\r\n"]])
    if not odd:
        ends = ["\n" if end == "\r" else end for end in ends]  # pandas 1.5 loses cells behind a blank CR
    width = rng.randrange(1, 5)
    names = [f"n{j}" + rng.choice(["", "x", " y", ",z" if odd else ""]) for j in range(width)]
    lines = [",".join(field(rng, name) for name in names)]
    for _ in range(rng.randrange(1, 10)):
        cells = [rng.choice([random_number(rng), rng.choice(PLAIN), rng.choice(NONE),
                             rng.choice(ODD if odd else PLAIN)]) for _ in range(width)]
        if odd and rng.random() < 0.1:
            cells = cells[:-1] if rng.random() < 0.5 else cells + ["1"]
        line = ",".join(field(rng, cell) for cell in cells)
        # One empty or blank field is a blank line; quoted spaces alone cannot be told from it by Python's reader.
        if not line.strip(" \t") or (len(cells) == 1 and not cells[0].strip(" \t")):
            line = '""'
        lines.append(line)
        if rng.random() < 0.1:
            lines.append(rng.choice(["", " ", "\t"]) if odd else "")
    text = "".join(line + rng.choice(ends) for line in lines)
    if rng.random() < 0.3:
        text = text.rstrip("\r\n")
    return ("\ufeff" if rng.random() < 0.1 else "") + text


def value(cell):
    """The number in a cell, None where there is none, and whether that is a mistake."""
    cell = cell.strip(" \t")
    if NUMBER.match(cell) and math.isfinite(float(cell)):
        return float(cell), False
    return None, cell.lower() not in MISSING


def expected(text):
    """What Python's csv module finds."""
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    rows = [row for row in lines if row and not (len(row) == 1 and row[0] and not row[0].strip(" \t"))]
    names, *body = rows
    whole = [row for row in body if len(row) == len(names)]
    values = [[value(cell) for cell in row] for row in whole]
    return {"names": [name.strip(" \t") for name in names], "raw": whole, "skipped": len(body) - len(whole),
            "rows": [[number for number, _ in row] for row in values],
            "missing": sum(wrong for row in values for _, wrong in row)}


class Differential(Case):
    def read(self, texts):
        names = []
        for i, text in enumerate(texts):
            names.append(f"{i}.csv")
            (self.dir / names[-1]).write_bytes(text.encode())
        done = subprocess.run([READ_TABLES], input="".join(name + "\n" for name in names), text=True,
                              capture_output=True, cwd=self.dir, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_python(self):
        rng = random.Random(5)
        texts = [table(rng, odd=True) for _ in range(4000)]
        for text, found in zip(texts, self.read(texts), strict=True):
            if found.get("error", "").endswith("no data rows after the header"):
                found = {"names": expected(text)["names"], "raw": [], "rows": [], "skipped": 0, "missing": 0}
            self.assertEqual(found, expected(text), repr(text))

    def test_pandas(self):
        rng = random.Random(6)
        texts = [table(rng, odd=False) for _ in range(600)]
        for text, found in zip(texts, self.read(texts), strict=True):
            frame = pandas.read_csv(io.BytesIO(text.encode()), float_precision="round_trip", dtype=float,
                                    na_values=["na"], encoding="utf-8-sig")
            rows = [[None if math.isnan(x) else x for x in row] for row in frame.to_numpy().tolist()]
            self.assertEqual(found["rows"], rows, repr(text))


if __name__ == "__main__":
    unittest.main()
