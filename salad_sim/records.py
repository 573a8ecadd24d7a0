"""Structured records: how their dtypes are made, and how kernels index the arrays inside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from salad_sim._kernel import inline_kernel


def record_dtype(fields: list[Any]) -> np.dtype[np.record]:
    """Return an aligned dtype whose elements are records, with fields as attributes in plain Python too."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def new_record(dtype: np.dtype[np.record]) -> np.record:
    """Return one zeroed record of ``dtype``."""
    return np.zeros(1, dtype=dtype)[0]  # type: ignore[no-any-return]


@inline_kernel
def at(index):  # type: ignore[no-untyped-def]
    """Return an index that is known not to be negative as unsigned.

    For a signed one numba adds code that counts negative indices from the end: three instructions at each access.
    """
    return np.uint64(index)
