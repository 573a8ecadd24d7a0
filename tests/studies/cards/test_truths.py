"""What is known of cards is found: selection, rarity, twice the points, equal cards; it errs as seldom as stated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from salad_sim import Rules
from salad_sim.game.card_families import families
from salad_sim.play.card_sums import total
from salad_sim.run.driver import Session
from salad_sim.run.plan import Plan, plan_run
from salad_sim.stats.prediction import out_of_line, prediction_range
from salad_sim.stats.ranks import certain_order, rank_intervals
from salad_sim.stats.shrinkage import family_tests
from salad_sim.studies.cards import estimate as card_value
from salad_sim.studies.cards.estimate import play_rare, study_condition
from salad_sim.studies.cards.observed import observed_rows
from salad_sim.studies.cards.play import count_by_card, try_cards
from salad_sim.studies.cards.trials import Means, first_of, over_blank, trial_means
from salad_sim.studies.conditions import plan_conditions
from support.card_decks import (
    COMMON,
    COPIED,
    COPY,
    PLAIN,
    blank,
    changed,
    deck,
    doubled,
    known_deck,
    number_of,
    study_deck,
)
from support.playing import ERROR_RATE, SEED

NEVER = Rules(flip="never")
"""With `random` a gift is then worth what it scores, and all cards of a family are worth the same."""


# --------------------------------------------------------------------------------------------------- selection, rarity


def test_selection_is_not_sold_as_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that never scores and changes nobody's play: only the weak player keeps it, and so it seems to lose."""
    monkeypatch.setattr(card_value, "LEAST_KEPT", 1)
    cards = changed(deck(*COMMON), 0, blank())
    (condition,) = plan_conditions(("2",), ("greedy+random",), 6000, SEED, rules=NEVER, cards=cards)
    found = study_condition(Session(2), condition, 1.5)
    assert found is not None and found.gifts is not None
    # who is weak sits everywhere
    assert abs(found.counts.seat_wins.sum(axis=0)[0] / (60 * 6000) - 0.5) < 0.05
    seen, given = observed_rows(found.counts, cards)[0], trial_means(found.gifts, "dev")
    assert seen["observed_margin_high"] < -4 and seen["observed_win_high"] < -0.05
    assert given.estimate(0) == (0, 0, 0) and given.pairs[0] > 200
    assert over_blank(given, cards).estimate(0) == (0, 0, 0)
    # the regression knows who else holds what, so it is nearer to nothing
    assert abs(found.adjusted.margin.value[0]) < -seen["observed_margin_high"]


def gifts_of(plan: Plan) -> Means:
    """What gifts of each card are worth, against nothing."""
    sums = try_cards(plan, False)
    assert sums is not None
    return first_of(trial_means(sums, "dev"), len(plan.cards))


RATES = [("kept", "dealt"), ("taken", "dealt"), ("points", "kept"), ("dev", "kept"), ("wins_kept", "kept")]


def test_cards_that_are_rare_are_dealt_until_they_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_value, "LEAST_KEPT", 500)
    plan = plan_run(5000, 2, "greedy", SEED, cards=study_deck())
    counts = count_by_card(plan)
    extra = play_rare(Session(2), plan, counts)
    plain = total(counts.cards)
    assert set(extra) == set(np.flatnonzero(plain["kept"] < 500)) and 0 in extra
    scores = []
    for card, more in extra.items():
        free = plain[card]
        assert 0 < more["dealt"] <= 5000 and free["dealt"] < 5000
        # as many as were missing, at the rate so far, give or take chance
        wanted = 500 - free["kept"]
        if more["dealt"] < 5000:
            assert abs(more["kept"] - wanted) < 5 * math.sqrt(wanted * (1 + wanted / free["kept"]))
        scores += [(card, name, difference(free, more, name, base)) for name, base in RATES]
    largest = stats.norm.isf(ERROR_RATE / 2 / len(scores))
    assert max(abs(z) for *_, z in scores) < largest, scores


def difference(one: Any, other: Any, name: str, base: str) -> float:
    """The difference of two means over independent games, in standard errors."""
    parts = []
    for each in (one, other):
        n, value = int(each[base]), int(each[name])
        squares = int(each[f"{name}_squared"]) if f"{name}_squared" in each.dtype.names else value
        parts.append((value / n, (squares / n - (value / n) ** 2) / n))
    gap = parts[0][0] - parts[1][0]
    return gap / math.sqrt(parts[0][1] + parts[1][1]) if gap else 0.0


# ------------------------------------------------------------------------------------- a card of twice the points


