"""Mixtures: every row belongs to one of n_components components."""

import numpy as np

from ._base import Estimator
from ._compat import DensityMixin
from ._one_by_one import MixtureOneByOne


class Mixture(DensityMixin, MixtureOneByOne, Estimator):
    """What all mixtures have beside what every estimator has."""

    score = Estimator.score  # DensityMixin has one that says nothing

    def predict(self, X):
        """The most probable component of each row.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._explain(X, "component")["component"]

    def predict_proba(self, X):
        """The probability of each component given each row.

        Returns
        -------
        posterior : ndarray of shape (n_samples, n_components)
        """
        return self._explain(X, "posterior")["posterior"]

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fits the model to X and gives the most probable component of each row."""
        return self.fit(X, y, sample_weight=sample_weight).predict(X)

    def sample(self, n_samples=1):
        """Draws rows from the fitted model, those of the first component first.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)
            The component of each row.
        """
        learner = self._ready()
        n_samples = self._check_draws(n_samples)
        seed = self._seed()
        weights = learner.parameters()[learner.shares]
        counts = np.random.RandomState(seed % 2**32).multinomial(n_samples, weights / weights.sum())
        X = learner.sample(n_samples, seed, [int(count) for count in counts])
        return X, np.repeat(np.arange(len(counts)), counts)

    def _check_enough(self, shape):
        super()._check_enough(shape)
        if shape[0] < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {shape[0]}"
            )

    @classmethod
    def _shape_arguments(cls, parameters, feature_names):
        return {"n_components": len(parameters[cls._entry["shares"]])}
