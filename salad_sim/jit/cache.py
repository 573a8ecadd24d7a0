"""Where compiled code is kept: folders that nobody else can write into, files that end in their checksum.

numba unpickles what it finds in its cache, which runs it, so only what this user alone can have written is read. What
is damaged or cannot be loaded counts as not there: it is compiled anew and replaced (numba 0.68 ends with an error, or
crashes).
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import pickle
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from time import time
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile

KEPT_DAYS = 30
"""For so long a folder of compiled code stays that nobody uses any more."""

N_SEAL = hashlib.sha256().digest_size
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def is_private(folder: Path) -> bool:
    """Return whether this is a real folder of the user that nobody else may write into."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):  # a home folder of Windows is private by itself
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & OTHERS_WRITE


def private_folder(parents: Sequence[Path], name: str) -> Path:
    """Return the folder ``name`` in the first of ``parents`` that can be written, and by nobody else.

    Both are made if they are not there. Where none will do it is one that goes with this process.
    """
    for parent in parents:
        folder = parent / name
        try:
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _close(parent)
            is_new = is_private(parent) and not folder.exists()
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError:
            continue
        if is_private(parent) and is_private(folder) and os.access(folder, os.W_OK):
            _mark_used(folder)
            if is_new:
                sweep(parent)
            return folder
    return _passing_folder() / name


def _close(parent: Path) -> None:
    """Take the permission to write into a folder of this program from others, where the user's umask gave it."""
    found = parent.lstat()
    if parent.name.startswith("salad-sim") and stat.S_ISDIR(found.st_mode) and found.st_mode & OTHERS_WRITE:
        parent.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS_WRITE)  # refused where it is not the user's


@cache
def _passing_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="salad-sim-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _mark_used(folder: Path) -> None:
    """Note by the time of a folder that it was used, once a day."""
    with contextlib.suppress(OSError):
        if time() - folder.stat().st_mtime > 86400:
            os.utime(folder)


def sweep(parent: Path) -> None:
    """Remove folders of compiled code that nobody has used for long: of former versions, and of edited strategies."""
    oldest = time() - 86400 * KEPT_DAYS
    with contextlib.suppress(OSError):
        for folder in parent.iterdir():
            if re.fullmatch("[0-9a-f]{16}", folder.name) and folder.lstat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def keep_compiled(dispatcher: Any, folder: Path) -> None:
    """Let a kernel keep its compiled code in ``folder``, from now on."""
    with _caching_in(folder), contextlib.suppress(OSError, RuntimeError):  # no room: it is compiled each time
        dispatcher._cache = _Cache(dispatcher.py_func)
        _mark_used(folder)


@contextlib.contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


class _Cache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """The cache of a kernel, as numba makes it, in files with a checksum."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load what was compiled for a signature; None if it is not there, or not as it was written."""
        try:
            return super().load_overload(signature, context)
        except Exception:  # a name that is no more there, say
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Save what was compiled, if there is room; else it is compiled anew next time."""
        with contextlib.suppress(OSError):
            super().save_overload(signature, compiled)


class _SealedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The index and the data of a kernel: every file begins with its checksum, and data say what they are of."""

    def save(self, key: Any, data: Any) -> None:
        """Save data under a key."""
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        """Return the data of a key; None if there are none: two processes may have written at the same time."""
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None

    def _load_index(self) -> dict[Any, str]:
        try:
            version, stamp, overloads = pickle.loads(_unsealed(self._index_path))
        except Exception:  # none yet, or damaged in whatever way
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return pickle.loads(_unsealed(self._data_path(name)))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, content: Any) -> None:
        data = self._dump(content)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)


def _unsealed(path: str) -> bytes:
    """Return the content of a file.

    Raises
    ------
    OSError
        If it is not there, or not as it was written.
    """
    data = Path(path).read_bytes()
    if hashlib.sha256(data[N_SEAL:]).digest() != data[:N_SEAL]:
        raise OSError(f"{path} is damaged")
    return data[N_SEAL:]
