"""Jobs, and what is found in their shards, as plain data and arrays: to be kept in a file or sent to other machines.

Plain data are what JSON can hold; lists begin with what they stand for. Of classes and functions the name is written
down, and read back only if it is one of the program's own: nothing in it is executed or unpickled.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.jit.records import record_dtype
from salad_sim.run.plan import Plan
from salad_sim.run.runner import ShardKernel

HOME = "salad_sim."


class UnknownError(TypeError):
    """Something that cannot be written down."""


def _no_plan(_: Any) -> Any:
    raise UnknownError


class Writer:
    """Writes values down.

    Attributes
    ----------
    arrays : dict of str to ndarray
        Those of all values so far, by the names that stand for them.
    modules : set of str
        The modules of the classes and functions that were named.
    """

    def __init__(self, plan: Callable[[Plan], Any] = _no_plan) -> None:
        """``plan``: what is written of a plan, as plain data."""
        self.plan = plan
        self.arrays: dict[str, Any] = {}
        self.modules: set[str] = set()

    def plain(self, value: Any) -> Any:
        """Return a value as plain data.

        Raises
        ------
        UnknownError
            If that cannot be done.
        """
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return ["str", value]
        if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
            # not np.array(value): that of a record is the memory of the worker, which goes on (numpy 2.4)
            name = str(len(self.arrays))
            self.arrays[name] = np.frombuffer(value.tobytes(), value.dtype).reshape(value.shape)
            return ["array", name]
        if isinstance(value, dict):
            return ["dict", *([self.plain(key), self.plain(each)] for key, each in value.items())]
        if type(value) in (tuple, list):
            return [type(value).__name__, *map(self.plain, value)]
        return self._of_the_program(value)

    def _of_the_program(self, value: Any) -> Any:
        if isinstance(value, Plan):
            return ["plan", self.plan(value)]
        if isinstance(value, ShardKernel):
            return ["kernel", *map(self.plain, value)]
        if isinstance(value, partial):
            return ["partial", *map(self.plain, (value.func, value.args, value.keywords))]
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = [[each.name, self.plain(getattr(value, each.name))] for each in dataclasses.fields(value)]
            return ["object", self._named(type(value)), *fields]
        return ["named", *self._named(value)]

    def _named(self, value: Any) -> list[str]:
        function = getattr(value, "py_func", value)
        function = getattr(function, "__wrapped__", function)
        module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
        if not module.startswith(HOME) or not name.isidentifier() or getattr(import_module(module), name) is not value:
            raise UnknownError
        self.modules.add(module)
        return [module, name]


class Reader:
    """Reads back what a `Writer` wrote down."""

    def __init__(self, arrays: Mapping[str, Any], plan: Callable[[Any], Plan] = _no_plan) -> None:
        self.arrays = arrays
        self.plan = plan

    def value(self, plain: Any) -> Any:
        """Return the value of plain data.

        Raises
        ------
        InputError
            If it names what is not of this program.
        """
        if not isinstance(plain, list):
            return plain
        kind, *rest = plain
        if kind == "str":
            return rest[0]
        if kind == "array":
            return self._array(rest[0])
        if kind == "dict":
            return {self.value(key): self.value(each) for key, each in rest}
        if kind == "plan":
            return self.plan(rest[0])
        if kind == "named":
            return _found(*rest)
        if kind == "object":
            made, *fields = rest
            return _found(*made)(**{name: self.value(each) for name, each in fields})
        values = [self.value(each) for each in rest]
        if kind == "partial":
            return partial(values[0], *values[1], **values[2])
        return ShardKernel(*values) if kind == "kernel" else {"tuple": tuple, "list": list}[kind](values)

    def _array(self, name: str) -> Any:
        array = self.arrays[name]
        if array.dtype.names:  # numpy does not write down that a record is laid out for kernels
            array = array.astype(_laid_out(array.dtype))
        return array.copy() if array.ndim else array[()]


def _found(module: str, name: str) -> Any:
    if not module.startswith(HOME):
        raise InputError(f"{module}.{name} is nothing of this program")
    return getattr(import_module(module), name)


def _laid_out(dtype: np.dtype[Any]) -> Any:
    if dtype.subdtype is not None:
        return np.dtype((_laid_out(dtype.base), dtype.shape))
    return record_dtype([(name, _laid_out(dtype[name])) for name in dtype.names]) if dtype.names else dtype
