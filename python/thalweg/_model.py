"""What users derive their own models from."""

import math
import operator

from ._compat import BaseEstimator


class Layout:
    """Names and shapes of what a model is made of.

    Parameters
    ----------
    statistic : dict, name -> shape
        What `expect` sums and `maximise` is given. A shape is a number or a tuple; () is a single number.
    parameters : dict, name -> shape
        What `start` and `maximise` give.
    simplex, positive, covariance : names of parameters
        Those from 0 on that sum to 1, those above 0, and those that are positive definite matrices in their last two
        axes. What is declared is checked, and methods that leap do not leap out of it.
    free_parameters : int, optional
        For AIC, BIC and the sizes of online steps; counted from the shapes unless given.
    min_rows : int, default=1
        Rows without which there is no fit.
    """

    def __init__(
        self, statistic, parameters, *, simplex=(), positive=(), covariance=(), free_parameters=None, min_rows=1
    ):
        self.statistic = {name: _shape(name, shape) for name, shape in dict(statistic).items()}
        self.parameters = {name: _shape(name, shape) for name, shape in dict(parameters).items()}
        self.domains = dict.fromkeys(self.parameters, "real")
        self.free_parameters = None if free_parameters is None else _count("free_parameters", free_parameters, 0)
        self.min_rows = _count("min_rows", min_rows, 1)
        if not self.statistic or not self.parameters:
            raise ValueError("a layout needs at least one piece of the statistic and one parameter")
        for domain, names in {"simplex": simplex, "positive": positive, "covariance": covariance}.items():
            for name in [names] if isinstance(names, str) else names:
                self._declare(name, domain)

    def _declare(self, name, domain):
        if name not in self.parameters:
            raise ValueError(f"{domain} names {name!r}, which is not a parameter ({', '.join(self.parameters)} are)")
        shape = self.parameters[name]
        if domain == "simplex" and len(shape) != 1:
            raise ValueError(f"{name!r} is a simplex and needs a shape of one number, got {shape}")
        if domain == "covariance" and (len(shape) < 2 or shape[-1] != shape[-2]):
            raise ValueError(f"{name!r} is a covariance and needs a shape that ends in a square, got {shape}")
        self.domains[name] = domain

    def __repr__(self):
        return f"Layout(statistic={self.statistic}, parameters={self.parameters})"


def _shape(name, shape):
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"the name {name!r} of a piece is not a Python name")
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    shape = tuple(_count(f"an extent of {name!r}", extent, 1) for extent in extents)
    if math.prod(shape) > 2**40:
        raise ValueError(f"{name!r} has the shape {shape}, which no memory holds")
    return shape


def _count(what, value, lowest):
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{what} has to be a whole number, got {value!r}") from None
    if number < lowest:
        raise ValueError(f"{what} == {number}, must be >= {lowest}")
    return number


class Model(BaseEstimator):
    """A model of one's own: derive from it, write four methods in NumPy, and give it to `thalweg.EM`.

    `theta` and `s` are dictionaries of arrays by name, `X` an array of rows; all are read-only. Methods answer from
    their arguments alone: they are called from several threads, and for the same rows again. A constructor keeps its
    arguments under their names, as scikit-learn's estimators do.
    """

    takes_missing = False  # True: X may hold NaN

    def layout(self, n_features):
        """The `thalweg.Layout` for rows of so many columns."""
        raise NotImplementedError(f"{type(self).__name__} needs a method layout(self, n_features)")

    def start(self, X, rng):
        """Parameters to begin with, a guess from some rows; `rng` is a numpy.random.Generator. Several are tried."""
        raise NotImplementedError(f"{type(self).__name__} needs a method start(self, X, rng)")

    def expect(self, theta, X, weight):
        """The E-step: (sums, log_density).

        sums : dict of arrays, the sum over rows t of weight[t] * E[s(Z, X[t]) | X[t]] under theta
        log_density : array of one number for each row, log f(X[t]) under theta; weights play no part in it
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method expect(self, theta, X, weight)")

    def maximise(self, s, theta):
        """The M-step: the parameters at which <s, psi> - A is highest. `s` is sums divided by the sum of weights; `theta` is
        where the model is now, for what `s` says nothing about."""
        raise NotImplementedError(f"{type(self).__name__} needs a method maximise(self, s, theta)")

    # Not needed by a fit; None where a model has none.
    check = None  # check(X): raises ValueError for rows that the model cannot take
    posterior = None  # posterior(theta, X): n × K, the probabilities of components; for predict and predict_proba
    draw = None  # draw(theta, n, rng): n rows, for sample
    moments = None  # moments(theta): E[s] under theta, a dictionary like `s`; for method="gradient"
