"""Models with factors: every row is a point in a few dimensions, and noise."""

import numpy as np

from ._base import Estimator
from ._compat import TransformerMixin
from ._one_by_one import FactorsOneByOne


class Factors(TransformerMixin, FactorsOneByOne, Estimator):
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

    def get_feature_names_out(self, input_features=None):
        """Names of the columns that `transform` gives: ppca0, ppca1, …"""
        self._ready()
        if input_features is not None:
            known = getattr(self, "feature_names_in_", None)
            if known is not None and list(known) != list(input_features):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(input_features) != self.n_features_in_:
                raise ValueError(f"input_features should have length equal to number of features ({self.n_features_in_})")
        return np.asarray([f"{type(self).__name__.lower()}{j}" for j in range(self._n_features_out)], dtype=object)

    @property
    def _n_features_out(self):
        return self._ready().parameters()["loadings"].shape[1]

    def _new_learner(self, names):
        if self.n_components >= len(names):
            raise ValueError(
                f"{type(self).__name__} needs more columns than factors, "
                f"got n_components = {self.n_components} and n_features = {len(names)}"
            )
        return super()._new_learner(names)

    @classmethod
    def _shape_arguments(cls, parameters, feature_names):
        return {"n_components": parameters["loadings"].shape[1]}

    @classmethod
    def _width(cls, parameters):
        return len(parameters["mean"])
