"""How estimators are kept and come back: files, parameters, pickles."""

import copy
import os
import re

import numpy as np

from . import _data, _files, _native


class Keeping:
    """Needs the `_learner` of an estimator and `_new_learner`."""

    _terms = {}  # constructor's argument -> terms of the M-step that it decides, the one that it is first
    _assigned = {}  # parameters by name that were assigned, while others are missing

    def save(self, path):
        """Writes the model to a file that `load` and the command `thalweg` read."""
        learner, path = self._ready(), os.fspath(path)
        _files.existing(os.path.dirname(path) or ".")
        learner.write(path)
        return self

    @classmethod
    def load(cls, path, **params):
        """The model of a file that `save` or the command wrote. `params` are arguments of the constructor.

        Rows that it learns later are learned as those of the file were: with its prior, with what it holds, and, unless
        `params` say otherwise, with its limits of variances.
        """
        estimator = cls(**params)
        anew = [term for argument, terms in cls._terms.items() if argument in params for term in terms]
        learner = _native.Learner.read(_files.existing(path), estimator._setting(), anew)
        if learner.model != cls._entry["name"]:
            raise ValueError(f"{path} holds a {learner.model} model, expected {cls._entry['name']}")
        known = learner.terms()
        for argument, terms in cls._terms.items():
            if argument not in params and known[terms[0]] > 0:
                setattr(estimator, argument, known[terms[0]])
        return estimator._adopt(learner)

    @classmethod
    def from_parameters(cls, *, feature_names=None, **given):
        """An estimator with these parameters, ready to predict, to draw from, and to learn more.

        Names are those of the model's parameters ("means") or of its constructor's arguments ("tol").
        """
        named = {piece["name"] for piece in cls._entry["parameters"]}
        parameters = {name: np.asarray(value, dtype=np.float64) for name, value in given.items() if name in named}
        missing = named - set(parameters)
        if missing:
            raise TypeError(f"from_parameters() needs {', '.join(sorted(missing))}")
        estimator = cls(**cls._shape_arguments(parameters, feature_names))
        estimator.set_params(**{name: value for name, value in given.items() if name not in named})
        width = cls._width(parameters)
        names = _data.numbered(width) if feature_names is None else list(feature_names)
        learner = estimator._new_learner(names)
        learner.place(parameters)
        return estimator._adopt(learner, named=feature_names is not None)

    def _assign(self, name, value):
        """One parameter, as programs for scikit-learn do that make a model by hand: it is fitted once all are there."""
        parameters = {**(self._learner.parameters() if self.__sklearn_is_fitted__() else self._assigned)}
        parameters[name] = np.array(value, dtype=np.float64)
        if self.__sklearn_is_fitted__():
            self._learner.place(parameters)
        elif len(parameters) < len(self._entry["parameters"]):
            self._assigned = parameters
        else:
            learner = self._new_learner(_data.numbered(self._width(parameters)))
            learner.place(parameters)
            self._assigned = {}
            self._adopt(learner, named=False)

    @classmethod
    def _shape_arguments(cls, parameters, feature_names):
        """The options of the model that parameters tell by their shapes, as constructor's arguments."""
        return {}

    @classmethod
    def _width(cls, parameters):
        return next(value.shape[1] for value in parameters.values() if value.ndim >= 2)

    def _sibling(self, learner, **params):
        """An estimator with the same arguments, but for `params`, and what was made of this one."""
        other = type(self)(**{**self.get_params(deep=False), **params})
        return other._adopt(learner, named=hasattr(self, "feature_names_in_"))

    def _adopt(self, learner, named=True):
        """Takes over what was fitted elsewhere."""
        names = learner.names
        for option, argument in self._arguments.items():
            value = learner.options[option]
            setattr(self, argument, int(value) if isinstance(getattr(self, argument), int) else value)
        self._learner = learner
        self.n_features_in_ = len(names)
        if named and not all(re.fullmatch(r"c\d+", name) for name in names):  # those of columns without names
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return self

    def __getstate__(self):
        state = {name: value for name, value in vars(self).items() if name not in ("_learner", "_table")}
        state["on_step"] = None  # often a lambda, which cannot be pickled
        learner = self._learner
        if learner is not None:  # made of what it was made of, whatever the arguments are by now
            state["_made_of"] = (learner.options, learner.names, learner.setting, learner.levels)
            state["_state"] = learner.state()
        return state

    def __setstate__(self, state):
        state = dict(state)
        made_of, saved = state.pop("_made_of", None), state.pop("_state", None)
        self.__dict__.update(state)
        if saved is not None:
            self._learner = self._learner_of(*made_of)
            self._learner.set_state(saved)

    def __copy__(self):
        return self._copied(self.__getstate__())

    def __deepcopy__(self, memo):
        return self._copied(copy.deepcopy(self.__getstate__(), memo))

    def _copied(self, state):
        other = type(self).__new__(type(self))
        other.__setstate__({**state, "on_step": self.on_step})
        return other