@pytest.mark.parametrize("text", ["2/pepper", "carrot + carrot = 5", "most onion = 10", "tomato: even=7, odd=3"])
def test_where_play_stays_the_same_twice_the_points_are_worth_exactly_twice(text: str) -> None:
    cards = deck(*COMMON)
    card = number_of(cards, text)
    once, twice = (
        gifts_of(plan_run(40, 2, "random", SEED, rules=NEVER, cards=each)) for each in (cards, doubled(cards, card))
    )
    others = np.arange(len(cards)) != card
    assert twice.value[card] == 2 * once.value[card] > 0
    assert twice.covariance[card, card] == pytest.approx(4 * once.covariance[card, card])
    assert twice.covariance[card, others] == pytest.approx(2 * once.covariance[card, others])
    assert (twice.value[others] == once.value[others]).all()


@dataclass(frozen=True)
class Found:
    """What many small studies found of the known deck, one row each."""

    values: list[Means]
    certain: list[np.ndarray]


def known_plan(who: str, n_deals: int, seed: int) -> Plan:
    rules = NEVER if who == "random" else Rules()
    return plan_run(n_deals, 2, who, seed, rules=rules, cards=known_deck())


@cache
def many(who: str, n_studies: int, n_deals: int) -> Found:
    """Play small studies of the known deck, each with a seed of its own, and rank the cards in each."""
    found = Found([], [])
    for number in range(n_studies):
        plan = known_plan(who, n_deals, SEED + number)
        values = gifts_of(plan)
        found.values.append(values)
        found.certain.append(certain_order(values.value, values.covariance, n_draws=2000))
    return found


QUICK = (8, 400)
MANY = (300, 1200)
SIZES = [QUICK, pytest.param(MANY, marks=pytest.mark.slow)]
"""Studies, and deals of each."""


def not_more_than(rate: float, n_wrong: int, n: int) -> bool:
    """Return whether so many of n may be wrong if each is with at most this rate."""
    return bool(stats.binom.sf(n_wrong - 1, n, rate) > ERROR_RATE)


def slack(shares: Sequence[float]) -> float:
    """By how much the mean of independent shares may be off."""
    return float(stats.t.isf(ERROR_RATE / 2, len(shares) - 1) * stats.sem(shares))


FAMILY = [card.card_id for card in known_deck() if card.text.startswith("2/")]


@pytest.mark.parametrize(
    ("who", "size"),
    [("random", QUICK), ("greedy", (1, 4000)), pytest.param("greedy", (30, 4000), marks=pytest.mark.slow)],
)
def test_the_doubled_card_is_found(who: str, size: tuple[int, int]) -> None:
    """Certainly above all cards of the family that it came from, and out of line with them and with all cards."""
    assert len(FAMILY) == 5
    found = many(who, *size)
    n_found = 0
    for values, certain in zip(found.values, found.certain, strict=True):
        low, high = prediction_range(values.value, values.covariance, FAMILY, PLAIN)[1:]
        line = out_of_line(values.value, values.covariance, families(known_deck()))[PLAIN]
        out = values.value[PLAIN] > high and line.outside_all and values.value[PLAIN] > line.all_range.high
        n_found += bool(out and certain[PLAIN, FAMILY].all())
        assert not certain[FAMILY, PLAIN].any() and low > 0
    assert n_found >= 0.9 * len(found.values), (n_found, len(found.values))


def test_greedy_gains_more_from_the_doubled_card() -> None:
    twice, once = (
        gifts_of(plan_run(1500, 2, "greedy", SEED + number, cards=cards))
        for number, cards in enumerate((known_deck(), deck(*COMMON)))
    )
    more = twice.value[PLAIN] - once.value[PLAIN]
    error = math.sqrt(twice.covariance[PLAIN, PLAIN] + once.covariance[PLAIN, PLAIN])
    assert more > 5 * error and 1.5 < twice.value[PLAIN] / once.value[PLAIN] < 3


# ---------------------------------------------------------------------------------- cards that are equal, and how sure


@cache
def same_family() -> np.ndarray:
    """Whether two different cards of the known deck are of one family: shape [p, p]."""
    found = np.zeros((48, 48), dtype=bool)
    for family in families(known_deck()):
        found[np.ix_(family.members, family.members)] = True
    found[np.diag_indices(48)] = False
    return found


@pytest.mark.parametrize("size", SIZES)
def test_equal_cards_are_seldom_called_different(size: tuple[int, int]) -> None:
    """Any wrong pair among all in 5 % of studies at most; each pair by itself in 5 %."""
    found, same = many("random", *size), same_family()
    assert same.sum() == 5 * 30 + 2 * 20 + 42
    n_wrong = sum(bool(certain[same].any()) for certain in found.certain)
    assert not_more_than(0.05, n_wrong, size[0]), n_wrong
    z = np.array([z_of_differences(values)[same] for values in found.values])
    shares = (np.abs(z) > stats.norm.isf(0.025)).mean(axis=1)
    assert abs(shares.mean() - 0.05) < slack(shares) + 0.005, (shares.mean(), slack(shares))


