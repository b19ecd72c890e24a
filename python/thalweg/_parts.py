"""Some of the columns of a model: alone, or given the others."""

import numpy as np


class Parts:
    """Of models that have marginals and conditionals."""

    def marginal(self, columns):
        """The model of some columns alone.

        Parameters
        ----------
        columns : int, str, or a list of them
            Numbers, or names where the rows that were learned had some; in any order, each once.

        Returns
        -------
        estimator
            It can predict and be drawn from; `partial_fit` goes on from its parameters.
        """
        columns = self._column_numbers(columns)
        learner = self._ready()
        return self._part(columns, learner.marginal(columns, learner.setting))

    def condition(self, given):
        """The model of the other columns where those given have certain values.

        Parameters
        ----------
        given : dict
            Column (number or name) -> value.

        Returns
        -------
        estimator
            Of the other columns, in their order.
        """
        columns = self._column_numbers(list(given))
        if len(columns) == self.n_features_in_:
            raise ValueError(f"condition() needs at least one of the {self.n_features_in_} columns left over")
        learner = self._ready()
        part = learner.condition(columns, self._given_values(columns, list(given.values())), learner.setting)
        return self._part([j for j in range(self.n_features_in_) if j not in columns], part)

    def _part(self, columns, learner):
        """The estimator of these columns."""
        return self._sibling(learner)

    def _given_values(self, columns, values):
        """As numbers."""
        values = [float(value) for value in values]
        if not np.isfinite(values).all():
            raise ValueError("condition() needs finite values")
        return values

    def _column_numbers(self, columns):
        self._ready()
        width, names = self.n_features_in_, list(getattr(self, "feature_names_in_", []))
        numbers = []
        for column in [columns] if isinstance(columns, (str, int, np.integer)) else columns:
            if isinstance(column, str):
                if column not in names:
                    raise ValueError(f"no column {column!r} (there are {', '.join(map(repr, names)) or 'no names'})")
                numbers.append(names.index(column))
            elif not -width <= column < width:
                raise ValueError(f"column {column} is out of range: there are {width}")
            else:
                numbers.append(int(column) % width)
        if not numbers or len(set(numbers)) < len(numbers):
            raise ValueError("columns have to be given, each once")
        return numbers
