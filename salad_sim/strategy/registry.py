"""The plug-in door: @strategy, loading by name, file or entry point, and the checks at the door.

A strategy is a kernel ``choose(view, own, rng) -> move``, compiled to one fixed signature; one that declares memory
takes that as a fourth argument. The strategies that come with the program pass the same door as any user's file.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numba
from numba import types

from salad_sim.errors import InputError, unknown
from salad_sim.game.state import CAPACITY
from salad_sim.jit.cache import keep_compiled
from salad_sim.jit.diagnostics import definition_line, explain, return_line, returned_in_words
from salad_sim.jit.frozen import Frozen, frozen
from salad_sim.jit.kernel import INNER, cache_folder, compiled, inline_kernel, kernel
from salad_sim.jit.sources import fingerprint
from salad_sim.strategy.loader import find_file, run_file
from salad_sim.strategy.memory import ARGUMENTS, NO_TRIAL, Declared, demand_on, memory_dtype, seat_kernel, with_memory
from salad_sim.strategy.parameters import (
    Parameter,
    Value,
    changed_text,
    changed_values,
    check_declared,
    choice,
    read_parameter_file,
    read_spec,
)
from salad_sim.strategy.variants import POINT_SALAD, find_game

__all__ = ["Parameter", "Strategy", "choice", "find_strategies", "inline_kernel", "kernel", "load_strategy", "strategy"]

GROUP = "salad_sim.strategies"
"""Entry-point group by which another installed package offers strategies."""

BUILT_IN = "salad_sim_strategies"
"""The installed name of the folder strategies/."""

_declared: dict[str, list[Strategy]] = {}
"""What @strategy was put on, by module: two kernels of one name would hide each other in the module itself."""

_read: dict[Path, list[Path]] = {}
"""By file of strategies: the sources in its folder that it imported when it was loaded."""


@dataclass(frozen=True)
class Strategy:
    """A strategy that has passed the door.

    Attributes
    ----------
    name : str
        As declared in its file.
    choose : numba dispatcher
        The author's kernel, (view, own, rng) -> move or (view, own, rng, memory) -> move.
    about : str
        The first paragraph of the kernel's docstring.
    parameters : dict of str to Parameter
    values : tuple of float
        One for each parameter, in order.
    source : pathlib.Path
        The file it stands in.
    game : str
        The game it plays, one of `variants.GAMES`.
    memory : dtype, function from a capacity to one, or None
        The memory that it declares.
    """

    name: str
    choose: Any
    about: str
    parameters: dict[str, Parameter]
    values: tuple[float, ...]
    source: Path
    game: str = POINT_SALAD.name
    memory: Declared | None = None

    @property
    def settings(self) -> dict[str, Value]:
        """The values by name, as people read them: whole numbers as integers, choices by their names."""
        named = zip(self.parameters.items(), self.values, strict=True)
        return {name: parameter.show(value) for (name, parameter), value in named}

    @property
    def frozen(self) -> Frozen:
        """What its kernels are made of, the dtype of its memory too."""
        return frozen(self.choose if self.memory is None else with_memory(self.choose, self.memory, CAPACITY))

    @property
    def files(self) -> list[Path]:
        """The file it stands in, those of its folder that this one imports, and those of the kernels that it calls."""
        return list(dict.fromkeys([self.source, *_read.get(self.source, ()), *sorted(self.frozen.files)]))

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of each of its files, by path from the folder of the first (or else by name), and of its ``values``.

        These are what its kernels freeze, see `frozen`: data that was read when it was loaded, wherever it lies.

        Raises
        ------
        InputError
            If such a value cannot be compared with that of another process.
        """
        folder = self.source.parent
        found: dict[str, list[str]] = {}
        for file in self.files:
            name = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
            found.setdefault(name, []).append(hashlib.sha256(file.read_bytes()).hexdigest())
        try:
            values = self.frozen.values
        except InputError as error:
            raise InputError(f"games of strategy {self.name!r} cannot be told from others: {error}") from None
        return {name: " ".join(sorted(each)) for name, each in found.items()} | {"values": values}

    @property
    def label(self) -> str:
        """The name, with the parameters that differ from their defaults, rounded to six digits."""
        return self.name + changed_text(self, in_full=False)

    @property
    def spec(self) -> str:
        """What a user types to get this very strategy."""
        return self._typed_name + changed_text(self, in_full=True)

    @property
    def spec_of_all(self) -> str:
        """The same with every parameter: it holds even if the defaults will change, as tuning makes them do."""
        return self._typed_name + changed_text(self, in_full=True, from_defaults=False)

    @property
    def _typed_name(self) -> str:
        known = _by_name(self.name, self.game)
        by_name = known is not None and replace(known, values=self.values) == self
        return self.name if by_name else f"{self.source}:{self.name}"

    def with_values(self, /, **changes: object) -> Strategy:
        """Return the same strategy with some parameters changed.

        Parameters
        ----------
        **changes : float, int or str
            New values by name; one with choices takes the name of a choice.

        Raises
        ------
        InputError
            If a name or a value is not allowed, with the list of all that are.
        """
        return replace(self, values=changed_values(self, changes))

    def kernel(self, capacity: int) -> Any:
        """Return the kernel (view, own, rng) -> move that plays at tables of ``capacity`` cards, compiled or not."""
        return self.choose if self.memory is None else seat_kernel(self.choose, self.memory, capacity)

    def ready(self, capacity: int = CAPACITY) -> Any:
        """Compile for tables of ``capacity`` cards (or load from the disk cache) and return the kernel.

        Raises
        ------
        InputError
            If it does not compile or returns anything but an int64, naming the file and line.
        """
        kernel = self.kernel(capacity)
        if not hasattr(kernel, "compile"):  # NUMBA_DISABLE_JIT
            return kernel
        arguments = find_game(self.game).shard.choice_signature(capacity).args
        function = self.choose.py_func
        try:
            kernel.compile(arguments)
        except Exception as error:  # whatever a mistake runs into: an unknown field is a KeyError (numba 0.68)
            memory = memory_dtype(self.memory, capacity)
            records = arguments if memory is None else (*arguments, numba.from_dtype(memory))
            names = dict(zip(ARGUMENTS, records, strict=False))
            why = explain(function, self.files, names, error)
            hint = NO_TRIAL if "no record has a field 'trial'" in why else ""
            raise InputError(f"strategy {self.name!r} does not compile: {why}{hint}") from None
        returned = types.unliteral(kernel.overloads[arguments].signature.return_type)
        if returned != types.int64:
            raise InputError(
                f"{self.source}, line {return_line(function)}: strategy {self.name!r} must return a move, an int64 "
                f"as from make_move(draft, flip), not {returned_in_words(returned)}"
            )
        return kernel


