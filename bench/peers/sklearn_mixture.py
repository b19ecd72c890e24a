"""scikit-learn's GaussianMixture at given parameters."""
from sklearn.mixture import GaussianMixture
from sklearn.mixture._gaussian_mixture import _compute_precision_cholesky


def at(weights, means, covariances, covariance):
    model = GaussianMixture(len(weights), covariance_type=covariance, reg_covar=0)
    model.weights_, model.means_, model.covariances_ = weights, means, covariances
    model.precisions_cholesky_ = _compute_precision_cholesky(covariances, covariance)
    return model
