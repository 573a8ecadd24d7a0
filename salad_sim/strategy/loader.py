"""Python files of users: found, and run as modules, with one line that says what is wrong where something is."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

from salad_sim.errors import InputError
from salad_sim.jit.frozen import SHARED
from salad_sim.moved import forget

LOAD_SECONDS = 60.0
"""After so long a file is not waited for any more: somewhere outside its kernels it never comes to an end."""

LARGEST_FILE = 1 << 24

AGAIN_SECONDS = 1.0
"""Until it is ended once more if it has caught that."""


def find_file(what: str, given: str | Path) -> Path:
    """Return the full path of a file that a user names.

    Parameters
    ----------
    what : str
        What the file is for, as "strategy".
    given : str or Path

    Raises
    ------
    InputError
        If there is none.
    """
    try:
        file = Path(given).expanduser().resolve()
        there = file.is_file()
        size = file.stat().st_size if there else 0
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, no home folder, a null character
        raise InputError(f"{what} file {str(given)!r} cannot be found: {error}") from None
    if not there:
        raise InputError(f"there is no {what} file {str(given)!r}{'; it is a folder' if file.is_dir() else ''}")
    if size > LARGEST_FILE:
        raise InputError(f"{what} file {str(given)!r} is larger than {LARGEST_FILE >> 20} MiB")
    return file


def module_name(what: str, path: Path) -> str:
    """Return the name of the module that a file is run as: files of one name in two folders are two modules."""
    label = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    return f"salad_sim_{what}_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_{label}"


def run_file(what: str, path: Path) -> tuple[ModuleType, list[Path]]:
    """Run a file as a module; return that, and the sources in its folder that it imported meanwhile.

    Parameters
    ----------
    what : str
        What the file is for, as "strategy".
    path : Path
        As from `find_file`.

    Raises
    ------
    InputError
        If it cannot be run to its end, with file and line.
    """
    name = module_name(what, path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{what} file {str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    files: set[Path] = set()
    forget()
    try:
        with _imports_from(what, path.parent, files), _ended_after(LOAD_SECONDS):
            spec.loader.exec_module(module)
    except (InputError, KeyboardInterrupt):
        raise
    except _LateError as error:
        file, line, _ = _place_of(path, error)
        raise InputError(
            f"{what} file {file}, line {line}: not loaded after {LOAD_SECONDS:g} seconds; what stands outside of "
            "functions is run when a file is loaded, and must come to an end"
        ) from None
    except BaseException as error:
        file, line, said = _place_of(path, error)
        raise InputError(f"{what} file {file}, line {line}: {type(error).__name__}: {said}") from None
    return module, sorted(files)


class _Loader(SourceFileLoader):
    """Runs a file as the module of its own that `module_name` names, whatever the import calls it."""

    def exec_module(self, module: ModuleType) -> None:
        module.__name__ = self.name  # what compiled code of its functions will ask for
        sys.modules[self.name] = module
        super().exec_module(module)


class _Finder(MetaPathFinder):
    """Finds the modules beside a file, before others of their names but those that all files share."""

    def __init__(self, what: str, folder: Path, files: set[Path]) -> None:
        self.what = what
        self.folder = folder
        self.files = files
        self.found: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of the folder, or inside a package of it; None if there is none."""
        if path is None:
            places = [str(self.folder)] if self.is_here(name) or not self._is_elsewhere(name) else []
        else:
            root = name.split(".")[0]  # a package is called by either of its names, see `_Loader`
            places = list(path) if root in self.found or root.startswith(f"salad_sim_{self.what}_") else []
        spec = PathFinder.find_spec(name, places) if places else None
        if spec is None:
            return None
        self.found.add(name)
        if spec.origin is None or not isinstance(spec.loader, SourceFileLoader):
            return spec
        self.files.add(Path(spec.origin))
        loader = _Loader(module_name(self.what, Path(spec.origin)), spec.origin)
        within = spec.submodule_search_locations
        return importlib.util.spec_from_file_location(
            name, spec.origin, loader=loader, submodule_search_locations=within
        )

    def is_here(self, name: str) -> bool:
        """Return whether a file or a package of this name stands in the folder, and is to be used."""
        if name in SHARED or name in sys.stdlib_module_names:
            return False
        return (self.folder / f"{name}.py").is_file() or (self.folder / name / "__init__.py").is_file()

    def _is_elsewhere(self, name: str) -> bool:
        """Return whether others find a module of this name: a bare folder beside does not hide it."""
        return any(each.find_spec(name, None) for each in sys.meta_path if each is not self)


@contextlib.contextmanager
def _imports_from(what: str, folder: Path, files: set[Path]) -> Iterator[None]:
    """Let a file import the modules beside it, for itself alone: the next file may have another of that name.

    Their files are added to ``files``. They stay known under names of their own: compiled code that is kept asks for
    the modules of all functions in it (numba 0.68: one that is not there is written down as "<dynamic>", and never
    found again).
    """
    finder = _Finder(what, folder, files)
    keeps_bytecode = sys.dont_write_bytecode
    roots = {name.split(".")[0] for name in sys.modules}
    here = {root for root in roots if finder.is_here(root)}
    of_others = {name: module for name, module in sys.modules.items() if name.split(".")[0] in here}
    for name in of_others:  # a program that uses salad_sim may have imported them, or others of the name
        del sys.modules[name]
    sys.dont_write_bytecode = True  # Python misses an edit of the same length in the same second
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        sys.dont_write_bytecode = keeps_bytecode
        for name in finder.found:
            sys.modules.pop(name, None)
        sys.modules.update(of_others)


class _LateError(BaseException):
    """What is done has taken too long. No `Exception`, for a file may catch these."""


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Raise `_LateError` in what is done inside after so long, in the main thread of a POSIX system.

    Unlike an interrupt from another thread, an alarm wakes a file that sleeps or waits, and is no Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield  # Python has no way to end it; on a cluster the scheduler notices
        return

    def end(*_: object) -> None:
        raise _LateError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _place_of(path: Path, error: BaseException) -> tuple[str, int, str]:
    """Return file, line and message of an error: the innermost place in ``path`` or in a file beside it."""
    if isinstance(error, SyntaxError):
        return error.filename or str(path), error.lineno or 1, error.msg
    file, line = str(path), 1
    trace = error.__traceback__
    while trace is not None:
        here = trace.tb_frame.f_code.co_filename
        if Path(here).parent == path.parent:
            file, line = here, trace.tb_lineno
        trace = trace.tb_next
    return file, line, str(error)
