"""A user's model as the native half calls it: every answer is checked, every mistake is named."""

import numpy as np

from ._model import Layout, Model
from ._native import ModelError


class Calls:
    def __init__(self, model, width):
        if isinstance(model, type) and issubclass(model, Model):
            raise TypeError(f"model is the class {model.__name__}, expected an object of it: {model.__name__}(...)")
        if not isinstance(model, Model):
            raise TypeError(f"model has to be a thalweg.Model, got {model!r}")
        self.model = model
        self.name = type(model).__name__
        layout = self._ask("layout", width)
        if not isinstance(layout, Layout):
            raise self._wrong("layout", "a thalweg.Layout", _what(layout))
        self.statistic = [(name, shape, "real") for name, shape in layout.statistic.items()]
        self.parameters = [(name, shape, layout.domains[name]) for name, shape in layout.parameters.items()]
        self.free_parameters, self.min_rows = layout.free_parameters, layout.min_rows
        self.takes_missing = bool(model.takes_missing)
        self.has_check = model.check is not None
        self.has_moments = model.moments is not None
        self._width = width
        self._ones = np.ones(0)

    # --- what the native half calls ------------------------------------------------------------

    def start(self, X, seed):
        return self._flat("start", self._ask("start", X, np.random.default_rng(seed)), self.parameters)

    def expect(self, theta, X, weight):
        sums, log_density = self._expect(theta, X, self._once(len(X)) if weight is None else weight)
        if not np.isfinite(log_density).all():
            row = int(np.argmin(np.isfinite(log_density)))
            raise self._wrong(
                "expect",
                "finite log densities",
                f"{log_density[row]} for the row {X[row]} under {_brief(theta)} "
                "(does the layout say which parameters are positive?)",
            )
        flat = self._flat("expect", sums, self.statistic)
        return flat, float(log_density.sum() if weight is None else weight @ log_density)

    def maximise(self, s, theta):
        return self._flat("maximise", self._ask("maximise", s, theta), self.parameters, s)

    def attempt(self, s, theta):
        """The M-step of a statistic that no rows may have; None where it cannot be made."""
        try:
            with np.errstate(all="ignore"):
                return self.maximise(s, theta)
        except ModelError:
            return None

    def explain(self, theta, X):
        _, log_density = self._expect(theta, X, self._once(len(X)))
        if np.isnan(log_density).any():
            row = int(np.argmax(np.isnan(log_density)))
            raise self._wrong("expect", "log densities", f"nan for the row {X[row]} under {_brief(theta)}")
        if self.model.posterior is None:
            return log_density, None
        posterior = self._array("posterior", "", self._ask("posterior", theta, X))
        if posterior.ndim != 2 or posterior.shape[0] != len(X) or posterior.shape[1] == 0:
            raise self._wrong("posterior", f"an array of shape ({len(X)}, K)", f"one of {posterior.shape}")
        if not np.allclose(posterior.sum(axis=1), 1, atol=1e-6) or (posterior < 0).any():
            row = int(np.argmax(np.abs(posterior.sum(axis=1) - 1) + (posterior < 0).any(axis=1)))
            raise self._wrong("posterior", "probabilities that sum to 1", f"{posterior[row]} for the row {X[row]}")
        return log_density, posterior

    def draw(self, theta, n, seed):
        X = self._array("draw", "", self._ask("draw", theta, n, np.random.default_rng(seed)))
        if X.shape != (n, self._width):
            raise self._wrong("draw", f"an array of shape {(n, self._width)}", f"one of {X.shape}")
        return X

    def check(self, X):
        """A ValueError is the user's own word about the rows."""
        self._ask("check", X, free=ValueError)

    def moments(self, theta):
        return self._flat("moments", self._ask("moments", theta), self.statistic)

    def tangent(self, theta, change):
        """The derivative of the M-step at moments(theta) along `change`, by central differences of fourth order."""
        middle = self._ask("moments", theta)
        sizes = [np.max(np.abs(change[name])) / (np.max(np.abs(middle[name])) or 1.0) for name, _, _ in self.statistic]
        h = 1e-3 / (max(sizes) or 1.0)

        def ahead(times):
            s = {name: np.asarray(middle[name], dtype=np.float64) + times * h * change[name] for name, _, _ in self.statistic}
            return self.maximise(s, theta)

        return (8 * (ahead(1) - ahead(-1)) - (ahead(2) - ahead(-2))) / (12 * h)

    # --- how answers are checked ---------------------------------------------------------------

    def _expect(self, theta, X, weight):
        found = self._ask("expect", theta, X, weight)
        if not isinstance(found, tuple) or len(found) != 2:
            raise self._wrong("expect", "a pair (sums, log_density)", _what(found))
        log_density = self._array("expect", "log_density: ", found[1])
        if log_density.shape != (len(X),):
            raise self._wrong("expect", f"a log density for each of {len(X)} rows", f"an array of shape {log_density.shape}")
        return found[0], log_density

    def _ask(self, method, *arguments, free=()):
        try:
            return getattr(self.model, method)(*arguments)
        except free:
            raise
        except Exception as error:
            raise ModelError(f"{self.name}.{method} raised {type(error).__name__}: {error}") from error

    def _flat(self, method, found, pieces, s=None):
        """All pieces in one vector, in the order of the layout."""
        if not isinstance(found, dict):
            raise self._wrong(method, f"a dictionary of {_names(pieces)}", _what(found))
        if found.keys() != {name for name, _, _ in pieces}:
            raise self._wrong(method, f"the names {_names(pieces)}", ", ".join(map(str, found)) or "none")
        parts = []
        for name, shape, _ in pieces:
            part = self._array(method, f"{name!r}: ", found[name])
            if part.shape != shape:
                raise self._wrong(method, f"{name!r} of shape {shape}", f"shape {part.shape}")
            parts.append(part.reshape(-1))
        flat = np.concatenate(parts)
        if not np.isfinite(flat).all():
            name = next(name for name, _, _ in pieces if not np.isfinite(found[name]).all())
            hint = "" if s is None else f" from {_brief(s)} (a component without data can keep what theta has)"
            raise self._wrong(method, "finite numbers", f"{name!r} == {_brief_array(found[name])}{hint}")
        return flat

    def _array(self, method, what, value):
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "fiub":
                raise TypeError
            return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
        except (TypeError, ValueError):
            raise self._wrong(method, f"{what}an array of numbers", _what(value)) from None

    def _once(self, n):
        if len(self._ones) < n:
            self._ones = np.ones(n)
            self._ones.setflags(write=False)
        return self._ones[:n]

    def _wrong(self, method, expected, found):
        return ModelError(f"{self.name}.{method}: expected {expected}, got {found}")


def _names(pieces):
    return ", ".join(name for name, _, _ in pieces)


def _what(value):
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}" if value.dtype.kind in "fiub" else f"an array of {value.dtype}"
    return f"a {type(value).__name__}"


def _brief_array(value):
    return np.array2string(np.asarray(value), threshold=8, edgeitems=3, precision=4).replace("\n", "")


def _brief(pieces):
    return ", ".join(f"{name} = {_brief_array(value)}" for name, value in pieces.items())
