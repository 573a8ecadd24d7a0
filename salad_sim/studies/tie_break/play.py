"""What a tie-break rule is worth: every game scored under all rules at once, and replayed under each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Flags, Ints
from salad_sim.play.tie_breaks import RULES, wins_under
from salad_sim.run.driver import Session
from salad_sim.run.outcomes import Outcomes
from salad_sim.run.plan import Plan
from salad_sim.stats.evenness import Evenness, evenness
from salad_sim.stats.group_sequential import half_width
from salad_sim.stats.intervals import Estimate, proportion
from salad_sim.stats.named_sums import NamedSums
from salad_sim.stats.shares import Spread, paired_changes, seat_shares, spread
from salad_sim.stats.simultaneous import bonferroni_quantile, n_joint, share_intervals
from salad_sim.stats.tie_counts import tied_pairs, top_seats
from salad_sim.studies.blocks import play_blocks
from salad_sim.studies.conditions import Condition
from salad_sim.studies.precision import N_FIRST, Findings, play_condition
from salad_sim.studies.seat_counts import at_seats

NEUTRAL = "shared"
"""The rule that favours no seat: what every other one is held against."""

REPLAY_BLOCKS = 20
"""Into so many blocks replays are cut: Ctrl-C loses no more than the last one."""

UNDER, OVER, RIGHT, WRONG_WAY, MADE, NO_EFFECT = (
    "under-corrects",
    "over-corrects",
    "corrects it as far as these games tell",
    "makes it larger",
    "makes one where none was found",
    "no effect was found, before or after",
)
"""What a rule does to the first-player effect."""


def wins_by_rule(games: Outcomes) -> dict[str, Ints]:
    """Return what each seat wins under every rule, summed over the games of a deal; by rule, shape [n_deals, k]."""
    scores, kept, last_seat = at_seats(games.scores), games.course["kept"], games.course["last_seat"]
    return {rule: wins_under(rule, scores, kept, last_seat).sum(axis=1) for rule in RULES}


def count_ties(games: Outcomes, wins: dict[str, Ints] | None = None) -> NamedSums:
    """Count what a tie-break study needs of some games, which were followed (`trace.FOLLOWED`).

    Parameters
    ----------
    games : Outcomes
    wins : dict, optional
        As from `wins_by_rule`, if that is known already.

    Returns
    -------
    NamedSums
        By rule, under its name, the wins of each seat in sixtieths; ``tied``: games with equal top totals; ``sizes``:
        those in which 2, 3, ... seats have it; ``pairs``: those in which each two seats have it, as `seat_pairs`.
    """
    scores = at_seats(games.scores)
    n_top = top_seats(scores).sum(axis=2)
    sizes = n_top[..., None] == np.arange(2, scores.shape[2] + 1)
    ties = {
        "tied": (n_top > 1).sum(axis=1)[:, None],
        "sizes": sizes.sum(axis=1),
        "pairs": tied_pairs(scores).sum(axis=1),
    }
    by_rule = wins_by_rule(games) if wins is None else wins
    deals = {name: values.astype(np.int64) for name, values in (by_rule | ties).items()}
    return NamedSums.from_deals(deals, games.wins.shape[1])


@dataclass(frozen=True)
class TieBlock:
    """What a block of games is reduced to.

    Attributes
    ----------
    sums : NamedSums
        As from `count_ties`.
    first : ndarray of int64, shape [n_rules, n_players]
        Exact wins of the first deals, in sixtieths.
    """

    sums: NamedSums
    first: Ints

    def __add__(self, other: TieBlock) -> TieBlock:
        return TieBlock(self.sums + other.sums, self.first + other.first)


def _reduce(games: Outcomes) -> TieBlock:
    by_rule = wins_by_rule(games)
    n_first = int(np.clip(N_FIRST - games.first_deal, 0, games.n_deals))
    first = np.array([wins[:n_first].sum(axis=0) for wins in by_rule.values()], dtype=np.int64)
    return TieBlock(count_ties(games, by_rule), first)


@dataclass(frozen=True)
class Correction:
    """What the rule in force does to the first-player effect.

    Attributes
    ----------
    before, after : Estimate
        The first seat's win share less a fair one, wins shared and under the rule; intervals hold for both at once.
    verdict : str
        One of `UNDER`, `OVER`, `RIGHT`, `WRONG_WAY`, `MADE`, `NO_EFFECT`.
    """

    before: Estimate
    after: Estimate
    verdict: str


class TieFindings(Findings[TieBlock]):
    """What one condition says about the tie-break rules."""

    @property
    def in_force(self) -> str:
        """The rule by which the games were played."""
        return self.condition.plan.rules.tie_break

    def shares(self, rule: str) -> list[Estimate]:
        """Win shares of the seats under a rule, simultaneous."""
        return seat_shares(self.sums.of(rule), quantile=self.joint)

    def changes(self, rule: str, base: str = NEUTRAL) -> list[Estimate]:
        """What each seat gains by a rule against another one, on the same games, simultaneous."""
        return paired_changes(self.sums.of(base, rule), quantile=self.joint)

    def spread(self, rule: str) -> Spread:
        """How far the best and the worst seat are apart under a rule."""
        return spread(self.sums.of(rule), quantile=self.joint)

    @cached_property
    def evenness(self) -> Evenness:
        """Which rule leaves the seats most equal."""
        return evenness(self.sums.of(*RULES), RULES, WHOLE_WIN, self.joint)

    def correction(self, rule: str) -> Correction:
        """What a rule does to the first-player effect."""
        quantile = bonferroni_quantile(2) if self.joint is None else self.joint
        before, after = (self._from_fair(each, quantile) for each in (NEUTRAL, rule))
        return Correction(before, after, judge_correction(before, after))

    def _from_fair(self, rule: str, quantile: float) -> Estimate:
        share = self.sums.of(rule).part([0])
        squares = int(share.products[0, 0])
        found = proportion(int(share.total[0]), squares, share.n_deals, share.n_games, WHOLE_WIN, quantile)
        return Estimate(*(bound - 1 / self.n_players for bound in found))


def judge_correction(before: Estimate, after: Estimate) -> str:
    """Return what a rule does to an effect that is ``before`` without it and ``after`` with it."""
    found_before, found_after = (each.low > 0 or each.high < 0 for each in (before, after))
    if not found_before:
        return MADE if found_after else NO_EFFECT
    if not found_after:
        return RIGHT
    if (after.value > 0) != (before.value > 0):
        return OVER
    return UNDER if abs(after.value) <= abs(before.value) else WRONG_WAY


def study_ties(session: Session, conditions: list[Condition], precision: float | None = None) -> Iterator[TieFindings]:
    """Play conditions, all on the same deals, score them under every rule, and yield what each says.

    Parameters
    ----------
    session : Session
    conditions : list of Condition
    precision : float, optional
        End a condition as soon as all intervals of win shares, their differences and changes are at most this
        half-width; its games are then the most that are played.
    """
    for condition in conditions:
        plan = condition.plan
        played = play_condition(session, plan, _reduce, precision, _n_intervals(plan.n_players), _widest)
        if played is not None:
            yield TieFindings(condition, *played)


def _n_intervals(n_players: int) -> int:
    """Return how many intervals hold at once: those of `n_joint` under each rule, and of each seat's changes."""
    return len(RULES) * n_joint(n_players) + (len(RULES) - 1) * share_intervals(n_players)


