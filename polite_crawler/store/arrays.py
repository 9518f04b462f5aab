"""Names of array types. At run time they are plain arrays: importing numpy's typing costs a question its time."""

from typing import TYPE_CHECKING, Any

import numpy as np

__all__ = ["Anys", "Bools", "Floats", "Ints"]

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Anys = NDArray[Any]
else:
    Ints = Bools = Floats = Anys = np.ndarray
