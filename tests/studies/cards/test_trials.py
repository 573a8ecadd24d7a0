"""Take values and gifts over blanks: against plain arithmetic on deals, and by what they promise in simulation.

Statistical tests have fixed seeds; a count of failures may lie within four standard deviations of what is promised.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from salad_sim.play.card_sums import TrialSums
from salad_sim.stats.intervals import Z
from salad_sim.studies.cards.trials import (
    KNOWN_PAIRS,
    first_of,
    gift_columns,
    mean_blank,
    over_blank,
    take_columns,
    trial_means,
)
from support.card_games import set_of, trial_sums


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


N_CARDS = 4


def some_takes(seed: int, n_deals: int = 200, shared: float = 5.0) -> tuple[np.ndarray, ...]:
    """Trials of four cards, several in a deal, which share chance of their deal: deal, card, differences."""
    generator = np.random.default_rng(seed)
    deal = np.sort(generator.integers(0, n_deals, 5 * n_deals))
    card = generator.integers(0, N_CARDS, len(deal))
    of_deal = shared * generator.normal(size=n_deals)
    dev = np.rint(2 * card + of_deal[deal] + 4 * generator.normal(size=len(deal))).astype(np.int64)
    return deal, card, dev, 60 * np.sign(dev)


def sums_of(n_players: int, *trials: np.ndarray) -> TrialSums:
    return trial_sums(n_players, *trials, N_CARDS)


def test_means_are_those_of_all_trials_and_deals_are_the_unit() -> None:
    """The covariance is that of ratios of sums over deals, worked out deal by deal."""
    deal, card, dev, wins = some_takes(1)
    found = first_of(trial_means(sums_of(3, deal, card, dev, wins), "dev"), N_CARDS)
    above = np.zeros((200, N_CARDS))
    for number in range(N_CARDS):
        mine = card == number
        assert found.value[number] == pytest.approx(dev[mine].mean() / 2) and found.pairs[number] == mine.sum()
        np.add.at(above[:, number], deal[mine], (dev[mine] - dev[mine].mean()) / mine.sum() / 2)
    scale = np.sqrt(found.pairs / (found.pairs - 1))
    np.testing.assert_allclose(found.covariance, (above.T @ above) * np.outer(scale, scale), rtol=1e-10)
    assert np.linalg.eigvalsh(found.covariance)[0] >= 0


def test_intervals_cover_where_trials_of_a_deal_go_together() -> None:
    """95 % of 400 cards, though a deal moves all its trials alike; as single trials they would cover far less."""
    covered, naive = 0, 0
    for seed in range(100):
        deal, card, dev, wins = some_takes(seed, n_deals=60, shared=8.0)
        found = trial_means(sums_of(2, deal, card, dev, wins), "dev")
        for number in range(N_CARDS):
            value, low, high = found.estimate(number)
            covered += low <= 2 * number <= high
            mine = dev[card == number]
            naive += abs(value - 2 * number) < Z * mine.std() / math.sqrt(len(mine))
    assert abs(covered / 400 - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 400) + 0.01
    assert naive < covered


def test_large_numbers_lose_no_digit() -> None:
    deal, card, dev, wins = some_takes(2)
    one, other = (trial_means(sums_of(2, deal, card, dev + more, wins), "dev") for more in (0, 10**8))
    np.testing.assert_allclose(other.covariance[:4, :4], one.covariance[:4, :4], rtol=1e-12)


def test_a_gift_is_held_against_the_blank_of_its_back_in_the_same_deals() -> None:
    """What moves both alike drops out, and the interval knows."""
    cards = set_of(0, 20, 40, 60)
    generator = np.random.default_rng(3)
    n_deals = 300
    luck = 50 * generator.normal(size=n_deals)
    deal, slot, dev = [], [], []
    for number, worth in [*enumerate((3, 5, 7, 9)), *((N_CARDS + back, 2) for back in range(6))]:
        deal.append(np.arange(n_deals))
        slot.append(np.full(n_deals, number))
        dev.append(np.rint(worth + luck + generator.normal(size=n_deals)).astype(np.int64))
    sums = sums_of(2, np.concatenate(deal), np.concatenate(slot), np.concatenate(dev), 0 * np.concatenate(dev))
    gifts = trial_means(sums, "dev")
    own = over_blank(gifts, cards)
    for number, worth in enumerate((1, 3, 5, 7)):
        assert own.value[number] == pytest.approx(gifts.value[number] - gifts.value[N_CARDS + cards[number].back])
        value, low, high = own.estimate(number)
        assert low < worth < high and high - value < 0.4 < 5 < gifts.estimate(number).high - gifts.value[number]
    assert np.linalg.eigvalsh(own.covariance)[0] >= -1e-12
    assert mean_blank(gifts, N_CARDS).value == pytest.approx(gifts.value[N_CARDS:].mean())


def test_cards_of_few_trials_are_not_known() -> None:
    deal, card, dev, wins = some_takes(4)
    few = np.flatnonzero(card != 2)
    once = np.append(few, np.flatnonzero(card == 2)[0])
    sums = sums_of(2, deal[once], card[once], dev[once], wins[once])
    found = trial_means(sums, "dev")
    assert np.isnan(found.value[2]) and np.isnan(found.value[N_CARDS:]).all() and found.is_known[:2].all()
    row = take_columns(sums, found, trial_means(sums, "wins"), 2)
    assert row["take_pairs"] == 1 and math.isnan(row["take_margin"])
    gift = gift_columns(sums, found, found, N_CARDS)
    assert gift["gift_pairs"] == 0 and math.isnan(gift["gift_margin"]) and math.isnan(gift["gift_kept"])
    nearly = np.append(few, np.flatnonzero(card == 2)[: KNOWN_PAIRS - 1])
    assert (
        not trial_means(sums_of(2, deal[nearly], card[nearly], dev[nearly], wins[nearly]), "dev").if_known().is_known[2]
    )


def test_the_share_of_tables_at_which_it_came_out_better() -> None:
    deal, card, dev, wins = some_takes(5)
    sums = sums_of(2, deal, card, dev, wins)
    for number in range(N_CARDS):
        mine = dev[card == number]
        row = take_columns(sums, trial_means(sums, "dev"), trial_means(sums, "wins"), number)
        assert row["take_right"] == pytest.approx(((mine > 0) + 0.5 * (mine == 0)).mean())
        assert row["take_win"] == pytest.approx(np.sign(mine).mean())
        assert row["take_right_low"] < row["take_right"] < row["take_right_high"]


def test_the_largest_of_many_is_shown_with_an_interval_for_all() -> None:
    """Of a hundred cards of equal worth the best is above it by more than its own interval; not by more than that."""
    n_cards, n_deals = 100, 150
    alone, at_once = 0, 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        deal = np.repeat(np.arange(n_deals), n_cards)
        dev = np.rint(20 * generator.normal(size=len(deal))).astype(np.int64)
        sums = trial_sums(2, deal, np.tile(np.arange(n_cards), n_deals), dev, 0 * dev, n_cards)
        found = first_of(trial_means(sums, "dev"), n_cards).if_known()
        best = int(np.argmax(found.value))
        alone += found.estimate(best).low <= 0
        at_once += found.estimate(best, found.for_all()).low <= 0
    assert alone < 20 and at_once >= 36
