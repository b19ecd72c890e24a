"""Mixtures whose columns are categorical: rows of words, or of numbers that only name something."""

import itertools

import numpy as np

from . import _data, _files, _levels
from ._mixture import Mixture
from ._parts import Parts


class Categories(Parts, Mixture):
    """What such mixtures have beside what every mixture has."""

    _coder = None  # the levels of all columns, once they are known

    # --- attributes ---------------------------------------------------------------------------

    @property
    def categories_(self):
        """The levels of each column, a list of arrays."""
        if self._coder is None:
            self._ready()
        return list(self._coder.categories)

    @property
    def probabilities_(self):
        """Of each column the share of its levels in each component: a list of arrays of shape (n_components, n_levels)."""
        tables = self._ready().parameters()["probabilities"]
        return np.split(tables, np.cumsum([len(levels) for levels in self._coder.texts])[:-1], axis=1)

    # --- asking -------------------------------------------------------------------------------

    def sample(self, n_samples=1):
        """Draws rows from the fitted model, those of the first component first.

        Returns
        -------
        X : ndarray of objects of shape (n_samples, n_features)
            Levels, as `categories_` has them.
        y : ndarray of shape (n_samples,)
            The component of each row.
        """
        codes, y = super().sample(n_samples)
        X = np.empty(codes.shape, dtype=object)
        for j, levels in enumerate(self._coder.categories):
            X[:, j] = levels[codes[:, j].astype(np.intp)]
        return X, y

    def _explain(self, X, *what, sample_weight=None):
        learner = self._ready()
        unknown = _levels.Unknown()
        table, rows, weight = self._read(X, sample_weight, unknown=unknown)
        _data.check_some_weight(weight)
        found = self._run(table, learner.explain, rows, list(what), self._threads())
        for column in rows.unknown_levels:
            unknown.add(*column)
        unknown.warn(stacklevel=3)
        return found

    def _explain_one(self, x, what):
        learner = self._ready()
        unknown = _levels.Unknown()
        row = self._row(x, unknown)
        found = self._run(row, learner.explain, _data.table_rows(row, None, learner.names), [what], 1)
        unknown.warn(stacklevel=3)
        return found[what][0]

    # --- keeping ------------------------------------------------------------------------------

    @classmethod
    def from_parameters(cls, *, feature_names=None, categories="auto", **given):
        """An estimator with these parameters, ready to predict, to draw from, and to learn more.

        `probabilities` is a list of arrays, as `probabilities_` is; without `categories` the levels are 0, 1, …
        """
        missing = {piece["name"] for piece in cls._entry["parameters"]} - set(given)
        if missing:
            raise TypeError(f"from_parameters() needs {', '.join(sorted(missing))}")
        weights = np.asarray(given.pop("weights"), dtype=np.float64)
        tables = [np.asarray(table, dtype=np.float64) for table in given.pop("probabilities")]
        names = _data.numbered(len(tables)) if feature_names is None else list(feature_names)
        if len(names) != len(tables):
            raise ValueError(f"probabilities has {len(tables)} columns, feature_names {len(names)}")
        levels = {name: np.arange(table.shape[-1]).tolist() for name, table in zip(names, tables)}
        levels.update(_levels.given_levels(categories, names))
        for (name, known), table in zip(levels.items(), tables):
            if table.shape != (weights.size, len(known)):
                raise ValueError(
                    f"probabilities of column {name} have shape {table.shape}, expected {(weights.size, len(known))}: "
                    "a row for each component, a column for each level"
                )
        estimator = cls(n_components=weights.size, categories=categories).set_params(**given)
        estimator._coder = _levels.Coder(names, [_levels.as_array(known) for known in levels.values()])
        learner = estimator._new_learner(names)
        learner.place({"weights": weights, "probabilities": np.hstack(tables)})
        return estimator._adopt(learner, named=feature_names is not None)

    def _adopt(self, learner, named=True):
        if self._coder is None or self._coder.texts != learner.levels:
            given = _levels.given_levels(self.categories, learner.names)
            levels = [given.get(name, texts) for name, texts in zip(learner.names, learner.levels)]
            self._coder = _levels.Coder(learner.names, [_levels.as_array(known) for known in levels])
            for name, texts, known in zip(learner.names, learner.levels, self._coder.texts):
                if texts != known:
                    raise ValueError(f"column {name} has the levels {texts} in the model, but {known} in `categories`")
        return super()._adopt(learner, named)

    def _sibling(self, learner, **params):
        other = super()._sibling(learner, **params)
        known = dict(zip(self._coder.names, self._coder.categories))
        other._coder = _levels.Coder(learner.names, [known[name] for name in learner.names])
        return other

    def _part(self, columns, learner):
        """`categories` of the columns that are left."""
        given = self.categories
        if hasattr(given, "items"):
            names = [self._learner.names[j] for j in columns]
            given = {name: levels for name, levels in given.items() if name in names}
        elif not isinstance(given, str):
            given = [given[j] for j in columns]
        return self._sibling(learner, categories=given)

    def _given_values(self, columns, values):
        """Numbers of levels; one that is not known counts as missing."""
        coder = _levels.Coder([self._coder.names[j] for j in columns], [self._coder.categories[j] for j in columns])
        row = np.empty((1, len(values)), dtype=object)
        row[0, :] = values
        unknown = _levels.Unknown()
        codes = coder.code(row, unknown, 0, 1)[0]
        unknown.warn(stacklevel=3)
        return codes.tolist()

    # --- inside -------------------------------------------------------------------------------

    def _new_learner(self, names, levels=()):
        return super()._new_learner(names, levels or self._coder.texts)

    def _read(self, X, sample_weight=None, reset=False, learns=False, unknown=None):
        """As of every estimator. `unknown` hears of levels that are not known; None: they are refused."""
        # A warm start goes on with the levels that it has.
        fresh = reset and not (self.warm_start and self.__sklearn_is_fitted__())
        if _files.is_files(X):
            self._refuse_weight_of_files(sample_weight)
            return None, self._read_files(X, fresh, learns, unknown), None
        if _data.is_blocks(X):
            first = _data.first_block(X)
            if first is not None:
                if fresh:
                    self._find_levels(self._plain_table(first))
                parts = itertools.chain([first], X)
                X = (self._coded(part, unknown) for part in parts if not _data.is_empty(part))
        else:
            X = self._plain_table(X)
            if fresh:
                self._find_levels(X)
            X = _levels.CodedTable(X, self._coder, unknown)
        return super()._read(X, sample_weight, reset, learns)

    def _run(self, table, work, *arguments):
        try:
            return super()._run(table, work, *arguments)
        except ValueError as error:
            place, found, _ = str(error).partition(" is none of its levels")  # of a file, with the command's flags behind it
            if not found:
                raise
            raise ValueError(f"{place}{found} (give all levels beforehand, `categories=`)") from None

    def _as_table(self, X):
        return X  # made by _read

    def _plain_table(self, X):
        return _levels.as_table(X, type(self).__name__)

    def _coded(self, X, unknown):
        return _levels.CodedTable(self._plain_table(X), self._coder, unknown)

    def _find_levels(self, table):
        names = _data.feature_names(table)
        names = _data.numbered(table.shape[1]) if names is None else list(names)
        self._begin_with(_levels.Coder.found(self.categories, table, names))

    def _begin_with(self, coder):
        """Whatever was learned with other levels is no longer valid."""
        self._learner = None
        self._coder = coder

    def _read_files(self, X, fresh, learns, unknown):
        how = {"threads": self._threads(), "in_order": not learns}
        if not fresh:
            known = dict(zip(self._coder.names, self._coder.texts))
            rows = _files.rows(X, self._learner.names, **how, levels=known, others_are_missing=unknown is not None)
            self._check_columns_of_file(X, rows, reset=False)
            return rows
        names = list(self.categories) if hasattr(self.categories, "items") else []
        if not names and not isinstance(self.categories, str):
            names = _files.rows(X, levels={}).names
        given = _levels.given_levels(self.categories, names)
        texts = {name: [_levels.text_of(level) for level in levels] for name, levels in given.items()}
        rows = _files.rows(X, **how, levels=texts)
        levels = [_levels.as_array(given.get(name, found)) for name, found in zip(rows.names, rows.levels)]
        self._begin_with(_levels.Coder(rows.names, levels))
        self._check_columns_of_file(X, rows, reset=True)
        return rows

    def _row(self, x, unknown=None):
        if self._features is None:
            self._features = self._features_of(x)
        row = np.empty((1, len(self._features)), dtype=object)
        row[0, :] = [x.get(feature) for feature in self._features]
        if self._learner is None:
            named = all(isinstance(feature, str) for feature in self._features)
            names = list(self._features) if named else _data.numbered(len(self._features))
            self._coder = _levels.Coder.found(self.categories, row, names)
        return _levels.CodedTable(row, self._coder, unknown)
