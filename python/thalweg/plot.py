"""Pictures of fitted models and of how they came about, on matplotlib, which is imported when a picture is drawn."""

import numpy as np

from . import _shape


class History:
    """Keeps what a run goes through: give it to an estimator as `on_step`, then to `weights`.

    Every iteration of batch EM is kept; online, steps that lie two per cent of rows apart, so that a stream of any length leaves a
    short history.

    Attributes
    ----------
    rows, number, mean_log_likelihood : lists, an entry for each step that was kept
    parameters : list of dictionaries
    """

    SPACING = 1.02

    def __init__(self):
        self.phase, self.rows, self.number, self.mean_log_likelihood, self.parameters = [], [], [], [], []
        self._next = 0

    def __call__(self, step):
        if self.phase and (step.phase != self.phase[-1] or step.number < self.number[-1]):
            self.__init__()  # another fit, or another stage of one: its steps are counted anew
        if step.phase == "online" and step.rows < self._next:
            return
        self._next = step.rows * self.SPACING
        self.phase.append(step.phase)
        self.rows.append(step.rows)
        self.number.append(step.number)
        self.mean_log_likelihood.append(step.mean_log_likelihood)
        self.parameters.append(step.parameters())

    def __len__(self):
        return len(self.rows)


def density(estimator, X=None, ax=None, columns=None):
    """The density of a fitted model, over the data where they are given.

    One column: a curve with its components, over a histogram. Two: regions that hold 25, 50, 75 and 95 per cent, with the ellipses
    of Gaussian components. `columns` picks one or two of more, by place or by name; the first two unless given.

    Returns
    -------
    ax : matplotlib Axes
    """
    if _shape.has_categories(estimator):
        raise ValueError(f"{type(estimator).__name__} has categorical columns, which have no density to draw")
    columns = _columns(estimator, columns)
    rows = None if X is None else _rows(X, columns)
    ax = _axes(ax)
    seen = _shape.drawn_rows(estimator, columns) if rows is None else rows
    low, high = _shape.limits(seen)
    if len(columns) == 1:
        _curve(estimator, rows, ax, columns, low[0], high[0])
        ax.set_ylabel("probability" if _shape.counts_only(estimator) else "density")
    else:
        _regions(estimator, rows, ax, columns, low, high)
        ax.set_ylabel(_label(estimator, columns[1]))
    ax.set_xlabel(_label(estimator, columns[0]))
    return ax


def ellipses(estimator, ax=None, columns=None, share=0.9):
    """An ellipse for each Gaussian component, which holds `share` of its rows, with the component's number at its mean.

    Returns
    -------
    ax : matplotlib Axes
    """
    from matplotlib.patches import Ellipse

    columns = _columns(estimator, columns)
    if len(columns) != 2:
        raise ValueError(f"an ellipse needs two columns, got {len(columns)}")
    parts = estimator._gaussian_components()
    if parts is None:
        raise ValueError(f"{type(estimator).__name__} has no Gaussian components to draw as ellipses")
    fresh = ax is None
    ax = _axes(ax)
    for k, (weight, mean, covariance) in enumerate(zip(*parts)):
        width, height, angle = _shape.ellipse(covariance[np.ix_(columns, columns)], share)
        centre = mean[columns]
        ax.add_patch(
            Ellipse(centre, width, height, angle=angle, fill=False, edgecolor=_shape.colour(k), linewidth=2, zorder=3)
        )
        if len(parts[0]) > 1:
            _number(ax, k, centre)
    if fresh:
        ax.autoscale_view()
        ax.set_xlabel(_label(estimator, columns[0]))
        ax.set_ylabel(_label(estimator, columns[1]))
    return ax


def weights(history, ax=None):
    """The weights of a mixture while it was learned.

    Parameters
    ----------
    history : History
        What was the `on_step` of the estimator.

    Returns
    -------
    ax : matplotlib Axes
    """
    if len(history) == 0:
        raise ValueError("this history is empty (give it to an estimator as on_step, then fit)")
    if "weights" not in history.parameters[0]:
        raise ValueError("this history is of a model without weights")
    path = np.array([parameters["weights"] for parameters in history.parameters])
    batch = history.phase[-1] == "batch"
    x = history.number if batch else history.rows
    ax = _axes(ax)
    for k in range(path.shape[1]):
        ax.plot(x, path[:, k], color=_shape.colour(k), linewidth=2)
    if x[-1] > 100 * x[0] and not batch:
        ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    for k, y in enumerate(_apart(path[-1], 0.045)):
        ax.annotate(
            str(k), (1, y), xytext=(5, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
            color=_shape.colour(k), va="center", fontweight="bold",
        )
    ax.set_xlim(x[0], x[-1] if x[-1] > x[0] else None)
    ax.set_ylim(0, max(0.05, min(1, 1.1 * path.max())))
    ax.set_xlabel("iteration" if batch else "rows")
    ax.set_ylabel("weight")
    return ax


def scree(estimator, ax=None):
    """The variance along each factor of a factor model, over the level of the noise.

    Returns
    -------
    ax : matplotlib Axes
    """
    estimator._ready()
    if not _shape.has_factors(estimator):
        raise ValueError(f"{type(estimator).__name__} has no factors")
    variances, noise = _shape.factor_variances(estimator)
    ax = _axes(ax)
    places = np.arange(1, len(variances) + 1)
    ax.bar(places, variances, width=0.6, color=_shape.colour(0))
    ax.axhline(noise, color=_shape.colour(1), linewidth=2)
    ax.annotate("noise", (1, noise), xytext=(0, 4), xycoords=("axes fraction", "data"), textcoords="offset points",
                ha="right", color=_shape.colour(1))
    ax.set_xticks(places)
    ax.set_xlim(0.4, len(variances) + 0.6 + 0.4 * (len(variances) == 1))
    ax.set_xlabel("factor")
    ax.set_ylabel("variance")
    return ax


def _axes(ax):
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(6, 4), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _columns(estimator, columns):
    """Places of one or two columns."""
    estimator._ready()
    width = estimator.n_features_in_
    if columns is None:
        return list(range(min(2, width)))
    given = [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)
    names = list(getattr(estimator, "feature_names_in_", []))
    places = []
    for column in given:
        if isinstance(column, str):
            if column not in names:
                raise ValueError(f"no column is named {column!r}; there are {', '.join(names) or 'no names'}")
            column = names.index(column)
        if not -width <= column < width:
            raise ValueError(f"column {column} of {width}: places go from 0 to {width - 1}")
        places.append(int(column) % width)
    if len(places) not in (1, 2):
        raise ValueError(f"one or two columns can be drawn, got {len(places)}")
    return places


def _rows(X, columns):
    table = X.to_numpy(np.float64) if hasattr(X, "iloc") else np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] <= max(columns):
        raise ValueError(f"X has shape {table.shape}, expected the columns of the model")
    rows = table[:, columns]
    return rows[~np.isnan(rows).any(axis=1)]