def strategy(
    name: str, game: str = POINT_SALAD.name, memory: Declared | None = None, **parameters: Parameter
) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel ``choose(view, own, rng) -> move`` as the strategy ``name``.

    Parameters
    ----------
    name : str
        What users type: letters, digits, dashes and underscores.
    game : str
        The game it plays, one of `variants.GAMES`; two strategies of different games may share a name.
    memory : structured dtype, or function from the capacity of the tables to one, optional
        What each seat remembers beyond ``own.memory``, zero at the start of a game: a fourth argument of the kernel.
        The capacity is the number of cards that there is room for, 108 but for large card files.
    **parameters : Parameter
        Tunable numbers, at most 32; the kernel reads the i-th as ``own.params[i]``.
    """

    def declare(function: Callable[..., Any]) -> Any:
        where = f"{inspect.getfile(function)}, line {definition_line(function)}"
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][\w-]*", name):
            raise InputError(f"{where}: a strategy's name is a letter, then letters, digits, '-' or '_', not {name!r}")
        if demand := demand_on(function, memory):
            raise InputError(f"{where}: strategy {name!r} must {demand}")
        try:
            check_declared(parameters)
            memory_dtype(memory, CAPACITY)
        except InputError as error:
            raise InputError(f"{where}: strategy {name!r}: {error}") from None
        siblings = _declared.setdefault(function.__module__, [])
        find_game(game)
        if any((each.name, each.game) == (name, game) for each in siblings):
            raise InputError(f"{where}: strategy {name!r} is declared twice in this file")
        dispatcher = compiled(function, **({} if memory is None else INNER))
        about = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        dispatcher.salad_sim_strategy = Strategy(
            name=name,
            choose=dispatcher,
            about=about,
            parameters=parameters,
            values=tuple(float(parameter.default) for parameter in parameters.values()),
            source=Path(inspect.getfile(function)),
            game=game,
            memory=memory,
        )
        siblings.append(dispatcher.salad_sim_strategy)
        return dispatcher

    if inspect.isfunction(name):
        where = f"{inspect.getfile(name)}, line {definition_line(name)}"
        raise InputError(f"{where}: a strategy needs a name; write @strategy({name.__name__!r})")
    return declare


def _cache_on_disk(declared: list[Strategy]) -> None:
    """Cache strategies under a hash of every file they are made of, and of the values that they freeze."""
    for each in declared:
        if hasattr(each.choose, "enable_caching"):
            with suppress(InputError):  # a value that cannot be compared: it is compiled anew each time
                keep_compiled(each.choose, cache_folder() / fingerprint(each.files, each.frozen.values))


@cache
def _load_module(path: Path) -> list[Strategy]:
    """Run a strategy file as a module and return what it declares."""
    before = dict(_declared)
    _declared.clear()  # files beside it may declare strategies too, and be loaded for others
    try:
        module, _read[path] = run_file("strategy", path)
        declared = _declared.get(module.__name__, [])
    finally:
        _declared.clear()
        _declared.update(before)
    _cache_on_disk(declared)
    return declared


def load_file(path: str | Path, name: str | None = None, game: str | None = None) -> Strategy:
    """Load a strategy from a Python file, by name if the file declares several (for ``game``, if given).

    Raises
    ------
    InputError
        If there is no such file or strategy, or the file cannot be run.
    """
    file = find_file("strategy", path)
    declared = _load_module(file)
    found = {each.name: each for each in declared if game in (None, each.game)}
    if declared and not found:
        raise InputError(f"strategy file {str(path)!r} plays the game {declared[0].game}, not {game}")
    if not found:
        raise InputError(f"strategy file {str(path)!r} declares no strategy; put @strategy('name') on a kernel")
    if name is None:
        if len(found) > 1:
            raise InputError(f"{path} declares {', '.join(found)}; choose one, as in {path}:{next(iter(found))}")
        return next(iter(found.values()))
    if name not in found:
        raise unknown(f"strategy in {path}:", name, found)
    return found[name]


@cache
def _built_in() -> dict[tuple[str, str], Strategy]:
    """Return the strategies that come with the program, by game and name."""
    spec = importlib.util.find_spec(BUILT_IN)
    folders = (spec.submodule_search_locations or []) if spec else []
    files = [file for folder in folders for file in Path(folder).glob("*.py") if not file.stem.startswith("_")]
    return {(each.game, each.name): each for file in sorted(files) for each in _load_module(file.resolve())}


def _offered() -> dict[str, EntryPoint]:
    """Return the entry points by which other installed packages offer strategies."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@cache
