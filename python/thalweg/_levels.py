"""Categorical columns: the levels of each, and the numbers that stand for them."""

import warnings

import numpy as np

from . import _data

MOST_LEVELS = 10_000  # a column with more of them is an id or free text
SHOWN = 5  # levels that a message names


def is_missing(value):
    """None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def text_of(value):
    """What stands in a model file, and in the cells of files that are read by it."""
    if isinstance(value, bytes):
        return value.decode()
    return str(value.item() if isinstance(value, np.generic) else value)


def as_table(X, name):
    """X as something with two dimensions whose cells may be anything."""
    if hasattr(X, "tocsr"):
        return _data.as_table(X, name)  # says what is wrong
    if not hasattr(X, "iloc"):
        X = np.asarray(X, dtype=object if isinstance(X, (list, tuple)) else None)
        if X.dtype.kind == "c":
            raise ValueError(f"Complex data not supported\n{X}\n")
    return _data.check_shape(X, name)


def categorical_dtype(table, j):
    return hasattr(table, "iloc") and hasattr(table.dtypes.iloc[j], "categories")


def cells_of(table, j, begin, end):
    """Some cells of a column, as Python's own values where there are such."""
    return (table.iloc[begin:end, j] if hasattr(table, "iloc") else table[begin:end, j]).tolist()


class Codes(dict):
    """Value -> number of its level, -1: not known, NaN: missing. A value is known by itself or, as in files, by its text."""

    def __init__(self, levels):
        super().__init__((text_of(level), float(l)) for l, level in enumerate(levels))
        self.update((level, float(l)) for l, level in enumerate(levels))
        self[None] = np.nan

    def __missing__(self, value):
        if is_missing(value):
            return np.nan
        code = self.get(text_of(value), -1.0)
        if code < 0 and isinstance(value, float) and value.is_integer():
            code = self.get(str(int(value)), -1.0)  # whole numbers beside missing cells are read as floats
        if code >= 0:
            self[value] = code
        return code


class Unknown:
    """Cells that count as missing because a model has not seen their level."""

    def __init__(self):
        self._columns = {}  # name -> (cells, first levels)

    def add(self, column, cells, levels):
        before, first = self._columns.get(column, (0, []))
        self._columns[column] = before + cells, [*dict.fromkeys([*first, *levels])][:SHOWN]

    def warn(self, stacklevel):
        for column, (cells, first) in self._columns.items():
            named = ", ".join(first) + (", …" if len(first) == SHOWN else "")
            counted = "1 cell" if cells == 1 else f"{cells} cells"
            warnings.warn(
                f"{counted} of column {column} held levels the model has not seen ({named}): taken as missing",
                UserWarning,
                stacklevel=stacklevel + 1,
            )


class Coder:
    """The levels of all columns."""

    def __init__(self, names, categories):
        self.names = list(names)
        self.categories = categories  # an array for each column
        self.texts = [[text_of(level) for level in levels] for levels in categories]  # likewise
        for name, texts in zip(self.names, self.texts):
            _check_texts(name, texts)
        self.codes = [Codes(levels.tolist()) for levels in categories]

    def __reduce__(self):
        return Coder, (self.names, self.categories)

    @classmethod
    def found(cls, categories, table, names):
        """The levels that are given, and those of the rows where none are."""
        given = given_levels(categories, names)
        found = [given[name] if name in given else find_levels(table, j, name) for j, name in enumerate(names)]
        return cls(names, [as_array(levels) for levels in found])

    def code(self, table, unknown, begin, end):
        """Rows as numbers of levels. `unknown` hears of levels that are not known; None: they are refused."""
        if table.shape[1] != len(self.codes):
            raise ValueError(f"a block of rows has {table.shape[1]} columns, expected {len(self.codes)}")
        columns = []
        for j, codes in enumerate(self.codes):
            if categorical_dtype(table, j):
                cells = table.iloc[begin:end, j].array
                table_of_codes = [codes[level] for level in cells.categories.tolist()]
                column = np.array([*table_of_codes, np.nan])[cells.codes]  # the code of a missing cell is -1
            else:
                cells = _hashable(cells_of(table, j, begin, end), self.names[j])
                column = np.fromiter(map(codes.__getitem__, cells), np.float64, len(cells))
            strange = np.flatnonzero(column < 0)
            if len(strange) > 0:
                levels = [text_of(cells[t]) for t in strange]
                if unknown is None:
                    raise ValueError(unseen(self.names[j], levels[0]))
                unknown.add(self.names[j], len(levels), levels)
                column[strange] = np.nan
            columns.append(column)
        return np.column_stack(columns)


