"""The plug-in door: @strategy, loading by name, file or entry point, and the checks at the door.

A strategy is a kernel ``choose(view, own, rng) -> move``, compiled to one fixed signature. The strategies that come with
the program pass the same door as any user's file.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from numba import types
from numba.core.errors import NumbaError

from salad_sim._kernel import cache_folder, caching_in, compiled, fingerprint, kernel
from salad_sim.errors import InputError, unknown
from salad_sim.shard import choice_signature
from salad_sim.table import CAPACITY, N_PARAMS

__all__ = ["Parameter", "Strategy", "find_strategies", "kernel", "load_strategy", "strategy"]

GROUP = "salad_sim.strategies"
"""Entry-point group by which another installed package offers strategies."""

BUILT_IN = "salad_sim_strategies"
"""The installed name of the folder strategies/."""

N_ARGUMENTS = 3


@dataclass(frozen=True)
class Parameter:
    """A number that tunes a strategy, read as ``own.params[index]`` in the order of declaration.

    Attributes
    ----------
    default, low, high : float
        The value used when none is given, and the allowed range, both ends included.
    about : str
        What it does, in a few words.
    """

    default: float
    low: float
    high: float
    about: str


@dataclass(frozen=True)
class Strategy:
    """A strategy that has passed the door.

    Attributes
    ----------
    name : str
        As declared in its file.
    choose : numba dispatcher
        The kernel choose(view, own, rng) -> move.
    about : str
        The first paragraph of the kernel's docstring.
    parameters : dict of str to Parameter
    values : tuple of float
        One for each parameter, in order.
    source : pathlib.Path
        The file it stands in.
    """

    name: str
    choose: Any
    about: str
    parameters: dict[str, Parameter]
    values: tuple[float, ...]
    source: Path

    @property
    def label(self) -> str:
        """The name, with the parameters that differ from their defaults."""
        changed = [
            f"{name}={value:g}"
            for (name, parameter), value in zip(self.parameters.items(), self.values, strict=True)
            if value != parameter.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    def ready(self, capacity: int = CAPACITY) -> Any:
        """Compile for tables of ``capacity`` cards (or load from the disk cache) and return the kernel.

        Raises
        ------
        InputError
            If it does not compile or returns anything but an int64, naming the file and line.
        """
        if not hasattr(self.choose, "compile"):  # NUMBA_DISABLE_JIT
            return self.choose
        arguments = choice_signature(capacity).args
        try:
            self.choose.compile(arguments)
        except NumbaError as error:
            raise InputError(_compile_message(self, error)) from None
        returned = self.choose.overloads[arguments].signature.return_type
        if returned != types.int64:
            raise InputError(
                f"strategy {self.name!r} ({_where(self.choose.py_func)}) must return a move, an int64 as from "
                f"make_move(draft, flip), not {returned}"
            )
        return self.choose


def strategy(name: str, **parameters: Parameter) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel ``choose(view, own, rng) -> move`` as the strategy ``name``.

    Parameters
    ----------
    name : str
        What users type: letters, digits, dashes and underscores.
    **parameters : Parameter
        Tunable numbers, at most 32; the kernel reads the i-th as ``own.params[i]``.
    """

    def declare(function: Callable[..., Any]) -> Any:
        where = _where(function)
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][\w-]*", name):
            raise InputError(f"{where}: a strategy's name is a letter, then letters, digits, '-' or '_', not {name!r}")
        arguments = list(inspect.signature(function).parameters)
        if len(arguments) != N_ARGUMENTS:
            given = ", ".join(arguments)
            raise InputError(f"{where}: strategy {name!r} must take (view, own, rng), not ({given})")
        if len(parameters) > N_PARAMS:
            raise InputError(f"{where}: strategy {name!r} may have {N_PARAMS} parameters, not {len(parameters)}")
        dispatcher = compiled(function)
        about = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        dispatcher.salad_sim_strategy = Strategy(
            name=name,
            choose=dispatcher,
            about=about,
            parameters=parameters,
            values=tuple(parameter.default for parameter in parameters.values()),
            source=Path(inspect.getfile(function)),
        )
        return dispatcher

    return declare


def _where(function: Callable[..., Any]) -> str:
    return f"{inspect.getfile(function)}, line {function.__code__.co_firstlineno}"


