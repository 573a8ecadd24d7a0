"""What docstrings and comments name, as in `engine.list_drafts`, is there: names do not outlive what they named."""

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from support.places import ROOT

PACKAGE = ROOT / "salad_sim"
FILES = sorted(file for name in ("salad_sim", "strategies", "experiments") for file in (ROOT / name).rglob("*.py"))

RECORDS = {"view", "own", "trial", "tableau", "work", "memory", "mind", "search", "lesson"}
"""What kernels call the records that they are given; their fields are no names of a module."""

OTHERS = {"np", "numpy", "pd", "pandas", "scipy", "Axes"}
"""Of other libraries."""


def names_of(body: list[ast.stmt]) -> Iterator[str]:
    """What a module or a class has: what is defined, assigned, declared or imported in it, and set on ``self``."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "self":
                yield inner.attr
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id
            elif isinstance(inner, ast.alias):
                yield (inner.asname or inner.name).split(".")[0]


@cache
def known() -> dict[str, set[str]]:
    """Names by the module or the class that has them, modules by every ending of their paths."""
    found: dict[str, set[str]] = {}
    for file in FILES:
        tree = ast.parse(file.read_bytes())
        parts = file.relative_to(ROOT).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        for start in range(len(parts)):
            found.setdefault(".".join(parts[start:]), set()).update(names_of(tree.body))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).update(names_of(node.body))
    return found


def is_known(name: str) -> bool:
    """Return whether a dotted name leads to a module, or to what a module or a class has."""
    home, _, last = name.rpartition(".")
    return name in known() or last in known().get(home, ()) or last in known().get(home.rpartition(".")[2], ())


def named_in(text: str) -> list[tuple[int, str]]:
    """Dotted names between single backticks, with the lines in which they stand."""
    return [
        (number, match[1])
        for number, line in enumerate(text.splitlines(), 1)
        for match in re.finditer(r"(?<!`)`([A-Za-z]\w*(?:\.\w+)+)(?:\(\))?`(?!`)", line)
    ]


@pytest.mark.parametrize("folder", ["salad_sim", "strategies", "experiments"])
def test_what_is_named_is_there(folder: str) -> None:
    gone = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for file in FILES
        if file.is_relative_to(ROOT / folder)
        for line, name in named_in(file.read_text(encoding="utf-8"))
        if name.split(".")[0] not in RECORDS | OTHERS and not is_known(name)
    ]
    assert not gone


@pytest.mark.parametrize("name", ["gains.value_in_hand", "engine.no_such_kernel", "Layout.no_such_field"])
def test_what_is_gone_is_noticed(name: str) -> None:
    assert named_in(f"As in\n`{name}`.") == [(2, name)]
    assert not is_known(name)


def test_what_is_there_is_found() -> None:
    for name in ("engine.list_drafts", "salad_sim.game.engine", "Layout.hand", "Strategy.label", "kit.below"):
        assert is_known(name)
