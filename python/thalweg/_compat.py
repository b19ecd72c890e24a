"""What scikit-learn gives where it is installed, and small stand-ins where it is not."""

import inspect

try:
    import sklearn
    from sklearn.base import BaseEstimator, DensityMixin, TransformerMixin
    from sklearn.exceptions import ConvergenceWarning, NotFittedError

    HAS_SKLEARN = True

    def shows_diagrams():
        """Whether notebooks are to show more than text: scikit-learn's set_config(display=...)."""
        return sklearn.get_config()["display"] == "diagram"

except ImportError:
    HAS_SKLEARN = False

    def shows_diagrams():
        return True

    class NotFittedError(ValueError, AttributeError):
        """The estimator has no parameters yet."""

    class ConvergenceWarning(UserWarning):
        """Iterations came to their end before the fit did."""

    class DensityMixin:
        _estimator_type = "DensityEstimator"

    class TransformerMixin:
        def fit_transform(self, X, y=None, **fit_params):
            return self.fit(X, y, **fit_params).transform(X)

    class BaseEstimator:
        """get_params and set_params by the constructor's signature."""

        @classmethod
        def _get_param_names(cls):
            named = inspect.signature(cls.__init__).parameters.values()
            variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
            return sorted(one.name for one in named if one.name != "self" and one.kind not in variable)

        def get_params(self, deep=True):
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params):
            known = self._get_param_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(
                        f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known!r}."
                    )
                setattr(self, name, value)
            return self

        def __repr__(self):
            defaults = inspect.signature(type(self).__init__).parameters
            changed = (
                f"{name}={value!r}"
                for name, value in self.get_params().items()
                if repr(value) != repr(defaults[name].default)
            )
            return f"{type(self).__name__}({', '.join(changed)})"
