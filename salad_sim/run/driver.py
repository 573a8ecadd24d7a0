"""The one way to play: a session drives jobs, one after the other, and somebody may watch and press Ctrl-C.

A job is a list of ranges of deals under one plan or several. What its workers find in the shards of the ranges adds up
exactly, whoever plays them and in whatever order they are done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from salad_sim.play.tally import merged_tallies
from salad_sim.run.deal_ledger import Ledger, Range
from salad_sim.run.executors import SecondInterrupt, Shard, ShardCutter, play_on_threads
from salad_sim.run.plan import Plan
from salad_sim.run.runner import (
    PATIENCE,
    Guard,
    Kernels,
    ShardKernel,
    ShardPlayer,
    check_workers,
    prepare,
)

COMPILING = "compiling for this machine, the first time only"
COMPILING_STRATEGIES = "compiling strategies for this machine, the first time only"

Part_co = TypeVar("Part_co", covariant=True)
Part = TypeVar("Part", bound=Any)
Found = TypeVar("Found")
Progress = Callable[[int, int], None]
"""Called with the games counted so far and the games planned."""


class Worker(Protocol[Part_co]):
    """Plays shards, one at a time."""

    @property
    def players(self) -> Sequence[ShardPlayer]:
        """What it plays with."""

    def __call__(self, shard: Shard) -> Part_co:
        """Play a shard and return what was found."""


@dataclass(frozen=True)
class Job(Generic[Part]):
    """What is to be played in one go.

    Attributes
    ----------
    plans : tuple of Plan
        What each deal is played under.
    worker : callable
        Kernels, one for each plan -> a worker.
    ranges : sequence of (int, int)
        The deals, first .. stop - 1, in the order in which they are begun. No shard crosses the border of two ranges.
    kernel : ShardKernel, optional
        What plays the shards; by default what the game does.
    fixed : int, optional
        Deals of every shard; by default it adapts to the speed.
    most : int, optional
        Deals of a shard at most.
    n_games : callable, optional
        What was found in a shard -> games that it had; by default those of its deals.
    merge : callable, optional
        What was found in two shards side by side -> what is found in one of all their deals; it may change the first.
        Where it is given, what is kept of a long job stays small.
    """

    plans: tuple[Plan, ...]
    worker: Callable[..., Worker[Part]]
    ranges: Sequence[Range]
    kernel: ShardKernel | None = None
    fixed: int | None = None
    most: int | None = None
    n_games: Callable[[Part], int] | None = None
    merge: Callable[[Part, Part], Part] | None = None

    @property
    def n_deals(self) -> int:
        """Deals to be played."""
        return sum(stop - first for first, stop in self.ranges)


class Kept(Protocol):
    """What is kept of a job from an earlier start, and where more of it is."""

    def within(self, ranges: Sequence[Range]) -> Iterator[tuple[Shard, Any]]:
        """Yield finished shards that lie in ranges of deals, each deal once, and what was found in them."""

    def keep(self, shard: Shard, part: Any) -> None:
        """Keep what was found in a shard, as it is now."""


class Keeper(Protocol):
    """Keeps what is played in all sessions of an observer, so that it may go on after any kind of stop."""

    @property
    def folder(self) -> Path:
        """Where."""

    def page(self, job: Job[Any]) -> Kept | None:
        """Return what is kept of a job; None if nothing can be."""

    def save_if_due(self) -> None:
        """Save, unless that was done a moment ago."""

    def forget(self) -> None:
        """Let go of all that was kept: what it was for is saved elsewhere now."""


class Elsewhere(Protocol):
    """Plays jobs on other machines."""

    def play(self, job: Job[Part], take: Callable[[Shard, Part], None], session: Session) -> bool | None:
        """Play a job as the threads here would; return whether Ctrl-C ended it early, None if it must be played here.

        Whatever is finished is taken; meanwhile `Session.look` is called now and then.
        """


@dataclass
class Observer:
    """Somebody who watches sessions and may end them; all that he watches end by one Ctrl-C.

    Attributes
    ----------
    progress : callable, optional
        Called about ten times a second with the games done and planned.
    waiting : callable
        Called once, a moment after Ctrl-C, if shards are then still being played.
    tell : callable
        Called with what takes long, a sentence each, once.
    interrupted : bool
        Whether Ctrl-C was pressed: what has been counted stays, nothing more is played.
    keeper : Keeper, optional
        Who keeps what is played.
    elsewhere : Elsewhere, optional
        Who plays in place of the threads here.
    """

    progress: Progress | None = None
    waiting: Callable[[], None] = lambda: None
    tell: Callable[[str], None] = lambda _: None
    interrupted: bool = False
    keeper: Keeper | None = None
    elsewhere: Elsewhere | None = None
    _told: set[str] = field(default_factory=set)

    def __call__(self, done: int, planned: int) -> None:
        """Take note of how far it is."""
        if self.progress is not None:
            self.progress(done, planned)

    def tell_once(self, text: str) -> None:
        """Say something, unless it was said before."""
        if text not in self._told:
            self._told.add(text)
            self.tell(text)


class Session:
    """Plays jobs one after the other, and knows how many games are planned and done.

    Attributes
    ----------
    workers : int
    observer : Observer
    planned : int
        Games of all jobs; may be corrected as the session goes on.
    done : int
    seconds : float
        Spent playing.
    patience : float
        Seconds that a shard may take before it is given up: some strategy does not come to an end.
    careful : bool
        Whether it is looked at after each choice that the strategy wrote to nothing that lies on the table.
    save : callable
        Called at every saving point: what was collected so far is then whole.
    """

    def __init__(
        self,
        workers: int | str | None = None,
        progress: Progress | None = None,
        planned: int = 0,
        patience: float = PATIENCE,
        save: Callable[[], None] = lambda: None,
        careful: bool = False,
    ) -> None:
        """Check the workers; ``progress`` may be an `Observer`, who watches other sessions too.

        Raises
        ------
        InputError
            If ``workers`` is not allowed.
        """
        self.workers = check_workers(workers)
        self.observer = progress if isinstance(progress, Observer) else Observer(progress)
        self.planned, self.done, self.seconds = planned, 0, 0.0
        self.patience = patience
        self.save = save
        self.careful = careful

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed: what has been counted stays, nothing more is played."""
        return self.observer.interrupted

    def expect(self, n_games: int) -> None:
        """Plan so many games, unless they are part of something larger that has planned them."""
        self.planned = self.planned or n_games

    def prepare(self, plan: Plan, kernel: ShardKernel | None = None) -> Kernels:
        """Compile or load what a plan needs as `runner.prepare` does, and say so if that takes long."""
        return prepare(
            plan,
            kernel,
            lambda kernel_too: self.observer.tell_once(COMPILING if kernel_too else COMPILING_STRATEGIES),
        )

    def drive(self, job: Job[Part], collect: Callable[[Shard, Part], None]) -> None:
        """Play a job, or what Ctrl-C leaves of it; after an earlier Ctrl-C nothing.

        Parameters
        ----------
        job : Job
        collect : callable
            Takes a finished shard and what was found in it; calls do not overlap.

        Raises
        ------
        InputError
            If a strategy does not compile.
        IllegalMoveError, StrategyError
            If a strategy fails (of several the first by number of the deal), or has not finished a shard within the
            patience.
        SecondInterrupt
            On a second Ctrl-C, which does not wait for what is being played.
        """
        if self.interrupted or not job.n_deals:
            return
        with self.hearing():
            self._drive(job, collect)
            if not self.interrupted:
                self.look()

    def _drive(self, job: Job[Part], collect: Callable[[Shard, Part], None]) -> None:
        keeper = self.observer.keeper
        kept = None if keeper is None else keeper.page(job)
        games_of_deal = sum(plan.n_rotations for plan in job.plans)

        def take(shard: Shard, part: Part) -> None:
            collect(shard, part)
            self.done += shard.n_deals * games_of_deal if job.n_games is None else job.n_games(part)

        def take_new(shard: Shard, part: Part) -> None:
            if kept is not None:
                kept.keep(shard, part)
            take(shard, part)

        ranges = list(job.ranges)
        if kept is not None:
            for shard, part in kept.within(job.ranges):
                take(shard, part)
                ranges = _without(ranges, shard)
        if ranges:
            self._play(replace(job, ranges=ranges), take_new)

    def _play(self, job: Job[Part], take: Callable[[Shard, Part], None]) -> None:
        start, elsewhere = perf_counter(), self.observer.elsewhere
        ended = None if elsewhere is None else elsewhere.play(job, take, self)
        if ended is not None:
            self.observer.interrupted = ended
            self.seconds += perf_counter() - start
            return
        kernels = [self.prepare(plan, job.kernel) for plan in job.plans]
        n_workers = min(self.workers, job.n_deals)
        workers = [job.worker(*kernels) for _ in range(n_workers)]
        for player in (each for worker in workers for each in worker.players):
            player.work.careful = self.careful
        shards = ShardCutter(list(job.ranges), n_workers, job.fixed, job.most)
        guard = Guard([player for worker in workers for player in worker.players], self.patience)
        start = perf_counter()
        self.observer.interrupted = play_on_threads(
            shards, workers, take, self.look, check=guard.check, waiting=self.observer.waiting
        )
        self.seconds += perf_counter() - start

    def is_kept_in(self, folder: Path | None) -> bool:
        """Return whether what is played is kept in this folder, which nobody else works in then."""
        keeper = self.observer.keeper
        return keeper is not None and folder is not None and keeper.folder.resolve() == folder.resolve()

    def forget(self, folder: Path | None) -> None:
        """Let go of the games that are kept in a folder: what they were played for is saved there."""
        if self.observer.keeper is not None and self.is_kept_in(folder):
            self.observer.keeper.forget()

    @contextmanager
    def hearing(self) -> Iterator[None]:
        """Take Ctrl-C as what it is for a session, wherever it comes: this block ends, and nothing more is played."""
        try:
            yield
        except SecondInterrupt:
            raise
        except KeyboardInterrupt:
            self.observer.interrupted = True

    def look(self) -> None:
        """Say how far it is, and save."""
        self.observer(self.done, max(self.planned, self.done))
        self.save()
        if self.observer.keeper is not None:
            self.observer.keeper.save_if_due()


