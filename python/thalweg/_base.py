"""What every estimator has, whatever its model: fitting, scoring, drawing, saving."""

import numbers
import os
import warnings

import numpy as np

from . import _card, _checks, _data, _native, _params, _watch
from ._compat import BaseEstimator, ConvergenceWarning, NotFittedError, shows_diagrams
from ._one_by_one import OneByOne


class Estimator(OneByOne, BaseEstimator):
    """A model of the catalogue with scikit-learn's habits. `_entry` is what the catalogue knows of the model."""

    _entry = None  # of a concrete class
    _arguments = {}  # option of the model -> constructor's argument
    _learner = None  # the native half, once there is one
    _table = None  # of `verbose`, while partial_fit goes on

    # --- learning -----------------------------------------------------------------------------

    def fit(self, X, y=None, sample_weight=None):
        """Fits the model to X: an array, a frame, an iterator of blocks, or paths of files.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), iterator of such, path or list of paths
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts.

        Returns
        -------
        self
        """
        _params.check(self)
        warm = self._warm_start()
        table, rows, weight = self._read(X, sample_weight, reset=True)
        _data.check_some_weight(weight)
        if table is not None:
            self._check_enough(table.shape)
        learner = self._new_learner(rows.names)
        if warm is not None:
            learner.begin(*warm)
        else:
            for start in self._starts(table, weight):
                learner.begin(start)
        self._learner = learner
        self._table = None
        with _watch.watching(self, rows, passes=self.passes) as listener:
            self._run(table, learner.fit, rows, self._threads(), listener)
        if self.verbose:
            print(_watch.conclusion(learner.report()))
        self._warn_unless_converged()
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learns more rows, from one on, online; after `fit` it goes on from there.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), iterator of such, path or list of paths
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        if self._learn_quickly(X, sample_weight):
            return self
        table, rows, _ = self._read(X, sample_weight, reset=self._learner is None)
        self._learn_rows(table, rows)
        return self

    def _learn_quickly(self, X, weight):
        """Learns an array that is as it should be; False: it has to be looked at."""
        try:
            learner = self._learner
            return learner is not None and weight is None and not _watch.wanted(self) and learner.learn_array(X)
        except _native.RowError:
            return False  # the long way says it in scikit-learn's words

    def _learn_rows(self, table, rows):
        if self._learner is None:
            _params.check(self)
            learner = self._new_learner(rows.names)
            given = self._given_start()
            if given:
                learner.begin(given)
            self._learner = learner
        if self.verbose and self._table is None:
            self._table = _watch.new_table(self)
        with _watch.watching(self, rows, self._table) as listener:
            self._run(table, self._learner.learn, rows, listener)

    # --- asking -------------------------------------------------------------------------------

    def score_samples(self, X):
        """The log density of each row.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
        """
        return self._explain(X, "log_density")["log_density"]

    def score(self, X, y=None, sample_weight=None):
        """The mean log-likelihood of the rows."""
        found = self._explain(X, sample_weight=sample_weight)
        return found["log_likelihood"] / found["weight"]

    def aic(self, X):
        """Akaike's information criterion of X: lower is better."""
        found = self._explain(X)
        return -2 * found["log_likelihood"] + 2 * self._n_parameters()

    def bic(self, X):
        """Schwarz' Bayesian information criterion of X: lower is better."""
        found = self._explain(X)
        return -2 * found["log_likelihood"] + self._n_parameters() * np.log(found["weight"])

    def sample(self, n_samples=1):
        """Draws rows from the fitted model.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        return self._ready().sample(self._check_draws(n_samples), self._seed(), None)

    def _n_parameters(self):
        return self._ready().free_parameters

    # --- keeping ------------------------------------------------------------------------------

    def save(self, path):
        """Writes the model to a file that `load` and the command `thalweg` read."""
        self._ready().write(os.fspath(path))
        return self

    @classmethod
    def load(cls, path, **params):
        """The model of a file that `save` or the command wrote. `params` are arguments of the constructor."""
        estimator = cls(**params)
        learner = _native.Learner.read(os.fspath(path), estimator._setting())
        if learner.model != cls._entry["name"]:
            raise ValueError(f"{path} holds a {learner.model} model, expected {cls._entry['name']}")
        return estimator._adopt(learner)

    def one_step(self, X, sample_weight=None):
        """One E-step over X at these parameters, one M-step: an iteration of batch EM, or one worker's share of it.

        Shares that several workers took at the same parameters become the whole iteration by `thalweg.merge`, exactly.

        Returns
        -------
        estimator
            A new one; this one stays as it is.
        """
        learner = self._ready()
        table, rows, _ = self._read(X, sample_weight)
        return self._sibling(self._run(table, learner.one_step, rows, self._threads(), self._setting()))

    @classmethod
    def from_parameters(cls, *, feature_names=None, **given):
        """An estimator with these parameters, ready to predict, to draw from, and to learn more.

        Names are those of the model's parameters ("means") or of its constructor's arguments ("tol").
        """
        named = {piece["name"] for piece in cls._entry["parameters"]}
        parameters = {name: np.asarray(value, dtype=np.float64) for name, value in given.items() if name in named}
        missing = named - set(parameters)
        if missing:
            raise TypeError(f"from_parameters() needs {', '.join(sorted(missing))}")
        estimator = cls(**cls._shape_arguments(parameters, feature_names))
        estimator.set_params(**{name: value for name, value in given.items() if name not in named})
        width = cls._width(parameters)
        names = _data.numbered(width) if feature_names is None else list(feature_names)
        learner = estimator._new_learner(names)
        learner.place(parameters)
        return estimator._adopt(learner, named=feature_names is not None)

    @classmethod
    def _shape_arguments(cls, parameters, feature_names):
        """The options of the model that parameters tell by their shapes, as constructor's arguments."""
        return {}

    @classmethod
    def _width(cls, parameters):
        return next(value.shape[1] for value in parameters.values() if value.ndim >= 2)

    def _sibling(self, learner, **params):
        """An estimator with the same arguments, but for `params`, and what was made of this one."""
        other = type(self)(**{**self.get_params(deep=False), **params})
        return other._adopt(learner, named=hasattr(self, "feature_names_in_"))

    def _adopt(self, learner, named=True):
        """Takes over what was fitted elsewhere."""
        names = learner.names
        for option, argument in self._arguments.items():
            value = learner.options[option]
            setattr(self, argument, int(value) if isinstance(getattr(self, argument), int) else value)
        self._learner = learner
        self.n_features_in_ = len(names)
        if named and names != _data.numbered(len(names)):
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return self

    def __getstate__(self):
        state = {name: value for name, value in vars(self).items() if name not in ("_learner", "_table")}
        state["on_step"] = None  # often a lambda, which cannot be pickled
        if self._learner is not None:
            state["_names"] = self._learner.names
            state["_state"] = self._learner.state()
        return state

    def __setstate__(self, state):
        state = dict(state)
        names, saved = state.pop("_names", None), state.pop("_state", None)
        self.__dict__.update(state)
        if saved is not None:
            self._learner = self._new_learner(names)
            self._learner.set_state(saved)

    # --- attributes ---------------------------------------------------------------------------

    @property
    def converged_(self):
        """Whether the last `fit` came to rest before it ran out of iterations."""
        return self._ready().report()["converged"]

    @property
    def n_iter_(self):
        """Iterations of batch EM; M-steps of an online fit; a closed form, and a search for starts, are one."""
        report = self._ready().report()
        return report["n_iter"] if report["method"] == "batch" else max(1, report["n_iter"])

    @property
    def lower_bound_(self):
        """Mean log-likelihood of a row: at the last E-step, or online of each row before it was learned; -inf: unknown."""
        bound = self._ready().report()["lower_bound"]
        return float("-inf") if bound is None else bound

    @property
    def n_samples_seen_(self):
        """Rows learned so far."""
        if self._learner is None:
            self._ready()
        return self._learner.rows

    @property
    def events_(self):
        """Numerical repairs that were made, by name."""
        return self._ready().report()["events"]

    def __sklearn_is_fitted__(self):
        return self._learner is not None and self._learner.ready

    # --- in a notebook ------------------------------------------------------------------------

    def _repr_html_(self):
        return _card.card(self)

    def _repr_mimebundle_(self, **kwargs):
        bundle = {"text/plain": repr(self)}
        return {**bundle, "text/html": _card.card(self)} if shows_diagrams() else bundle

    # --- scikit-learn's questions -------------------------------------------------------------

    def _more_tags(self):
        return {
            "allow_nan": self._entry["takes_missing"],
            "requires_positive_X": self._entry["takes_counts_only"],
            "_xfail_checks": self._expected_failed_checks(),
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._entry["takes_missing"]
        tags.input_tags.positive_only = self._entry["takes_counts_only"]
        tags.input_tags.sparse = self._entry.get("takes_sparse", False)
        return tags

    def _expected_failed_checks(self):
        """Checks of scikit-learn that ask what this estimator does not promise -> reason.

        Up to scikit-learn 1.5 it finds them by itself; later they are an argument of `check_estimator`.
        """
        return _checks.expected_failures(self)

    # --- inside -------------------------------------------------------------------------------

    def _ready(self):
        """The native half where it has parameters."""
        learner = self._learner
        if learner is None or (learner.rows == 0 and not learner.ready):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. "
                "Call 'fit' with appropriate arguments before using this estimator."
            )
        if not learner.ready:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: partial_fit has seen {learner.rows} rows "
                f"and needs {learner.rows_until_ready} more to start (or call 'fit')."
            )
        return learner

    def _new_learner(self, names, levels=()):
        options = {option: str(getattr(self, argument)) for option, argument in self._arguments.items()}
        return _native.Learner(self._entry["name"], options, list(names), self._setting(), list(levels))

    def _setting(self):
        """What the native half is told of how to learn; each name is a constructor's argument."""
        names = ("method", "tol", "max_iter", "n_init", "step", "batch_size", "buffer", "average", "passes")
        return {"seed": self._seed(), **{name: getattr(self, name) for name in names}}

    def _warm_start(self):
        """The parameters where the last fit ended, and the mean log-likelihood before them; None to start afresh."""
        if self.warm_start and self.__sklearn_is_fitted__():
            return dict(self._learner.parameters()), self.lower_bound_
        return None

    def _given_start(self):
        """Parameters by name, all or some, that the user wants to start from."""
        return {}

    def _starts(self, table, weight):
        """Where the runs of a fit start; none: that is found. There is no table of files and iterators."""
        given = self._given_start()
        return [given] if given else []

    def _warn_unless_converged(self):
        report = self._learner.report()
        if report["converged"] or report["method"] in ("online", "gradient") or self.max_iter == 0:
            return
        warnings.warn(
            f"{type(self).__name__} did not converge in {report['n_iter']} iterations. "
            "Try different init parameters, or increase max_iter, tol or check for degenerate data.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _seed(self):
        state = self.random_state
        if state is None:
            return int(np.random.randint(2**31 - 1))
        if isinstance(state, numbers.Integral):
            if not 0 <= state < 2**32:
                raise ValueError("Seed must be between 0 and 2**32 - 1")
            return int(state)
        if hasattr(state, "randint"):
            return int(state.randint(2**31 - 1))
        if hasattr(state, "integers"):
            return int(state.integers(2**31 - 1))
        raise ValueError(f"{state!r} cannot be used to seed a numpy.random.RandomState instance")

    def _threads(self):
        if self.n_threads is not None:
            return self.n_threads
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def _check_draws(self, n_samples):
        if n_samples < 1:
            raise ValueError(
                f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one sample."
            )
        return int(n_samples)

    def _check_enough(self, shape):
        if shape[0] < 2:
            raise ValueError(
                f"Found array with {shape[0]} sample(s) (shape={shape}) while a minimum of 2 is required "
                f"by {type(self).__name__}."
            )

    def _read(self, X, sample_weight=None, reset=False):
        """The table behind X, None for files and iterators, its rows and weights; columns are checked, or noted when new."""
        name = type(self).__name__
        if _data.is_files(X):
            if sample_weight is not None:
                raise ValueError("sample_weight is for arrays and frames")
            rows = _data.file_rows(X, [] if reset else self._learner.names)
            known = getattr(self, "feature_names_in_", None)
            self._check_columns(len(rows.names), np.asarray(rows.names, dtype=object) if reset else known, reset)
            return None, rows, None
        if _data.is_blocks(X):
            if sample_weight is not None:
                raise ValueError("sample_weight is for arrays and frames")
            first = next(X, None)
            if first is None:
                raise ValueError(f"Found array with 0 sample(s) while a minimum of 1 is required by {name}.")
            table, names = self._as_table(first), _data.feature_names(first)
            self._check_columns(table.shape[1], names, reset)
            return None, _data.block_rows(X, first, self._names(table.shape[1]), self._as_table), None
        names = _data.feature_names(X)
        table = self._as_table(X)
        self._check_columns(table.shape[1], names, reset)
        weight = _data.check_weight(sample_weight, table.shape[0])
        return table, _data.table_rows(table, weight, self._names(table.shape[1])), weight

    def _as_table(self, X):
        return _data.as_table(X, type(self).__name__, self._entry.get("takes_sparse", False))

    def _names(self, width):
        return list(getattr(self, "feature_names_in_", _data.numbered(width)))

    def _check_columns(self, width, names, reset):
        if reset:
            self.n_features_in_ = width
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            self._features = None
            return
        _data.check_names(names, getattr(self, "feature_names_in_", None), type(self).__name__)
        if width != self.n_features_in_:
            raise ValueError(
                f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input."
            )

    def _run(self, table, work, *arguments):
        """Calls the native half; a row that it refuses is told in scikit-learn's words where it has some."""
        try:
            return work(*arguments)
        except _native.RowError as error:
            message = table is not None and _data.refusal(table, type(self).__name__, self._entry)
            raise ValueError(message or str(error)) from None

    def _explain(self, X, *what, sample_weight=None):
        learner = self._ready()
        table, rows, weight = self._read(X, sample_weight)
        _data.check_some_weight(weight)
        return self._run(table, learner.explain, rows, list(what), self._threads())
