"""Keeps what a job has played while it goes on: an observer that watches sessions hands them this, and it is theirs.

What is found in each shard is written to the end of one file, every few seconds, in chunks with a checksum. When the
same job is driven again, in this process or another, the shards that are there are taken and the others are played. A
job is known by what is played and counted, its code and its strategies, whatever calls it; deals are not part of it, so
it may be driven in other portions.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from salad_sim.errors import InputError
from salad_sim.files.sealed import DamagedError, sealed_arrays, unsealed_arrays
from salad_sim.run.deal_ledger import Range
from salad_sim.run.driver import Job, Kept
from salad_sim.run.executors import Shard
from salad_sim.storage.identity import record_of, same_study
from salad_sim.storage.plain_parts import Reader, UnknownError, Writer

FILE = "games.journal"
FORMAT = "salad-sim journal 2"
SAVE_SECONDS = 5.0
SHARE_OF_TIME = 20
"""Saving takes no more than one second in so many."""

N_LENGTH = 8


class Journal:
    """What is kept of all jobs of a command in a folder."""

    def __init__(
        self, folder: Path, tell: Callable[[str], None] = lambda _: None, begin: Callable[[], None] = lambda: None
    ) -> None:
        """Read what is there; a chunk that was not written to its end is cut off. ``begin`` is called before a save."""
        self.folder, self.file = folder, folder / FILE
        self.begin = begin
        self.tell = tell
        self.pages: dict[str, Page] = {}
        self.last: float | None = None
        self.cost = 0.0
        self.failed = False
        self.size = 0
        self.waiting: list[bytes] = []
        self._read()

    def page(self, job: Job[Any]) -> Kept | None:
        """Return what is kept of a job; None if it cannot be."""
        try:
            writer = Writer(lambda plan: same_study(record_of(plan)))
            text = json.dumps([FORMAT, writer.plain([job.plans, job.worker, job.kernel])], sort_keys=True)
        except (UnknownError, InputError):
            return None
        key = hashlib.sha256(text.encode())
        for array in writer.arrays.values():
            key.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
        return self.pages.setdefault(key.hexdigest(), Page())

    def save_if_due(self) -> None:
        """Save, unless that was done a moment ago. A full disk does not end a job: it may have room again later."""
        if self.last is not None and perf_counter() - self.last < max(SAVE_SECONDS, SHARE_OF_TIME * self.cost):
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
            self.begin()
            if self.waiting:
                self._append(b"".join(len(chunk).to_bytes(N_LENGTH, "little") + chunk for chunk in self.waiting))
                self.waiting.clear()
        except OSError as error:
            raise InputError(f"cannot write {str(self.file)!r}: {error.strerror}") from None
        finally:
            self.last = perf_counter()
            self.cost = self.last - start

    def forget(self) -> None:
        """Let go of all that was kept: what it was for is saved elsewhere now."""
        self.pages.clear()
        self.waiting.clear()
        if self.size:
            os.truncate(self.file, 0)
            self.size = 0

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
                page.old += _shards(about, arrays)
                self.size = file.tell()
        os.truncate(self.file, self.size)


class Page:
    """What is kept of one job: finished shards, from the file and new ones, and the arrays of each."""

    def __init__(self) -> None:
        self.old: list[tuple[Shard, Any, Mapping[str, Any]]] = []
        self.new: list[tuple[Shard, Any, Mapping[str, Any]]] = []
        self._lock = threading.Lock()

    def within(self, ranges: Sequence[Range]) -> Iterator[tuple[Shard, Any]]:
        """Yield the finished shards that lie in ranges of deals, each deal once."""
        known = sorted(self.old, key=lambda each: (each[0].first_deal, each[0].n_deals))
        for first, stop in sorted(ranges):
            at = first
            for shard, found, arrays in known:
                if shard.first_deal >= at and shard.first_deal + shard.n_deals <= stop:
                    at = shard.first_deal + shard.n_deals
                    yield shard, Reader(arrays).value(found)

    def keep(self, shard: Shard, part: Any) -> None:
        """Keep what was found in a shard, as it is now."""
        writer = Writer()
        try:
            found = writer.plain(part)
        except UnknownError:
            return
        with self._lock:
            self.new.append((shard, found, writer.arrays))

    def take_new(self) -> list[tuple[Shard, Any, Mapping[str, Any]]]:
        """Return what is new and remember it as old."""
        with self._lock:
            taken, self.new = self.new, []
        self.old += taken
        return taken


def _chunk(key: str, new: list[tuple[Shard, Any, Mapping[str, Any]]]) -> bytes:
    """Return shards and what was found in them as bytes; arrays are named by the number of the shard and their own."""
    shards = [[shard.first_deal, shard.n_deals, found] for shard, found, _ in new]
    arrays = {f"{at}.{name}": array for at, (_, _, of_shard) in enumerate(new) for name, array in of_shard.items()}
    return sealed_arrays(FORMAT, {"key": key, "shards": shards}, arrays)


def _shards(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> Iterator[tuple[Shard, Any, Mapping[str, Any]]]:
    """Yield what `_chunk` wrote down."""
    of_shard: dict[str, dict[str, Any]] = {}
    for name, array in arrays.items():
        place, _, rest = name.partition(".")
        of_shard.setdefault(place, {})[rest] = array
    for at, (first, n_deals, found) in enumerate(about["shards"]):
        yield Shard(first, n_deals), found, of_shard.get(str(at), {})
