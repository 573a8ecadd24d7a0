"""What kernels freeze is hashed: another value is another hash, and the same values are the same wherever they lie."""

from __future__ import annotations

import ctypes
import itertools
from enum import IntEnum
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from salad_sim.errors import InputError
from salad_sim.jit.frozen import frozen
from salad_sim.jit.kernel import kernel

CODE = """
import numpy as np
import {helper} as helper
from {helper} import deeper
{head}

def factory(caught):
    @kernel
    def made(x):
        return x + caught
    return made

inner = factory({caught})

@kernel
def outer(x, more={default}):
    return x + {body} + inner(x) + helper.CONSTANT + deeper(x) + np.sum(WHERE[x.field]) + more
"""
HELPER = """
CONSTANT = {constant}
UNUSED = {unused}
TABLE = {table}

@kernel
def deeper(x):
    return x + TABLE[0][1]
"""
PLAIN = {
    "head": "WHERE = 3",
    "caught": "1",
    "default": "0",
    "body": "WHERE",
    "constant": "5",
    "unused": "0",
    "table": "((1, 2), np.arange(4.0))",
}
count = itertools.count()


def values_of(kernel: Any) -> str:
    return frozen(kernel).values


def outer(folder: Path, **changes: str) -> Any:
    """A kernel of a file, with a helper beside it, in a folder of their own."""
    texts = PLAIN | changes
    found: dict[str, Any] = {}
    place = folder / str(next(count))
    place.mkdir()
    for name, text in (("helper", HELPER), ("mine", CODE)):
        module = ModuleType(f"made_{name}_{next(count)}")
        found[name] = module
        vars(module).update(kernel=kernel, np=np)
        text = text.format(helper="helper", **texts)
        (place / f"{name}.py").write_text(text)
        with pytest.MonkeyPatch.context() as patched:
            patched.setitem(__import__("sys").modules, "helper", found["helper"])
            exec(compile(text, str(place / f"{name}.py"), "exec"), vars(module))
    return found["mine"].outer


def test_the_same_values_give_the_same_hash_in_any_folder(tmp_path: Path) -> None:
    assert values_of(outer(tmp_path)) == values_of(outer(tmp_path))
    assert values_of(outer(tmp_path)) == values_of(outer(tmp_path, unused="7", head="WHERE = 3; OTHER = 1"))


@pytest.mark.parametrize(
    "change",
    [
        {"head": "WHERE = 4"},
        {"head": "WHERE = 3.0"},
        {"head": "WHERE = True"},
        {"head": "WHERE = np.array([3])"},
        {"head": "WHERE = np.array([3], dtype=np.int32)"},
        {"head": "WHERE = np.array([[3]])"},
        {"head": "WHERE = np.zeros(1, dtype=[('a', int)])"},
        {"head": "WHERE = [3]"},
        {"head": "WHERE = {3: 4}"},
        {"head": "WHERE = np.int64"},
        {"caught": "2"},
        {"caught": "np.ones(2)"},
        {"default": "1"},
        {"constant": "6"},
        {"table": "((1, 3), np.arange(4.0))"},
        {"table": "((1, 2), np.arange(5.0))"},
    ],
)
def test_another_value_gives_another_hash(tmp_path: Path, change: dict[str, str]) -> None:
    assert values_of(outer(tmp_path, **change)) != values_of(outer(tmp_path))


def test_code_that_no_file_holds_is_hashed_itself() -> None:
    found: list[Any] = []
    for text in ("x + 1", "x + 2", "x - 1"):
        names: dict[str, Any] = {"__name__": "nowhere"}
        exec(f"def f(x):\n    return {text}", names)
        found.append(values_of(kernel(names["f"])))
    assert len(set(found)) == 3


class Kind(IntEnum):
    ONE = 1


KIND = Kind.ONE
LIBRARY = ctypes.CDLL(None)
ADDRESS = LIBRARY.abs


def test_an_address_is_refused_by_its_name() -> None:
    def calls(x: int) -> int:
        return int(ADDRESS(x))

    with pytest.raises(InputError, match="'ADDRESS' is a _FuncPtr, which is not the same in another process"):
        values_of(calls)


def test_every_constant_of_a_module_counts_whichever_kernel_mentions_it() -> None:
    """Also the second one of a module that another kernel has mentioned before."""

    def values(first: int, second: int) -> str:
        module = ModuleType("weights")
        vars(module).update(FIRST=first, SECOND=second)
        code = "def inner(x):\n    return x + weights.SECOND\n\ndef outer(x):\n    return inner(x) + weights.FIRST"
        names: dict[str, Any] = {"__name__": "nowhere", "weights": module}
        exec(code.replace("inner(x) + weights.FIRST", "weights.FIRST + inner(x)"), names)
        return values_of(names["outer"])

    assert values(1, 2) == values(1, 2)
    assert len({values(1, 2), values(3, 2), values(1, 4)}) == 3


def test_members_of_an_enum_that_is_frozen_whole_count() -> None:
    def values(one: int) -> str:
        names: dict[str, Any] = {"__name__": "nowhere", "Kind": IntEnum("Kind", {"ONE": one})}
        exec("def f(x):\n    return x + Kind.ONE", names)
        return values_of(names["f"])

    assert values(1) != values(2)


def test_members_of_enums_and_kernels_that_call_each_other() -> None:
    def one(x: int) -> int:
        return two(x - 1) if x else KIND

    def two(x: int) -> int:
        return one(x)

    assert len(values_of(one)) == 64