def _label(estimator, column):
    names = getattr(estimator, "feature_names_in_", None)
    return f"column {column}" if names is None else str(names[column])


def _number(ax, k, centre):
    ax.text(*centre, str(k), color="white", fontsize="small", fontweight="bold", ha="center", va="center", zorder=4,
            bbox={"boxstyle": "circle,pad=0.25", "facecolor": _shape.colour(k), "edgecolor": "none"}, clip_on=True)


def _curve(estimator, rows, ax, columns, low, high):
    x = _shape.axis(estimator, low, high, 400)
    whole, parts = _shape.densities(estimator, x[:, None], columns)
    counts = _shape.counts_only(estimator)
    if rows is not None and counts:
        places, times = np.unique(rows[:, 0], return_counts=True)
        ax.bar(places, times / times.sum(), width=0.8, color="#DADADA", label="data")
    elif rows is not None:
        edges = np.histogram_bin_edges(rows[:, 0], "auto")
        bins = int(np.clip(len(edges) - 1, 10, 80))
        ax.hist(rows[:, 0], bins=bins, density=True, color="#DADADA", label="data")
    marker = {"marker": "o", "markersize": 4} if counts else {}
    for k, part in enumerate([] if parts is None else parts):
        ax.plot(x, part, color=_shape.colour(k), linewidth=1.6, label=f"component {k}", **marker)
    ax.plot(x, whole, color="black", linewidth=1.2, linestyle="--" if parts is not None else "-", label="model")
    ax.set_xlim(x[0] - 0.5 * counts, x[-1] + 0.5 * counts)
    ax.set_ylim(bottom=0)
    if counts:
        ax.xaxis.get_major_locator().set_params(integer=True)
    if parts is None or len(parts) <= 6:
        handles, labels = ax.get_legend_handles_labels()
        order = sorted(range(len(labels)), key=lambda i: labels[i] != "data")  # as they lie, from the ground up
        ax.legend([handles[i] for i in order], [labels[i] for i in order], frameon=False)


def _regions(estimator, rows, ax, columns, low, high):
    from matplotlib.colors import LinearSegmentedColormap

    counts = _shape.counts_only(estimator)
    if rows is not None and counts:
        places, times = np.unique(rows, axis=0, return_counts=True)
        ax.scatter(*places.T, s=60 * times / times.max(), facecolors="none", edgecolors="#555555", linewidths=0.8, zorder=2)
    elif rows is not None:
        few = rows if len(rows) <= 5000 else rows[:: len(rows) // 5000 + 1]
        ax.scatter(*few.T, s=6, color="#666666", alpha=0.6 if len(few) < 1000 else 0.35, linewidths=0, zorder=2)
    x, y = (_shape.axis(estimator, low[j], high[j], 160) for j in (0, 1))
    points = np.stack([axis.ravel() for axis in np.meshgrid(x, y)], axis=1)
    whole = _shape.densities(estimator, points, columns)[0].reshape(len(y), len(x))
    if counts:
        blues = LinearSegmentedColormap.from_list("counts", ["#FFFFFF", "#7FB2D8"])
        ax.pcolormesh(x, y, whole, cmap=blues, shading="nearest")
        for axis in (ax.xaxis, ax.yaxis):
            axis.get_major_locator().set_params(integer=True)
        return
    blues = LinearSegmentedColormap.from_list("regions", ["#E3EEF7", "#7FB2D8"])
    # A region of highest density holds a share p where the density of a drawn row exceeds its level with probability p.
    drawn = _shape.densities(estimator, _shape.drawn_rows(estimator, columns), columns)[0]
    levels = np.quantile(drawn, [0.05, 0.25, 0.5, 0.75])
    if (np.diff(levels) > 0).all():
        ax.contourf(x, y, whole, levels=[*levels, max(whole.max(), drawn.max()) * 1.01], cmap=blues, zorder=1)
    if estimator._gaussian_components() is not None:
        ellipses(estimator, ax, columns)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])


def _apart(values, gap):
    """Heights of labels near these values, no two closer than the gap."""
    values = np.asarray(values, dtype=float)
    out = values.copy()
    order = np.argsort(values)
    gap = min(gap, 1.0) * max(values.max(), 1e-9)
    for before, k in zip(order, order[1:]):
        out[k] = max(out[k], out[before] + gap)
    return out
