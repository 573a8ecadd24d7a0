"""The study of cards: what a line-up does with each card, and what taking and owning it causes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.jit.typing import Floats, Ints
from salad_sim.play.card_sums import WORTH_UNITS, CardSums, TrialSums, add_trials
from salad_sim.run.driver import Session
from salad_sim.run.plan import Plan
from salad_sim.stats.intervals import Z
from salad_sim.studies.cards.adjusted import Adjusted, adjust
from salad_sim.studies.cards.play import Effects, check_cards, count_by_card, count_wanted, try_cards
from salad_sim.studies.cards.synergy import pair_effects
from salad_sim.studies.conditions import Condition

PRECISION = 0.3
"""Half-width, in points, of the 95 % interval of each card's values at which trials may end."""

MOST_PRECISION = 100.0

TRIAL_GAMES = 12
"""Games with trials at most, of each of the two kinds, for each game that is counted in the first part."""

PILOT_GAMES = 20_000
"""Games from which the spread of trials is estimated, to plan how many are needed."""

SAFETY = 1.03
"""How many more deals are played than the spread so far asks for."""

LEAST_KEPT = 1_000
"""Games in which each card shall be kept, in the first part; cards that are kept less often are dealt more often."""

SYNERGY_DEALS = 2**58
RARE_DEALS = 2**59
GIFT_DEALS = 2**60
TAKE_DEALS = 2**61
FRESH_DEALS = 2**62
"""First deal of each part, so that no two of them share a game."""


@dataclass(frozen=True)
class CardFindings:
    """What was counted of a line-up.

    Attributes
    ----------
    condition : Condition
    counts : CardSums
        The games as they are dealt.
    extra : dict of int to a record of dtype CARD
        Of cards that were kept too seldom, what was counted of the card in further games, each with it in the deck.
    adjusted : Adjusted
        Regression on who kept which cards, from ``counts``.
    residuals : CardSums or None
        Fresh games, deviations less what the regression says; None if the study was interrupted before.
    fresh : CardSums or None
        Games that are fresh again, likewise, with what pairs of cards say of the deviations.
    takes, gifts : TrialSums or None
        Cards taken and left; cards and blank ones given.
    precision : float
        Half-width in points that was asked for.
    """

    condition: Condition
    counts: CardSums
    extra: dict[int, Any]
    adjusted: Adjusted
    residuals: CardSums | None
    fresh: CardSums | None
    takes: TrialSums | None
    gifts: TrialSums | None
    precision: float = PRECISION

    @property
    def plan(self) -> Plan:
        """What was played."""
        return self.condition.plan


def check_point_precision(given: float | str) -> float:
    """Return a half-width in points as a number.

    Raises
    ------
    InputError
        If it is not above 0 and at most 100.
    """
    try:
        half_width = float(given)
    except (TypeError, ValueError):
        half_width = math.nan
    if not 0 < half_width <= MOST_PRECISION:
        raise InputError(
            f"precision is here the half-width of each card's value in points, above 0 and up to {MOST_PRECISION:g} "
            f"as in {PRECISION}, not {given!r}"
        )
    return half_width


def check_conditions(conditions: list[Condition]) -> None:
    """Refuse line-ups whose cards cannot be studied.

    Raises
    ------
    InputError
        If a card set is too large.
    """
    for condition in conditions:
        check_cards(condition.plan)


def planned_games(plan: Plan) -> int:
    """Return about how many games a line-up takes."""
    return (3 + 2 * TRIAL_GAMES) * plan.n_games


def study_condition(session: Session, condition: Condition, precision: float) -> CardFindings | None:
    """Play all parts of the study of a line-up.

    Parameters
    ----------
    session : Session
    condition : Condition
        Its plan says how many games the first part has; a mixed line-up sits one seat further in each deal.
    precision : float
        Half-width in points of each card's value at which gifts end; they end before if they are too many.

    Returns
    -------
    CardFindings or None
        None if the user interrupted before anything was counted.
    """
    plan = replace(condition.plan, n_deals=condition.plan.n_games, rotate=False)
    counts = count_by_card(plan, 0, session)
    if counts is None:
        return None
    extra = play_rare(session, plan, counts)
    adjusted = adjust(counts)
    effects = effects_of(adjusted)
    takes = play_trials(session, plan, True, precision)
    gifts = play_trials(session, plan, False, precision)
    residuals = count_by_card(plan, SYNERGY_DEALS, session, effects)
    fresh = None
    if residuals is not None and not session.interrupted:
        pairs = pair_effects(residuals, plan.cards)
        fresh = count_by_card(plan, FRESH_DEALS, session, replace(effects, pairs=pairs))
    return CardFindings(condition, counts, extra, adjusted, residuals, fresh, takes, gifts, precision)


