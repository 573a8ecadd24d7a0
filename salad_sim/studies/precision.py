"""Plays a condition of a study, all of its games or until its intervals are narrow enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from salad_sim.run.driver import Session
from salad_sim.run.outcomes import Outcomes
from salad_sim.run.plan import Plan
from salad_sim.stats.group_sequential import FIRST, Checkpoints, Look, PrecisionWatch
from salad_sim.stats.intervals import Z
from salad_sim.stats.named_sums import NamedSums
from salad_sim.studies.blocks import play_blocks
from salad_sim.studies.conditions import Condition

N_FIRST = 2_000
"""Deals whose counts a report gives exactly, so that a smaller study can be held against it."""

Summed = TypeVar("Summed", bound=Any)


@dataclass(frozen=True)
class Findings(Generic[Summed]):
    """What one condition says, whatever it was asked.

    Attributes
    ----------
    condition : Condition
    found
        What its games were reduced to: has ``sums`` of all of them.
    look : Look, optional
        The last look, if the study ends by precision; its quantile is then that of all intervals.
    """

    condition: Condition
    found: Summed
    look: Look | None = None

    @property
    def sums(self) -> NamedSums:
        """Sums over all games."""
        sums: NamedSums = self.found.sums
        return sums

    @property
    def n_first(self) -> int:
        """Deals whose counts a report gives exactly."""
        return min(self.sums.n_deals, N_FIRST)

    @property
    def n_players(self) -> int:
        """Players in a game."""
        return self.condition.plan.n_players

    @property
    def single(self) -> float:
        """Quantile of intervals that hold each for itself."""
        return Z if self.look is None else self.look.quantile

    @property
    def joint(self) -> float | None:
        """Quantile of intervals that hold all at once; None leaves it to the method."""
        return None if self.look is None else self.look.quantile


def play_condition(
    session: Session,
    plan: Plan,
    reduce: Callable[[Outcomes], Summed],
    precision: float | None,
    n_intervals: int,
    widest: Callable[[Summed, float], float],
) -> tuple[Summed, Look | None] | None:
    """Play a plan and add up its blocks.

    Parameters
    ----------
    session : Session
    plan : Plan
        Its deals are the most that are played.
    reduce : callable
        As in `play_blocks`.
    precision : float or None
        Half-width at which to end, see `PrecisionWatch`; None plays all deals.
    n_intervals : int
        Intervals that hold at once.
    widest : callable
        (sums so far, quantile) -> the half-width of the widest interval.

    Returns
    -------
    (sums, Look or None) or None
        The sums and the last look at them; None if the user interrupted before any game was counted.
    """
    expected = plan.n_deals
    last: Look | None = None

    def expect(n_deals: int) -> None:
        nonlocal expected
        session.planned += (n_deals - expected) * plan.n_rotations
        expected = n_deals

    def is_precise(total: Summed, n_deals: int) -> bool:
        nonlocal last
        last = watch.look(n_deals, lambda quantile: widest(total, quantile))
        expect(last.expected_deals)
        return last.precise

    if precision is None:
        counted = play_blocks(session, plan, reduce)
    else:
        watch = PrecisionWatch(precision, plan.n_deals, n_intervals)
        counted = play_blocks(session, plan, reduce, Checkpoints(FIRST, plan.n_deals), is_precise)
    if counted is None:
        return None
    expect(counted.n_deals)
    return counted.sums, last
