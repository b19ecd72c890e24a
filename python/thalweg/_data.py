"""From what users hold to rows that the native half reads: arrays in place, everything else block by block."""

import warnings

import numpy as np

from . import _native

BLOCK_ROWS = 8192  # converted at a time; never the whole


def is_blocks(X):
    """An iterator of blocks: it can be read once."""
    return hasattr(X, "__next__")


def feature_names(X):
    """The column names of a frame where all of them are strings, else None."""
    if hasattr(X, "feature_names"):
        return X.feature_names  # of a table that stands for a frame
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(X, "iloc"):
        return None
    names = np.asarray(columns, dtype=object)
    return names if len(names) > 0 and all(isinstance(name, str) for name in names) else None


def numbered(width):
    return [f"c{j}" for j in range(width)]


def check_names(names, known, name):
    """The names of columns beside those of the fit (None: there are none), as scikit-learn compares them."""
    if names is None and known is None:
        return
    if names is None:
        warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names", stacklevel=5)
    elif known is None:
        warnings.warn(f"X has feature names, but {name} was fitted without feature names", stacklevel=5)
    elif list(known) != list(names):
        message = "The feature names should match those that were passed during fit.\n"
        unseen, missing = sorted(set(names) - set(known)), sorted(set(known) - set(names))
        if unseen:
            message += "Feature names unseen at fit time:\n" + _listed(unseen)
        if missing:
            message += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
        if not unseen and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(message)


def _listed(names, most=5):
    lines = [f"- {name}\n" for name in names[:most]]
    return "".join(lines) + ("- ...\n" if len(names) > most else "")


def as_table(X, name, takes_sparse=False):
    """X as something with two dimensions that can be cut into blocks of rows; nothing is copied that is an array."""
    if hasattr(X, "tocsr"):
        if takes_sparse:
            return check_shape(X.tocsr(), name)
        raise TypeError(
            "A sparse matrix was passed, but dense data is required. "
            "Use X.toarray() to convert to a dense numpy array."
        )
    if hasattr(X, "iloc") and X.ndim == 2:
        kinds = set(X.dtypes)
        if len(kinds) > 1 and all(isinstance(kind, np.dtype) and kind.kind in "fiub" for kind in kinds):
            return check_shape(X, name)  # columns of several kinds: converted block by block
        plain = all(isinstance(kind, np.dtype) for kind in kinds)
        X = X.to_numpy() if plain else X.to_numpy(np.float64, na_value=np.nan)
    table = np.asarray(X)
    if table.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{table}\n")
    if table.dtype.kind in "USV":
        raise ValueError(
            "dtype='numeric' is not compatible with arrays of bytes/strings. "
            "Convert your data to numeric values explicitly instead."
        )
    if table.dtype.kind not in "fiub":
        table = table.astype(np.float64)
    return check_shape(table, name)


def check_shape(table, name):
    if table.ndim < 2:
        kind = "scalar" if table.ndim == 0 else "1D"
        raise ValueError(
            f"Expected 2D array, got {kind} array instead:\narray={table}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )
    if table.ndim > 2:
        raise ValueError(f"Found array with dim {table.ndim}. {name} expected <= 2.")
    for axis, what in enumerate(("sample", "feature")):
        if table.shape[axis] == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={table.shape}) while a minimum of 1 is required by {name}."
            )
    return table


def block(table, begin, end):
    """Some rows as doubles, row by row."""
    part = table.iloc[begin:end].to_numpy(np.float64) if hasattr(table, "iloc") else table[begin:end]
    if hasattr(part, "toarray"):
        part = part.toarray()
    return np.require(part, dtype=np.float64, requirements=["C", "A"])


def lies_in_rows(table):
    """An array that the native half can look at where it lies."""
    if not isinstance(table, np.ndarray) or table.dtype != np.float64 or not table.dtype.isnative:
        return False
    rows, columns = table.strides
    fits = columns == 8 or table.shape[1] == 1
    forward = table.shape[0] == 1 or (rows >= 8 * table.shape[1] and rows % 8 == 0)
    return fits and forward and table.flags.aligned


def check_weight(sample_weight, rows):
    """One double for each row, or None."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(rows, float(weight))
    if weight.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weight.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(rows,)}!")
    if not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if (weight < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    return np.ascontiguousarray(weight)


def check_some_weight(weight):
    if weight is not None and not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")


def table_rows(table, weight, names):
    """Rows of a table that as_table gave."""
    if lies_in_rows(table):
        return _native.Rows.of_array(np.asarray(table), weight, names)
    length = table.shape[0]
    at = 0

    def advance():
        nonlocal at
        if at >= length:
            return None
        begin, at = at, min(at + BLOCK_ROWS, length)
        values = block(table, begin, at)
        return values if weight is None else (values, weight[begin:at])

    def rewind():
        nonlocal at
        at = 0

    return _native.Rows.of_blocks(advance, rewind, names, length)


def block_rows(blocks, first, names, as_table, check):
    """Rows of an iterator whose first block was already taken; `check` looks at every later one. Empty blocks are passed over."""
    ahead = [first]
    end = object()

    def advance():
        while True:
            X = ahead.pop() if ahead else next(blocks, end)
            if X is end:
                return None
            if X is not first and is_empty(X):
                continue
            table = as_table(X)
            if X is not first:
                check(X, table)
            return block(table, 0, None)

    return _native.Rows.of_blocks(advance, None, names, None)


def is_empty(X):
    return hasattr(X, "__len__") and len(X) == 0


def first_block(blocks):
    """The first one with a row; None: there is none."""
    return next((block for block in blocks if not is_empty(block)), None)


def refuses_negative(entry):
    return entry["takes_counts_only"] or entry["takes_positive_only"]


def refusal(table, name, entry):
    """scikit-learn's sentence for cells that are no numbers; None where there are none."""
    for begin in range(0, table.shape[0], BLOCK_ROWS):
        part = block(table, begin, begin + BLOCK_ROWS)
        if not entry["takes_missing"] and np.isnan(part).any():
            return (
                f"Input X contains NaN.\n{name} does not accept missing values encoded as NaN natively "
                "(drop those rows, or fill them in, for instance with sklearn.impute)."
            )
        if np.isinf(part).any():
            return "Input X contains infinity or a value too large for dtype('float64')."
        if refuses_negative(entry) and (part < 0).any():
            return f"Negative values in data passed to {name} (input X)."
    return None
