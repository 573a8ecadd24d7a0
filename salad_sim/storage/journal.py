"""Keeps what a job has played while it goes on: an observer that watches sessions hands them this, and it is theirs.

What is found in each shard is written to the end of one file, every few seconds, in chunks with a checksum. When the
same job is driven again, in this process or another, the shards that are there are taken and the others are played. A
job is known by what is played and counted, its code and its strategies, whatever calls it; deals are not part of it, so
it may be driven in other portions.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.files.sealed import DamagedError, sealed_arrays, unsealed_arrays
from salad_sim.jit.records import record_dtype
from salad_sim.run.deal_ledger import Range
from salad_sim.run.driver import Job, Kept
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.run.runner import ShardKernel
from salad_sim.storage.identity import record_of, same_study

FILE = "games.journal"
FORMAT = "salad-sim journal 1"
SAVE_SECONDS = 5.0
SHARE_OF_TIME = 20
"""Saving takes no more than one second in so many."""

N_LENGTH = 8
HOME = "salad_sim."


class UnknownError(TypeError):
    """Something that cannot be written down, so that it is not kept."""


class Journal:
    """What is kept of all jobs of a command in a folder."""

    def __init__(self, folder: Path, tell: Callable[[str], None] = lambda _: None) -> None:
        """Read what is there; a chunk that was not written to its end is cut off."""
        self.file = folder / FILE
        self.tell = tell
        self.pages: dict[str, Page] = {}
        self.last = perf_counter()
        self.cost = 0.0
        self.failed = False
        self.size = 0
        self.waiting: list[bytes] = []
        self.begin: Callable[[], None] = lambda: None  # called before something is written
        self._read()

    def page(self, job: Job[Any]) -> Kept | None:
        """Return what is kept of a job; None if it cannot be."""
        try:
            text = json.dumps([FORMAT, _spelled(job.plans), _spelled(job.worker), _spelled(job.kernel)], sort_keys=True)
        except (UnknownError, InputError):
            return None
        key = hashlib.sha256(text.encode()).hexdigest()
        return self.pages.setdefault(key, Page())

    def save_if_due(self) -> None:
        """Save, unless that was done a moment ago. A full disk does not end a job: it may have room again later."""
        if perf_counter() - self.last < max(SAVE_SECONDS, SHARE_OF_TIME * self.cost):
            return
        try:
            self.save()
            self.failed = False
        except InputError as error:
            if not self.failed:
                self.tell(f"{error}; it goes on and tries again")
            self.failed = True

    def save(self) -> None:
        """Write what is new to the end of the file.

        Raises
        ------
        InputError
            If there is no room, say.
        """
        start = perf_counter()
        self.waiting += [_chunk(key, page.take_new()) for key, page in list(self.pages.items()) if page.new]
        try:
            if self.waiting:
                self.begin()
                self._append(b"".join(len(chunk).to_bytes(N_LENGTH, "little") + chunk for chunk in self.waiting))
                self.waiting.clear()
        except OSError as error:
            raise InputError(f"cannot write {str(self.file)!r}: {error.strerror}") from None
        finally:
            self.last = perf_counter()
            self.cost = self.last - start

    def _append(self, data: bytes) -> None:
        """Write behind what is whole; half of it, as a full disk leaves it, is written over the next time."""
        with self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.seek(self.size)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            self.size = file.tell()

    def _read(self) -> None:
        if not self.file.is_file():
            return
        with self.file.open("rb") as file:
            most = os.fstat(file.fileno()).st_size
            while length := int.from_bytes(file.read(N_LENGTH), "little"):
                try:
                    about, arrays = unsealed_arrays(file.read(min(length, most)), FORMAT)
                except DamagedError:
                    break
                page = self.pages.setdefault(about["key"], Page())
                page.old += [((first, n_deals), found, arrays) for first, n_deals, found in about["shards"]]
                self.size = file.tell()
        os.truncate(self.file, self.size)


class Page:
    """What is kept of one job: finished shards, from the file and new ones."""

    def __init__(self) -> None:
        self.old: list[tuple[tuple[int, int], Any, dict[str, Any]]] = []
        self.new: list[tuple[int, int, Any, list[Any]]] = []
        self._lock = threading.Lock()

    def within(self, ranges: Sequence[Range]) -> Iterator[tuple[Shard, Any]]:
        """Yield the finished shards that lie in ranges of deals, each deal once."""
        known = sorted(self.old, key=lambda each: each[0])
        for first, stop in sorted(ranges):
            at = first
            for (begin, n_deals), found, arrays in known:
                if begin >= at and begin + n_deals <= stop:
                    at = begin + n_deals
                    yield Shard(begin, n_deals), _found(found, arrays)

    def keep(self, shard: Shard, part: Any) -> None:
        """Keep what was found in a shard, as it is now."""
        arrays: list[Any] = []
        try:
            found = _plain(part, arrays)
        except UnknownError:
            return
        with self._lock:
            self.new.append((shard.first_deal, shard.n_deals, found, arrays))

    def take_new(self) -> list[tuple[int, int, Any, list[Any]]]:
        """Return what is new and remember it as old."""
        with self._lock:
            taken, self.new = self.new, []
        for first, n_deals, found, arrays in taken:
            named = {str(number): array for number, array in enumerate(arrays)}
            self.old.append(((first, n_deals), found, named))
        return taken


def _chunk(key: str, new: list[tuple[int, int, Any, list[Any]]]) -> bytes:
    shards: list[Any] = []
    all_arrays: dict[str, Any] = {}
    for first, n_deals, found, arrays in new:
        start = len(all_arrays)
        all_arrays |= {str(start + number): array for number, array in enumerate(arrays)}
        shards.append([first, n_deals, _shifted(found, start)])
    return sealed_arrays(FORMAT, {"key": key, "shards": shards}, all_arrays)


def _shifted(found: Any, start: int) -> Any:
    """Return plain data in which the numbers of arrays begin at ``start``."""
    if isinstance(found, list) and found[0] == "array":
        return ["array", found[1] + start]
    return [_shifted(each, start) for each in found] if isinstance(found, list) else found


def _plain(value: Any, arrays: list[Any]) -> Any:
    """Return what was found as plain data: lists begin with what they are, arrays are numbered and stand apart."""
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        # not np.array(value): that of a record is the memory of the worker, which goes on (numpy 2.4)
        arrays.append(np.frombuffer(value.tobytes(), value.dtype).reshape(value.shape))
        return ["array", len(arrays) - 1]
    if isinstance(value, str):
        return ["str", value]
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return ["dict", *([_plain(key, arrays), _plain(each, arrays)] for key, each in value.items())]
    if type(value) in (tuple, list):
        return [type(value).__name__, *(_plain(each, arrays) for each in value)]
    kind = type(value)
    if dataclasses.is_dataclass(value) and kind.__module__.startswith(HOME):
        fields = [["field", each.name, _plain(getattr(value, each.name), arrays)] for each in dataclasses.fields(value)]
        return ["object", kind.__module__, kind.__qualname__, *fields]
    raise UnknownError


def _found(plain: Any, arrays: dict[str, Any]) -> Any:
    """Return what `_plain` wrote down."""
    if not isinstance(plain, list):
        return plain
    kind, *rest = plain
    if kind == "str":
        return rest[0]
    if kind == "array":
        array = arrays[str(rest[0])]
        if array.dtype.names:  # numpy does not write down that a record is laid out for kernels
            array = array.astype(_laid_out(array.dtype))
        return array.copy() if array.ndim else array[()]
    if kind == "dict":
        return {_found(key, arrays): _found(each, arrays) for key, each in rest}
    if kind == "object":
        module, name, *fields = rest
        made = getattr(sys.modules[module], name) if module.startswith(HOME) else None
        if not dataclasses.is_dataclass(made):
            raise InputError(f"{FILE} names {module}.{name}, which is nothing that is counted")
        return made(**{field: _found(each, arrays) for _, field, each in fields})  # type: ignore[operator]
    return {"tuple": tuple, "list": list}[kind](_found(each, arrays) for each in rest)


def _laid_out(dtype: np.dtype[Any]) -> Any:
    if dtype.subdtype is not None:
        return np.dtype((_laid_out(dtype.base), dtype.shape))
    return record_dtype([(name, _laid_out(dtype[name])) for name in dtype.names]) if dtype.names else dtype


def _spelled(value: Any) -> Any:
    """Return what determines the games and what is counted, as plain data.

    Raises
    ------
    UnknownError
        If it cannot be told from another one in another process.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Plan):
        return same_study(record_of(value))
    if isinstance(value, partial):
        return [_spelled(value.func), _spelled(value.args), _spelled(value.keywords)]
    if isinstance(value, ShardKernel):
        return [_spelled(value.function), _spelled(value.ready)]
    if isinstance(value, dict):
        return [[_spelled(key), _spelled(each)] for key, each in value.items()]
    if isinstance(value, tuple | list):
        return [_spelled(each) for each in value]
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return [str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [type(value).__qualname__, *(_spelled(getattr(value, each.name)) for each in dataclasses.fields(value))]
    function = getattr(value, "py_func", value)
    function = getattr(function, "__wrapped__", function)
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    if name.startswith(HOME) and "<" not in name:
        return name
    raise UnknownError
