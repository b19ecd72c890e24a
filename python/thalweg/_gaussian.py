"""What scikit-learn's GaussianMixture has beside every mixture: precisions, and starts that are given."""

import numpy as np

from ._mixture import Mixture


def _cholesky_of_inverse(covariance):
    """U with U U' = covariance^-1, upper triangular, of one matrix or a stack of them."""
    factor = np.linalg.cholesky(covariance)
    identity = np.broadcast_to(np.eye(covariance.shape[-1]), covariance.shape)
    return np.swapaxes(np.linalg.solve(factor, identity), -1, -2)


class GaussianParts(Mixture):
    @property
    def precisions_cholesky_(self):
        """Factors U of the precisions U U', in the shape of `covariances_`."""
        covariances = self.covariances_
        if self.covariance_type in ("full", "tied"):
            return _cholesky_of_inverse(covariances)
        return 1 / np.sqrt(covariances)

    @property
    def precisions_(self):
        """Inverses of the covariances, in their shape."""
        factors = self.precisions_cholesky_
        if self.covariance_type in ("full", "tied"):
            return factors @ np.swapaxes(factors, -1, -2)
        return factors**2

    def _setting(self):
        # reg_covar is the one lower limit, as in scikit-learn: there is no floor beside it.
        return {**super()._setting(), "ridge": self.reg_covar, "floor": 0.0}

    def _start_parameters(self):
        start = super()._start_parameters()
        if start is not None:
            return start
        given = {"weights": self.weights_init, "means": self.means_init}
        start = {name: np.asarray(value, dtype=np.float64) for name, value in given.items() if value is not None}
        if self.precisions_init is not None:
            precisions = np.asarray(self.precisions_init, dtype=np.float64)
            if self.covariance_type in ("full", "tied"):
                factors = _cholesky_of_inverse(precisions)  # a covariance that rounding leaves symmetric
                start["covariances"] = factors @ np.swapaxes(factors, -1, -2)
            else:
                start["covariances"] = 1 / precisions
        return start or None

    @classmethod
    def _shape_arguments(cls, parameters, feature_names):
        K, d = parameters["means"].shape
        kinds = {(K, d, d): "full", (K, d): "diag", (K,): "spherical", (d, d): "tied"}
        covariances = parameters["covariances"]
        kind = kinds.get(covariances.shape, "full")
        if covariances.shape == (K, d) == (d, d) and d > 1 and (covariances == covariances.T).all():
            kind = "tied"
        return {"n_components": K, "covariance_type": kind}