def _compile_message(given: Strategy, error: NumbaError) -> str:
    """Make one line of a compiler's many: what is wrong, in which line of which file."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    own_lines = re.findall(rf'File "{re.escape(str(given.source))}", line (\d+)', text)
    places = own_lines or re.findall(r'File "[^"]+", line (\d+)', text)
    line = places[-1] if places else str(given.choose.py_func.__code__.co_firstlineno)
    noise = ("Failed in nopython", "During: ", "File ", "- Resolution", "- Of which", "<source", "Overload of", "^")
    said = [part.strip() for part in text.splitlines() if part.strip() and not part.strip().startswith(noise)]
    reason = next((part for part in said if not part.startswith("No implementation")), said[0] if said else "")
    if "no conversion to" not in reason and said and said[0].startswith("No implementation"):
        reason = f"{said[0]} {said[1] if len(said) > 1 else ''}".strip()
    return f"strategy {given.name!r} does not compile: {given.source}, line {line}: {reason}"


def _imported_files(source: Path, seen: set[Path]) -> None:
    """Collect the files that ``source`` imports, directly or not, except the package's own and its dependencies'."""
    if source in seen:
        return
    seen.add(source)
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    for name in names:
        root = name.split(".")[0]
        file = getattr(sys.modules.get(name), "__file__", None)
        if file and root not in {"salad_sim", "numba", "numpy"} and root not in sys.stdlib_module_names:
            _imported_files(Path(file), seen)


def _cache_on_disk(module: ModuleType, source: Path) -> None:
    """Cache the strategies of a module under a hash of every file they are made of."""
    folder = cache_folder()
    if folder is None:
        return
    files: set[Path] = set()
    _imported_files(source, files)
    with caching_in(folder / fingerprint(sorted(files))):
        for value in vars(module).values():
            if hasattr(value, "salad_sim_strategy") and hasattr(value, "enable_caching"):
                value.enable_caching()


@cache
def _load_module(path: Path) -> ModuleType:
    """Run a strategy file as a module."""
    label = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    name = f"salad_sim_file_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_{label}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"strategy file {str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.append(str(path.parent))  # last, so that no file beside it can shadow a standard module
    try:
        spec.loader.exec_module(module)
    except InputError:
        raise
    except Exception as error:
        line = _line_in(path, error)
        raise InputError(f"strategy file {path}, line {line}: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove(str(path.parent))
    _cache_on_disk(module, path)
    return module


def _line_in(path: Path, error: BaseException) -> int:
    """Return the last line of ``path`` that an error passed through."""
    if isinstance(error, SyntaxError):
        return error.lineno or 1
    line = 1
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _strategies_in(module: ModuleType) -> dict[str, Strategy]:
    """Return the strategies that a module declares itself."""
    declared = [value.salad_sim_strategy for value in vars(module).values() if hasattr(value, "salad_sim_strategy")]
    return {each.name: each for each in declared if each.source == Path(str(module.__file__))}


def load_file(path: str | Path, name: str | None = None) -> Strategy:
    """Load a strategy from a Python file, by name if the file declares several.

    Raises
    ------
    InputError
        If there is no such file or strategy, or the file cannot be run.
    """
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise InputError(f"there is no strategy file {str(path)!r}")
    found = _strategies_in(_load_module(file))
    if not found:
        raise InputError(f"strategy file {str(path)!r} declares no strategy; put @strategy('name') on a kernel")
    if name is None:
        if len(found) > 1:
            raise InputError(f"{path} declares {', '.join(found)}; choose one, as in {path}:{next(iter(found))}")
        return next(iter(found.values()))
    if name not in found:
        raise unknown(f"strategy in {path}:", name, found)
    return found[name]


def _built_in_files() -> Iterator[Path]:
    spec = importlib.util.find_spec(BUILT_IN)
    for folder in spec.submodule_search_locations or [] if spec else []:
        yield from sorted(file for file in Path(folder).glob("*.py") if not file.stem.startswith("_"))


@cache
def find_strategies() -> dict[str, Strategy]:
    """Return all strategies known by name: those that come with the program, then those of installed packages."""
    found: dict[str, Strategy] = {}
    for file in _built_in_files():
        found.update(_strategies_in(_load_module(file.resolve())))
    for entry in entry_points(group=GROUP):
        loaded = getattr(entry.load(), "salad_sim_strategy", None)
        if loaded is None:
            raise InputError(f"entry point {entry.name!r} of {entry.value!r} is not a strategy")
        found.setdefault(entry.name, replace(loaded, name=entry.name))
    return found


def load_strategy(given: str) -> Strategy:
    """Return the strategy that a user names: ``name`` or ``path/to/file.py[:name]``.

    Raises
    ------
    InputError
        If nothing answers to that name, with the nearest one that does; or the file is no good.
    """
    path, separator, name = given.rpartition(".py:")
    if separator:
        return load_file(path + ".py", name)
    if given.endswith(".py"):
        return load_file(given)
    known = find_strategies()
    if given not in known:
        raise unknown("strategy", given, known)
    return known[given]


