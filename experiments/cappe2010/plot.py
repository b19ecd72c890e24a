#!/usr/bin/python3
"""Draws what cappe2010 wrote: plot.py FOLDER makes an SVG and a PNG beside every CSV that has a picture."""
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Okabe & Ito: told apart by every eye, and in grey by their lightness and line styles.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"]
STYLES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2))]
MARKERS = ["o", "s", "^", "D", "v", "P"]
BAND = "#DDDDDD"
IQR = 1.3489795  # of a standard normal

plt.rcParams.update({
    "svg.hashsalt": "thalweg", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3,
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "figure.constrained_layout.use": True,
})


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_panel(rows):
    panels = defaultdict(list)
    for row in rows:
        panels[row["panel"]].append(row)
    return panels


def boxes(axis, rows, positions, width, colour=COLOURS[0]):
    stats = [{"whislo": float(r["whisker_low"]), "q1": float(r["lower_quartile"]), "med": float(r["median"]),
              "q3": float(r["upper_quartile"]), "whishi": float(r["whisker_high"])} for r in rows]
    line = {"color": colour, "linewidth": 1}
    axis.bxp(stats, positions=positions, widths=width, showfliers=False, patch_artist=True,
             boxprops={"facecolor": "white", "edgecolor": colour}, whiskerprops=line, capprops=line,
             medianprops={"color": COLOURS[1], "linewidth": 1.6})


def lines(axis, rows):
    series = defaultdict(list)
    for row in rows:
        series[row["series"]].append((float(row["x"]), float(row["y"])))
    for i, (name, points) in enumerate(series.items()):
        rough = len(points) > 500  # dashes would look like jumps
        marker = MARKERS[i] if len(points) < 20 else None
        axis.plot(*zip(*points), color=COLOURS[i], linestyle="-" if rough else STYLES[i], marker=marker, markersize=4,
                  linewidth=1 if rough else 1.5, label=name)


def band(axis, n, x):
    """Where 99.3 % of efficient estimates of |u|² = 1 lie when lambda is known: ± 2 interquartile ranges of N(1, 72/n)."""
    half = 2 * IQR * math.sqrt(72 / n)
    axis.fill_between(x, 1 - half, 1 + half, color=BAND, zorder=0, label="± 2 IQR of an efficient estimate")


def save(figure, folder, name):
    for ending in ("svg", "png"):
        extra = {"metadata": {"Date": None}} if ending == "svg" else {"dpi": 130, "metadata": {"Software": None}}
        figure.savefig(folder / f"{name}.{ending}", **extra)
    plt.close(figure)


def batch_ppca(folder, name):
    limit = [(float(r["x"]), float(r["y"])) for r in read(folder / "batch_ppca_limit.csv")]
    figure, axes = plt.subplots(2, 1, figsize=(7, 6), sharex=True, sharey=True)
    for axis, (n, rows) in zip(axes, by_panel(read(folder / f"{name}.csv")).items()):
        band(axis, int(n), [0.3, 30.7])
        boxes(axis, rows, [float(r["x"]) for r in rows], 0.6)
        axis.plot(*zip(*limit[1:]), color=COLOURS[2], linewidth=1.4, label="limiting EM recursion")
        axis.set_title(f"{int(n):,} rows", loc="left")
        axis.set_ylabel("‖u‖²")
        axis.set_xticks([1, *range(5, 31, 5)], [1, *range(5, 31, 5)])
        axis.set_xlim(0.3, 30.7)
    axes[0].legend(loc="upper right")
    axes[1].set_xlabel("iterations of batch EM")
    save(figure, folder, name)


def online_ppca(folder, name):
    titles = {"0.9": "α = 0.9", "0.6": "α = 0.6", "0.6 averaged": "α = 0.6, ‖u‖² averaged from n/2",
              "0.6 averaged statistic": "α = 0.6, statistic averaged from n/2 (what thalweg reports)"}
    figure, axes = plt.subplots(4, 1, figsize=(6, 9), sharex=True, sharey=True)
    for axis, (panel, rows) in zip(axes, by_panel(read(folder / f"{name}.csv")).items()):
        for i, row in enumerate(rows):
            band(axis, float(row["x"]), [i + 0.6, i + 1.4])
        boxes(axis, rows, range(1, len(rows) + 1), 0.5)
        axis.set_title(titles[panel], loc="left")
        axis.set_ylabel("‖u‖²")
        axis.set_ylim(-0.7, 6.5)
        axis.set_xticks(range(1, len(rows) + 1), [f"{int(float(r['x'])):,}" for r in rows])
    axes[-1].set_xlabel("rows (grey: ± 2 interquartile ranges of an efficient estimate)")
    save(figure, folder, name)


def trajectories(folder, name):
    titles = {"0.9": "α = 0.9", "0.6": "α = 0.6", "0.6 averaged": "α = 0.6, averaged from row 500"}
    panels = by_panel(read(folder / f"{name}.csv"))
    figure, axes = plt.subplots(3, 1, figsize=(7, 7), sharex=True, sharey=True)
    for axis, panel in zip(axes, titles):
        axis.axhline(0, color="black", linewidth=0.8)
        lines(axis, panels[panel])
        axis.set_title(titles[panel], loc="left")
        axis.set_ylabel("u₁")
    axes[-1].set_xlabel("rows")
    save(figure, folder, name)


