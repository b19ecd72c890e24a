#!/usr/bin/env python3
"""Draws the pictures of these pages beside itself: build/venv/bin/python docs/python/pictures.py"""

import pathlib

import matplotlib.pyplot
import pandas as pd
from thalweg import GaussianMixture, plot

HERE = pathlib.Path(__file__).resolve().parent
matplotlib.use("Agg")


def draw(folder=HERE):
    geyser = pd.read_csv(HERE.parents[1] / "examples" / "data" / "faithful.csv")
    model = GaussianMixture(n_components=2, random_state=0).fit(geyser)
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    plot.density(model, geyser, ax=left)
    plot.density(model, geyser, ax=right, columns="waiting")
    for ax, unit in ((left, "eruption (minutes)"), (right, "waiting (minutes)")):
        ax.set_xlabel(unit)
    left.set_ylabel("waiting (minutes)")
    figure.savefig(folder / "density.png", dpi=80)


if __name__ == "__main__":
    draw()
