"""How long a strategy takes for a decision, measured on decisions of real games.

A decision is asked for again and again in one kernel, memory, hand and random stream put back each time, until that
takes long enough for the clock. What the call from Python costs, measured with a strategy that chooses nothing, is
subtracted; putting back is not, and adds some hundredths of a microsecond. A position that is asked about again is
fresh in the caches of the processor. Times belong to the machine and its state; nothing else of a profile depends on
them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np

from salad_sim.game.engine import apply_move, deal_next_round
from salad_sim.jit.blocks import copy_beside, distance
from salad_sim.jit.records import new_record
from salad_sim.play.decision_timer import asking_kernels, before_dtype
from salad_sim.play.shard import begin_game
from salad_sim.run.plan import Plan
from salad_sim.run.runner import new_workspace, prepare

SAMPLES = 300
"""Decisions that are timed, unless they take longer than `PATIENCE`."""

PATIENCE = 3.0
"""Seconds."""

BATCH = 0.0005
"""Seconds for which a decision is asked for again at least, for all of that to be long against the cost of asking."""

TIMES = (1, 16, 256, 4096)
"""How often it is asked for, until that takes long enough."""

CALLS = 20
"""Calls of the kernel that chooses nothing, whose fastest is what calling from Python costs."""

BATCHES = 3
"""Of these the fastest counts: whatever else the machine does only adds to a time."""

LONG = 0.02
"""Seconds from which one batch is enough."""


@dataclass(frozen=True)
class DecisionTime:
    """The time of a decision, in microseconds.

    Attributes
    ----------
    median, percentile_95 : float
    decisions : int
        How many were timed.
    """

    median: float
    percentile_95: float
    decisions: int

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return asdict(self)


class _Stopwatch:
    """A game that is played turn by turn, and a kernel that asks the watched strategy again."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        _, self.choices = prepare(plan)
        self.ask_again, self.no_choice = asking_kernels(plan.capacity)
        self.work = new_workspace(plan)
        self.before = new_record(before_dtype(plan.capacity))
        self.declared = np.zeros(int(self.work.own[0].memory_size), dtype=np.uint8)
        self.before.declared_at = distance(self.before, self.declared)
        self.cost: float | None = None
        self.seconds: list[float] = []

    def play(self, deal: int, rotation: int, until: float) -> None:
        """Play a game and time the decisions of place 0, until there are enough or time is up."""
        work, view = self.work, self.work.table.public
        work.deal, work.rotation = deal, rotation
        begin_game(work)
        while len(self.seconds) < SAMPLES and (not self.seconds or perf_counter() < until):
            if view.n_left == 0:
                if view.round_number + 1 >= view.n_rounds:
                    return
                deal_next_round(work.table)
            seat = int(view.seat)
            place = self.plan.place_at(seat, rotation)
            own, rng = work.own[place], work.rng[seat]
            if place == 0:
                self.time(view, own, rng)
            apply_move(work.table, int(self.choices[place](view, own, rng)))

    def time(self, view: Any, own: Any, rng: Any) -> None:
        """Time one decision; afterwards memory and stream are as before."""
        self.before["memory"], self.before["hand"], self.before["rng"] = own["memory"], own["hand"], rng
        copy_beside(self.before, self.before.declared_at, own, own.memory_at, own.memory_size)
        if self.cost is None:
            self.cost = min(self._ask(self.no_choice, view, own, rng, 1) for _ in range(CALLS))
        for n_times in TIMES:
            taken = self._fastest(view, own, rng, n_times) - self.cost
            if taken >= BATCH:
                break
        self.seconds.append(max(taken, 0.0) / n_times)
        for name in rng.dtype.names:
            rng[name] = self.before["rng"][name]
        own["memory"], own["hand"] = self.before["memory"], self.before["hand"]
        copy_beside(own, own.memory_at, self.before, self.before.declared_at, own.memory_size)

    def _fastest(self, view: Any, own: Any, rng: Any, n_times: int) -> float:
        taken = self._ask(self.choices[0], view, own, rng, n_times)
        if taken < LONG:
            taken = min(taken, *(self._ask(self.choices[0], view, own, rng, n_times) for _ in range(BATCHES - 1)))
        return taken

    def _ask(self, choice: Any, view: Any, own: Any, rng: Any, n_times: int) -> float:
        start = perf_counter()
        self.ask_again(choice, view, own, rng, self.before, n_times)
        return perf_counter() - start


def time_decisions(plan: Plan) -> DecisionTime:
    """Time decisions of place 0 of a plan's line-up, in its first games.

    Parameters
    ----------
    plan : Plan
        Of the game itself, one that has been played without failure.
    """
    watch = _Stopwatch(plan)
    until = perf_counter() + PATIENCE
    for deal in range(plan.n_deals):
        for rotation in range(plan.n_rotations):
            watch.play(deal, rotation, until)
    median, high = np.percentile(watch.seconds, [50, 95]) * 1e6
    return DecisionTime(float(median), float(high), len(watch.seconds))
