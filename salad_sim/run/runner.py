"""Plays a plan: plan -> shards -> executor -> tally."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.errors import IllegalMoveError, SaladError, StrategyError
from salad_sim.game.cards import facts
from salad_sim.game.engine import LEGAL
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.jit.blocks import distance
from salad_sim.jit.kernel import cache_folder
from salad_sim.run.deal_ledger import Ledger
from salad_sim.run.executors import Part, RangeCutter, Shard, ShardCutter, n_cores, play_on_threads
from salad_sim.run.plan import Plan, whole_number
from salad_sim.strategy.memory import memory_dtype

MOST_WORKERS = 1024

_marked: set[tuple[int, ...]] = set()
"""What this process has compiled or loaded, and said so in the cache folder."""

Progress = Callable[[int, int], None]
"""Called with the games counted so far and the games planned."""

PATIENCE = 600.0
"""Seconds that a shard may take before a run is given up: some strategy does not come to an end."""


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


def is_cold(plan: Plan) -> bool:
    """Return whether some code of the plan is not in the disk cache yet, so that `prepare` will compile it."""
    marks = _marks(plan)
    return marks is not None and not all(any(mark.exists() for mark in places) for places in marks)


def is_engine_cold(plan: Plan) -> bool:
    """Return whether the game itself has to be compiled, which takes longer than any strategy."""
    marks = _marks(plan)
    return marks is not None and not any(mark.exists() for mark in marks[0])


def _marks(plan: Plan) -> list[list[Path]] | None:
    """Return the files that say of a function of the plan that its code for the plan's records is in the disk cache.

    The index of numba's cache tells by its name which function it is of, but not for which records. For each function
    there may be several places, or none; None where nothing is ever compiled.
    """
    functions = [plan.game.shard.play_shard, *(each.kernel(plan.capacity) for each in plan.lineup)]
    if not all(hasattr(function, "py_func") for function in functions):  # NUMBA_DISABLE_JIT
        return None
    folder = cache_folder()
    places = [_fresh_indexes(folder, function.py_func) if folder else [] for function in functions]
    return [[index.with_suffix(f".{plan.capacity}") for index in indexes] for indexes in places]


def _fresh_indexes(folder: Path, function: Callable[..., Any]) -> list[Path]:
    source = Path(function.__code__.co_filename)
    found = folder.rglob(f"{source.stem}.{function.__qualname__}-*.nbi")
    return [index for index in found if index.stat().st_mtime >= source.stat().st_mtime]


def prepare(plan: Plan) -> tuple[Any, list[Any]]:
    """Compile the engine and the strategies of a plan, or load them from the disk cache.

    Returns
    -------
    play : kernel
        `play_shard`.
    choices : list of kernels
        Six, as it wants them; those beyond the number of players are never called.

    Raises
    ------
    InputError
        If a strategy does not compile.
    """
    choices = [each.ready(plan.capacity) for each in plan.lineup]
    play = plan.game.shard.shard_player(plan.capacity)
    key = (id(play), *(id(each) for each in choices), plan.capacity)
    if key not in _marked:  # reading the folder takes longer than to play a few games
        for mark in chain.from_iterable(_marks(plan) or []):
            mark.touch()
        _marked.add(key)
    return play, choices + choices[:1] * (MAX_PLAYERS - len(choices))


def workspace_size(plan: Plan, dtype: np.dtype[np.record] | None = None) -> int:
    """Return the bytes of a workspace of a plan with the memory that its strategies declare."""
    return sum(_sizes(plan, dtype or plan.game.shard.workspace_dtype(plan.capacity)))


def _sizes(plan: Plan, dtype: np.dtype[np.record]) -> list[int]:
    """Return the bytes of the workspace record and of each seat's memory, in multiples of eight."""
    memories = [memory_dtype(each.memory, plan.capacity) for each in plan.lineup]
    return [-(-each.itemsize // 8) * 8 if each is not None else 0 for each in (dtype, *memories)]


def new_workspace(
    plan: Plan, dtype: np.dtype[np.record] | None = None, buffer: npt.NDArray[np.uint8] | None = None
) -> np.record:
    """Return a workspace on which shards of a plan can be played; first_deal and n_deals are left to set.

    Parameters
    ----------
    plan : Plan
    dtype : dtype, optional
        With all the fields of a workspace and more; by default those alone.
    buffer : uint8 array [workspace_size(plan, dtype)], optional
        Where it shall lie, zeroed; by default it gets room of its own. The memory that strategies declare lies in there
        too, behind the record.
    """
    dtype = dtype or plan.game.shard.workspace_dtype(plan.capacity)
    sizes = _sizes(plan, dtype)
    if buffer is None:
        buffer = np.zeros(sum(sizes) // 8, dtype=np.int64).view(np.uint8)
    work: np.record = buffer[: dtype.itemsize].view(dtype)[0]
    for place, (size, start) in enumerate(zip(sizes[1:], accumulate(sizes), strict=False)):
        if size:
            work.own[place].memory_at = distance(work.own[place], buffer[start:])
            work.own[place].memory_size = size
    work.seed = plan.seed
    work.n_rotations = plan.n_rotations
    work.group[: plan.n_players] = plan.groups
    work.head_start[: len(plan.head_start)] = plan.head_start
    for place, each in enumerate(plan.lineup):
        work["own"]["params"][place, : len(each.values)] = each.values
    cards = facts(plan.cards, plan.rules, plan.capacity)
    plan.game.set_up(work.table, plan.n_players, cards, plan.rules, plan.drawn)
    return work


class ShardPlayer:
    """One worker: a workspace of its own, and the kernels that all workers share."""

    def __init__(self, plan: Plan, kernels: tuple[Any, list[Any]], dtype: np.dtype[np.record] | None = None) -> None:
        self.plan = plan
        self.play, self.choices = kernels
        self.work = new_workspace(plan, dtype)
        self.since: float | None = None  # when it began with the shard that it is playing

    def __call__(self, shard: Shard) -> np.record:
        """Play a shard and return its tally, which is valid until the next call.

        Raises
        ------
        IllegalMoveError, StrategyError
            At the first game that cannot be played to its end.
        """
        work = self.work
        work["tally"] = np.zeros((), dtype=work["tally"].dtype)
        work.first_deal = shard.first_deal
        work.n_deals = shard.n_deals
        self.since = monotonic()
        try:
            reason = self.play(work, *self.choices)
        except SaladError:
            raise
        except Exception as error:
            raise StrategyError(_what_failed(self.plan, work, f"raised {type(error).__name__}: {error}")) from error
        finally:
            self.since = None
        if reason != LEGAL:
            view = work.table.public
            move = self.plan.game.move_in_words(view, self.plan.cards, int(work.move))
            why = self.plan.game.why_illegal[int(reason)]
            raise IllegalMoveError(_what_failed(self.plan, work, f"made an illegal move: {move}. Why not: {why}"))
        return work.tally  # type: ignore[no-any-return]


def _what_failed(plan: Plan, work: np.record, what: str) -> str:
    """Say which strategy did ``what``, where and when."""
    view = work.table.public
    seat, deal, rotation = int(view.seat), int(work.deal), int(work.rotation)
    turned = f", rotation {rotation} of deal {deal}" if plan.rotate else ""
    game = f"game {plan.game_number(deal, rotation)} of seed {plan.seed}{turned}, {plan.n_players} players"
    name = plan.label_at(seat, rotation)
    return f"strategy {name!r} at seat {seat + 1}, turn {int(view.turn) + 1} of {game}, {what}"


def check_workers(given: int | str | None) -> int:
    """Return the number of threads to use: ``given``, or one for each core.

    Raises
    ------
    InputError
        If it is not a whole number from 1 to 1024.
    """
    return n_cores() if given is None else whole_number("workers", given, 1, MOST_WORKERS)


def play_plan(
    plan: Plan,
    workers: int | str | None = None,
    progress: Progress | None = None,
    shard_deals: int | None = None,
    ledger: Ledger | None = None,
    watch: Callable[[], None] | None = None,
    players: Callable[[Plan, tuple[Any, list[Any]]], ShardPlayer] = ShardPlayer,
    patience: float = PATIENCE,
    waiting: Callable[[], None] | None = None,
) -> Count:
    """Play a plan and count; the result does not depend on workers or shards, since tallies add exactly.

    Parameters
    ----------
    plan : Plan
    workers : int, optional
        Threads, 1..1024; by default one for each core.
    progress : callable, optional
        Called about ten times a second with the games counted so far and the games planned.
    shard_deals : int, optional
        Deals in a shard at most; by default the size adapts to the speed.
    ledger : Ledger, optional
        Where to count, and what is counted already; by default nothing is.
    watch, players : callable, optional
        Called as often as ``progress``; makes a worker.
    patience : float
        Seconds that a shard may take before the run is given up.
    waiting : callable
        Called once, a moment after Ctrl-C, if workers are then still playing.

    Raises
    ------
    InputError
        If ``workers`` is not allowed, or a strategy does not compile.
    IllegalMoveError, StrategyError
        If a strategy fails (of several the first by number of the deal), or does not come to an end.
    """
    ledger = Ledger.of(plan.ranges) if ledger is None else ledger
    missing = ledger.missing()
    n_left = sum(stop - first for first, stop in missing)
    n_workers = min(check_workers(workers), max(n_left, 1))
    at_work = [players(plan, kernels) for kernels in [prepare(plan)] * n_workers]
    guard = Guard(at_work, patience)

    def look() -> None:
        if progress is not None:
            progress(ledger.games, plan.n_games)
        if watch is not None:
            watch()

    start = perf_counter()
    shards = RangeCutter(n_left, n_workers, fixed=shard_deals, ranges=missing)
    interrupted = bool(missing) and play_on_threads(
        shards, at_work, ledger.add, look, check=guard.check, waiting=waiting
    )
    if progress is not None and not interrupted:
        progress(ledger.games, plan.n_games)
    return Count(ledger.total, perf_counter() - start, interrupted)


def play_shards(
    shards: ShardCutter,
    workers: Sequence[Callable[[Shard], Part]],
    players: Sequence[ShardPlayer],
    collect: Callable[[Shard, Part], None],
    watch: Callable[[], None],
) -> bool:
    """Play shards as `executors.play_on_threads` does, and give up if a strategy does not come to an end.

    Parameters
    ----------
    shards, workers, collect, watch
        As there; ``workers`` are its players.
    players : sequence of ShardPlayer
        What the workers play with.

    Raises
    ------
    IllegalMoveError, StrategyError
        If a strategy fails, or has not finished a shard within `PATIENCE`.
    """
    return play_on_threads(shards, workers, collect, watch, check=Guard(players, PATIENCE).check)


class Guard:
    """Notices a strategy that does not come to an end: no kernel can be stopped, but a run can be given up."""

    def __init__(self, players: Sequence[ShardPlayer], patience: float) -> None:
        self.players = players
        self.patience = patience

    def check(self) -> None:
        """Give up if some shard takes too long, though others may still be finished.

        Raises
        ------
        StrategyError
            Which strategy is at work longest, in which game. Its thread goes on until the program ends.
        """
        at_work = [(since, player) for player in self.players if (since := player.since) is not None]
        since, player = min(at_work, key=lambda each: each[0], default=(None, None))
        if player is None or since is None or monotonic() - since < self.patience:
            return
        what = f"does not come to an end: its shard was not finished within {self.patience:g} seconds"
        raise StrategyError(_what_failed(player.plan, player.work, what))
