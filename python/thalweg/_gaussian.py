"""What scikit-learn's GaussianMixture has beside every mixture: precisions, starts, and parts of the columns."""

import numpy as np

from . import _data, _starts
from ._mixture import Mixture
from ._parts import Parts


def _is_covariance(matrix):
    if (matrix != matrix.T).any():
        return False
    variances = np.linalg.eigvalsh(matrix)
    return variances[0] > 1e-12 * variances[-1]


class GaussianParts(Parts, Mixture):
    _terms = {"reg_covar": ("ridge", "floor")}

    @property
    def precisions_cholesky_(self):
        """Factors U of the precisions U U', in the shape of `covariances_`."""
        covariances = self.covariances_
        if self.covariance_type in ("full", "tied"):
            return _starts.cholesky_of_inverse(covariances)
        return 1 / np.sqrt(covariances)

    @precisions_cholesky_.setter
    def precisions_cholesky_(self, value):
        factors = np.asarray(value, dtype=np.float64)
        matrices = self.covariance_type in ("full", "tied")
        self.precisions_ = factors @ np.swapaxes(factors, -1, -2) if matrices else factors**2

    @property
    def precisions_(self):
        """Inverses of the covariances, in their shape."""
        factors = self.precisions_cholesky_
        if self.covariance_type in ("full", "tied"):
            return factors @ np.swapaxes(factors, -1, -2)
        return factors**2

    @precisions_.setter
    def precisions_(self, value):
        self._assign("covariances", _starts.covariances_of(np.asarray(value, dtype=np.float64), self.covariance_type))

    # --- parts of the columns -----------------------------------------------------------------

    def _part(self, columns, learner):
        return self._sibling(learner, weights_init=None, means_init=None, precisions_init=None)

    def _gaussian_components(self):
        weights, means, covariances = self.weights_, self.means_, self.covariances_
        K, d = means.shape
        if self.covariance_type == "tied":
            covariances = np.broadcast_to(covariances, (K, d, d))
        elif self.covariance_type in ("diag", "spherical"):
            spread = covariances if self.covariance_type == "diag" else np.broadcast_to(covariances[:, None], (K, d))
            covariances = np.stack([np.diag(one) for one in spread])
        return weights, means, covariances

    # --- inside -------------------------------------------------------------------------------

    def _setting(self):
        # reg_covar is the one lower limit, as in scikit-learn: there is no floor beside it.
        return {**super()._setting(), "floor": 0.0}

    def _given_start(self):
        return _starts.given(self, self.n_features_in_)

    def _starts(self, table, weight):
        given = self._given_start()
        if self.init_params == "kmeans" or len(given) == 3:
            return [given] if given else []
        if table is None:
            raise ValueError(f"init_params='{self.init_params}' draws from all rows: give an array or a frame")
        refused = _data.refusal(table, type(self).__name__, self._entry)
        if refused:
            raise ValueError(refused)
        random = self._generator()
        return [{**_starts.drawn(self, table, weight, random), **given} for _ in range(self.n_init)]

    def _generator(self):
        """What scikit-learn would draw from."""
        if self.random_state is None:
            return np.random.mtrand._rand
        own = isinstance(self.random_state, np.random.RandomState)
        return self.random_state if own else np.random.RandomState(self._seed())

    @classmethod
    def _shape_arguments(cls, parameters, feature_names):
        K, d = parameters["means"].shape
        kinds = {(K, d, d): "full", (d, d): "tied", (K, d): "diag", (K,): "spherical"}
        covariances = parameters["covariances"]
        kind = kinds.get(covariances.shape, "full")
        if covariances.shape == (K, d) == (d, d) and d > 1 and _is_covariance(covariances):
            kind = "tied"
        return {"n_components": K, "covariance_type": kind}