class CodedTable:
    """A table that gives numbers of levels, block by block, when rows are asked for."""

    ndim = 2

    def __init__(self, table, coder, unknown):
        self.shape = table.shape
        self.feature_names = _data.feature_names(table)
        self._table, self._coder, self._unknown = table, coder, unknown

    def __getitem__(self, rows):
        begin, end, _ = rows.indices(self.shape[0])
        return self._coder.code(self._table, self._unknown, begin, end)


def unseen(column, level):
    return (
        f"column {column} has the level {level!r}, which the rows before did not have "
        f"(give all levels beforehand: categories={{{column!r}: [...]}})"
    )


def given_levels(categories, names):
    """Column -> levels, of the constructor's argument `categories`."""
    if isinstance(categories, str):
        if categories != "auto":
            raise ValueError(f"categories == {categories!r}, expected 'auto', a list of lists or a dictionary by column name")
        return {}
    if hasattr(categories, "items"):
        strange = [name for name in categories if name not in names]
        if strange:
            raise ValueError(f"categories names the column {strange[0]!r}, but the columns are {', '.join(names)}")
        return {name: list(levels) for name, levels in categories.items()}
    if len(categories) != len(names):
        raise ValueError(f"categories has the levels of {len(categories)} columns, but there are {len(names)}")
    return {name: list(levels) for name, levels in zip(names, categories)}


def find_levels(table, j, name):
    """The levels of a column: those of a pandas categorical, else the values that its cells have, sorted."""
    if categorical_dtype(table, j):
        return table.dtypes.iloc[j].categories.tolist()
    seen = set()
    for begin in range(0, table.shape[0], _data.BLOCK_ROWS):
        seen.update(_hashable(cells_of(table, j, begin, begin + _data.BLOCK_ROWS), name))
        seen = {value for value in seen if not is_missing(value)}
        if len(seen) > MOST_LEVELS:
            raise ValueError(f"column {name} has more than {MOST_LEVELS} levels: an id or free text (leave it out)")
    if not seen:
        raise ValueError(f"column {name} has no levels: all its cells are missing (leave it out, or give `categories`)")
    try:
        return sorted(seen)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in seen}))
        raise TypeError(f"column {name} mixes {kinds}, which have no order (convert it to str, or give `categories`)") from None


def as_array(levels):
    """Levels as an array of their own type, of objects where they are no numbers."""
    kinds = {bool if isinstance(level, np.bool_) else type(level) for level in levels}
    plain = kinds in ({bool}, {int}, {float}) or (len(kinds) == 1 and issubclass(next(iter(kinds)), np.number))
    if plain:
        return np.asarray(levels)
    array = np.empty(len(levels), dtype=object)
    array[:] = levels
    return array


def _hashable(cells, name):
    for kind in set(map(type, cells)):
        if kind.__hash__ is None:
            raise TypeError(f"argument must be a string or a number, column {name} has a cell of type {kind.__name__!r}")
    return cells


def _check_texts(name, texts):
    if not texts:
        raise ValueError(f"column {name} has no levels")
    if len(texts) > MOST_LEVELS:
        raise ValueError(f"column {name} has more than {MOST_LEVELS} levels: an id or free text (leave it out)")
    seen = set()
    for text in texts:
        if not text.strip():
            raise ValueError(f"column {name} has a level without a text ({text!r}); None stands for a missing cell")
        if text in seen:
            raise ValueError(f"column {name} has the level {text!r} twice")
        seen.add(text)
