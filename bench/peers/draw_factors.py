"""Draws rows with R factors and round noise: draw_factors.py DIR D R ROWS HELD_OUT leaves rows and held_out as raw doubles.

Directions are turned at random; the factors' variances fall from 100 to 4 geometrically, that of the noise is 1 in every column.
"""
import sys
from pathlib import Path

import numpy as np


def draw(folder, d, r, sizes):
    random = np.random.default_rng(1)
    directions, _ = np.linalg.qr(random.standard_normal((d, r)))
    loadings = directions * np.sqrt(np.geomspace(100, 4, r))
    mean = random.normal(0, 3, d)
    for name, size in sizes.items():
        with open(Path(folder, name), "wb") as file:
            for begin in range(0, size, 10_000):
                count = min(10_000, size - begin)
                rows = random.standard_normal((count, r)) @ loadings.T + random.standard_normal((count, d)) + mean
                rows.tofile(file)


folder, *numbers = sys.argv[1:]
d, r, rows, held_out = map(int, numbers)
draw(folder, d, r, dict(rows=rows, held_out=held_out))
