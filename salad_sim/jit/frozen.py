"""The values that compiled code takes from around it: globals, closures and constants of modules, as one hash.

numba compiles them in as they are at that moment, and does not see that they change (numba 0.68). They may come from
anywhere, such as a file of data that is read while a strategy is loaded, so no hash of sources covers them.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, ModuleType, NoneType
from typing import Any

import numpy as np
from numba import types

from salad_sim.errors import InputError

SHARED = frozenset({"salad_sim", "numba", "numpy"})
"""Modules that are the same for all files: their versions and sources are compared by themselves."""

WRITTEN = (NoneType, bool, int, float, complex, str, bytes, range, slice, Enum, np.dtype, types.Type)
"""Kinds of values that are what their ``repr`` says."""


@cache
def frozen(kernel: Any) -> Frozen:
    """Return what a kernel is made of: itself, the kernels that it calls, and the values that these take from outside.

    No value is left out: an attribute of a record that has the name of a global counts that global too. They are the
    same in every process, compiled or with NUMBA_DISABLE_JIT.
    """
    found = Frozen()
    try:
        found.add("", kernel)
    except RecursionError:
        found.refuse(str(getattr(kernel, "__name__", kernel)), "uses values that contain themselves")
    return found


class Frozen:
    """Functions and values that are compiled together, each function and module once.

    Attributes
    ----------
    files : set of Path
        Where the functions stand, those of the libraries left out.
    """

    def __init__(self) -> None:
        self.files: set[Path] = set()
        self._digest = hashlib.sha256()
        self._seen: set[object] = set()
        self._foreign = ""

    @property
    def values(self) -> str:
        """SHA-256 of the values.

        Raises
        ------
        InputError
            If one of them cannot be compared with that of another process, such as an address.
        """
        if self._foreign:
            raise InputError(self._foreign)
        return self._digest.hexdigest()

    def add(self, name: str, value: Any, mentioned: Sequence[str] = ()) -> None:
        """Add a value by its name; ``mentioned`` are all names in the code around it, some of a module's among them."""
        function = getattr(value, "py_func", value)
        if hasattr(function, "__code__"):
            self._add_function(function)
        elif isinstance(value, ModuleType):
            self._add_module(value, mentioned)
        elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            self._write(repr(value.dtype), value.shape, value.tobytes())
        elif isinstance(value, (tuple, list)):
            self._write(type(value).__name__, len(value), getattr(value, "_fields", ""))
            for each in value:
                self.add(name, each, mentioned)
        elif isinstance(value, dict):
            self.add(name, list(value.items()), mentioned)
        elif isinstance(value, type) and not hasattr(value, "class_type"):  # that of a jitclass
            self._write(value.__name__, getattr(value, "_fields", ""), list(value) if issubclass(value, Enum) else "")
        elif isinstance(value, (BuiltinFunctionType, np.ufunc)):
            self._write(value.__name__)
        elif isinstance(value, WRITTEN) and " at 0x" not in repr(value):
            self._write(type(value).__name__, repr(value))
        else:
            self.refuse(repr(name), f"is a {type(value).__name__}, which is not the same in another process")

    def refuse(self, what: str, why: str) -> None:
        """Note that the values cannot be compared."""
        self._foreign = f"{what} {why}"

    def _write(self, *parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            self._digest.update(b"%d:" % len(data) + data)

    def _add_names(self, values: Mapping[str, Any], mentioned: Sequence[str]) -> None:
        for name, value in values.items():
            self._write(name)
            self.add(name, value, mentioned)

    def _is_known(self, key: object, module: str) -> bool:
        """Return whether something was added before, or is a library's."""
        root = module.split(".")[0]
        known = root in SHARED or root in sys.stdlib_module_names or key in self._seen
        self._seen.add(key)
        return known

    def _add_module(self, module: ModuleType, mentioned: Sequence[str]) -> None:
        # each function mentions other names of it
        if not self._is_known((id(module), *mentioned), module.__name__):
            self._add_names({name: vars(module)[name] for name in mentioned if name in vars(module)}, mentioned)

    def _add_function(self, function: Any) -> None:
        self._write(function.__qualname__)
        if self._is_known(id(function), function.__module__ or ""):
            return
        codes = [function.__code__]
        for code in codes:
            codes += [each for each in code.co_consts if isinstance(each, CodeType)]
        file = Path(function.__code__.co_filename)
        if file.is_file():
            self.files.add(file)
        else:  # no hash of a source covers it
            for code in codes:
                self._write(code.co_code, [each for each in code.co_consts if not isinstance(each, CodeType)])
        around = function.__globals__
        mentioned = sorted({name for code in codes for name in code.co_names})
        self._add_names({name: around[name] for name in mentioned if name in around}, mentioned)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self._add_names({name: cell.cell_contents for name, cell in cells}, mentioned)
        self.add(function.__qualname__, function.__defaults__, mentioned)
