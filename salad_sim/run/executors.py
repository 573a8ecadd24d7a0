"""Shards of a run, and the threads that play them.

Kernels release the interpreter lock, so plain threads use all cores. Shards are cut when they are taken, as large as
the speed measured so far suggests: memory does not depend on how many games there are.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Generic, TypeVar

TARGET_SECONDS = 0.15
"""How long a shard should take: long against the cost of handing it out, short against a person's patience."""

WAIT_SECONDS = 1.0
"""How long after Ctrl-C until somebody at the keyboard wants to know what is waited for."""

GROWTH = 8
SHORTEST_SHARE = 1 / 30
"""Of that time, for the shards at the end."""

Part = TypeVar("Part")


class SecondInterrupt(KeyboardInterrupt):
    """Ctrl-C was pressed again, while what was being played was let end: nothing is waited for any more."""


def n_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Shard:
    """A range of deals, played in one go by one worker."""

    first_deal: int
    n_deals: int


@dataclass
class ShardCutter:
    """Cuts ranges of deals into shards, in order, none across the border of two ranges.

    Attributes
    ----------
    ranges : list of (int, int)
        Deals first .. stop - 1 that are not yet handed out.
    n_workers : int
    fixed : int, optional
        Deals in every shard; by default the size adapts to the speed.
    most : int, optional
        Deals in a shard at most.
    unit : int
        Deals in a shard are a multiple of it, but for the last one of a range.
    target_seconds : float
        How long a shard should take.
    """

    ranges: list[tuple[int, int]]
    n_workers: int
    fixed: int | None = None
    most: int | None = None
    unit: int = 1
    target_seconds: float = TARGET_SECONDS
    _size: int = 1
    _deals_per_second: float = 0.0

    def __post_init__(self) -> None:
        self.ranges = list(self.ranges)
        self.n_left = sum(stop - first for first, stop in self.ranges)

    def take(self) -> Shard | None:
        """Return the next shard, or None when all deals are handed out."""
        if not self.ranges:
            return None
        first, stop = self.ranges[0]
        shard = Shard(first, min(self._deals_of_next(), stop - first))
        self.n_left -= shard.n_deals
        self.ranges[:1] = [(first + shard.n_deals, stop)] if first + shard.n_deals < stop else []
        return shard

    def _deals_of_next(self) -> int:
        n_deals = self.fixed or self._size
        if self.fixed is None:
            # the last shards get smaller, so that the workers end together
            shortest = int(self._deals_per_second * self.target_seconds * SHORTEST_SHARE) + 1
            n_deals = min(n_deals, max(self.n_left // (2 * self.n_workers), shortest))
        n_deals = min(n_deals, self.most or n_deals)
        return -(-n_deals // self.unit) * self.unit

    def learn(self, shard: Shard, seconds: float) -> None:
        """Adapt the size of shards to what one took."""
        self._deals_per_second = shard.n_deals / max(seconds, 1e-9)
        wanted = int(self._deals_per_second * self.target_seconds) + 1
        self._size = min(wanted, GROWTH * max(shard.n_deals, self._size))


@dataclass
class _Pool(Generic[Part]):
    """What the threads share: the shards, the parts that are done, the failures."""

    shards: ShardCutter
    collect: Callable[[Shard, Part], None]
    changed: threading.Condition = field(default_factory=threading.Condition)
    failures: list[tuple[int, BaseException]] = field(default_factory=list)
    stopped: bool = False
    n_running: int = 0

    def take(self) -> Shard | None:
        with self.changed:
            return None if self.stopped else self.shards.take()

    def give(self, shard: Shard, part: Part, seconds: float) -> None:
        with self.changed:
            self.collect(shard, part)
            self.shards.learn(shard, seconds)

    def fail(self, shard: Shard, error: BaseException) -> None:
        with self.changed:
            self.failures.append((shard.first_deal, error))
            self.stopped = True

    def leave(self) -> None:
        with self.changed:
            self.n_running -= 1
            self.changed.notify_all()

    def serve(self, play: Callable[[Shard], Part]) -> None:
        """Play shards until there are no more."""
        try:
            while (shard := self.take()) is not None:
                start = perf_counter()
                try:
                    part = play(shard)
                    self.give(shard, part, perf_counter() - start)
                except BaseException as error:  # handed to the thread that waits, which raises it
                    self.fail(shard, error)
        finally:
            self.leave()


def play_on_threads(
    shards: ShardCutter,
    players: Sequence[Callable[[Shard], Part]],
    collect: Callable[[Shard, Part], None],
    watch: Callable[[], None],
    every: float = 0.1,
    check: Callable[[], None] = lambda: None,
    waiting: Callable[[], None] = lambda: None,
) -> bool:
    """Play all shards, one thread for each of ``players``; return whether Ctrl-C ended it early.

    Parameters
    ----------
    shards : ShardCutter
    players : sequence of callables
        Each plays a shard and returns what it counted; it is only ever called by one thread.
    collect : callable
        Takes a finished shard and its part; calls do not overlap.
    watch : callable
        Called in the calling thread, about every ``every`` seconds.
    check : callable
        Called likewise, and still after Ctrl-C while the shards that run are let end; it may raise to give them up.
    waiting : callable
        Called once, a moment after Ctrl-C, if shards are then still running.

    Raises
    ------
    SecondInterrupt
        On a second Ctrl-C.
    BaseException
        The first failure, by the number of its deal. Shards are handed out in order and those that run are let end, so
        this is the same failure for any number of threads.
    """
    pool = _Pool(shards, collect, n_running=len(players))
    interrupted = False

    def look() -> None:
        watch()
        check()

    threads = [threading.Thread(target=pool.serve, args=(play,), daemon=True) for play in players]
    try:
        for thread in threads:
            thread.start()
        _wait(pool, look, every)
    except KeyboardInterrupt:
        interrupted = True
        with pool.changed:
            pool.stopped = True
            pool.n_running -= sum(thread.ident is None for thread in threads)
        _finish(pool, check, every, waiting)
    except BaseException:
        pool.stopped = True
        raise
    if pool.failures:
        raise min(pool.failures, key=lambda failure: failure[0])[1]
    return interrupted


def _finish(pool: _Pool[Part], check: Callable[[], None], every: float, waiting: Callable[[], None]) -> None:
    """Let the shards that run end after Ctrl-C; a second one does not wait for them."""
    try:
        if not _wait(pool, check, every, WAIT_SECONDS):
            waiting()
            _wait(pool, check, every)
    except KeyboardInterrupt:
        raise SecondInterrupt from None


def _wait(pool: _Pool[Part], watch: Callable[[], None], every: float, most: float = math.inf) -> bool:
    """Wait until no thread runs any more, for so many seconds at most; return whether that is so."""
    start = perf_counter()
    while perf_counter() - start < most:
        with pool.changed:
            if pool.changed.wait_for(lambda: pool.n_running == 0, timeout=every):
                return True
        watch()
    return False
