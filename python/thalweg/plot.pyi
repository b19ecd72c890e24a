"""Types of the pictures; axes are matplotlib's, which has no types of its own here."""

from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

Columns = Union[int, str, Sequence[Union[int, str]], None]

class History:
    SPACING: float
    phase: List[str]
    rows: List[int]
    number: List[int]
    mean_log_likelihood: List[float]
    parameters: List[Dict[str, NDArray[np.float64]]]
    def __init__(self) -> None: ...
    def __call__(self, step: Any) -> None: ...
    def __len__(self) -> int: ...

def density(estimator: Any, X: Optional[ArrayLike] = None, ax: Any = None, columns: Columns = None) -> Any: ...
def ellipses(estimator: Any, ax: Any = None, columns: Columns = None, share: float = 0.9) -> Any: ...
def weights(history: History, ax: Any = None) -> Any: ...
def scree(estimator: Any, ax: Any = None) -> Any: ...
