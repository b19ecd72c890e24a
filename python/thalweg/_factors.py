"""Models with factors: every row is a point in a few dimensions, and noise."""

import numpy as np

from ._base import Estimator
from ._compat import TransformerMixin
from ._one_by_one import FactorsOneByOne
from ._parts import Parts


class Factors(Parts, TransformerMixin, FactorsOneByOne, Estimator):
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

    # --- attributes ---------------------------------------------------------------------------

    @property
    def components_(self):
        """The axes of the factors, orthonormal, that with most variance first: of shape (n_components, n_features)."""
        loadings = self._aligned()
        axes, triangle = np.linalg.qr(loadings)  # where a factor has no loadings, an axis that no other has
        return (axes * np.where(np.diag(triangle) < 0, -1, 1)).T

    @property
    def explained_variance_(self):
        """The variance along each of `components_`, noise included."""
        return (self._aligned() ** 2).sum(axis=0) + self.noise_variance_

    @property
    def explained_variance_ratio_(self):
        """… as a share of the variance of all columns."""
        explained = self.explained_variance_
        return explained / (explained.sum() + (self.n_features_in_ - len(explained)) * self.noise_variance_)

    def get_covariance(self):
        """The covariance of the columns that the model says."""
        loadings = self.loadings_
        return loadings @ loadings.T + self.noise_variance_ * np.eye(len(loadings))

    def get_precision(self):
        """The inverse of `get_covariance`, by a matrix of the size of the factors."""
        loadings, noise = self.loadings_, self.noise_variance_
        inner = loadings.T @ loadings + noise * np.eye(loadings.shape[1])
        return (np.eye(len(loadings)) - loadings @ np.linalg.solve(inner, loadings.T)) / noise

    def _gaussian_components(self):
        return np.ones(1), self.mean_[None], self.get_covariance()[None]

    def _aligned(self):
        """Loadings as every fit leaves them, orthogonal, the longest first; those that were given or held may be others."""
        return self._ready().aligned()["loadings"]

    # --- scikit-learn's questions -------------------------------------------------------------

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