def z_of_differences(values: Means) -> np.ndarray:
    """All differences in standard errors: shape [p, p]."""
    variances = np.diag(values.covariance)
    squares = variances[:, None] + variances[None, :] - 2 * values.covariance
    errors = np.sqrt(np.where(squares > 1e-12, squares, np.inf))
    return np.asarray((values.value[:, None] - values.value[None, :]) / errors)


@pytest.mark.parametrize(
    ("who", "size"),
    [
        ("random", QUICK),
        pytest.param("random", MANY, marks=pytest.mark.slow),
        pytest.param("greedy", (80, 1200), marks=pytest.mark.slow),
    ],
)
def test_two_copies_are_told_apart_as_seldom_as_stated(who: str, size: tuple[int, int]) -> None:
    found = many(who, *size)
    n_apart = sum(bool(certain[COPIED, COPY] or certain[COPY, COPIED]) for certain in found.certain)
    z = np.array([z_of_differences(values)[COPIED, COPY] for values in found.values])
    assert not_more_than(0.05, n_apart, size[0]) and not_more_than(
        0.05, (np.abs(z) > stats.norm.isf(0.025)).sum(), size[0]
    )
    # nor too seldom: their squares add up to a chi-square
    assert ERROR_RATE < stats.chi2.sf((z**2).sum(), size[0]) < 1 - ERROR_RATE


@pytest.mark.parametrize("size", SIZES)
def test_families_of_equal_cards_may_be_equal(size: tuple[int, int]) -> None:
    """Their chi-squares add up to one, study for study; p-values are uniform."""
    found = many("random", *size)
    tests = [family_tests(values.value, values.covariance, families(known_deck())) for values in found.values]
    for of_family in zip(*tests, strict=True):
        freedom = sum(each.freedom for each in of_family)
        if freedom:
            p_value = stats.chi2.sf(sum(each.statistic for each in of_family), freedom)
            assert ERROR_RATE < p_value < 1 - ERROR_RATE, of_family[0].name
            assert stats.kstest([each.p_value for each in of_family], "uniform").pvalue > ERROR_RATE
    smallest = [min(each.p_holm for each in one if each.freedom) for one in tests]
    assert not_more_than(0.05, sum(p < 0.05 for p in smallest), size[0])


@cache
def truth() -> np.ndarray:
    """What each card of the known deck is worth to `random`, from a long run; alike within a family: shape [p]."""
    values = gifts_of(known_plan("random", 150_000, SEED + 10_000))
    found = values.value.copy()
    for family in families(known_deck()):
        found[list(family.members)] = values.value[list(family.members)].mean()
    return found


@pytest.mark.slow
def test_intervals_of_values_cover_what_they_should() -> None:
    found, true = many("random", *MANY), truth()
    covered = np.array(
        [
            [low <= worth <= high for worth, (_, low, high) in zip(true, map(values.estimate, range(48)), strict=True)]
            for values in found.values
        ]
    )
    shares = covered.mean(axis=1)
    assert abs(shares.mean() - 0.95) < slack(shares) + 0.005, (shares.mean(), slack(shares))
    assert all(not_more_than(0.05, int(n_missed), len(covered)) for n_missed in (~covered).sum(axis=0))


@pytest.mark.slow
def test_ranks_hold_for_all_cards_at_once() -> None:
    """Of equal cards whichever order: each must have all ranks that it might have."""
    found, true = many("random", *MANY), truth()
    best = 1 + (true[None, :] > true[:, None]).sum(axis=1)
    worst = len(true) - (true[None, :] < true[:, None]).sum(axis=1)
    n_wrong, width = 0, 0.0
    for certain in found.certain:
        low, high = rank_intervals(certain)
        n_wrong += bool((low > best).any() or (high < worst).any())
        width += float((high - low).mean()) / len(found.certain)
    assert not_more_than(0.05, n_wrong, MANY[0]), n_wrong
    assert 5 < width < 30


@pytest.mark.slow
def test_cards_in_line_are_seldom_out_of_line() -> None:
    """With their family, of which they are one more: in at most 5 % of cases, less where chance is all there is."""
    found = many("random", *MANY)
    known = [number for number in range(48) if number != PLAIN]
    shares = []
    for values in found.values:
        lines = out_of_line(values.value, values.covariance, families(known_deck()))
        shares.append(np.mean([lines[number].outside_family for number in known]))
    assert 0 < np.mean(shares) < 0.05 + slack(shares), (np.mean(shares), slack(shares))
