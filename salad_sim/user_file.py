"""Python files of users: found, and run as modules, with one line that says what is wrong where something is."""

from __future__ import annotations

import _thread
import contextlib
import hashlib
import importlib.util
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from salad_sim.errors import InputError

LOAD_SECONDS = 60.0
"""After so long a file is not waited for any more: somewhere outside its kernels it never comes to an end."""


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
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, no home folder, a null character
        raise InputError(f"{what} file {str(given)!r} cannot be found: {error}") from None
    if not there:
        raise InputError(f"there is no {what} file {str(given)!r}{'; it is a folder' if file.is_dir() else ''}")
    return file


def module_name(what: str, path: Path) -> str:
    """Return the name of the module that a file is run as: files of one name in two folders are two modules."""
    label = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    return f"salad_sim_{what}_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_{label}"


def run_file(what: str, path: Path) -> ModuleType:
    """Run a file as a module and return that.

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
    late = threading.Event()
    try:
        with _imports_from(path.parent), _ended_after(LOAD_SECONDS, late):
            spec.loader.exec_module(module)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        file, line, said = _place_of(path, error)
        raise InputError(f"{what} file {file}, line {line}: {type(error).__name__}: {said}") from None
    except KeyboardInterrupt as error:
        if not late.is_set():
            raise
        file, line, _ = _place_of(path, error)
        raise InputError(
            f"{what} file {file}, line {line}: not loaded after {LOAD_SECONDS:g} seconds; what stands outside of "
            "functions is run when a file is loaded, and must come to an end"
        ) from None
    return module


@contextlib.contextmanager
def _imports_from(folder: Path) -> Iterator[None]:
    """Let a file import the modules beside it, for itself alone: the next file may have another of that name."""
    before = set(sys.modules)
    keeps_bytecode = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # Python misses an edit of the same length in the same second
    sys.path.append(str(folder))  # last, so that no file beside can shadow a standard module
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = keeps_bytecode
        for name in set(sys.modules) - before:
            root = name.split(".")[0]
            file = getattr(sys.modules.get(root), "__file__", None)
            if root not in before and file in (str(folder / f"{root}.py"), str(folder / root / "__init__.py")):
                del sys.modules[name]


@contextlib.contextmanager
def _ended_after(seconds: float, late: threading.Event) -> Iterator[None]:
    """Interrupt what is done inside after so long, and set ``late``; in other threads than the main one do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python has no way to interrupt it; on a cluster the scheduler notices
        return

    def end() -> None:
        late.set()
        _thread.interrupt_main()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


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
