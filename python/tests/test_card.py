"""The card of a notebook: well formed, nothing from outside, names escaped, ellipses where the components are."""

import re
import xml.etree.ElementTree

import numpy as np
import pandas as pd
import pytest
import sklearn
import thalweg
from test_estimators import CLASSES, data_for
from thalweg import GaussianMixture, PoissonMixture


def parsed(estimator):
    return xml.etree.ElementTree.fromstring(estimator._repr_html_())


def svg(estimator):
    return parsed(estimator).find(".//{http://www.w3.org/2000/svg}svg")


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_has_a_card(cls):
    model = cls(n_components=2, random_state=0)
    text = "".join(parsed(model).itertext())
    assert cls.__name__ in text and "not fitted" in text and "random_state" in text and "svg" not in model._repr_html_()
    model.fit(data_for(cls))
    text = "".join(parsed(model).itertext())
    assert "1,500" in text and f"{model.lower_bound_:.4f}" in text
    assert svg(model) is not None
    card = model._repr_html_()
    assert len(card) < 20_000
    outside = re.findall(r"(?:src|href|url)\s*[=(]|https?://(?!www\.w3\.org/2000/svg)|<script", card)
    assert not outside


def test_one_column():
    X = np.random.default_rng(0).normal(size=(2000, 1))
    assert svg(GaussianMixture(2, random_state=0).fit(X)) is not None
    assert svg(PoissonMixture(2, random_state=0).fit(np.floor(np.abs(3 * X)))) is not None


def test_names_are_escaped(three_clusters):
    frame = pd.DataFrame(three_clusters, columns=["<b>a & b</b>", '"quoted"'])
    card = GaussianMixture(2, random_state=0).fit(frame)._repr_html_()
    assert "<b>a" not in card and "&lt;b&gt;a &amp; b" in card
    xml.etree.ElementTree.fromstring(card)


def test_ellipses_lie_inside_and_apart(three_clusters):
    model = GaussianMixture(3, random_state=0).fit(three_clusters)
    shapes = svg(model).findall("{http://www.w3.org/2000/svg}ellipse")
    assert len(shapes) == 6
    centres = {(float(shape.get("cx")), float(shape.get("cy"))) for shape in shapes}
    assert len(centres) == 3
    # The means and the centres are the same up to a shift and a stretch of each axis, with y upside down.
    by_size = np.argsort(-model.weights_)
    found = np.array([(float(s.get("cx")), float(s.get("cy"))) for s in shapes[::2]])
    for j, sign in ((0, 1), (1, -1)):
        assert np.corrcoef(found[:, j], model.means_[by_size, j])[0, 1] == pytest.approx(sign, abs=1e-4)
    assert all(0 < x < 260 and 0 < y < 150 for x, y in centres)


def test_notebooks_are_given_both(three_clusters):
    model = GaussianMixture(2)
    assert set(model._repr_mimebundle_()) == {"text/plain", "text/html"}
    with sklearn.config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_before_the_start(three_clusters):
    model = thalweg.GaussianMixture(2).partial_fit(three_clusters[:10])
    assert "not fitted" in model._repr_html_()
