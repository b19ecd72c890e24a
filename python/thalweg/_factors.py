"""Models with factors: every row is a point in a few dimensions, and noise."""

import numpy as np

from ._base import Estimator
from ._compat import TransformerMixin


class Factors(TransformerMixin, Estimator):
    """What all factor models have beside what every estimator has."""

    def transform(self, X):
        """The expected factors of each row.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
        """
        return self._explain(X, "scores")["scores"]

    def inverse_transform(self, X):
        """The mean row of each point in the space of the factors."""
        parameters = self._ready().parameters()
        return np.asarray(X, dtype=np.float64) @ parameters["loadings"].T + parameters["mean"]

    @property
    def _n_features_out(self):
        return self.n_components

    @classmethod
    def _shape_arguments(cls, parameters, feature_names):
        return {"n_components": parameters["loadings"].shape[1]}

    @classmethod
    def _width(cls, parameters):
        return len(parameters["mean"])
