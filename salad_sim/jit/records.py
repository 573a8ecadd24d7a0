"""Structured records: how their dtypes are made, and how kernels index the arrays inside them."""

from __future__ import annotations

from typing import Any

import numpy as np


def alignment(dtype: Any) -> int:
    """Return the number of bytes by a multiple of which numba wants a field to begin.

    numpy (2.4) lets records of our kind begin anywhere, which numba (0.68) refuses.
    """
    if dtype.subdtype is not None:
        return alignment(dtype.subdtype[0])
    return max((alignment(dtype[name]) for name in dtype.names), default=1) if dtype.names else int(dtype.alignment)


def record_dtype(fields: list[Any]) -> np.dtype[np.record]:
    """Return an aligned dtype whose elements are records, with fields as attributes in plain Python too."""
    plain = np.dtype(fields)
    formats = [plain[name] for name in plain.names or ()]
    offsets, end, widest = [], 0, 1
    for each in formats:
        step = alignment(each)
        offsets.append(-(-end // step) * step)
        end, widest = offsets[-1] + each.itemsize, max(widest, step)
    size = -(-end // widest) * widest
    layout = {"names": list(plain.names or ()), "formats": formats, "offsets": offsets, "itemsize": size}
    return np.dtype((np.record, np.dtype(layout, align=True)))  # type: ignore[call-overload, return-value]


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
