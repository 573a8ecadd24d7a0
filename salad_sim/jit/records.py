"""Structured records: how their dtypes are made, and how kernels index the arrays inside them."""

from __future__ import annotations

from typing import Any

import numpy as np


def record_dtype(fields: list[Any]) -> np.dtype[np.record]:
    """Return an aligned dtype whose elements are records, with fields as attributes in plain Python too."""
    return np.dtype((np.record, np.dtype(fields, align=True)))  # type: ignore[return-value]


def fields_of(dtype: np.dtype[np.record]) -> list[Any]:
    """Return the fields of a dtype, to make a longer one of them."""
    return [(name, dtype[name]) for name in dtype.names or ()]


def new_record(dtype: np.dtype[np.record]) -> np.record:
    """Return one zeroed record of ``dtype``."""
    return np.zeros(1, dtype=dtype)[0]  # type: ignore[no-any-return]


at = np.uint64
"""Marks an index that is known not to be negative, as in ``place[at(card)]``.

For a signed index numba adds code that counts negative ones from the end: three instructions at each access. This is
numpy's own type and no kernel, because every kernel costs a tenth of a second of compilation.
"""
