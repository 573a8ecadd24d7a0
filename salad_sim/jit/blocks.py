"""Blocks of memory beside a record: kernels reach them by their distance from it, in bytes.

The type of a record fixes its size, and every kernel that takes it is compiled for that type. What differs from run to
run, as the memory that strategies declare does, lies beside the record: a field of it says how far away. A distance,
other than an address, stays true when everything is copied elsewhere, and tells nobody where anything lies.

The functions work in plain Python as they do in kernels.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable


def address_of(data: Any) -> int:
    """Return where a record or array begins."""
    return int(data.__array_interface__["data"][0])


def distance(record: Any, block: Any) -> int:
    """Return how many bytes behind the start of a record a block begins (another record, or an array)."""
    return address_of(block) - address_of(record)


def record_beside(record: Any, at: int, dtype: Any) -> Any:
    """Return the record of ``dtype`` that begins ``at`` bytes behind the start of ``record``."""
    block = (ctypes.c_char * dtype.itemsize).from_address(address_of(record) + int(at))
    return np.frombuffer(block, dtype=dtype)[0]


def clear_beside(record: Any, at: int, size: int) -> None:
    """Set ``size`` bytes to zero, which begin ``at`` bytes behind the start of ``record``."""
    ctypes.memset(address_of(record) + int(at), 0, int(size))


def copy_beside(record: Any, at: int, source: Any, source_at: int, size: int) -> None:
    """Copy ``size`` bytes from beside a record ``source`` to beside ``record``."""
    ctypes.memmove(address_of(record) + int(at), address_of(source) + int(source_at), int(size))


def _start(builder: Any, record: Any, at: Any) -> Any:
    """Return the pointer to what begins ``at`` bytes behind the start of a record, which is a pointer too."""
    return builder.gep(builder.bitcast(record, cgutils.voidptr_t), [at])


def _record_beside(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    record, at, _ = arguments
    return builder.bitcast(_start(builder, record, at), context.get_value_type(signature.return_type))


def _clear_beside(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    record, at, size = arguments
    cgutils.memset(builder, _start(builder, record, at), size, 0)
    return context.get_dummy_value()


def _copy_beside(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    record, at, source, source_at, size = arguments
    cgutils.raw_memcpy(builder, _start(builder, record, at), _start(builder, source, source_at), size, 1)
    return context.get_dummy_value()


def _in_kernels(function: Callable[..., Any], lower: Callable[..., Any], *kinds: Any) -> None:
    """Teach kernels a function: by the kinds of its arguments, what it compiles to."""

    def typer(*given: Any) -> Any:
        if not all(isinstance(each, kind) for each, kind in zip(given, kinds, strict=True)):
            return None
        return given[-1].dtype if isinstance(given[-1], types.DType) else types.none

    typer.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # numba binds arguments by it
    type_callable(function)(lambda _context: typer)
    lower_builtin(function, *kinds)(lower)


_in_kernels(record_beside, _record_beside, types.Record, types.Integer, types.DType)
_in_kernels(clear_beside, _clear_beside, types.Record, types.Integer, types.Integer)
_in_kernels(copy_beside, _copy_beside, types.Record, types.Integer, types.Record, types.Integer, types.Integer)
