"""Latent-variable models that learn online: mixtures and factors with scikit-learn's interface."""

from . import _catalogue, plot
from ._check_model import check_model
from ._combine import load, merge
from ._compat import ConvergenceWarning, NotFittedError
from ._em import EM
from ._files import Files
from ._model import Layout, Model
from ._native import Error, ModelError, RowError, UsageError, __version__, models

_classes = _catalogue.classes()
globals().update(_classes)

__all__ = [
    "ConvergenceWarning",
    "EM",
    "Error",
    "Files",
    "Layout",
    "Model",
    "ModelError",
    "NotFittedError",
    "RowError",
    "UsageError",
    "check_model",
    "load",
    "merge",
    "models",
    "plot",
    *_classes,
]
