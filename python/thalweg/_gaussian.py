"""What scikit-learn's GaussianMixture has beside every mixture: precisions, starts, and parts of the columns."""

import numpy as np

from . import _starts
from ._mixture import Mixture


class GaussianParts(Mixture):
    @property
    def precisions_cholesky_(self):
        """Factors U of the precisions U U', in the shape of `covariances_`."""
        covariances = self.covariances_
        if self.covariance_type in ("full", "tied"):
            return _starts.cholesky_of_inverse(covariances)
        return 1 / np.sqrt(covariances)

    @property
    def precisions_(self):
        """Inverses of the covariances, in their shape."""
        factors = self.precisions_cholesky_
        if self.covariance_type in ("full", "tied"):
            return factors @ np.swapaxes(factors, -1, -2)
        return factors**2

    # --- parts of the columns -----------------------------------------------------------------

    def marginal(self, columns):
        """The mixture of some columns alone.

        Parameters
        ----------
        columns : int, str, or a list of them
            Numbers, or names where the rows that were learned had some; in any order, each once.

        Returns
        -------
        GaussianMixture
            It can predict and be drawn from; `partial_fit` goes on from its parameters.
        """
        chosen = self._column_numbers(columns)
        return self._part(self._ready().marginal(chosen, self._setting()))

    def condition(self, given):
        """The mixture of the other columns where those given have certain values.

        Parameters
        ----------
        given : dict
            Column (number or name) -> value.

        Returns
        -------
        GaussianMixture
            Of the other columns, in their order.
        """
        columns = self._column_numbers(list(given))
        values = [float(value) for value in given.values()]
        if not np.isfinite(values).all():
            raise ValueError("condition() needs finite values")
        if len(columns) == self.n_features_in_:
            raise ValueError(f"condition() needs at least one of the {self.n_features_in_} columns left over")
        return self._part(self._ready().condition(columns, values, self._setting()))

    def _column_numbers(self, columns):
        self._ready()
        width, names = self.n_features_in_, list(getattr(self, "feature_names_in_", []))
        numbers = []
        for column in [columns] if isinstance(columns, (str, int, np.integer)) else columns:
            if isinstance(column, str):
                if column not in names:
                    raise ValueError(f"no column {column!r} (there are {', '.join(map(repr, names)) or 'no names'})")
                numbers.append(names.index(column))
            elif not -width <= column < width:
                raise ValueError(f"column {column} is out of range: there are {width}")
            else:
                numbers.append(int(column) % width)
        if not numbers or len(set(numbers)) < len(numbers):
            raise ValueError("columns have to be given, each once")
        return numbers

    def _part(self, learner):
        return self._sibling(learner, weights_init=None, means_init=None, precisions_init=None)

    # --- inside -------------------------------------------------------------------------------

    def _setting(self):
        # reg_covar is the one lower limit, as in scikit-learn: there is no floor beside it.
        return {**super()._setting(), "ridge": self.reg_covar, "floor": 0.0}

    def _given_start(self):
        return _starts.given(self, self.n_features_in_)

    def _starts(self, table, weight):
        given = self._given_start()
        if self.init_params == "kmeans" or len(given) == 3:
            return [given] if given else []
        if table is None:
            raise ValueError(f"init_params='{self.init_params}' draws from all rows: give an array or a frame")
        own = isinstance(self.random_state, np.random.RandomState)
        random = self.random_state if own else np.random.RandomState(self._seed())
        return [{**_starts.drawn(self, table, weight, random), **given} for _ in range(self.n_init)]

    @classmethod
    def _shape_arguments(cls, parameters, feature_names):
        K, d = parameters["means"].shape
        kinds = {(K, d, d): "full", (K, d): "diag", (K,): "spherical", (d, d): "tied"}
        covariances = parameters["covariances"]
        kind = kinds.get(covariances.shape, "full")
        if covariances.shape == (K, d) == (d, d) and d > 1 and (covariances == covariances.T).all():
            kind = "tied"
        return {"n_components": K, "covariance_type": kind}
