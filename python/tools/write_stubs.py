#!/usr/bin/env python3
"""Writes what type checkers read of the generated classes, python/thalweg/__init__.pyi, from the classes themselves.

write_stubs.py [FILE]: with the package installed (make python).
"""

import inspect
import pathlib
import sys

import thalweg
from thalweg import _native

HEAD = '''\
"""Written by python/tools/write_stubs.py from the catalogue; a test compares."""

from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import os

from numpy.typing import ArrayLike, NDArray
import numpy as np

from ._native import Error as Error, ModelError as ModelError, RowError as RowError, UsageError as UsageError, models as models

__version__: str
__all__: List[str]

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Path = Union[str, "os.PathLike[str]"]
Rows = Union[ArrayLike, Iterator[ArrayLike], Path, Sequence[Path], Any]
Seed = Union[None, int, np.random.RandomState, np.random.Generator]
Weight = Optional[ArrayLike]
Row = Mapping[Any, Any]
Levels = Union[str, Sequence[Sequence[Any]], Mapping[str, Sequence[Any]]]

class ConvergenceWarning(UserWarning): ...
class NotFittedError(ValueError, AttributeError): ...
'''

IN_HEAD = {"ConvergenceWarning", "Error", "ModelError", "NotFittedError", "RowError", "UsageError", "models"}

# What the signatures cannot tell: types by name of the argument, and by name of the method. The table of options knows its own.
ARGUMENTS = {
    **{row["argument"]: row["type"] for row in _native.options() if row["rank"] > 0},
    "X": "Rows",
    "y": "Any",
    "sample_weight": "Weight",
    "x": "Row",
    "w": "float",
    "n_samples": "int",
    "path": "Path",
    "params": "Any",
    "given": "Any",
    "fit_params": "Any",
    "feature_names": "Optional[Sequence[str]]",
    "columns": "Union[int, str, Sequence[Union[int, str]]]",
    "input_features": "Optional[Sequence[str]]",
    "deep": "bool",
    "transform": "Optional[str]",
    "estimators": "Iterable[Any]",
    "model": "Model",
    "init": "Optional[Mapping[str, ArrayLike]]",
    "parameters": "Mapping[str, ArrayLike]",
}
RESULTS = {
    "predict": "Labels",
    "fit_predict": "Labels",
    "predict_proba": "Array",
    "score_samples": "Array",
    "transform": "Any",  # a frame after set_output
    "fit_transform": "Any",
    "inverse_transform": "Array",
    "score": "float",
    "aic": "float",
    "bic": "float",
    "get_params": "Dict[str, Any]",
    "get_covariance": "Array",
    "get_precision": "Array",
    "score_one": "float",
    "predict_one": "Optional[int]",
    "predict_proba_one": "Dict[int, float]",
    "transform_one": "Dict[str, float]",
    "get_feature_names_out": "NDArray[np.object_]",
}
SELF = {"fit", "partial_fit", "save", "load", "from_parameters", "one_step", "learn_one", "set_params", "set_output"}
SELF |= {"marginal", "condition"}
ATTRIBUTES = {
    "converged_": "bool",
    "n_iter_": "int",
    "n_samples_seen_": "int",
    "lower_bound_": "float",
    "provisional_": "bool",
    "events_": "Dict[str, int]",
    "categories_": "List[NDArray[Any]]",
    "probabilities_": "List[Array]",
}


def type_of(parameter):
    if parameter.name in ARGUMENTS:
        return ARGUMENTS[parameter.name]
    kind = type(parameter.default).__name__
    return kind if kind in ("bool", "int", "float", "str") else "Any"


def argument(parameter, given=None):
    text = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "") + parameter.name
    text += f": {given or type_of(parameter)}"
    return text if parameter.default is parameter.empty else f"{text} = {parameter.default!r}"


def arguments(function, given=None):
    """The arguments of a function, bound or not, without self."""
    parts, star = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        parts.append(argument(parameter, (given or {}).get(parameter.name)))
    return parts


def method(cls, name):
    function = getattr(cls, name)
    made_by_class = isinstance(inspect.getattr_static(cls, name), classmethod)
    lines = ["    @classmethod"] if made_by_class else []
    given = {"given": "Mapping[Any, float]"} if name == "condition" else None
    parts = ", ".join(["cls" if made_by_class else "self", *arguments(function, given)])
    result = f'"{cls.__name__}"' if name in SELF else RESULTS.get(name, "Any")
    if name == "sample":
        drawn = "NDArray[np.object_]" if hasattr(cls, "categories_") else "Array"
        result = f"Tuple[{drawn}, Labels]" if hasattr(cls, "predict_proba") else drawn
    return [*lines, f"    def {name}({parts}) -> {result}: ..."]


def attribute(cls, name):
    pieces = cls._entry["parameters"] if isinstance(cls._entry, dict) else []
    shapes = {piece["name"] + "_": piece["shape"] for piece in pieces}
    kind = ATTRIBUTES.get(name, "float" if shapes.get(name) == "1" else "Array")
    lines = ["    @property", f"    def {name}(self) -> {kind}: ..."]
    if inspect.getattr_static(cls, name).fset:
        lines += [f"    @{name}.setter", f"    def {name}(self, value: {kind}) -> None: ..."]
    return lines


def class_lines(cls):
    lines = [f"class {cls.__name__}:"]
    own = inspect.signature(cls.__init__).parameters.values()
    lines += [f"    {parameter.name}: {type_of(parameter)}" for parameter in own if parameter.name != "self"]
    lines += ["    n_features_in_: int", "    feature_names_in_: NDArray[np.object_]", "    merged_exactly_: bool"]
    lines.append(f"    def __init__(self, {', '.join(arguments(cls.__init__))}) -> None: ...")
    if hasattr(cls, "__getattr__"):
        lines.append("    def __getattr__(self, name: str) -> Any: ...")
    public = [name for name in dir(cls) if not name.startswith("_") and not name.endswith("_request")]
    for name in public:
        found = inspect.getattr_static(cls, name)
        if isinstance(found, property):
            lines += attribute(cls, name)
        elif callable(getattr(cls, name, None)):
            lines += method(cls, name)
    return lines


def base_lines(cls):
    """A class to be used or derived from as the user likes: names only."""
    lines = [f"class {cls.__name__}:"]
    for name, found in vars(cls).items():
        if inspect.isfunction(found) and (name == "__init__" or not name.startswith("_")):
            names = {parameter: "Any" for parameter in inspect.signature(found).parameters}
            result = "None" if name == "__init__" else "Any"
            lines.append(f"    def {name}({', '.join(['self', *arguments(found, names)])}) -> {result}: ...")
        elif not name.startswith("_"):
            lines.append(f"    {name}: Any")
    return lines


def text():
    lines = [HEAD]
    for name in sorted(set(thalweg.__all__) - set(thalweg._classes) - {"EM", "Files", "Layout", "Model"} - IN_HEAD):
        found = getattr(thalweg, name)
        if inspect.isfunction(found):
            lines.append(f"def {name}({', '.join(arguments(found))}) -> Any: ...")
        else:
            lines.append(f"from . import {name} as {name}" if inspect.ismodule(found) else f"{name}: Any")
    for cls in (thalweg.Files, thalweg.Layout, thalweg.Model):
        lines += ["", *base_lines(cls)]
    for cls in (thalweg.EM, *thalweg._classes.values()):
        lines += ["", *class_lines(cls)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    standard = pathlib.Path(__file__).parents[1] / "thalweg" / "__init__.pyi"
    pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else standard).write_text(text())
