"""Estimators from files and from other estimators: load and merge."""

from . import _files, _native


def load(path, **params):
    """The model of a file that `save` or the command wrote, as an estimator of the class that it belongs to.

    Parameters
    ----------
    path : str or path
    params : arguments of the constructor, for what is learned later
    """
    import thalweg

    name = _native.Learner.read(_files.existing(path), {}).model
    for kind in thalweg._classes.values():
        if kind._entry["name"] == name:
            return kind.load(path, **params)
    raise ValueError(f"{path} holds a {name} model, which has no class (the command `thalweg` reads it)")


def merge(estimators):
    """One estimator from several of the same class that were fitted to parts of the rows.

    Shares of a step (see `one_step`) add up exactly to a batch iteration over all rows. Fits of their own are merged
    approximately: components are matched to those of the first, statistics averaged. `merged_exactly_` of the result tells which.

    Parameters
    ----------
    estimators : list of fitted estimators, at least two

    Returns
    -------
    estimator
        With the arguments of the first.
    """
    estimators = list(estimators)
    if len(estimators) < 2:
        raise ValueError(f"merge() needs at least two estimators, got {len(estimators)}")
    first = estimators[0]
    parts = []
    for estimator in estimators:
        if type(estimator) is not type(first):
            raise TypeError(f"merge() got a {type(first).__name__} and a {type(estimator).__name__}")
        parts.append(estimator._ready())
    names = [f"estimator {number}" for number in range(len(parts))]
    learner, exact = _native.Learner.merge(parts, names, first._setting())
    merged = first._sibling(learner)
    merged.merged_exactly_ = exact
    return merged
