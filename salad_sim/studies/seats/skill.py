"""Does skill change what a seat is worth: how strong line-ups are, and what one player's seat is worth among others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.play.trace import KEPT
from salad_sim.run.driver import Session
from salad_sim.run.outcomes import Outcomes
from salad_sim.run.plan import Plan, plan_games
from salad_sim.stats.deal_sums import DealSums
from salad_sim.stats.intervals import Estimate, proportion
from salad_sim.strategy.registry import Strategy, load_strategy
from salad_sim.studies.blocks import play_blocks
from salad_sim.studies.conditions import Condition

YARDSTICK = "greedy"
"""The strategy whose strength is 0 Elo."""

MATCH_GAMES = 20_000
"""Games of the match that tells how strong a strategy is, at most."""

SHARE_OF_GAMES = 10
"""One game in so many of a condition goes into the table of one player among others."""

MOST_OTHERS = 20_000
"""Games of a line-up there, at most."""


def strength_of(session: Session, condition: Condition, play: Callable[[Plan, Session], Any]) -> Estimate | None:
    """Measure how strong the strategy of a condition is against the yardstick, two players, each deal played twice.

    Parameters
    ----------
    session : Session
    condition : Condition
    play : callable
        Plays the match: `play_pairs`.

    Returns
    -------
    Estimate or None
        Elo points; exactly 0 for the yardstick itself, None for a mixed line-up or after Ctrl-C.
    """
    if condition.is_mixed or session.interrupted:
        return None
    plan = condition.plan
    games = match_games(condition)
    found = play(plan_games(replace(plan, lineup=(plan.lineup[0], load_strategy(YARDSTICK))), games), session)
    if found is None:
        return None
    return Estimate(0.0, 0.0, 0.0) if found.match.is_null else Estimate(*found.elo)


def match_games(condition: Condition) -> int:
    """Return how many games tell how strong a strategy is: whole pairs."""
    return min(MATCH_GAMES, condition.plan.n_games + condition.plan.n_games % 2)


@dataclass(frozen=True)
class OneAmongOthers:
    """One player's win shares by seat, the others all playing something else; every deal with it in every seat.

    Attributes
    ----------
    hero, others : str
    n_players : int
    sums : DealSums
        What the player won at each seat, in sixtieths.
    """

    hero: str
    others: str
    n_players: int
    sums: DealSums

    def share(self, seat: int) -> Estimate:
        """Its win share at a seat."""
        total, squares = int(self.sums.total[seat]), int(self.sums.products[seat, seat])
        return proportion(total, squares, self.sums.n_deals, self.sums.n_deals, WHOLE_WIN)

    def effect(self, seat: int) -> Estimate:
        """Its win share at a seat less its mean over all seats, paired by deal."""
        k = self.n_players
        weights = np.full((1, k), -1, dtype=np.int64)
        weights[0, seat] += k
        return self.sums.combine(weights).mean(0, unit=WHOLE_WIN * k)


def study_others(session: Session, conditions: list[Condition], hero: Strategy) -> Iterator[OneAmongOthers]:
    """Seat ``hero`` among players of every condition that is not mixed, and yield what each of its seats is worth."""
    for condition in conditions:
        plan = condition.plan
        if condition.is_mixed or plan.lineup[0].spec == hero.spec:
            continue
        mixed = plan_games(replace(plan, lineup=(hero, *plan.lineup[1:]), rotate=True), others_games(condition))
        counted = play_blocks(session, mixed, _by_seat_of_first, kept=KEPT)
        if counted is not None:
            yield OneAmongOthers(hero.label, condition.name, plan.n_players, counted.sums)


def others_games(condition: Condition) -> int:
    """Return how many games a condition gets in the table of one player among others: whole deals."""
    n_players = condition.plan.n_players
    n_games = min(condition.plan.n_games // SHARE_OF_GAMES, MOST_OTHERS)
    return max(n_games // n_players, 1) * n_players


def _by_seat_of_first(games: Outcomes) -> DealSums:
    """Sum up what the first place of the line-up won; in rotation r it sits at seat r."""
    return DealSums.from_deals(games.wins[:, :, 0])
