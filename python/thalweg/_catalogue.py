"""One class for each model of the catalogue, with a real signature and documentation, made when the package is imported."""

import ast
import inspect

from . import _native
from ._base import Estimator
from ._categorical import Categories
from ._factors import Factors
from ._gaussian import GaussianParts
from ._mixture import Mixture
from ._parts import Parts

# Arguments of every estimator, whatever its model: rows of the table of options.
COMMON = sorted((row for row in _native.options() if row["rank"] > 0 and row["for_all"]), key=lambda row: row["rank"])


def argument_of(row):
    """(name, default, documentation) of a constructor's argument."""
    return row["argument"], ast.literal_eval(row["default"]), row["help"]


def arguments_of(entry):
    """(name, default, documentation) of every constructor's argument, in order."""
    options = sorted(entry["options"], key=lambda option: option["name"] != entry["size"])
    arguments = []
    for option in options:
        default = option["default"] if option["choices"] else int(option["default"] or 1)
        choices = f" One of {', '.join(map(repr, option['choices']))}." if option["choices"] else ""
        arguments.append((option["argument"], default, option["help"] + choices))
    arguments += map(argument_of, sorted(entry["arguments"], key=lambda row: row["rank"]))
    usual = {"method": entry["method"]} if entry["method"] else {}
    return [(name, usual.get(name, default), text) for name, default, text in arguments]


def constructor(arguments):
    parameter = inspect.Parameter
    parameters = [parameter("self", parameter.POSITIONAL_OR_KEYWORD)]
    for place, (name, default, _) in enumerate(arguments):
        kind = parameter.KEYWORD_ONLY if place > 0 else parameter.POSITIONAL_OR_KEYWORD
        parameters.append(parameter(name, kind, default=default))
    signature = inspect.Signature(parameters)

    def __init__(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    __init__.__signature__ = signature
    return __init__


def documentation(entry, arguments):
    lines = [entry["summary"][0].upper() + entry["summary"][1:] + ".", "", f"Density: {entry['density']}", ""]
    lines += ["Parameters", "----------"]
    for name, default, text in arguments:
        lines += [f"{name} : default={default!r}", f"    {text}"]
    lines += ["", "Attributes", "----------"]
    for piece in entry["parameters"]:
        lines += [f"{piece['name']}_ : {piece['shape']}", f"    {piece['meaning'][0].upper()}{piece['meaning'][1:]}."]
    return "\n".join(lines) + "\n"


def attribute(piece):
    name = piece["name"]

    def read(self):
        if name in self._assigned:
            return self._assigned[name]
        value = self._ready().parameters()[name]
        return value.item() if piece["shape"] == "1" else value

    def write(self, value):
        self._assign(name, value)

    return property(read, write, doc=f"{piece['meaning'][0].upper()}{piece['meaning'][1:]} ({piece['shape']}).")


class MixtureOfParts(Parts, Mixture):
    """A mixture that has marginals and conditionals."""


def base_of(entry):
    """What a class has beside what every estimator has, by what is latent in its model."""
    if entry["latent"] == "factors":
        return Factors
    if not entry["shares"]:
        return Estimator
    if entry["takes_categories"]:
        return Categories
    if any(piece["covariance"] for piece in entry["parameters"]):
        return GaussianParts
    return MixtureOfParts if entry["parts"] else Mixture


def make_class(entry):
    arguments = arguments_of(entry)
    base = base_of(entry)
    body = {
        "__module__": "thalweg",
        "__doc__": documentation(entry, arguments),
        "__init__": constructor(arguments),
        "_entry": entry,
        "_arguments": {option["name"]: option["argument"] for option in entry["options"]},
        "_rows": entry["arguments"],
    }
    for piece in entry["parameters"]:
        if not hasattr(base, piece["name"] + "_"):
            body[piece["name"] + "_"] = attribute(piece)
    return type(entry["class"], (base,), body)


def classes():
    """Class name -> class, of the whole catalogue but for entries that say they have none."""
    made = (make_class(entry) for entry in _native.models() if entry["in_python"])
    return {cls.__name__: cls for cls in made}
