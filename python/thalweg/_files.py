"""Files as X: read by the data plane in C++, a block at a time."""

import errno
import numbers
import os
import warnings

from . import _native

ON_ERROR = ("stop", "skip", "missing")


class Files:
    """Files as X of any method, where a path alone does not say how to read them: `fit(Files("log.csv", columns=["a", "b"]))`.

    Parameters
    ----------
    paths : str, path or list of them
        One format, one after the other; patterns like "data-*.csv" are expanded.
    columns : list of str, optional
        The columns to use, in this order; all numeric ones unless given.
    weight_column : str, optional
        A column that says how many times each row counts.
    format : {"csv", "tsv", "npy", "jsonl", "docs", "libsvm"}, optional
        Found by the file's ending, else by its content.
    header : bool, optional
        Whether the first line has the names of the columns; seen unless said.
    width : int, optional
        Columns of libsvm text that comes through a pipe.
    on_error : {"stop", "skip", "missing"}, default="stop"
        What a row or cell that cannot be read does: ends the call; the row is left out; the cell counts as missing. What was left
        out is counted in a warning.
    sample : float, optional
        A share of the rows, drawn at random: the same ones every time.
    limit : int, optional
        Only the first so many rows, of those that `sample` keeps.
    shuffle_buffer : int, optional
        To learn from, rows are mixed among so many: for long files that are sorted. Where rows are asked about, they stay in order.
    seed : int, default=0
        Of `sample` and `shuffle_buffer`.
    """

    def __init__(
        self,
        paths,
        *,
        columns=None,
        weight_column=None,
        format=None,
        header=None,
        width=None,
        on_error="stop",
        sample=None,
        limit=None,
        shuffle_buffer=None,
        seed=0,
    ):
        if not is_paths(paths):
            raise TypeError(f"paths is {paths!r}, expected a path or a list of paths")
        if isinstance(columns, str):
            raise TypeError(f"columns is {columns!r}, expected a list of names")
        if on_error not in ON_ERROR:
            raise ValueError(f"on_error is {on_error!r}, expected one of {', '.join(map(repr, ON_ERROR))}")
        if sample is not None and not 0 < sample <= 1:
            raise ValueError(f"sample is {sample!r}, expected a share above 0, at most 1")
        counts = {"width": (width, 1), "limit": (limit, 1), "shuffle_buffer": (shuffle_buffer, 1), "seed": (seed, 0)}
        for name, (value, least) in counts.items():
            if value is not None and not (isinstance(value, numbers.Integral) and value >= least):
                raise ValueError(f"{name} is {value!r}, expected a whole number from {least} on")
        self.paths = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
        self.columns = None if columns is None else list(columns)
        self.weight_column = weight_column
        self.format = format
        self.header = header
        self.width = width
        self.on_error = on_error
        self.sample = sample
        self.limit = limit
        self.shuffle_buffer = shuffle_buffer
        self.seed = seed

    def __repr__(self):
        usual = {"on_error": "stop", "seed": 0}
        said = {name: value for name, value in vars(self).items() if name != "paths" and value != usual.get(name)}
        paths = self.paths[0] if len(self.paths) == 1 else self.paths
        return f"Files({', '.join([repr(paths), *(f'{name}={value!r}' for name, value in said.items())])})"


def is_paths(X):
    """A path, or several."""
    if isinstance(X, (str, os.PathLike)):
        return True
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(x, (str, os.PathLike)) for x in X)


def is_files(X):
    return isinstance(X, Files) or is_paths(X)


def rows(X, known=(), threads=1, in_order=True, levels=None, others_are_missing=False):
    """`known` are the columns of a fit, if there was one: taken unless X says others, by position where names are missing. With
    levels, by column, cells are read by them; levels of columns that are not there are found."""
    files = X if isinstance(X, Files) else Files(X)
    reading = {name: value for name, value in vars(files).items() if name != "paths"}
    if known and files.columns is None:
        reading.update(columns=list(known), by_position=True)
    if in_order:
        reading["shuffle_buffer"] = None
    return _native.Rows.of_files([existing(path) for path in files.paths], {**reading, "threads": threads}, levels, others_are_missing)


def has_weights(X):
    """Whether a column is no data."""
    return isinstance(X, Files) and X.weight_column is not None


def existing(path):
    """The path; a FileNotFoundError, as Python's own, where there is nothing."""
    path = os.fspath(path)
    if path != "-" and not os.path.exists(path) and not any(sign in path for sign in "*?["):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path


def warn_of_faults(found):
    """What could not be read and was not to stop anything."""
    skipped, missing, first = found.faults
    if skipped or missing:
        counts = [(skipped, "row", "left out"), (missing, "cell", "taken as missing")]
        count = " and ".join(f"{n} {what}{'s' * (n > 1)} {fate}" for n, what, fate in counts if n)
        warnings.warn(f"{count} that could not be read, the first: {first[0]}", stacklevel=5)
