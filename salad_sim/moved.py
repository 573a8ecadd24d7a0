"""Import paths of earlier versions: they work until 0.2, with a word on what to write instead."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

PACKAGE = "salad_sim"
DOORS = ("salad_sim.kit", "salad_sim", "salad_sim.experiment")
"""Where a name is looked for first: these stay."""

MOVED = {
    "card_file": ("game.card_file",),
    "cards": ("game.cards", "game.card_kinds"),
    "endgame": ("game.endgame",),
    "engine": ("game.engine", "game.market"),
    "gains": ("game.marginal_value",),
    "hand_draft.gains": ("hand_draft.marginal_value",),
    "hand_draft.table": ("hand_draft.state",),
    "hidden": ("game.determinization",),
    "moves": ("game.moves",),
    "parameters": ("strategy.parameters",),
    "plots": ("report.figures",),
    "profiles": ("game.rule_profiles",),
    "records": ("jit.records",),
    "rng": ("jit.rng",),
    "rules": ("game.rules",),
    "scoring": ("game.scoring",),
    "store": ("storage.folder",),
    "table": ("game.state",),
}
"""The modules that are no more, and those that have what stood there."""

HOMES = {f"{PACKAGE}.{old}": [f"{PACKAGE}.{new}" for new in homes] for old, homes in MOVED.items()}

_told: set[str] = set()
"""Files that were told."""


class MovedWarning(DeprecationWarning):
    """A file imports something from where it does not stand any more."""


class Import(NamedTuple):
    """An import of a module that is no more; without names if it is the module that is imported."""

    line: int
    module: str
    names: tuple[str, ...]


class _Finder(MetaPathFinder, Loader):
    """Finds the modules that are no more, after all that are."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find an old module."""
        return ModuleSpec(name, self) if name in HOMES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make a module that hands on what is asked of it."""
        module = ModuleType(spec.name, f"Moved to {', '.join(HOMES[spec.name])}.")
        module.__getattr__ = lambda name: _hand_on(spec.name, name)  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Tell whoever imports it."""
        _tell(module.__name__)


def install() -> None:
    """Let the old paths be found."""
    if not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.append(_Finder())


def forget() -> None:
    """Let the next file that imports an old module be told, too: Python asks for a module once only."""
    for name in HOMES:
        if sys.modules.pop(name, None) is not None:
            parent, _, child = name.rpartition(".")
            vars(sys.modules[parent]).pop(child, None)


def _hand_on(module: str, name: str) -> Any:
    homes = [] if name.startswith("__") else [import_module(home) for home in HOMES[module]]
    for home in homes:
        if hasattr(home, name):
            _tell(module, name)
            return getattr(home, name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def _tell(module: str, *names: str) -> None:
    """Tell the file that imports, once, of everything that it imports by old paths."""
    import warnings

    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (frame.f_code.co_filename == __file__ or "importlib" in frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename in _told:
        return
    file = frame.f_code.co_filename
    try:
        found = list(imports_of(Path(file).read_bytes()))
    except (OSError, ValueError, SyntaxError):  # no file, as what is typed at a prompt
        found = [Import(frame.f_lineno, module, names)]
    if found:  # else it only asks a module that another file has imported, as the compiler does
        _told.add(file)
        warnings.warn_explicit(advice(file, found), MovedWarning, file, found[0].line)


def imports_of(source: bytes) -> Iterator[Import]:
    """Find the imports of modules that are no more in a source."""
    import ast

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in HOMES:
            yield Import(node.lineno, node.module, tuple(each.name for each in node.names))
        elif isinstance(node, (ast.ImportFrom, ast.Import)):
            start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            yield from (Import(node.lineno, start + each.name, ()) for each in node.names if start + each.name in HOMES)


def advice(file: str, found: Sequence[Import]) -> str:
    """Say in one line what a file shall import instead."""
    wanted: dict[str, set[str]] = {}
    for each in found:
        for name in each.names or ("",):
            wanted.setdefault(_door_of(each.module, name), set()).add(name)
    new = [f"import {door}" for door, names in sorted(wanted.items()) if "" in names]
    names_of = {door: ", ".join(sorted(names - {""})) for door, names in sorted(wanted.items())}
    new += [f"from {door} import {names}" for door, names in names_of.items() if names]
    old = ", ".join(dict.fromkeys(each.module for each in found))
    has = "has" if len({each.module for each in found}) == 1 else "have"
    return f"{file}, line {found[0].line}: {old} {has} moved; write: {'; '.join(new)} (as it is, it works until 0.2)"


def _door_of(module: str, name: str) -> str:
    """Return the door that has a name, or what stands in it for a whole module; else where the name stands now."""
    homes = [import_module(home) for home in HOMES[module]]
    for door in DOORS:
        offered = import_module(door)
        names = {*getattr(offered, "__all__", ()), *getattr(offered, "PARTS", ())}
        here = {name} if name else {each for each in vars(homes[0]) if not each.startswith("_")}
        if names & here:
            return door
    return next((home.__name__ for home in homes if hasattr(home, name)), homes[0].__name__)
