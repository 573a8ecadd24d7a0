"""Games of one strategy against another, watched: place 0 of the line-up is, and what it does is added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from salad_sim.jit.records import new_record
from salad_sim.play.decision_recorder import MOST_ROWS, notes_dtype, watch_shard, watching_player
from salad_sim.run.driver import Job, Session
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.run.runner import Kernels, ShardKernel, ShardPlayer
from salad_sim.stats.ratios import Ratios
from salad_sim.studies.profile.habits import Counter, Sums, most_left, wishes_of

WATCHING = ShardKernel(watch_shard, watching_player)

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
    interrupted : bool
        Whether Ctrl-C ended it early.
    """

    sums: Sums
    n_deals: int
    interrupted: bool


class _Watcher(ShardPlayer):
    """One worker: a workspace, rows to fill, and the kernels that all workers share."""

    def __init__(self, plan: Plan, ending_deals: int, kernels: Kernels) -> None:
        self.watch, choices = kernels
        super().__init__(plan, (self._play, choices))
        self.counter = Counter(plan)
        self.notes = new_notes(plan, ending_deals)

    def _play(self, work: np.record, *choices: Any) -> int:
        return int(self.watch(work, self.notes, *choices))

    def clear(self) -> None:
        """Forget the rows."""
        self.notes.n_rows = self.notes.n_rounds = 0

    def __call__(self, shard: Shard) -> Sums:
        notes = self.notes
        self.clear()
        super().__call__(shard)
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


def watch_plan(plan: Plan, ending_deals: int, session: Session | None = None) -> Watched | None:
    """Play a plan and add up what place 0 of its line-up does.

    The result does not depend on the number of workers.

    Parameters
    ----------
    plan : Plan
        Of the game itself.
    ending_deals : int
        Deals, from the first on, whose endings are solved.
    session : Session, optional

    Returns
    -------
    Watched or None
        None if Ctrl-C came before any deal was counted.

    Raises
    ------
    InputError, IllegalMoveError, StrategyError, KeyboardInterrupt
        As `Session.drive`.
    """
    session = session or Session()
    session.expect(plan.n_games)
    sums: Sums = {}
    n_done = 0

    def collect(shard: Shard, part: Mapping[str, Ratios]) -> None:
        nonlocal n_done
        sums.update({name: sums[name] + ratios if sums else ratios for name, ratios in part.items()})
        n_done += shard.n_deals

    worker = partial(_Watcher, plan, ending_deals)
    session.drive(Job((plan,), worker, [(0, plan.n_deals)], WATCHING, most=deals_at_once(plan)), collect)
    return Watched(sums, n_done, session.interrupted) if n_done else None
