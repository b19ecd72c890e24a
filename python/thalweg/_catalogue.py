"""One class for each model of the catalogue, with a real signature and documentation, made when the package is imported."""

import inspect

from . import _native
from ._base import Estimator
from ._categorical import Categories
from ._factors import Factors
from ._gaussian import GaussianParts
from ._mixture import Mixture
from ._parts import ColumnsApart

ACRONYMS = {"ppca", "hmm", "glm", "vmf"}

# Constructor's arguments of the options of models; other options keep their names.
ARGUMENTS = {"components": "n_components", "rank": "n_components", "covariance": "covariance_type"}

# Of every estimator: name, default, documentation.
COMMON = [
    ("tol", 1e-3, "EM stops when the mean log-likelihood of a row changes by less than this."),
    ("max_iter", 100, "Iterations at most; 0 leaves the start as it is."),
    ("n_init", 1, "Batch EM runs from so many starts; the best end is kept."),
    ("random_state", None, "Seed, or a generator to draw it from."),
    ("warm_start", False, "`fit` starts from where the last one ended."),
    ("verbose", 0, "1 prints how a fit goes, as a table."),
    ("verbose_interval", 10, "Iterations of batch EM between two lines of `verbose`; online, lines come at powers of two."),
    ("progress", False, "Shows a bar while it learns, tqdm's where it is installed."),
    (
        "on_step",
        None,
        "Called after every M-step with a step: phase, number, rows, batch_rows, rate, mean_log_likelihood, parameters(). "
        "True ends the run. It is not pickled.",
    ),
    (
        "method",
        "batch",
        "How `fit` learns: 'batch', 'squarem' (batch EM with leaps), 'online' (one pass or several), 'auto', "
        "'incremental', 'variance-reduced', 'gradient' or, where a model has a closed form, 'exact'.",
    ),
    ("step", 0.6, "Step sizes of online EM: an exponent, '0.6,offset=100', '1/n' or 'constant:0.01'."),
    ("batch_size", None, "Rows of an online step; about one for each parameter unless given."),
    ("buffer", None, "Rows on which online EM finds its start; max(1000, 15 p) unless given."),
    ("average", "poly:3", "Averaging of online EM: 'poly:3', 'half', 'from:1000' or 'off'."),
    ("passes", 1, "Online passes over the rows, at most."),
    ("n_threads", None, "Threads; all cores unless given. The result is the same for any number."),
]

# scikit-learn's own arguments of a GaussianMixture, in its order, beside those above.
GAUSSIAN = {
    "tol": [("reg_covar", 1e-6, "Added to every variance.")],
    "n_init": [
        (
            "init_params",
            "kmeans",
            "Where `fit` starts. 'kmeans': starts as of k-means++ are compared by a short EM on a sample of the rows, and the "
            "best is taken (not scikit-learn's single k-means). 'random' (random responsibilities) and 'random_from_data' "
            "(random rows as means) draw what scikit-learn draws from the same seed. 'k-means++': rows far from each "
            "other as means. `partial_fit` finds its start on the first rows as for 'kmeans'.",
        ),
        ("weights_init", None, "Weights to start from, of shape (n_components,)."),
        ("means_init", None, "Means to start from, of shape (n_components, n_features)."),
        ("precisions_init", None, "Inverse covariances to start from, in the shape of `precisions_`."),
    ],
}


# Of a model whose columns are categorical.
CATEGORIES = (
    "categories",
    "auto",
    "The levels of each column: 'auto' (those of the rows of `fit`, sorted, or of a pandas categorical), a list of lists, or a "
    "dictionary by column name, where the columns that are not in it are 'auto'.",
)


def class_name(entry):
    name = entry["name"]
    camel = name.upper() if name in ACRONYMS else "".join(part.capitalize() for part in name.split("-"))
    return camel + ("Mixture" if has_weights(entry) else "")


def has_weights(entry):
    return any(piece["name"] == "weights" for piece in entry["parameters"])


def arguments_of(entry):
    """(name, default, documentation) of every constructor's argument, in order."""
    options = sorted(entry["options"], key=lambda option: option["name"] != entry["size"])
    arguments = []
    for option in options:
        default = option["default"] if option["choices"] else int(option["default"] or 1)
        choices = f" One of {', '.join(map(repr, option['choices']))}." if option["choices"] else ""
        text = option["help"][0].upper() + option["help"][1:] + "." + choices
        arguments.append((ARGUMENTS.get(option["name"], option["name"]), default, text))
    if entry["takes_categories"]:
        arguments.append(CATEGORIES)
    extra = GAUSSIAN if entry["name"] == "gaussian" else {}
    for argument in COMMON:
        arguments.append(argument)
        arguments.extend(extra.get(argument[0], []))
    if entry["name"] == "ppca":
        arguments = [("method", "exact", text) if name == "method" else (name, default, text) for name, default, text in arguments]
    return arguments


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


class ApartMixture(ColumnsApart, Mixture):
    """A mixture whose columns are independent in a component."""


def columns_are_apart(entry):
    return all(piece["shape"] == "K × d" for piece in entry["parameters"] if piece["name"] != "weights")


def make_class(entry):
    arguments = arguments_of(entry)
    if entry["name"] == "gaussian":
        base = GaussianParts
    elif entry["takes_categories"]:
        base = Categories
    elif has_weights(entry):
        base = ApartMixture if columns_are_apart(entry) else Mixture
    elif any(piece["name"] == "loadings" for piece in entry["parameters"]):
        base = Factors
    else:
        base = Estimator
    body = {
        "__module__": "thalweg",
        "__doc__": documentation(entry, arguments),
        "__init__": constructor(arguments),
        "_entry": entry,
        "_arguments": {
            option["name"]: ARGUMENTS.get(option["name"], option["name"]) for option in entry["options"]
        },
    }
    for piece in entry["parameters"]:
        if not hasattr(base, piece["name"] + "_"):
            body[piece["name"] + "_"] = attribute(piece)
    return type(class_name(entry), (base,), body)


def classes():
    """Class name -> class, of the whole catalogue."""
    made = (make_class(entry) for entry in _native.models())
    return {cls.__name__: cls for cls in made}