def _without(ranges: Sequence[Range], shard: Shard) -> list[Range]:
    """Return ranges of deals without those of a shard."""
    first, stop = shard.first_deal, shard.first_deal + shard.n_deals
    cut = [part for low, high in ranges for part in ((low, min(high, first)), (max(low, stop), high))]
    return [(low, high) for low, high in cut if low < high]


def counted(found: Found | None) -> Found:
    """Return what was found; end as Ctrl-C does if it came before anything was."""
    if found is None:
        raise KeyboardInterrupt
    return found


@dataclass(frozen=True)
class Count:
    """What a run has counted.

    Attributes
    ----------
    tally : numpy record of dtype `TALLY`
    seconds : float
        Time spent playing, compilation not included.
    interrupted : bool
        Whether Ctrl-C ended the run early; the tally then holds the whole shards that were done.
    """

    tally: np.record
    seconds: float
    interrupted: bool


def play_plan(
    plan: Plan,
    session: Session | None = None,
    shard_deals: int | None = None,
    ledger: Ledger | None = None,
    players: Callable[[Plan, Kernels], ShardPlayer] = ShardPlayer,
    kernel: ShardKernel | None = None,
) -> Count:
    """Play a plan and count; the result does not depend on workers or shards, since tallies add exactly.

    Parameters
    ----------
    plan : Plan
    session : Session, optional
        By default one thread for each core, and nobody watches.
    shard_deals : int, optional
        Deals in a shard; by default the size adapts to the speed.
    ledger : Ledger, optional
        Where to count, and what is counted already; by default nothing is.
    players, kernel : optional
        What makes a worker, and the kernel that it plays with.

    Raises
    ------
    InputError, IllegalMoveError, StrategyError, KeyboardInterrupt
        As `Session.drive`.
    """
    session = session or Session()
    ledger = Ledger.of(plan.ranges) if ledger is None else ledger
    before = session.seconds
    worker = partial(players, plan)
    job = Job((plan,), worker, ledger.missing(), kernel, fixed=shard_deals, merge=merged_tallies)
    session.drive(job, ledger.add)
    return Count(ledger.total, session.seconds - before, session.interrupted)