def _widest(total: TieBlock, quantile: float) -> float:
    sums = total.sums
    shown = [*sums.rates("tied", quantile), *sums.rates("pairs", quantile)]
    for rule in RULES:
        shown += seat_shares(sums.of(rule), quantile=quantile)
        shown += spread(sums.of(rule), quantile=quantile).pairs.values()
        shown += paired_changes(sums.of(NEUTRAL, rule), quantile=quantile)
    return max(half_width(each.low, each.high) for each in shown)


@dataclass(frozen=True)
class ReplayFindings:
    """What a rule does to games that are played knowing it.

    Attributes
    ----------
    condition : Condition
        Its rules are those that all others are held against.
    sums : NamedSums
        By rule the wins of each seat: ``scored RULE``, of the games played under the rule in force and scored under
        RULE; ``played RULE``, of those played under RULE; ``differ RULE``: deals in which play differed.
    """

    condition: Condition
    sums: NamedSums

    @property
    def base(self) -> str:
        """The rule in force."""
        return self.condition.plan.rules.tie_break

    def mechanical(self, rule: str) -> list[Estimate]:
        """What each seat gains by the rule if nobody plays otherwise, simultaneous."""
        return paired_changes(self.sums.of(f"scored {self.base}", f"scored {rule}"))

    def adaptation(self, rule: str) -> list[Estimate]:
        """What each seat gains because play is another one under the rule, simultaneous."""
        return paired_changes(self.sums.of(f"scored {rule}", f"played {rule}"))

    def both(self, rule: str) -> list[Estimate]:
        """What each seat gains in all, simultaneous."""
        return paired_changes(self.sums.of(f"scored {self.base}", f"played {rule}"))

    def differ(self, rule: str) -> Estimate:
        """In what share of deals play differed at all."""
        part = self.sums.of(f"differ {rule}")
        return proportion(int(part.total[0]), int(part.products[0, 0]), part.n_deals, part.n_deals)


def replay_under_all(session: Session, condition: Condition, n_deals: int) -> ReplayFindings | None:
    """Play the same deals once under each rule; None after Ctrl-C before a block was done under all of them."""
    base = replace(condition.plan, n_deals=n_deals)
    plans = [base, *(_under(base, rule) for rule in other_rules(base))]
    at_once = -(-n_deals // REPLAY_BLOCKS)
    counted = play_blocks(session, plans, lambda *games: _count_replays(base, games), at_once=at_once)
    return None if counted is None else ReplayFindings(condition, counted.sums)


def other_rules(plan: Plan) -> list[str]:
    """Return the tie-break rules that are not in force."""
    return [rule for rule in RULES if rule != plan.rules.tie_break]


def _under(plan: Plan, rule: str) -> Plan:
    return replace(plan, rules=replace(plan.rules, tie_break=rule))


def _count_replays(plan: Plan, games: tuple[Outcomes, ...]) -> NamedSums:
    base, *others = games
    deals = {f"scored {rule}": wins for rule, wins in wins_by_rule(base).items()}
    for rule, each in zip(other_rules(plan), others, strict=True):
        deals[f"played {rule}"] = at_seats(each.wins).sum(axis=1)
        deals[f"differ {rule}"] = play_differs(base, each).astype(np.int64)[:, None]
    return NamedSums.from_deals(deals, plan.n_rotations)


def play_differs(a: Outcomes, b: Outcomes) -> Flags:
    """Return of which deals two conditions played otherwise, as far as totals, kept cards, turns and leads tell.

    Returns
    -------
    ndarray of bool, shape [n_deals]
    """
    pairs: list[tuple[Any, Any]] = [(a.scores, b.scores)]
    pairs += [(a.course[name], b.course[name]) for name in ("kept", "best_card", "turns", "last_seat", "lead_changes")]
    differs = [(x != y).reshape(a.n_deals, -1).any(axis=1) for x, y in pairs]
    found: Flags = np.any(differs, axis=0)
    return found
