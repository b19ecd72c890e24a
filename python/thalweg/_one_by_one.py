"""One row at a time, as a dictionary: the verbs of river, without river."""

import numpy as np

from . import _data


class OneByOne:
    """Rows are dictionaries: feature -> number.

    The features are those that `fit` saw, or the keys of the first row that is learned. A key that is not among them is ignored,
    as river's models do; one that is absent is a missing cell where the model takes those, and refused where not.
    """

    _features = None  # keys, in the order of the columns; noted with the first row

    def learn_one(self, x, y=None, w=1.0):
        """Learns one row that counts `w` times.

        Returns
        -------
        self
        """
        row = self._row(x)
        if self._learner is None:
            features = self._features
            named = all(isinstance(feature, str) for feature in features)
            self._check_columns(row.shape[1], np.asarray(features, dtype=object) if named else None, reset=True)
            self._features = features
        if self._learn_quickly(row, None if w == 1 else w):
            return self
        weight = None if w == 1 else _data.check_weight([w], 1)
        self._learn_rows(row, _data.table_rows(row, weight, self._names(row.shape[1])))
        return self

    def score_one(self, x):
        """The log density of a row; NaN while there are no parameters yet."""
        return float(self._explain_one(x, "log_density")) if self.__sklearn_is_fitted__() else float("nan")

    def _explain_one(self, x, what):
        row = self._row(x)
        rows = _data.table_rows(row, None, self._names(row.shape[1]))
        return self._run(row, self._ready().explain, rows, [what], 1)[what][0]

    def _row(self, x):
        features = self._features_of(x) if self._features is None else self._features
        missing = float("nan")
        row = np.array([[x.get(feature, missing) for feature in features]], dtype=np.float64)
        if not self._entry["takes_missing"]:
            absent = [feature for feature in features if feature not in x]
            if absent:
                raise ValueError(
                    f"the row has no feature {', '.join(map(repr, absent))}, and {type(self).__name__} "
                    "does not accept missing values"
                )
        self._features = features
        return row

    def _features_of(self, x):
        """Which key is which column: by name, by number, or as they come."""
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return tuple(names)
        width = getattr(self, "n_features_in_", len(x))
        if all(number in x for number in range(width)) and width > 0:
            return tuple(range(width))
        if len(x) != width or width == 0:
            raise ValueError(
                f"the row has {len(x)} features, but {type(self).__name__} is expecting {width or 'some'} features as input."
            )
        return tuple(x)


class MixtureOneByOne(OneByOne):
    def predict_one(self, x):
        """The most probable component of a row; None while there are no parameters yet."""
        return int(self._explain_one(x, "component")) if self.__sklearn_is_fitted__() else None

    def predict_proba_one(self, x):
        """Component -> probability, of a row; empty while there are no parameters yet."""
        if not self.__sklearn_is_fitted__():
            return {}
        return dict(enumerate(self._explain_one(x, "posterior").tolist()))


class FactorsOneByOne(OneByOne):
    def transform_one(self, x):
        """Factor -> score, of a row; empty while there are no parameters yet."""
        if not self.__sklearn_is_fitted__():
            return {}
        return dict(zip(self.get_feature_names_out(), self._explain_one(x, "scores").tolist()))
