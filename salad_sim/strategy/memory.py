"""The memory that a strategy declares: checked at the door, and handed to its kernel as a fourth argument.

The engine takes every strategy as ``choose(view, own, rng)``, compiled to one signature. One that declares memory is
written as ``choose(view, own, rng, memory)``; what the engine takes is a small kernel around it, which finds the memory
beside the own record. Whoever makes a workspace lays the memory there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias

import numba
import numpy as np

from salad_sim.errors import InputError
from salad_sim.jit.blocks import clear_beside, record_beside
from salad_sim.jit.cache import keep_compiled
from salad_sim.jit.kernel import compiled, inline_kernel
from salad_sim.jit.records import record_dtype

Declared: TypeAlias = "np.dtype[Any] | Callable[[int], np.dtype[Any]]"
"""A structured dtype, or a function from the capacity of the tables to one."""

MOST_MEMORY = 1 << 28
"""Bytes that a strategy may declare: each seat of each worker gets them."""


NO_TRIAL = "; what playing on in mind needs is declared, see 'Memory that you declare' in CONTRIBUTING.md"
"""Said of ``own.trial``, which every seat had before strategies declared their memory."""

ARGUMENTS = ("view", "own", "rng", "memory")
"""What a kernel takes; the last only if its strategy declares memory."""


def demand_on(function: Callable[..., Any], memory: Declared | None) -> str:
    """Return what the function of a strategy must do and does not, or nothing."""
    arguments, wanted = list(inspect.signature(function).parameters), ARGUMENTS[: 3 if memory is None else 4]
    if len(arguments) != len(wanted):
        hint = "; a fourth is what @strategy(..., memory=dtype) declares" if len(arguments) == len(ARGUMENTS) else ""
        return f"take ({', '.join(wanted)}), not ({', '.join(arguments)}){hint}"
    # which numba would take minutes to compile
    return "return a move, not yield" if inspect.isgeneratorfunction(function) else ""


@inline_kernel
def memory_of(own: Any, dtype: Any) -> Any:
    """Return the declared memory of a seat as a record."""
    return record_beside(own, own.memory_at, dtype)


@inline_kernel
def clear_memory(own: Any) -> None:
    """Set all that a seat remembers to zero."""
    own.memory[:] = 0
    if own.memory_size > 0:
        clear_beside(own, own.memory_at, own.memory_size)


def memory_dtype(declared: Declared | None, capacity: int) -> np.dtype[np.record] | None:
    """Return the dtype of a declared memory at tables of a capacity, laid out as kernels want it; None of none.

    Raises
    ------
    InputError
        If it is no structured dtype that a kernel can read and write.
    """
    if declared is None:
        return None
    given = declared(capacity) if callable(declared) else declared
    if not isinstance(given, np.dtype) or given.names is None:
        raise InputError(
            "its memory must be a structured numpy dtype, as np.dtype([('seen', 'i8', (108,))]), or a function that "
            f"returns one for the capacity of the tables, not {given!r}"
        )
    if given.hasobject:
        raise InputError(f"its memory must hold numbers, not Python objects: {given}")
    taken = sorted(name for name in _names(given) if hasattr(np.record, name))
    if taken:
        raise InputError(f"its memory cannot have a field {taken[0]!r}: numpy's records have an attribute of that name")
    dtype: np.dtype[np.record] = _aligned(given)
    if dtype.itemsize > MOST_MEMORY:
        raise InputError(f"its memory must not exceed {MOST_MEMORY:,} bytes, and takes {dtype.itemsize:,}")
    try:
        numba.from_dtype(dtype)
    except Exception as error:
        raise InputError(f"kernels cannot use its memory: {error}") from None
    return dtype


def _names(dtype: np.dtype[Any]) -> set[str]:
    """Return the names of all fields, those of records within too."""
    base = dtype.base
    return set(base.names or ()).union(*(_names(base[name]) for name in base.names or ()))


def _aligned(dtype: np.dtype[Any]) -> Any:
    """Return a dtype with all its records laid out by `record_dtype`."""
    if dtype.subdtype is not None:
        return np.dtype((_aligned(dtype.base), dtype.shape))
    if dtype.names is None:
        return dtype
    return record_dtype([(name, _aligned(dtype[name])) for name in dtype.names])


_inner: Any = None
_dtype: Any = None


def _choose(view: Any, own: Any, rng: Any) -> Any:
    return _inner(view, own, rng, memory_of(own, _dtype))


@cache
def with_memory(choose: Any, declared: Declared, capacity: int) -> Any:
    """Return the function (view, own, rng) -> move around a kernel with memory, for tables of a capacity.

    It gets the name and the file of the strategy, because numba keeps compiled code by these; and what it calls as
    globals, because numba keeps no code of a function that was made around another one.
    """
    function = getattr(choose, "py_func", choose)
    names = {"co_name": f"{function.__name__}_with_memory", "co_filename": function.__code__.co_filename}
    code = _choose.__code__.replace(co_firstlineno=function.__code__.co_firstlineno, **names)
    inside = {"__name__": function.__module__, "memory_of": memory_of}
    return FunctionType(code, {**inside, "_inner": choose, "_dtype": memory_dtype(declared, capacity)})


@cache
def seat_kernel(choose: Any, declared: Declared, capacity: int) -> Any:
    """Return `with_memory` as a kernel that is not compiled yet, kept on disk where ``choose`` is."""
    kernel = compiled(with_memory(choose, declared, capacity))
    kept_at = choose.stats.cache_path if hasattr(choose, "stats") else None
    if kept_at is not None:
        keep_compiled(kernel, Path(kept_at).parent)
    return kernel