def _load_entry(entry: EntryPoint) -> Strategy:
    """Load the strategy of another installed package."""
    what = f"strategy {entry.name!r} of installed package {entry.dist.name if entry.dist else '?'!r}"
    try:
        loaded: Strategy | None = getattr(entry.load(), "salad_sim_strategy", None)
    except (Exception, SystemExit) as error:
        raise InputError(f"{what} cannot be loaded from {entry.value}: {type(error).__name__}: {error}") from None
    if loaded is None:
        raise InputError(f"{what}: {entry.value} is not a strategy; put @strategy('name') on it")
    _cache_on_disk([loaded])
    return replace(loaded, name=entry.name)


def find_strategies(game: str = POINT_SALAD.name) -> dict[str, Strategy]:
    """Return all strategies of a game known by name: those of installed packages, and over them the program's own.

    Raises
    ------
    InputError
        If an installed package offers a strategy that cannot be loaded.
    """
    offered = {name: _load_entry(entry) for name, entry in _offered().items()}
    known = {name: each for name, each in offered.items() if each.game == game}
    return known | {each.name: each for each in _built_in().values() if each.game == game}


def load_strategy(given: str, game: str = POINT_SALAD.name) -> Strategy:
    """Return the strategy of a game that a user names.

    Parameters
    ----------
    given : str
        ``name`` or ``path/to/file.py[:name]``; then ``:file.toml`` for the values of a parameter file, and
        ``(parameter=value, ...)`` for others than the default or the file's.
    game : str
        One of `variants.GAMES`.

    Raises
    ------
    InputError
        If nothing answers to that name, with the nearest one that does; the file is no good; or a parameter is not
        allowed, with the list of those that are.
    """
    spec = read_spec(given)
    found = _load_plain(spec.strategy, game)
    if spec.file is not None:
        found = replace(found, values=read_parameter_file(spec.file, found))
    return found.with_values(**spec.changes) if spec.changes else found


def _load_plain(given: str, game: str) -> Strategy:
    """Return the strategy that is called ``name`` or ``path/to/file.py[:name]``, with its default values."""
    path, separator, name = given.rpartition(".py:")
    if separator:
        return load_file(path + ".py", name.strip(), game)
    if given.endswith(".py"):
        return load_file(given, game=game)
    found = _by_name(given, game)
    if found is None:
        known = [name for played, name in _built_in() if played == game]
        what = "strategy" if game == POINT_SALAD.name else f"strategy of the game {game}"
        raise unknown(what, given, [*known, *_offered()])
    return found


def _by_name(name: str, game: str) -> Strategy | None:
    """Return the strategy of a game that is known by a name: the program's own, or an installed package's."""
    if (game, name) in _built_in():
        return _built_in()[game, name]
    offered = _offered()
    if name in offered and _load_entry(offered[name]).game == game:
        return _load_entry(offered[name])
    return None
