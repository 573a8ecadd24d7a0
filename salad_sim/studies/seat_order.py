"""What a seat is worth: plays the conditions of a seat study, and finds what their sums say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from salad_sim.analysis.fairness import Fairness, fairness
from salad_sim.analysis.named_sums import NamedSums
from salad_sim.analysis.seat_counts import Ints, count_seats, first_games
from salad_sim.analysis.sequential import FIRST, Checkpoints, Look, PrecisionWatch, half_width
from salad_sim.analysis.shares import EqualityTest, Spread, seat_shares, seats_equal, spread
from salad_sim.analysis.statistics import Estimate, Z
from salad_sim.engine import WHOLE_WIN
from salad_sim.outcomes import Outcomes
from salad_sim.studies.blocks import Session, play_blocks
from salad_sim.studies.lineups import Condition

N_FIRST = 2_000
"""Deals whose counts a report gives exactly, so that a smaller study can be held against it."""


@dataclass(frozen=True)
class BlockSums:
    """What a block of games is reduced to: the sums, and the exact counts of the first deals among them."""

    sums: NamedSums
    first: Ints

    def __add__(self, other: BlockSums) -> BlockSums:
        return BlockSums(self.sums + other.sums, self.first + other.first)


@dataclass(frozen=True)
class SeatFindings:
    """What one condition says about the seats.

    Attributes
    ----------
    condition : Condition
    sums : NamedSums
        As from `count_seats`.
    first : ndarray of int64, shape [n_players, 3]
        Exact counts of the first deals, as from `first_games`.
    look : Look, optional
        The last look, if the study ends by precision; its quantile is then that of all intervals.
    """

    condition: Condition
    sums: NamedSums
    first: Ints
    look: Look | None = None

    @property
    def n_players(self) -> int:
        """Players in a game."""
        return self.condition.plan.n_players

    @property
    def n_first(self) -> int:
        """Deals that ``first`` counts."""
        return min(self.sums.n_deals, N_FIRST)

    @property
    def single(self) -> float:
        """Quantile of intervals that hold each for itself."""
        return Z if self.look is None else self.look.quantile

    @property
    def joint(self) -> float | None:
        """Quantile of intervals that hold all at once; None leaves it to the method."""
        return None if self.look is None else self.look.quantile

    @cached_property
    def shares(self) -> list[Estimate]:
        """Win shares of the seats, simultaneous."""
        return seat_shares(self.sums.of("wins"), quantile=self.joint)

    @cached_property
    def spread(self) -> Spread:
        """How far the best and the worst seat are apart."""
        return spread(self.sums.of("wins"), quantile=self.joint)

    @cached_property
    def test(self) -> EqualityTest:
        """The test of the hypothesis that all seats win equally often."""
        return seats_equal(self.sums.of("wins"))

    def fairness(self, margin: float) -> Fairness:
        """Judge whether the seats are fair within a margin."""
        return fairness(self.sums.of("wins"), margin, quantile=self.joint)

    @cached_property
    def advantage(self) -> Estimate:
        """Win share of the first seat less a fair share."""
        return Estimate(*(bound - 1 / self.n_players for bound in self.shares[0]))


def study_seats(
    session: Session, conditions: list[Condition], precision: float | None = None
) -> Iterator[SeatFindings]:
    """Play conditions, all on the same deals, and yield what each says.

    Parameters
    ----------
    session : Session
    conditions : list of Condition
    precision : float, optional
        End a condition as soon as all intervals of its win shares, and of their differences, are at most this
        half-width; its games are then the most that are played.
    """
    for condition in conditions:
        found = _study(session, condition, precision)
        if found is not None:
            yield found


def _study(session: Session, condition: Condition, precision: float | None) -> SeatFindings | None:
    plan = condition.plan
    looks: list[Look] = []
    if precision is None:
        counted = play_blocks(session, plan, _reduce)
    else:
        watch = PrecisionWatch(precision, plan.n_deals, n_joint(plan.n_players))

        def is_precise(total: BlockSums, n_deals: int) -> bool:
            looks.append(watch.look(n_deals, lambda quantile: widest(total.sums, quantile)))
            return looks[-1].precise

        counted = play_blocks(session, plan, _reduce, Checkpoints(FIRST, plan.n_deals), is_precise)
    if counted is None:
        return None
    session.planned -= (plan.n_deals - counted.n_deals) * plan.n_rotations
    return SeatFindings(condition, counted.sums.sums, counted.sums.first, looks[-1] if looks else None)


def _reduce(games: Outcomes) -> BlockSums:
    wanted = int(np.clip(N_FIRST - games.first_deal, 0, games.n_deals))
    return BlockSums(count_seats(games), first_games(games, wanted))


def n_joint(n_players: int) -> int:
    """Return how many intervals of win shares hold at once: seats and pairs of seats; at two players all are one."""
    return 1 if n_players == 2 else n_players + n_players * (n_players - 1) // 2


def widest(sums: NamedSums, quantile: float) -> float:
    """Return the half-width of the widest interval of a win share, a difference of two, or another rate."""
    wins = sums.of("wins")
    shown = [*seat_shares(wins, quantile=quantile), *spread(wins, quantile=quantile).pairs.values()]
    shown += [each for name in ("last_turn", "one_card", "tied") for each in sums.rates(name, quantile)]
    if sums.total("half_led")[0]:
        shown.append(half_leader(sums, quantile))
    return max(half_width(each.low, each.high) for each in shown)


def half_leader(sums: NamedSums, quantile: float) -> Estimate:
    """Estimate how often the seat that led at half-time wins, among games in which one did."""
    return sums.rate_among("half_leader_wins", "half_led", quantile, WHOLE_WIN)
