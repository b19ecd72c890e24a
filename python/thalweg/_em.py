"""Every estimator over a model of one's own."""

import inspect

import numpy as np

from . import _native
from ._base import Estimator
from ._calls import Calls
from ._catalogue import COMMON, argument_of, constructor
from ._model import Model

ARGUMENTS = [
    ("model", inspect.Parameter.empty, "A thalweg.Model."),
    ("init", None, "Parameters to start from, a dictionary by name; found with the model's `start` unless given."),
    *(argument_of(row) for row in COMMON if row["name"] != "threads"),
    ("n_threads", 1, "Threads, which take turns in Python. The result is the same for any number."),
]


class given_by:
    """A method that is there where the model has another one."""

    def __init__(self, needed):
        self._needed = needed

    def __call__(self, function):
        self._function = function
        self.__doc__ = function.__doc__
        return self

    def __get__(self, estimator, cls):
        if estimator is not None and getattr(estimator.model, self._needed, None) is None:
            raise AttributeError(self.refusal(estimator))
        return self._function.__get__(estimator, cls)

    def refusal(self, estimator):
        return f"{self._function.__name__} needs a method {self._needed} of {type(estimator.model).__name__}"


class EM(Estimator):
    __doc__ = "\n".join(
        [
            "Fits a model of one's own by any of the methods: `EM(MyModel()).fit(X)`.",
            "",
            "The model's parameters are attributes, with an underscore behind their names.",
            "",
            "Parameters",
            "----------",
            "model : thalweg.Model",
            *(f"{name} : default={default!r}\n    {text}" for name, default, text in ARGUMENTS[1:]),
            "",
        ]
    )

    __init__ = constructor(ARGUMENTS)
    _rows = COMMON
    _required_parameters = ["model"]  # scikit-learn's word for what has no default
    _names_of_parameters = ()

    @property
    def _entry(self):
        takes_missing = isinstance(self.model, Model) and bool(self.model.takes_missing)
        return {"name": type(self.model).__name__, "takes_missing": takes_missing, "takes_counts_only": False, "takes_positive_only": False}

    @given_by("posterior")
    def predict(self, X):
        """The most probable component of each row."""
        return self._explain(X, "component")["component"]

    @given_by("posterior")
    def predict_proba(self, X):
        """The probability of each component given each row, of shape (n_samples, K)."""
        return self._explain(X, "posterior")["posterior"]

    @given_by("posterior")
    def fit_predict(self, X, y=None, sample_weight=None):
        """Fits the model to X and gives the most probable component of each row."""
        return self.fit(X, y, sample_weight=sample_weight).predict(X)

    @given_by("draw")
    def sample(self, n_samples=1):
        """Draws rows from the fitted model, of shape (n_samples, n_features)."""
        parameters = self._ready().parameters()
        return Calls(self.model, self.n_features_in_).draw(parameters, self._check_draws(n_samples), self._seed())

    def save(self, path):
        """Refused: a model file holds no methods. Pickle the estimator."""
        self._ready().write(str(path))

    @classmethod
    def load(cls, path, **params):
        """Refused: a model file holds no methods."""
        raise _native.UsageError("a model file cannot hold a model whose methods are in Python (unpickle the estimator)")

    @classmethod
    def from_parameters(cls, model, parameters, *, n_features=1, feature_names=None, **params):
        """An estimator with these parameters, ready to score, to draw from, and to learn more."""
        estimator = cls(model, **params)
        names = [f"c{j}" for j in range(n_features)] if feature_names is None else list(feature_names)
        learner = estimator._new_learner(names)
        learner.place(_arrays(parameters))
        return estimator._adopt(learner, named=feature_names is not None)

    def __getattr__(self, name):
        """Parameters; and, as every AttributeError comes here, why a method is not there."""
        method = inspect.getattr_static(type(self), name, None)
        if isinstance(method, given_by):
            raise AttributeError(method.refusal(self))
        known = self._learner is None or name[:-1] in self._names_of_parameters
        if known and name.endswith("_") and not name.startswith("_"):
            value = self._ready().parameters()[name[:-1]]
            return value.item() if value.ndim == 0 else value
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _new_learner(self, names):
        calls = Calls(self.model, len(names))
        if self.method == "exact":
            raise _native.UsageError(
                "method='exact' needs a model whose maximum has a closed form, and a thalweg.Model has none (use 'auto')"
            )
        if self.method == "gradient" and not calls.has_moments:
            raise _native.UsageError(f"method='gradient' needs a method moments of {calls.name} (or use 'online')")
        for name, _, _ in calls.parameters:
            if hasattr(EM, name + "_") or name in ("n_features_in", "feature_names_in"):
                raise _native.UsageError(f"{calls.name}: {name}_ is an attribute of every estimator (rename {name!r})")
        return self._learner_of({}, list(names), self._setting(), [])

    def _learner_of(self, options, names, setting, levels):
        calls = Calls(self.model, len(names))
        self._names_of_parameters = [name for name, _, _ in calls.parameters]
        return _native.Learner.of_model(calls, names, setting)

    def _given_start(self):
        return {} if self.init is None else _arrays(self.init)


def _arrays(parameters):
    return {name: np.asarray(value, dtype=np.float64) for name, value in parameters.items()}
