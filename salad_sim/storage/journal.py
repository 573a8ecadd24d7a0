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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
        self.waiting: list[tuple[bytes, list[SavedShard]]] = []
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
        page = self._page(key.hexdigest())
        page.job = job
        return page

    def _page(self, key: str) -> Page:
        return self.pages.setdefault(key, Page(self._chunk))

    def _chunk(self, start: int) -> Chunk:
        """Return the plain data and the arrays of the chunk that begins at a byte of the file."""
        with self.file.open("rb") as file:
            file.seek(start)
            return unsealed_arrays(file.read(int.from_bytes(file.read(N_LENGTH), "little")), FORMAT)

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
        self.waiting += [page.take_new(key) for key, page in list(self.pages.items()) if page.new]
        try:
            self.begin()
            if self.waiting:
                self._append()
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

    def _append(self) -> None:
        """Write behind what is whole; half of it, as a full disk leaves it, is written over the next time."""
        starts = []
        with self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.seek(self.size)
            for chunk, _ in self.waiting:
                starts.append(file.tell())
                file.write(len(chunk).to_bytes(N_LENGTH, "little") + chunk)
            file.flush()
            os.fsync(file.fileno())
            self.size = file.tell()
        for start, (_, shards) in zip(starts, self.waiting, strict=True):
            for saved in shards:
                saved.start = start
        self.waiting.clear()

    def _read(self) -> None:
        if not self.file.is_file():
            return
        with self.file.open("rb") as file:
            most = os.fstat(file.fileno()).st_size
            while length := int.from_bytes(file.read(N_LENGTH), "little"):
                try:
                    about, _ = unsealed_arrays(file.read(min(length, most)), FORMAT)
                except DamagedError:
                    break
                page = self._page(about["key"])
                for number, (first, n_deals, _) in enumerate(about["shards"]):
                    page.old.append(SavedShard(Shard(first, n_deals), number, self.size))
                self.size = file.tell()
        os.truncate(self.file, self.size)


Chunk = tuple[dict[str, Any], dict[str, Any]]


@dataclass
class SavedShard:
    """A finished shard, or several side by side, and where it is in the file: its number in the chunk at ``start``."""

    shard: Shard
    number: int
    start: int = -1


@dataclass
class NewShard:
    """A finished shard, or several side by side in one range of deals, that is not saved yet."""

    shard: Shard
    range: int
    found: Any
    arrays: dict[str, Any]

    @property
    def stop(self) -> int:
        """The first deal behind it."""
        return self.shard.first_deal + self.shard.n_deals

    def join(self, other: NewShard, merge: Callable[[Any, Any], Any]) -> None:
        """Take in the shard that follows."""
        writer = Writer()
        self.found = writer.plain(merge(Reader(self.arrays).value(self.found), Reader(other.arrays).value(other.found)))
        self.arrays = writer.arrays
        self.shard = Shard(self.shard.first_deal, self.shard.n_deals + other.shard.n_deals)


class Page:
    """What is kept of one job: finished shards, in the file and new ones. In memory are the new ones only."""

    def __init__(self, chunk: Callable[[int], Chunk]) -> None:
        self.old: list[SavedShard] = []
        self.new: list[NewShard] = []
        self.job: Job[Any] | None = None
        self._chunk = chunk
        self._lock = threading.Lock()

    def within(self, ranges: Sequence[Range]) -> Iterator[tuple[Shard, Any]]:
        """Yield the finished shards that lie in ranges of deals, each deal once."""
        read = lru_cache(maxsize=4)(self._chunk)
        in_file = [saved for saved in self.old if saved.start >= 0]
        known = sorted(in_file, key=lambda saved: (saved.shard.first_deal, saved.shard.n_deals))
        for first, stop in sorted(ranges):
            at = first
            for saved in known:
                shard = saved.shard
                if shard.first_deal >= at and shard.first_deal + shard.n_deals <= stop:
                    at = shard.first_deal + shard.n_deals
                    about, arrays = read(saved.start)
                    begin = f"{saved.number}."
                    own = {name.removeprefix(begin): each for name, each in arrays.items() if name.startswith(begin)}
                    yield shard, Reader(own).value(about["shards"][saved.number][2])

    def keep(self, shard: Shard, part: Any) -> None:
        """Keep what was found in a shard, as it is now."""
        writer = Writer()
        try:
            found = writer.plain(part)
        except UnknownError:
            return
        ranges = [] if self.job is None else self.job.ranges
        where = next((low for low, high in ranges if low <= shard.first_deal < high), -1)
        with self._lock:
            self._add(NewShard(shard, where, found, writer.arrays))

    def _add(self, new: NewShard) -> None:
        """Add a shard to the one that it follows, if that can be: long jobs would fill memory and disk with parts."""
        merge = None if self.job is None else self.job.merge
        before = next((each for each in self.new if each.stop == new.shard.first_deal), None)
        if merge is None or before is None or before.range != new.range:
            self.new.append(new)
        else:
            before.join(new, merge)

    def take_new(self, key: str) -> tuple[bytes, list[SavedShard]]:
        """Return what is new as a chunk for the file, and how it is remembered."""
        with self._lock:
            taken, self.new = sorted(self.new, key=lambda each: each.shard.first_deal), []
            for each in taken:
                self._add(each)
            taken, self.new = self.new, []
        saved = [SavedShard(each.shard, number) for number, each in enumerate(taken)]
        self.old += saved
        return _sealed(key, taken), saved


def _sealed(key: str, new: Sequence[NewShard]) -> bytes:
    """Return shards and what was found in them as bytes; arrays are named by the number of the shard and their own."""
    shards = [[each.shard.first_deal, each.shard.n_deals, each.found] for each in new]
    arrays = {f"{at}.{name}": array for at, each in enumerate(new) for name, array in each.arrays.items()}
    return sealed_arrays(FORMAT, {"key": key, "shards": shards}, arrays)
