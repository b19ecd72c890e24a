"""What every estimator has, whatever its model: fitting, scoring, drawing."""

import numbers
import os
import threading
import warnings

import numpy as np

from . import _card, _checks, _data, _native, _params, _watch
from ._compat import BaseEstimator, ConvergenceWarning, NotFittedError, shows_diagrams
from ._keeping import Keeping
from ._one_by_one import OneByOne
from ._reading import Reading


_beginning = threading.RLock()  # several threads may bring the first rows of an estimator


class Estimator(OneByOne, Keeping, Reading, BaseEstimator):
    """A model of the catalogue with scikit-learn's habits. `_entry` is what the catalogue knows of the model."""

    _entry = None  # of a concrete class
    _arguments = {}  # option of the model -> constructor's argument
    _rows = ()  # of the table of options: the arguments beside them
    _learner = None  # the native half, once there is one
    _table = None  # of `verbose`, while partial_fit goes on

    # --- learning -----------------------------------------------------------------------------

    def fit(self, X, y=None, sample_weight=None):
        """Fits the model to X: an array, a frame, an iterator of blocks, or paths of files.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), iterator of such, path or list of paths, Files
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts.

        Returns
        -------
        self
        """
        _params.check(self)
        before = dict(vars(self))
        try:
            self._fit(X, sample_weight)
        except BaseException:
            learner = self._learner
            if learner is None or learner is before.get("_learner") or learner.rows == 0 or not learner.ready:
                self.__dict__ = before  # nothing was learned: what was there stays
            raise
        self._warn()
        return self

    def _fit(self, X, sample_weight):
        warm = self._warm_start()
        table, rows, weight = self._read(X, sample_weight, reset=True, learns=True)
        _data.check_some_weight(weight)
        if table is not None:
            self._check_enough(table.shape)
        starts = [] if warm else self._starts(table, weight)  # before anything else is drawn, as scikit-learn does it
        learner = self._new_learner(rows.names)
        if warm:
            learner.begin(*warm)
        for start in starts:
            learner.begin(start)
        self._learner = learner
        self._assigned = {}
        self._table = None
        with _watch.watching(self, rows, passes=self.passes) as listener:
            self._run(table, learner.fit, rows, self._threads(), listener)
        if self.verbose:
            print(_watch.conclusion(learner.report()))

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learns more rows, from one on, online; after `fit` it goes on from there.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), iterator of such, path or list of paths, Files
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        if self._learn_quickly(X, sample_weight):
            return self
        table, rows, _ = self._read(X, sample_weight, reset=self._learner is None, learns=True)
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
        with _beginning:
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

    def _gaussian_components(self):
        """(weights, means, covariances) of shapes K, K × d, K × d × d where the rows are a mixture of Gaussians, else None."""
        return None

    def _n_parameters(self):
        return self._ready().free_parameters

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
    def provisional_(self):
        """Whether the model is a coarse one of the first rows: `partial_fit` has not yet found starts on as many as it wants."""
        return self._ready().provisional

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
            "requires_positive_X": _data.refuses_negative(self._entry),
            "_xfail_checks": self._expected_failed_checks(),
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._entry["takes_missing"]
        tags.input_tags.positive_only = _data.refuses_negative(self._entry)
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
                f"and needs {learner.rows_until_ready} more for a first model (or call 'fit')."
            )
        return learner

    def _new_learner(self, names, levels=()):
        options = {option: str(getattr(self, argument)) for option, argument in self._arguments.items()}
        return self._learner_of(options, list(names), self._setting(), list(levels))

    def _learner_of(self, options, names, setting, levels):
        return _native.Learner(self._entry["name"], options, names, setting, levels)

    def _setting(self):
        """What the native half is told of how to learn: option by option, as the table has them."""
        decide = (row for row in self._rows if row["decides"])
        return {**{row["name"]: getattr(self, row["argument"]) for row in decide}, "seed": self._seed()}

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

    def _warn(self):
        """Why the fit should not be trusted as it is, as the command says it."""
        for kind, text in self._learner.report()["warnings"]:
            if kind == "not_converged" and self.max_iter == 0:
                continue  # as asked
            category = ConvergenceWarning if kind in ("not_converged", "still_climbs") else UserWarning
            warnings.warn(f"{type(self).__name__}: {text}", category, stacklevel=3)

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

    def _explain(self, X, *what, sample_weight=None):
        learner = self._ready()
        table, rows, weight = self._read(X, sample_weight)
        _data.check_some_weight(weight)
        return self._run(table, learner.explain, rows, list(what), self._threads())
