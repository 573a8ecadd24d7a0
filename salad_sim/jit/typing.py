"""Names of types that stand in many signatures: arrays of whole numbers, of floats and of flags; a row of a table."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Row: TypeAlias = dict[str, Any]
"""A row of a table: value by name of its column."""
