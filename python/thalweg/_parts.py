"""Some of the columns of a model: alone, or given the others."""

import numpy as np


class Parts:
    """Needs `_marginal` of column numbers and `_condition` of column numbers and values."""

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
        return self._marginal(self._column_numbers(columns))

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
        return self._condition(columns, self._check_given(list(given.values())))

    def _check_given(self, values):
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

    def _others(self, columns):
        return [j for j in range(self.n_features_in_) if j not in columns]

    def _part(self, columns, parameters, **params):
        """The estimator of these columns with these parameters."""
        learner = self._learner
        names = [learner.names[j] for j in columns]
        levels = [learner.levels[j] for j in columns] if learner.levels else []
        part = self._learner_of(learner.options, names, learner.setting, levels)
        part.place(parameters)
        return self._sibling(part, **params)


class ColumnsApart(Parts):
    """Mixtures whose columns are independent in a component, every parameter but the weights a table of components by columns."""

    def _marginal(self, columns):
        return self._part(columns, self._parameters_of(columns))

    def _condition(self, columns, values):
        """The values say more of which component the row is from, and nothing else of the other columns."""
        weights = self._marginal(columns).predict_proba(self._one_row(values))[0]
        others = self._others(columns)
        return self._part(others, {**self._parameters_of(others), "weights": weights})

    def _parameters_of(self, columns):
        parameters = self._learner.parameters()
        return {name: value if name == "weights" else value[:, columns] for name, value in parameters.items()}

    @staticmethod
    def _one_row(values):
        return np.array([values])
