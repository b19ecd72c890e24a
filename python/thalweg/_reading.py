"""From the X of a call to the rows that the native half reads, its columns held against those of the fit."""

import numpy as np

from . import _data, _files, _native


class Reading:
    """Notes `n_features_in_` and `feature_names_in_` as scikit-learn does."""

    def _read(self, X, sample_weight=None, reset=False, learns=False):
        """The table behind X, None for files and iterators, its rows and weights; columns are checked, or noted when new."""
        name = type(self).__name__
        if _files.is_files(X):
            self._refuse_weight_of_files(sample_weight)
            rows = _files.rows(X, () if reset else self._learner.names, self._threads(), in_order=not learns)
            self._check_columns_of_file(X, rows, reset)
            return None, rows, None
        if _data.is_blocks(X):
            if sample_weight is not None:
                raise ValueError("sample_weight is for arrays and frames (give partial_fit each block with its weights)")
            first = _data.first_block(X)
            if first is None:
                raise ValueError(f"Found array with 0 sample(s) while a minimum of 1 is required by {name}.")
            table, names = self._as_table(first), _data.feature_names(first)
            self._check_columns(table.shape[1], names, reset)
            rows = _data.block_rows(X, first, self._names(table.shape[1]), self._as_table, self._check_block)
            return None, rows, None
        names = _data.feature_names(X)
        table = self._as_table(X)
        self._check_columns(table.shape[1], names, reset)
        weight = _data.check_weight(sample_weight, table.shape[0])
        return table, _data.table_rows(table, weight, self._names(table.shape[1])), weight

    @staticmethod
    def _refuse_weight_of_files(sample_weight):
        if sample_weight is not None:
            raise ValueError("sample_weight is for arrays and frames (of files: thalweg.Files(path, weight_column=name))")

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

    def _check_block(self, X, table):
        self._check_columns(table.shape[1], _data.feature_names(X), reset=False)

    def _check_columns_of_file(self, X, rows, reset):
        """Where X does not say which columns it wants, those of the fit were looked for."""
        says = reset or (isinstance(X, _files.Files) and X.columns is not None)
        width = self.n_features_in_ if not reset else 0
        if not says and rows.names == _data.numbered(width) and rows.fields > width + _files.has_weights(X):
            self._check_columns(rows.fields, None, reset)  # no side has names: a wider file is another one
        names = np.asarray(rows.names, dtype=object) if says else getattr(self, "feature_names_in_", None)
        self._check_columns(len(rows.names), names, reset)

    def _run(self, table, work, rows, *arguments):
        """Calls the native half; a row that it refuses is told in scikit-learn's words where it has some."""
        try:
            found = work(rows, *arguments)
            if table is None:
                _files.warn_of_faults(rows)
            return found
        except _native.RowError as error:
            message = table is not None and _data.refusal(table, type(self).__name__, self._entry)
            raise ValueError(message or str(error)) from None

    def _check_enough(self, shape):
        if shape[0] < 2:
            raise ValueError(
                f"Found array with {shape[0]} sample(s) (shape={shape}) while a minimum of 2 is required "
                f"by {type(self).__name__}."
            )
