"""Arguments of constructors, checked when a fit begins; faults are told in scikit-learn's words."""

import numbers

from . import _native


def _is_int(value):
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def whole_from(lowest, highest=float("inf")):
    end = "inf)" if highest == float("inf") else f"{highest:g}]"
    return lambda value: _is_int(value) and lowest <= value <= highest, f"an int in the range [{lowest:g}, {end}"


def one_of(choices):
    return lambda value: isinstance(value, str) and value in choices, f"a str among {{{', '.join(map(repr, choices))}}}"


def or_none(rule):
    fits, what = rule
    return lambda value: value is None or fits(value), f"{what} or None"


def number_in(lowest, highest, above):
    begin, end = "(" if above else "[", ")" if highest == float("inf") else "]"

    def fits(value):
        number = isinstance(value, numbers.Real) and not isinstance(value, bool) and value < float("inf")
        return number and lowest <= value <= highest and not (above and value == lowest)

    return fits, f"a float in the range {begin}{float(lowest)}, {float(highest)}{end}"


YES_OR_NO = lambda value: type(value).__name__ in ("bool", "bool_"), "an instance of 'bool'"  # noqa: E731

def rule_of(row):
    """(does a value fit, what is expected) of a row of the table; None where it is checked by who reads it."""
    lowest, highest, above = row["range"] or (0, 0, False)
    if row["name"] == "verbose":
        return lambda value: isinstance(value, numbers.Integral) and value >= 0, "an int in the range [0, inf) or a bool"
    if not row["plain"]:
        return None
    if row["choices"]:
        rule = one_of(row["choices"])
    elif row["is_switch"]:
        rule = YES_OR_NO
    elif row["range"]:
        rule = whole_from(lowest, highest) if row["is_count"] else number_in(lowest, highest, above)
    else:
        return None
    return or_none(rule) if row["default"] == "None" else rule


RULES = {row["argument"]: rule_of(row) for row in _native.options() if row["rank"] > 0 and rule_of(row)}


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
