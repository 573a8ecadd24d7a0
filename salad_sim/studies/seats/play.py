"""What a seat is worth: plays the conditions of a seat study, and finds what their sums say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Ints
from salad_sim.play.tie_breaks import tie_ranks
from salad_sim.run.driver import Session
from salad_sim.run.outcomes import Outcomes
from salad_sim.stats.equivalence import Fairness, fairness
from salad_sim.stats.group_sequential import half_width
from salad_sim.stats.intervals import Estimate
from salad_sim.stats.named_sums import NamedSums
from salad_sim.stats.shares import EqualityTest, Spread, from_fair, seat_shares, seats_equal, spread
from salad_sim.stats.simultaneous import n_joint
from salad_sim.studies.blocks import play_blocks
from salad_sim.studies.conditions import Condition
from salad_sim.studies.precision import N_FIRST, Findings, play_condition
from salad_sim.studies.seat_counts import at_seats, count_seats, first_games
from salad_sim.studies.seats.komi import Komi, komi_from_scores

KOMI_GAMES = 20_000
"""Games whose scores tell the komi of a condition, at most, and as many others that test it."""

MANY_TIES = 0.25
"""Share of games that tie above which a condition is about the tie-break rather than the seats: nobody scores."""


@dataclass(frozen=True)
class BlockSums:
    """What a block of games is reduced to.

    Attributes
    ----------
    sums : NamedSums
        As from `count_seats`.
    first : ndarray of int64, shape [n_players, 3]
        Exact counts of the first deals, as from `first_games`.
    scores, priority : ndarray of int64, shape [n_deals, n_rotations, n_players]
        Points of the first deals, and which seat wins at equal ones: what a komi is found from.
    """

    sums: NamedSums
    first: Ints
    scores: Ints
    priority: Ints

    def __add__(self, other: BlockSums) -> BlockSums:
        return BlockSums(
            self.sums + other.sums,
            self.first + other.first,
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.priority, other.priority]),
        )


class SeatFindings(Findings[BlockSums]):
    """What one condition says about the seats."""

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
        return from_fair(self.shares)[0]


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
        plan = condition.plan
        reduce = partial(_reduce, tie_break=plan.rules.tie_break)
        played = play_condition(session, plan, reduce, precision, n_joint(plan.n_players), _widest)
        if played is not None:
            yield SeatFindings(condition, *played)


def _widest(total: BlockSums, quantile: float) -> float:
    return widest(total.sums, quantile)


def _reduce(games: Outcomes, tie_break: str) -> BlockSums:
    first, for_komi = (
        int(np.clip(wanted - games.first_deal, 0, games.n_deals))
        for wanted in (N_FIRST, KOMI_GAMES // games.wins.shape[1])
    )
    ranks = tie_ranks(tie_break, games.course["kept"][:for_komi], games.course["last_seat"][:for_komi])
    return BlockSums(count_seats(games), first_games(games, first), at_seats(games.scores[:for_komi]), ranks)


def widest(sums: NamedSums, quantile: float) -> float:
    """Return the half-width of the widest interval of a win share, a difference of two, or another rate."""
    wins = sums.of("wins")
    shown = [*seat_shares(wins, quantile=quantile), *spread(wins, quantile=quantile).pairs.values()]
    shown += [each for name in ("last_turn", "one_card", "tied", "half_led") for each in sums.rates(name, quantile)]
    if sums.total("half_led")[0]:
        shown.append(half_leader(sums, quantile))
    return max(half_width(each.low, each.high) for each in shown)


def half_leader(sums: NamedSums, quantile: float) -> Estimate:
    """Estimate how often the seat that led at half-time wins, among games in which one did."""
    return sums.rate_among("half_leader_wins", "half_led", quantile, WHOLE_WIN)


def ties_rule(found: SeatFindings) -> bool:
    """Return whether so many games tie that the tie-break decides who wins, and a point would turn everything over."""
    return int(found.sums.total("tied")[0]) > MANY_TIES * found.sums.n_games


@dataclass(frozen=True)
class KomiFindings:
    """The points that make the seats of a condition equal, and what other games with whole points in force say.

    Attributes
    ----------
    condition : Condition
    n_games : int
        Games whose scores they come from.
    komi : Komi
    check : NamedSums
        Of the games with the recommended points in force, as from `count_seats`.
    """

    condition: Condition
    n_games: int
    komi: Komi
    check: NamedSums

    @cached_property
    def check_shares(self) -> list[Estimate]:
        """Win shares with the recommended points in force, simultaneous."""
        return seat_shares(self.check.of("wins"))

    @cached_property
    def check_test(self) -> EqualityTest:
        """The test of the hypothesis that all seats win equally often with the recommended points."""
        return seats_equal(self.check.of("wins"))


def study_komi(session: Session, found: SeatFindings) -> KomiFindings | None:
    """Find the komi of a condition from its games and try the whole points in games of deals that it has not seen.

    Returns
    -------
    KomiFindings or None
        None for a mixed line-up, whose seats differ by who sits there; where ties are many; and after Ctrl-C.
    """
    if session.interrupted or found.condition.is_mixed or ties_rule(found):
        return None
    komi = komi_from_scores(found.found.scores, found.found.priority)
    plan = found.condition.plan
    points = tuple(komi.recommended) if any(komi.recommended) else ()
    others = replace(plan, n_deals=min(KOMI_GAMES, plan.n_deals), head_start=points)
    counted = play_blocks(session, others, count_seats, first_deal=plan.n_deals)
    return None if counted is None else KomiFindings(found.condition, len(found.found.scores), komi, counted.sums)
