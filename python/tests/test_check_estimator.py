"""scikit-learn's own checks for every class of the catalogue, however it learns."""

import types

import numpy as np
import pytest
import thalweg
from sklearn.base import TransformerMixin
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks
from thalweg import _checks

CLASSES = list(thalweg._classes.values())
METHODS = ("batch", "online", "auto")

pytestmark = pytest.mark.filterwarnings("ignore")


class OneNormal(thalweg.Model):
    """Independent normal columns: a model of one's own that takes any rows."""

    def layout(self, n_features):
        moments = {"count": (), "sums": n_features, "squares": n_features}
        return thalweg.Layout(moments, {"mean": n_features, "variance": n_features}, positive=["variance"])

    def start(self, X, rng):
        return {"mean": X.mean(axis=0), "variance": X.var(axis=0) + 1e-6}

    def expect(self, theta, X, weight):
        away = (X - theta["mean"]) ** 2 / theta["variance"] + np.log(2 * np.pi * theta["variance"])
        return {"count": weight.sum(), "sums": weight @ X, "squares": weight @ X**2}, -0.5 * away.sum(axis=1)

    def maximise(self, s, theta):
        mean = s["sums"] / s["count"]
        return {"mean": mean, "variance": np.maximum(s["squares"] / s["count"] - mean**2, 0) + 1e-6}


def moving(cls, name, moved):
    """The class with every row moved into its domain first: then its rows are what scikit-learn's checks have."""

    def _as_table(self, X):
        table = cls._as_table(self, X)
        return moved(table) if isinstance(table, np.ndarray) else table

    body = {"_as_table": _as_table, "_expected_failed_checks": lambda self: {}, "__init__": cls.__init__}
    return type(name + cls.__name__, (cls,), {**body, "__module__": __name__})


def rounded(table):
    return np.where(table > -1, np.round(table), table)


def lifted(table):
    return np.where(table >= 0, table + 0.1, table)


MOVING = {cls: moving(cls, "Counting", rounded) for cls in CLASSES if cls._entry["takes_counts_only"]}
MOVING |= {cls: moving(cls, "Lifted", lifted) for cls in CLASSES if cls._entry["takes_positive_only"]}
globals().update({made.__name__: made for made in MOVING.values()})  # where pickle looks for them


def kinds_of(cls):
    """Instances for every choice of the options of the model and several methods."""
    arguments = [{}]
    for option in cls._entry["options"]:
        if option["choices"]:
            name = cls._arguments[option["name"]]
            arguments = [{**given, name: choice} for given in arguments for choice in option["choices"]]
    methods = {*METHODS, cls().method}
    return [cls(method=method, **given) for given in arguments for method in sorted(methods)]


INSTANCES = [one for cls in CLASSES for one in kinds_of(cls)]
INSTANCES += [one for cls in MOVING.values() for one in kinds_of(cls)]
INSTANCES += [thalweg.GaussianMixture(2), thalweg.GaussianMixture(3, method="online")]
INSTANCES += [thalweg.EM(OneNormal(), method=method) for method in METHODS]


@parametrize_with_checks(INSTANCES)
def test_check_estimator(estimator, check):
    check(estimator)


# Checks that scikit-learn keeps for its own estimators.
FOR_ALL = ["check_n_features_in_after_fitting", "check_dataframe_column_names_consistency"]
FOR_TRANSFORMERS = [
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
]
SMALL = [MOVING.get(cls, cls)() for cls in CLASSES]


@pytest.mark.parametrize("estimator", SMALL, ids=repr)
def test_checks_of_its_own_estimators(estimator):
    names = FOR_ALL + (FOR_TRANSFORMERS if isinstance(estimator, TransformerMixin) else [])
    for name in names:
        if hasattr(estimator_checks, name):
            getattr(estimator_checks, name)(type(estimator).__name__, estimator)


@pytest.mark.parametrize("cls", MOVING)
def test_no_check_is_excused_that_passes(cls):
    excused = cls()._expected_failed_checks()
    frank = type(cls.__name__, (cls,), {"_expected_failed_checks": lambda self: {}, "__init__": cls.__init__})
    passed, failed = set(), set()
    for estimator, check in estimator_checks.check_estimator(frank(), generate_only=True):
        try:
            check(estimator)
            passed.add(check.func.__name__)
        except Exception:
            failed.add(check.func.__name__)
    assert passed and not (set(excused) & passed) - failed


def test_one_pass_says_that_a_weight_is_no_repetition():
    assert set(_checks.REPEATED_ROWS) == set(thalweg.GaussianMixture(2, method="online")._expected_failed_checks())
    assert thalweg.GaussianMixture()._expected_failed_checks() == {}


@pytest.mark.parametrize("cls", CLASSES)
def test_tags_of_later_versions(cls, monkeypatch):
    """From 1.6 on scikit-learn asks __sklearn_tags__, an object that every base class adds to."""
    inputs = types.SimpleNamespace(allow_nan=False, positive_only=False, sparse=True)
    monkeypatch.setattr(
        thalweg._base.BaseEstimator, "__sklearn_tags__", lambda self: types.SimpleNamespace(input_tags=inputs), raising=False
    )
    tags = thalweg._base.Estimator.__sklearn_tags__(cls()).input_tags
    assert tags.allow_nan == cls._entry["takes_missing"] == cls()._more_tags()["allow_nan"]
    assert tags.positive_only == (cls._entry["takes_counts_only"] or cls._entry["takes_positive_only"])
    assert not tags.sparse