def tours(folder, name):
    titles = {"batch": "batch EM", "incremental": "incremental EM", "online": "online EM, α = 0.6"}
    panels = by_panel(read(folder / f"{name}.csv"))
    for n in ("100", "1000"):
        figure, axes = plt.subplots(3, 1, figsize=(6, 7), sharex=True, sharey=True)
        for axis, method in zip(axes, titles):
            rows = panels[f"{n} {method}"]
            boxes(axis, rows, range(1, len(rows) + 1), 0.5)
            axis.scatter(range(1, len(rows) + 1), [float(r["minimum"]) for r in rows], marker="v", s=18,
                         color=COLOURS[0], label="worst of all starts")
            axis.set_title(titles[method], loc="left")
            axis.set_ylabel("log-likelihood a row")
            axis.set_xticks(range(1, len(rows) + 1), [int(float(r["x"])) for r in rows])
        axes[-1].legend(loc="lower right")
        axes[-1].set_xlabel(f"tours of N = {int(n):,} rows (iterations for batch EM)")
        save(figure, folder, f"{name}_{n}")


def limiting(folder, name):
    panels = by_panel(read(folder / f"{name}.csv"))
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axis, (panel, rows) in zip(axes, panels.items()):
        lines(axis, [r for r in rows if float(r["y"]) > 1e-15])
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_title(panel, loc="left")
        axis.set_xlabel("applications of the limiting EM map")
        axis.legend()
    axes[0].set_ylabel("Kullback–Leibler divergence")
    save(figure, folder, name)


def efficiency(folder, name):
    figure, axis = plt.subplots(figsize=(6.5, 4))
    lines(axis, read(folder / f"{name}.csv"))
    for factor in (1, 4 / 3, 16 / 7):
        axis.axhline(factor, color="black", linewidth=0.7, linestyle=":")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_yticks([1, 2, 5, 10, 20, 50], [1, 2, 5, 10, 20, 50])
    axis.minorticks_off()
    axis.set_xlabel("rows (dotted: 1, 4/3 and 16/7, the limits of a full average, poly:1 and poly:3)")
    axis.set_ylabel("mean squared error ÷ Cramér–Rao bound")
    axis.legend()
    save(figure, folder, name)


def mini_batches(folder, name):
    figure, axis = plt.subplots(figsize=(6.5, 4))
    lines(axis, read(folder / f"{name}.csv"))
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks([1, 4, 16, 64, 256, 1024], [1, 4, 16, 64, 256, 1024])
    axis.set_yticks([1, 2, 5, 10, 20, 50, 100], [1, 2, 5, 10, 20, 50, 100])
    axis.minorticks_off()
    axis.set_xlabel("rows in a mini-batch")
    axis.set_ylabel("mean squared error ÷ Cramér–Rao bound")
    axis.legend()
    save(figure, folder, name)


def passes(folder, name):
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
    for axis, (n, rows) in zip(axes, by_panel(read(folder / f"{name}.csv")).items()):
        lines(axis, [r for r in rows if float(r["y"]) > 1e-13])
        axis.set_yscale("log")
        axis.set_xlim(0, 150)
        axis.set_ylim(1e-12, 1)
        axis.set_title(f"N = {int(n):,}", loc="left")
        axis.set_xlabel("passes (E-steps that each row had)")
    axes[0].set_ylabel("log-likelihood below the maximum, a row")
    axes[0].legend()
    save(figure, folder, name)


def gradient(folder, name):
    titles = {"online": "online EM", "gradient": "gradient recursion"}
    panels = by_panel(read(folder / f"{name}.csv"))
    figure, axes = plt.subplots(2, 2, figsize=(8, 5.5), sharex=True, sharey="row")
    for column, method in enumerate(titles):
        for row, (rate, truth) in enumerate((("smaller rate", 1), ("larger rate", 3))):
            axis, data = axes[row][column], panels[f"{method} {rate}"]
            axis.axhline(truth, color="black", linewidth=0.8)
            boxes(axis, data, range(1, len(data) + 1), 0.5)
            axis.set_xticks(range(1, len(data) + 1), [f"{int(float(r['x'])):,}" for r in data])
            if row == 0:
                axis.set_title(titles[method], loc="left")
            if column == 0:
                axis.set_ylabel(rate)
    for axis in axes[1]:
        axis.set_xlabel("rows")
    save(figure, folder, name)


FIGURES = [batch_ppca, online_ppca, trajectories, tours, limiting, efficiency, mini_batches, passes, gradient]


def main():
    folder = Path(sys.argv[1])
    for figure in FIGURES:
        if (folder / f"{figure.__name__}.csv").exists():
            figure(folder, figure.__name__)


if __name__ == "__main__":
    main()
