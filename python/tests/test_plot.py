"""Pictures: what is drawn is compared with the model's numbers, not with pixels."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib.patches import Ellipse
from scipy.stats import multivariate_normal, poisson
from thalweg import PPCA, GaussianMixture, PoissonMixture, plot


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


def lines(ax):
    return {line.get_label(): line.get_xydata() for line in ax.get_lines()}


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_curve_is_the_density(three_clusters, kind):
    X = three_clusters[:, :1]
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    ax = plot.density(model, X)
    drawn = lines(ax)
    x, y = drawn["model"].T
    np.testing.assert_allclose(y, np.exp(model.score_samples(x[:, None])), atol=1e-9)
    assert np.trapz(y, x) == pytest.approx(1, abs=0.01)
    for k in range(3):
        part = drawn[f"component {k}"][:, 1]
        np.testing.assert_allclose(part, y * model.predict_proba(x[:, None])[:, k], atol=1e-9)
    bars = sum(patch.get_width() * patch.get_height() for patch in ax.patches)
    assert bars == pytest.approx(1)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("column 0", "density")


def test_curve_of_one_of_many_columns(three_clusters):
    frame = pd.DataFrame(three_clusters, columns=["speed", "height"])
    model = GaussianMixture(3, random_state=0).fit(frame)
    ax = plot.density(model, frame, columns="height")
    x, y = lines(ax)["model"].T
    assert np.trapz(y, x) == pytest.approx(1, abs=0.01)
    by_hand = sum(
        weight * np.exp(-0.5 * (x - mean[1]) ** 2 / cov[1, 1]) / np.sqrt(2 * np.pi * cov[1, 1])
        for weight, mean, cov in zip(model.weights_, model.means_, model.covariances_)
    )
    np.testing.assert_allclose(y, by_hand, atol=1e-12)
    assert ax.get_xlabel() == "height"


def test_counts_are_drawn_at_whole_numbers():
    X = np.random.default_rng(0).poisson(np.where(np.arange(3000) % 3, 2, 11))[:, None].astype(float)
    model = PoissonMixture(2, random_state=0).fit(X)
    ax = plot.density(model, X)
    x, y = lines(ax)["model"].T
    assert (x == np.round(x)).all()
    np.testing.assert_allclose(y, poisson.pmf(x[:, None], model.rates_[:, 0]) @ model.weights_, atol=1e-12)
    assert y.sum() == pytest.approx(1, abs=0.01)
    assert ax.get_ylabel() == "probability"


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_ellipses_have_the_axes_of_the_covariance(kind):
    rng = np.random.default_rng(2)
    X = np.vstack([rng.multivariate_normal([0, 0, 0], [[2, 1, 0], [1, 3, 0.5], [0, 0.5, 1]], 800), rng.normal(8, 1, (400, 3))])
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    ax = plot.ellipses(model, columns=(2, 1), share=0.5)
    drawn = [patch for patch in ax.patches if isinstance(patch, Ellipse)]
    assert len(drawn) == 2
    for k, patch in enumerate(drawn):
        full = {
            "full": lambda: model.covariances_[k],
            "tied": lambda: model.covariances_,
            "diag": lambda: np.diag(model.covariances_[k]),
            "spherical": lambda: model.covariances_[k] * np.eye(3),
        }[kind]()
        covariance = full[np.ix_([2, 1], [2, 1])]
        np.testing.assert_allclose(patch.center, model.means_[k][[2, 1]])
        # Points of its edge are all at the Mahalanobis distance that holds one half: of chi-squared with two degrees, 2 log 2.
        edge = patch.get_transform().transform(patch.get_path().vertices)
        edge = ax.transData.inverted().transform(edge) - patch.center
        on_curve = [0, 3, 6, 9, 12, 15, 18, 21]  # ends of the Bezier pieces
        distance = np.einsum("ij,jk,ik->i", edge, np.linalg.inv(covariance), edge)[on_curve]
        np.testing.assert_allclose(distance, 2 * np.log(2), rtol=1e-3)
        lengths = np.sort(np.linalg.eigvalsh(covariance)) * 4 * 2 * np.log(2)
        np.testing.assert_allclose(sorted([patch.width**2, patch.height**2]), lengths, rtol=1e-9)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("column 2", "column 1")


def test_regions_hold_what_they_say(three_clusters):
    model = GaussianMixture(3, random_state=0).fit(three_clusters)
    ax = plot.density(model, three_clusters)
    regions = [collection for collection in ax.collections if hasattr(collection, "levels") or "Path" in type(collection).__name__]
    assert regions and len([patch for patch in ax.patches if isinstance(patch, Ellipse)]) == 3
    from thalweg import _shape

    drawn = _shape.densities(model, _shape.drawn_rows(model, [0, 1]), [0, 1])[0]
    rows = np.exp(model.score_samples(model.sample(20_000)[0]))
    for share, level in zip((0.95, 0.5), np.quantile(drawn, [0.05, 0.5])):
        assert np.mean(rows >= level) == pytest.approx(share, abs=0.03)


def test_marginals_of_gaussians(three_clusters):
    from thalweg import _shape

    X = np.hstack([three_clusters, three_clusters[:, :1] ** 2])
    model = GaussianMixture(2, random_state=0).fit(X)
    points = X[:50][:, [2, 0]]
    found, parts = _shape.densities(model, points, [2, 0])
    by_hand = sum(
        w * multivariate_normal(m[[2, 0]], c[np.ix_([2, 0], [2, 0])]).pdf(points)
        for w, m, c in zip(model.weights_, model.means_, model.covariances_)
    )
    np.testing.assert_allclose(found, by_hand, rtol=1e-9)
    np.testing.assert_allclose(parts.sum(axis=0), found)
    assert plot.density(model, X, columns=(2, 0)).get_xlabel() == "column 2"


def test_marginals_of_counts():
    X = np.random.default_rng(0).poisson([[1, 4, 9]], (2000, 3)).astype(float)
    X[::3] = np.random.default_rng(1).poisson([[6, 1, 2]], (667, 3))
    model = PoissonMixture(2, random_state=0).fit(X)
    x, y = lines(plot.density(model, X, columns=2))["model"].T
    np.testing.assert_allclose(y, poisson.pmf(x[:, None], model.rates_[:, 2]) @ model.weights_, atol=1e-12)
    (mesh,) = [c for c in plot.density(model, X, columns=(0, 2)).collections if type(c).__name__ == "QuadMesh"]
    assert mesh.get_array().sum() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("kind", ["batch", "online"])
def test_weights_over_time(three_clusters, kind):
    history = plot.History()
    rows = np.tile(three_clusters, (2, 1))  # online the race is over after 5,000
    model = GaussianMixture(3, random_state=0, on_step=history, method=kind).fit(rows)
    ax = plot.weights(history)
    ends = [line.get_ydata()[-1] for line in ax.get_lines()]
    assert ends == pytest.approx(model.weights_, abs=0 if kind == "batch" else 0.01)
    x = ax.get_lines()[0].get_xdata()
    assert list(x) == (list(range(1, model.n_iter_ + 1)) if kind == "batch" else history.rows)
    assert ax.get_xlabel() == {"batch": "iteration", "online": "rows"}[kind]
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2"]


def test_a_long_stream_leaves_a_short_history(three_clusters):
    history = plot.History()
    model = GaussianMixture(2, random_state=0, batch_size=1, on_step=history)
    for _ in range(20):
        model.partial_fit(three_clusters)
    assert 100 < len(history) < 300  # log(60000 / 1000) / log(1.02) is 207
    assert history.rows[-1] > 58_000


def test_history_begins_anew_with_another_fit(three_clusters):
    history = plot.History()
    model = GaussianMixture(3, random_state=0, on_step=history)
    model.fit(three_clusters)
    model.fit(three_clusters)
    assert history.number == list(range(1, model.n_iter_ + 1))


def test_scree(three_clusters):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2)) @ np.array([[3, 1, 0, 2], [0, 1, -2, 0.5]]) + rng.normal(size=(4000, 4)) * 0.5
    model = PPCA(2).fit(X)
    ax = plot.scree(model)
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], values[:2], rtol=1e-4)
    assert ax.get_lines()[0].get_ydata()[0] == pytest.approx(values[2:].mean(), rel=1e-4)
    assert plot.density(model, X).get_ylabel() == "column 1"


def test_what_cannot_be_drawn(three_clusters):
    mixture = GaussianMixture(2, random_state=0).fit(three_clusters)
    with pytest.raises(ValueError, match="not fitted"):
        plot.density(GaussianMixture(2))
    with pytest.raises(ValueError, match="no factors"):
        plot.scree(mixture)
    with pytest.raises(ValueError, match="no column is named"):
        plot.density(mixture, columns=("speed",))
    with pytest.raises(ValueError, match="places go from 0 to 1"):
        plot.density(mixture, columns=(0, 2))
    with pytest.raises(ValueError, match="one or two columns"):
        plot.density(mixture, columns=(0, 1, 0))
    with pytest.raises(ValueError, match="needs two columns"):
        plot.ellipses(mixture, columns=0)
    with pytest.raises(ValueError, match="history is empty"):
        plot.weights(plot.History())
    counts = PoissonMixture(2, random_state=0).fit(np.random.default_rng(0).poisson(3, (500, 2)))
    with pytest.raises(ValueError, match="no Gaussian components"):
        plot.ellipses(counts)


def test_drawing_leaves_the_generator_alone(three_clusters):
    state = np.random.RandomState(3)
    model = GaussianMixture(2, random_state=state).fit(three_clusters)
    before = state.get_state()[2]
    plot.density(model)
    model._repr_html_()
    assert state.get_state()[2] == before


def test_matplotlib_is_not_imported_before_it_is_needed():
    program = "import sys, thalweg; from thalweg import plot; plot.History(); print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"
