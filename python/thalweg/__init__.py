"""Latent-variable models that learn online: mixtures and factors with scikit-learn's interface."""

from . import _catalogue, plot
from ._compat import NotFittedError
from ._native import Error, RowError, UsageError, __version__, models

_classes = _catalogue.classes()
globals().update(_classes)

__all__ = ["Error", "NotFittedError", "RowError", "UsageError", "models", "plot", *_classes]
