"""The one place that writes files: each all at once, into folders that one program at a time works in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from salad_sim.errors import InputError

UNFINISHED = ".unfinished"
"""End of the names of files that are being written."""

LOCK = ".salad-sim.lock"
"""File of a folder that a program is at work in."""


def open_folder(path: str | Path) -> Path:
    """Make sure that ``path`` is a folder that files can be written into.

    Raises
    ------
    InputError
        If it cannot be made or written.
    """
    if not str(path):
        raise InputError("cannot write into '': a folder that can be written is needed")
    try:
        folder = Path(path).expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError, ValueError) as error:  # no home folder, a null character
        there = isinstance(error, FileExistsError | NotADirectoryError) and folder.is_file()
        reason = "that is a file" if there else getattr(error, "strerror", None) or error
        raise InputError(f"cannot write into {str(path)!r}: {reason}; a folder that can be written is needed") from None
    return folder


def find_folder(path: str) -> Path:
    """Return the folder that a user names, which must be there.

    Raises
    ------
    InputError
    """
    try:
        folder = Path(path).expanduser()
        there = folder.is_dir()
    except (OSError, RuntimeError, ValueError) as error:  # a name too long, no home folder, a null character
        raise InputError(f"{path!r} cannot be found: {getattr(error, 'strerror', None) or error}") from None
    if not there:
        raise InputError(f"{path!r} is no folder; a folder is needed that salad-sim run --out made")
    return folder


@contextmanager
def sole_use(folder: Path | None) -> Iterator[None]:
    """Keep other programs out of a folder, and free it of what killed ones left; without a folder do nothing.

    The lock ends with the process at the latest.

    Raises
    ------
    InputError
        If another program is at work there. Where files cannot be locked or written nothing is noticed.
    """
    with ExitStack() as stack:
        if folder is not None:
            _lock(folder, stack)
            remove_files(folder, [file.name for file in folder.glob(f".*{UNFINISHED}")])
        yield


def _lock(folder: Path, stack: ExitStack) -> None:
    from filelock import FileLock, Timeout  # as long as all of numpy; few commands write

    try:
        stack.enter_context(FileLock(folder / LOCK, timeout=0))
        stack.callback(remove_files, folder, [LOCK])  # before the lock ends: who waits for it makes a new one
    except Timeout:
        raise InputError(
            f"another salad-sim is at work in {str(folder)!r}: let it end, or choose another folder"
        ) from None
    except OSError:
        pass


def is_in_use(folder: Path) -> bool:
    """Return whether a program is at work in a folder, as far as it can be told; see `sole_use`."""
    try:
        with ExitStack() as stack:
            _lock(folder, stack)
        return False
    except InputError:
        return True


@contextmanager
def whole_file(file: Path, before: Path | None = None) -> Iterator[Path]:
    """Yield a name to write under that becomes ``file`` when all is written: at no time is half of it there.

    It outlasts a power cut where the system can do that. What was there may be kept under the name ``before``.

    Raises
    ------
    InputError
        If there is no room, say; what was there before is then still there.
    """
    # by process, as two may write into one folder at the same time
    unfinished = file.with_name(f".{file.name}.{os.getpid()}{UNFINISHED}")
    try:
        yield unfinished
        with unfinished.open("r+b") as written:
            os.fsync(written.fileno())
        if before is not None:
            with suppress(FileNotFoundError):
                os.replace(file, before)
        os.replace(unfinished, file)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise InputError(f"cannot write {str(file)!r}: {reason}") from None
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    with suppress(OSError):
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, by name, each all at once; see `whole_file`.

    Raises
    ------
    InputError
    """
    for name, content in files.items():
        with whole_file(folder / name) as file:
            file.write_bytes(content.encode() if isinstance(content, str) else content)


def remove_files(folder: Path, names: Sequence[str]) -> None:
    """Remove files of a folder by name, those that are there."""
    for name in names:
        with suppress(OSError):
            (folder / name).unlink(missing_ok=True)
