"""Games of one strategy against another, watched: place 0 of the line-up is, and what it does is added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from salad_sim.jit.records import new_record
from salad_sim.play.decision_recorder import MOST_ROWS, notes_dtype, watching_player
from salad_sim.run.executors import Shard, ShardCutter
from salad_sim.run.plan import Plan
from salad_sim.run.runner import Progress, ShardPlayer, check_workers, play_shards, prepare
from salad_sim.stats.ratios import Ratios
from salad_sim.studies.profile.habits import Counter, Sums, most_left, wishes_of

MOST_POSITIONS = 100_000
"""Positions that the solution of an ending may take."""


@dataclass(frozen=True)
class Watched:
    """What was seen.

    Attributes
    ----------
    sums : dict of str to Ratios
        See `Counter.count`.
    n_deals : int
        Deals that were played, each in every rotation.
    seconds : float
        Time spent playing.
    interrupted : bool
        Whether Ctrl-C ended it early.
    """

    sums: Sums
    n_deals: int
    seconds: float
    interrupted: bool


class _Watcher:
    """One worker: a workspace, notes to fill, and the kernels that all workers share."""

    def __init__(self, plan: Plan, kernels: tuple[Any, list[Any]], ending_deals: int) -> None:
        self.kernel, choices = kernels
        self.player = ShardPlayer(plan, (self._play, choices))
        self.counter = Counter(plan)
        self.notes = new_notes(plan, ending_deals)

    def _play(self, work: np.record, *choices: Any) -> int:
        return int(self.kernel(work, self.notes, *choices))

    def __call__(self, shard: Shard) -> Sums:
        notes = self.notes
        notes.n_rows = notes.n_rounds = 0
        self.player(shard)
        return self.counter.count(notes["rows"][: notes.n_rows], notes["rounds"][: notes.n_rounds], shard)


def new_notes(plan: Plan, ending_deals: int) -> np.record:
    """Return the notes of a watcher, with what the cards of the plan ask for."""
    notes = new_record(notes_dtype(plan.capacity))
    notes.ending_deals = ending_deals
    notes.most_left = most_left(plan)
    notes.most_positions = MOST_POSITIONS
    for number, card in enumerate(plan.cards):
        notes["asks"][number], notes["shuns"][number] = wishes_of(card)
    return notes


def _most_rows(plan: Plan) -> int:
    """Return how many decisions the games of a deal have at most: each takes a card."""
    return plan.n_rotations * plan.rules.rounds * sum(plan.drawn)


def deals_at_once(plan: Plan) -> int:
    """Return how many deals a worker keeps the rows of."""
    return max(1, MOST_ROWS // _most_rows(plan))


def watch_plan(
    plan: Plan, ending_deals: int, workers: int | str | None = None, progress: Progress | None = None
) -> Watched:
    """Play a plan and add up what place 0 of its line-up does.

    The result does not depend on the number of workers.

    Parameters
    ----------
    plan : Plan
        Of the game itself.
    ending_deals : int
        Deals, from the first on, whose endings are solved.
    workers, progress
        As in `runner.play_plan`.

    Raises
    ------
    InputError
        If ``workers`` is not allowed, or a strategy does not compile.
    IllegalMoveError, StrategyError
        If a strategy fails.
    """
    n_workers = min(check_workers(workers), plan.n_deals)
    _, choices = prepare(plan)
    kernels = watching_player(plan.capacity), choices
    sums: Sums = {}
    n_done = 0

    def collect(shard: Shard, part: Mapping[str, Ratios]) -> None:
        nonlocal n_done
        sums.update({name: sums[name] + ratios if sums else ratios for name, ratios in part.items()})
        n_done += shard.n_deals

    def watch() -> None:
        if progress is not None:
            progress(n_done * plan.n_rotations, plan.n_games)

    start = perf_counter()
    at_work = [_Watcher(plan, kernels, ending_deals) for _ in range(n_workers)]
    interrupted = play_shards(
        ShardCutter(plan.n_deals, n_workers, most=deals_at_once(plan)),
        at_work,
        [each.player for each in at_work],
        collect,
        watch,
    )
    if not n_done:
        raise KeyboardInterrupt
    if not interrupted:
        watch()
    return Watched(sums, n_done, perf_counter() - start, interrupted)