def effects_of(adjusted: Adjusted) -> Effects:
    """Return the effects that the regression found as whole numbers, as kernels add them."""

    def whole(points: Floats) -> Ints:
        found: Ints = np.rint(np.nan_to_num(points) * WORTH_UNITS).astype(np.int64)
        return found

    return Effects(whole(adjusted.margin.value), whole(adjusted.margin.seats), WORTH_UNITS)


def play_rare(session: Session, plan: Plan, counts: CardSums) -> dict[int, Any]:
    """Deal the cards that were kept too seldom more often: for each, games in which it is in the deck.

    A card's rates are given that it is in the deck, and in these games it is there for certain; of the others they tell
    nothing. Each card gets at most as many games as the first part has.
    """
    kept, dealt = (counts.cards[name].sum(axis=0) for name in ("kept", "dealt"))
    wanted = min(LEAST_KEPT, plan.n_deals // 10)
    deals = {}
    for card in map(int, np.flatnonzero((kept < wanted) & (dealt > 0))):
        rate = max(int(kept[card]), 1) / int(dealt[card])
        missing = wanted - int(kept[card])
        # two standard deviations more than is missing on average
        n_deals = min(math.ceil((missing + 2 * math.sqrt(missing) + 2) / rate), plan.n_deals)
        first = RARE_DEALS + card * 2**48
        deals[card] = first, first + n_deals
    if not deals:
        return {}
    session.planned += sum(stop - first for first, stop in deals.values())
    return count_wanted(plan, deals, session)


def play_trials(session: Session, plan: Plan, takes: bool, precision: float) -> TrialSums | None:
    """Take and leave cards, or give them, until the value of each is known well enough, or for as long as is planned.

    Two stages or more: the spread of the deals so far says how many are needed. When the games end depends on how much
    the differences vary, not on where they lie, so the intervals keep their coverage for many deals.

    References
    ----------
    Stein, A two-sample test for a linear hypothesis whose power is independent of the variance, Annals of Mathematical
    Statistics 16 (1945) 243-258; Chow and Robbins, On the asymptotic theory of fixed-width sequential confidence
    intervals for the mean, Annals of Mathematical Statistics 36 (1965) 457-462.
    """
    expected = most_games = TRIAL_GAMES * plan.n_deals
    total: TrialSums | None = None
    n_done, target, most = 0, 2, 2
    while n_done < target and not session.interrupted:
        first = (TAKE_DEALS if takes else GIFT_DEALS) + n_done
        sums = try_cards(replace(plan, n_deals=target - n_done), takes, first, session)
        if sums is None:
            break
        total = sums if total is None else add_trials(total, sums)
        n_done += sums.n_deals
        games_of_deal = total.n_games / n_done
        most = max(int(most_games / games_of_deal), 2)
        pilot = min(math.ceil(PILOT_GAMES / games_of_deal), most)
        width = widest(total)
        wanted = most if math.isnan(width) else math.ceil(SAFETY * n_done * (width / precision) ** 2)
        target = pilot if n_done < pilot else max(target, min(wanted, most))
        games = round(games_of_deal * target)
        session.planned += games - expected
        expected = games
    return total


def widest(sums: TrialSums) -> float:
    """Return the half-width in points of the widest interval of a card's value; NaN if a card has but one pair."""
    found = sums.trials[0]
    tried = found["pairs"] > 0
    if not tried.any() or (found["pairs"][tried] < 2).any():
        return math.nan
    n, dev, squared = found["pairs"][tried].astype(np.float64), found["dev"][tried], found["dev_squared"][tried]
    # several trials of a card in one deal are as if they all came out alike: rather too wide than too narrow
    alike = np.diag(sums.cross["deals"][0])[tried] / n
    error = np.sqrt(alike * np.maximum(squared - dev**2 / n, 0) / (n - 1) / n) / (sums.n_players - 1)
    return float(Z * error.max())
