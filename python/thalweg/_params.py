"""Arguments of constructors, checked when a fit begins; faults are told in scikit-learn's words."""

import numbers

METHODS = ("batch", "squarem", "online", "auto", "incremental", "variance-reduced", "gradient", "exact")
INIT_PARAMS = ("kmeans", "k-means++", "random", "random_from_data")


def _is_int(value):
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def whole_from(lowest):
    return lambda value: _is_int(value) and value >= lowest, f"an int in the range [{lowest}, inf)"


def one_of(choices):
    return lambda value: isinstance(value, str) and value in choices, f"a str among {{{', '.join(map(repr, choices))}}}"


def or_none(rule):
    fits, what = rule
    return lambda value: value is None or fits(value), f"{what} or None"


NOT_NEGATIVE = (
    lambda value: isinstance(value, numbers.Real) and not isinstance(value, bool) and 0 <= value < float("inf"),
    "a float in the range [0.0, inf)",
)
YES_OR_NO = lambda value: type(value).__name__ in ("bool", "bool_"), "an instance of 'bool'"  # noqa: E731

# Argument -> (does a value fit, what is expected). Others say themselves what they take, or are checked where they are read.
RULES = {
    "tol": NOT_NEGATIVE,
    "reg_covar": NOT_NEGATIVE,
    "max_iter": whole_from(0),
    "n_init": whole_from(1),
    "init_params": one_of(INIT_PARAMS),
    "warm_start": YES_OR_NO,
    "verbose": (lambda value: isinstance(value, numbers.Integral) and value >= 0, "an int in the range [0, inf) or a bool"),
    "verbose_interval": whole_from(1),
    "progress": YES_OR_NO,
    "method": one_of(METHODS),
    "batch_size": or_none(whole_from(1)),
    "buffer": or_none(whole_from(0)),
    "passes": whole_from(1),
    "n_threads": or_none(whole_from(1)),
}


def fault(estimator, argument, what):
    value = getattr(estimator, argument)
    name = type(estimator).__name__
    return ValueError(f"The '{argument}' parameter of {name} must be {what}. Got {value!r} instead.")


def check(estimator):
    """A ValueError for the first argument that is out of range."""
    for option in estimator._entry.get("options", ()):  # a model of one's own has none
        argument = estimator._arguments[option["name"]]
        fits, what = one_of(option["choices"]) if option["choices"] else whole_from(1)
        if not fits(getattr(estimator, argument)):
            raise fault(estimator, argument, what)
    for argument, (fits, what) in RULES.items():
        if hasattr(estimator, argument) and not fits(getattr(estimator, argument)):
            raise fault(estimator, argument, what)
    if estimator.max_iter == 0 and estimator.method != "batch":
        raise ValueError("max_iter == 0 leaves the start as it is, which only method='batch' can do")
