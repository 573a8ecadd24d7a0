"""Observed and causal values of cards: against plain arithmetic on games, and by what they promise in simulation.

Statistical tests have fixed seeds; a count of failures may lie within four standard deviations of what is promised.
"""

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from salad_sim.play.card_sums import LEAST_BIN, N_BINS, N_TURNS, OFFER
from salad_sim.stats.intervals import Estimate, mean, proportion
from salad_sim.stats.ratios import Ratios, rate
from salad_sim.studies.cards.causal import (
    GiftValues,
    bias,
    bias_rows,
    estimate_of,
    gift_rows,
    gift_seat_rows,
    gift_values,
    offer_card_rows,
    offer_rows,
    pays,
)
from salad_sim.studies.cards.observed import distribution_rows, observed_rows, quantile
from support.card_games import WHOLE, card_set, card_sums, deviations, gift_sums, hands, random_holders, wins_of


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def some_games(seed, n_games=400, n_cards=3, n_seats=3):
    generator = np.random.default_rng(seed)
    holder = random_holders(generator, n_games, n_cards, n_seats)
    scores = generator.integers(10, 40, size=(n_games, n_seats)) + hands(holder, n_seats).sum(axis=2)
    return generator, holder, scores, wins_of(scores)


def estimates(row, *names):
    return [estimate_of(row, name) for name in names]


# observed


def test_what_happens_to_a_card_is_told_by_plain_rates_and_means():
    generator, holder, scores, wins = some_games(1)
    sums = card_sums(holder, scores, wins)
    # events of card 0, game by game
    dealt = holder[:, 0] > -2
    looks = np.where(dealt, generator.integers(0, 6, len(holder)), 0)
    taken = (looks > 0) & (generator.random(len(holder)) < 0.7)
    left = np.where(looks > 0, np.minimum(looks, 3) - taken, 0)
    wins_left = np.minimum(left, generator.integers(0, 3, len(holder))) * 30
    turn = np.where(looks > 0, generator.integers(1, 9, len(holder)), 0)
    card = sums.cards[0][0:1]
    sums.cards[1:, 0][["seen", "taken", "looks"]] = 0
    for name, values in {
        "seen": looks > 0,
        "taken": taken,
        "flipped": taken & (turn > 6),
        "market": dealt & (looks == 0),
        "looks": looks,
        "looks_squared": looks**2,
        "taken_looks": looks * taken,
        "taken_at": turn * taken,
        "taken_at_squared": turn**2 * taken,
        "last_seen": turn,
        "last_seen_squared": turn**2,
        "left": left,
        "left_squared": left**2,
        "wins_left": wins_left,
        "wins_left_squared": wins_left**2,
        "left_wins": left * wins_left,
        "wins_taken": 60 * taken * (turn == 3),
        "wins_taken_squared": 3600 * taken * (turn == 3),
    }.items():
        card[name] = values.sum()
    row = observed_rows(sums, card_set(3))[0]
    n_taken, n_seen, n_dealt = int(taken.sum()), int((looks > 0).sum()), int(dealt.sum())
    assert (row["card"], row["back"], row["games"]) == ("5/missing vegetable type", "cabbage", 400)
    counts = [row[f"games_{name}"] for name in ("in_deck", "seen", "taken", "kept")]
    assert counts == [n_dealt, n_seen, n_taken, int((holder[:, 0] >= 0).sum())]

    def share(part, whole):
        return proportion(int(part), int(part), int(whole), int(whole))

    assert estimates(row, "in_deck", "seen", "taken_when_seen", "kept") == [
        share(n_dealt, 400),
        share(n_seen, n_dealt),
        share(n_taken, n_seen),
        share((holder[:, 0] >= 0).sum(), n_dealt),
    ]
    assert estimates(row, "flipped", "market", "win_share_taken") == [
        share((taken & (turn > 6)).sum(), n_taken),
        share((dealt & (looks == 0)).sum(), n_dealt),
        share((taken & (turn == 3)).sum(), n_taken),
    ]
    # ratios over games
    column = np.newaxis
    assert estimates(row, "pick_rate", "win_share_left") == [
        rate(Ratios.of_deals(looks[:, column], taken[:, column].astype(int))),
        rate(
            Ratios.of_deals(left[:, column], wins_left[:, column])
            + Ratios(*(np.array([0])[:] for _ in range(5)), np.array([n_seen - (left > 0).sum()])),
            unit=WHOLE,
        ),
    ]
    # means over games
    for name, values in (("taken_at", turn[taken]), ("last_seen", turn[looks > 0])):
        found = estimate_of(row, name)
        half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
        np.testing.assert_allclose(found, [values.mean(), values.mean() - half, values.mean() + half], rtol=1e-6)


def test_win_shares_and_values_of_holders_and_others():
    n = 3
    _, holder, scores, wins = some_games(2)
    rows = observed_rows(card_sums(holder, scores, wins), card_set(3))
    margins = deviations(scores) / (n - 1)
    for card, row in enumerate(rows):
        dealt, keeps = holder[:, card] > -2, hands(holder, n)[:, :, card].astype(bool)
        others = dealt[:, None] & ~keeps
        assert math.isclose(row["win_share_kept"], wins[keeps].mean() / WHOLE)
        assert math.isclose(row["win_share_not_kept"], wins[others].mean() / WHOLE)
        assert math.isclose(row["observed_margin"], margins[keeps].mean())
        assert math.isclose(row["observed_win"], wins[keeps].mean() / WHOLE - 1 / n)
        assert math.isclose(row["improvement_margin"], margins[keeps].mean() - margins[others].mean())
        assert math.isclose(row["improvement_win"], row["win_share_kept"] - row["win_share_not_kept"])
        half = stats.t.ppf(0.975, keeps.sum() - 1) * stats.sem(margins[keeps])
        assert math.isclose(row["observed_margin_high"], margins[keeps].mean() + half, rel_tol=1e-6)
        ratio = Ratios.of_deals(others.sum(axis=1)[:, None], np.where(others, wins, 0).sum(axis=1)[:, None])
        assert estimate_of(row, "win_share_not_kept") == rate(ratio, unit=WHOLE)
        # a game's part in the difference of the two ratios
        for values, unit in ((margins, "margin"), (wins / WHOLE, "win")):
            of_holders = np.where(keeps, values - values[keeps].mean(), 0).sum(axis=1) / keeps.sum()
            of_others = np.where(others, values - values[others].mean(), 0).sum(axis=1) / others.sum()
            error = math.sqrt(((of_holders - of_others) ** 2).sum() * keeps.sum() / (keeps.sum() - 1))
            half = stats.t.ppf(0.975, keeps.sum() - 1) * error
            name = f"improvement_{unit}"
            np.testing.assert_allclose(row[f"{name}_high"] - row[name], half, rtol=1e-6)
            np.testing.assert_allclose(row[name] - row[f"{name}_low"], half, rtol=1e-6)


def test_a_card_that_does_nothing_has_intervals_about_zero_as_often_as_promised():
    hits, n_repeats = np.zeros(4), 300
    names = ("observed_margin", "observed_win", "improvement_margin", "improvement_win")
    for seed in range(n_repeats):
        generator = np.random.default_rng([4, seed])
        holder = random_holders(generator, 150, 1, 3)
        scores = generator.poisson(5, size=(150, 3)) * 3
        (row,) = observed_rows(card_sums(holder, scores, wins_of(scores), 1), card_set(1))
        hits += [row[f"{name}_low"] <= 0 <= row[f"{name}_high"] for name in names]
    np.testing.assert_allclose(hits / n_repeats, 0.95, atol=4 * math.sqrt(0.05 * 0.95 / n_repeats))


def test_cards_of_no_games_are_unknown_and_one_game_has_no_interval():
    _, holder, scores, wins = some_games(3)
    holder[:, 0] = -2
    holder[:, 1] = -1
    holder[:, 2] = -1
    holder[7, 2] = 1
    absent, never, once = observed_rows(card_sums(holder, scores, wins), card_set(3))
    assert absent["in_deck"] == absent["in_deck_low"] == 0 < absent["in_deck_high"]
    unknown = [name for name, value in absent.items() if isinstance(value, float) and not math.isnan(value)]
    assert unknown == ["in_deck", "in_deck_low", "in_deck_high"]
    assert never["kept"] == 0 and math.isnan(never["observed_margin"]) and math.isnan(never["win_share_kept"])
    assert math.isclose(never["win_share_not_kept"], 1 / 3)
    for name in ("observed_margin", "improvement_margin", "improvement_win"):
        assert math.isfinite(once[name]) and math.isnan(once[f"{name}_low"]) and math.isnan(once[f"{name}_high"])
    assert math.isclose(once["observed_margin"], deviations(scores)[7, 1] / 2)


def test_points_of_a_kept_card():
    generator, holder, scores, wins = some_games(5, n_cards=1)
    sums = card_sums(holder, scores, wins)
    points = generator.integers(-45, 20, size=int(sums.cards["kept"].sum()))
    points[:20] = 0
    sums.cards["points"][0, 0], sums.cards["points_squared"][0, 0] = points.sum(), (points**2).sum()
    sums.cards["zero"][0, 0], sums.cards["negative"][0, 0] = (points == 0).sum(), (points < 0).sum()
    bins = np.clip(points - LEAST_BIN, 0, N_BINS - 1)
    sums.cards["points_at"][0, 0] = np.bincount(bins, minlength=N_BINS)
    (row,) = observed_rows(sums, card_set(1))
    n = len(points)
    assert estimate_of(row, "points") == mean(int(points.sum()), int((points**2).sum()), n, n)
    assert math.isclose(row["points_sd"], points.std(ddof=1))
    assert math.isclose(row["zero"], (points == 0).mean()) and math.isclose(row["negative"], (points < 0).mean())
    for level in (10, 50, 90):
        assert row[f"points_{level}"] == np.quantile(
            np.clip(points, LEAST_BIN, None), level / 100, method="inverted_cdf"
        )
        assert row[f"points_{level}_low"] <= row[f"points_{level}"] <= row[f"points_{level}_high"]
    rows = distribution_rows(sums, card_set(1))
    assert sum(each["games"] for each in rows) == n
    assert (rows[0]["points"], rows[0]["end"], rows[0]["games"]) == (LEAST_BIN, "or less", (points <= LEAST_BIN).sum())
    assert all(each["end"] == "" for each in rows[1:]) and all(
        one["points"] < two["points"] for one, two in pairwise(rows)
    )
    assert estimate_of(rows[3], "share") == proportion(rows[3]["games"], rows[3]["games"], n, n)


def test_intervals_of_quantiles_cover_at_least_what_they_promise():
    generator = np.random.default_rng(6)
    hits = 0
    for _ in range(400):
        counts = np.bincount(generator.integers(0, 40, size=200), minlength=N_BINS)
        found = quantile(counts, 0.5)
        hits += found.low <= LEAST_BIN + 19.5 <= found.high
    assert hits / 400 > 0.95 - 4 * math.sqrt(0.05 * 0.95 / 400)


# causal


def random_gifts(seed, n_deals=300, n_cards=5, given=0.6):
    generator = np.random.default_rng(seed)
    common = generator.normal(0, 8, size=(n_deals, 1))
    dev = np.rint(common + generator.normal(5, 10, size=(n_deals, n_cards))).astype(np.int64)
    wins = np.rint(dev / 4).clip(-60, 60).astype(np.int64)
    return dev, wins, generator.random((n_deals, n_cards)) < given


def test_covariance_of_gifts_is_that_of_means():
    dev, wins, given = random_gifts(1, given=1.1)
    found = gift_values(gift_sums(3, dev, wins, given))
    np.testing.assert_allclose(found.margin, dev.mean(axis=0) / 2, rtol=1e-12)
    np.testing.assert_allclose(found.margin_covariance, np.cov(dev.T / 2) / 300, rtol=1e-10)
    np.testing.assert_allclose(found.win, wins.mean(axis=0) / 60, rtol=1e-12)
    np.testing.assert_allclose(found.win_covariance, np.cov(wins.T / 60) / 300, rtol=1e-10)


def test_covariance_of_gifts_where_not_every_deal_serves_every_card():
    dev, wins, given = random_gifts(2, n_deals=7, n_cards=6)  # fewer deals than some rank: on the edge of semidefinite
    given[:2], given[3:, 5] = True, False
    found = gift_values(gift_sums(2, dev, wins, given))
    masked = np.where(given, dev, np.nan).astype(float)
    k = given.sum(axis=0)
    parts = np.where(given, masked - np.nanmean(masked, axis=0), 0) / np.sqrt(k * (k - 1))
    np.testing.assert_allclose(found.margin_covariance, parts.T @ parts, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.diag(found.margin_covariance), np.nanvar(masked, axis=0, ddof=1) / k, rtol=1e-9)
    assert np.linalg.eigvalsh(found.margin_covariance)[0] > -1e-12
    np.testing.assert_array_equal(found.pairs, k)


def test_covariance_of_means_is_how_they_vary_together():
    values, told = [], []
    for seed in range(300):
        dev, wins, given = random_gifts([3, seed], n_deals=60, n_cards=2)
        found = gift_values(gift_sums(2, dev, wins, given))
        values.append(found.margin)
        told.append(found.margin_covariance)
    np.testing.assert_allclose(np.mean(told, axis=0), np.cov(np.transpose(values)), rtol=0.35)


def test_gifts_of_large_numbers_lose_no_digit():
    dev, wins, given = random_gifts(4, n_deals=50, n_cards=3)
    given[:2] = True
    shifted = gift_values(gift_sums(2, dev + 10**8, wins, given))
    np.testing.assert_allclose(
        shifted.margin_covariance, gift_values(gift_sums(2, dev, wins, given)).margin_covariance, rtol=1e-12
    )


def test_cards_given_less_than_twice_have_no_value():
    dev, wins, given = random_gifts(5)
    given[:, 0], given[1:, 1], given[0, 1] = False, False, True
    sums = gift_sums(2, dev, wins, given)
    found = gift_values(sums)
    assert np.isnan(found.margin[:2]).all() and np.isnan(found.win_covariance[:, :2]).all()
    assert np.isfinite(found.margin[2:]).all() and np.isfinite(found.win_covariance[2:, 2:]).all()
    never, once, *_ = gift_rows(sums, card_set(5))
    assert math.isnan(never["gift_margin"]) and math.isnan(never["gift_kept"]) and math.isnan(never["gift_points"])
    assert once["gift_margin"] == dev[0, 1] and math.isnan(once["gift_margin_low"])
    nothing = gift_values(gift_sums(2, dev, wins, np.zeros_like(given)))
    assert all(np.isnan(each).all() for each in nothing[:4]) and isinstance(nothing, GiftValues)


def test_rows_of_gifts():
    dev, wins, given = random_gifts(6)
    sums = gift_sums(3, dev, wins, given)
    sums.gifts["own"], sums.gifts["own_squared"] = 2 * sums.gifts["dev"], 4 * sums.gifts["dev_squared"]
    sums.gifts["kept"], sums.gifts["points"] = 100, 750
    seat = np.arange(300) % 3
    for place in range(3):
        there = given & (seat == place)[:, None]
        sums.gifts["at_seat"][:, place] = there.sum(axis=0)
        sums.gifts["dev_at_seat"][:, place] = np.where(there, dev, 0).sum(axis=0)
        sums.gifts["dev_squared_at_seat"][:, place] = np.where(there, dev, 0).astype(int).__pow__(2).sum(axis=0)
    values = gift_values(sums)
    for card, row in enumerate(gift_rows(sums, card_set(5))):
        half = stats.t.ppf(0.975, values.pairs[card] - 1) * math.sqrt(values.margin_covariance[card, card])
        assert math.isclose(row["gift_margin_high"], values.margin[card] + half, rel_tol=1e-6)
        half = stats.t.ppf(0.975, values.pairs[card] - 1) * math.sqrt(values.win_covariance[card, card])
        assert math.isclose(row["gift_win_low"], values.win[card] - half, rel_tol=1e-6)
        assert math.isclose(row["gift_own"], 4 * values.margin[card]) and row["gift_points"] == 7.5
        assert math.isclose(row["gift_kept"], 100 / values.pairs[card]) and row["gift_pairs"] == values.pairs[card]
    rows = gift_seat_rows(sums, card_set(5))
    assert [(row["card_id"], row["seat"]) for row in rows] == [
        (card, place) for card in range(5) for place in (1, 2, 3)
    ]
    picked = dev[given[:, 1] & (seat == 2), 1] / 2
    half = stats.t.ppf(0.975, len(picked) - 1) * stats.sem(picked)
    assert rows[5]["gift_pairs"] == len(picked)
    np.testing.assert_allclose(
        estimate_of(rows[5], "gift_margin"), [picked.mean(), picked.mean() - half, picked.mean() + half], rtol=1e-6
    )


def offers_of(dev, taken, turns):
    """Offers of one card: differences, 0 where it was left, whether it was taken, and the turn, all [n_offers]."""
    found = np.zeros(N_TURNS, dtype=OFFER)
    wins = np.sign(dev) * 30
    for turn in np.unique(turns):
        now = turns == turn
        sums = ((each[now].sum(), (each[now] ** 2).sum()) for each in (dev, wins))
        found[turn - 1] = (now.sum(), (now & taken).sum(), *next(sums), *next(sums))
    return found


def test_rows_of_offers():
    generator = np.random.default_rng(7)
    turns = generator.integers(2, 7, size=900)
    dev = np.rint(generator.normal(24 - 6 * turns, 4)).astype(np.int64)
    taken = generator.random(900) < 0.5
    dev[~taken] = 0
    offers = np.zeros((2, N_TURNS), dtype=OFFER)
    offers[1] = offers_of(dev, taken, turns)
    nothing = np.zeros((1, 2), dtype=np.int64)
    sums = gift_sums(3, nothing, nothing, nothing > 0, offers)
    sums.gifts["pairs"] = 900
    rows = offer_rows(sums, card_set(2))
    assert [(row["card_id"], row["turn"]) for row in rows] == [(1, turn) for turn in range(2, 7)]
    for row in rows:
        now = turns == row["turn"]
        assert row["offers"] == now.sum()
        assert estimate_of(row, "offer_taken") == proportion(*([int(taken[now].sum())] * 2), *([int(now.sum())] * 2))
        for name, values in (("offer_margin", dev[now]), ("taken_margin", dev[now & taken])):
            half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
            assert math.isclose(row[name], values.mean() / 2)
            assert math.isclose(row[f"{name}_high"] - row[name], half / 2, rel_tol=1e-6)
        assert math.isclose(row["offer_win"], np.sign(dev[now]).mean() / 2, abs_tol=1e-12)
    (pooled,) = offer_card_rows(sums, card_set(2))
    assert pooled["offers"] == 900 and (pooled["pays_from"], pooled["pays_to"]) == (2, 3)
    half = stats.t.ppf(0.975, 899) * stats.sem(dev) / 2
    np.testing.assert_allclose(
        estimate_of(pooled, "offer_margin"),
        [dev.mean() / 2, dev.mean() / 2 - half, dev.mean() / 2 + half],
        rtol=1e-6,
    )
    # each deal offers the card at five turns, as if five times
    sums.gifts["pairs"] = 180
    (clustered,) = offer_card_rows(sums, card_set(2))
    np.testing.assert_allclose(clustered["offer_margin_high"], dev.mean() / 2 + math.sqrt(5) * half, rtol=1e-6)
    n_taken = int(taken.sum())
    assert estimate_of(clustered, "offer_taken") == proportion(n_taken, 5 * n_taken, 180, 900)
    assert offer_rows(sums, card_set(2)) == rows


def test_a_card_pays_from_the_first_to_the_last_turn_that_is_certain():
    one = np.ones(50, dtype=bool)

    def of(*means):
        spread = np.tile([-3, 3], 25)
        return np.concatenate([np.full(50, each) + spread for each in means]), np.repeat(one, len(means))

    for means, expected in (((9, 5, 2), (1, 3)), ((9, 0, 9), (1, 3)), ((0, 9, 0), (2, 2)), ((-9, 0), None)):
        dev, taken = of(*means)
        assert pays(offers_of(dev, taken, np.repeat(np.arange(1, len(means) + 1), 50)), 2) == expected
    # 2.1 standard errors are enough for one turn, not for one of three
    dev, taken = of(0.9, 0, 0)
    turns = np.repeat([1, 2, 3], 50)
    assert pays(offers_of(dev[:50] * 10, taken[:50], turns[:50]), 2) == (1, 1)
    assert pays(offers_of(dev * 10, taken, turns), 2) is None
    # a turn with few offers is not tested
    assert pays(offers_of(np.full(20, 9), one[:20], np.full(20, 4)), 2) is None


def test_turns_are_wrongly_called_worth_something_as_rarely_as_promised():
    """Beyond turn 2 the offer is worth nothing: it pays later with at most 2.5 %, though many turns are looked at."""
    generator = np.random.default_rng(8)
    turns = np.repeat(np.arange(1, 11), 40)
    n_repeats, late = 600, 0
    for _ in range(n_repeats):
        dev = np.rint(generator.normal(np.where(turns < 3, 20, 0), 10)).astype(np.int64)
        late += pays(offers_of(dev, dev > 0, turns), 2) != (1, 2)
    assert late / n_repeats < 0.025 + 4 * math.sqrt(0.025 * 0.975 / n_repeats)


def test_bias_is_the_difference_with_the_error_of_both():
    found = bias(Estimate(5.0, 2.0, 8.0), Estimate(1.0, -3.0, 5.0))
    assert found == Estimate(4.0, -1.0, 9.0)
    uneven = bias(Estimate(5.0, 4.0, 8.0), Estimate(1.0, 1.0, 5.0))
    assert uneven.low == 4 - math.hypot(1, 4) and uneven.high == 4 + 3
    _, holder, scores, wins = some_games(9)
    observed = observed_rows(card_sums(holder, scores, wins), card_set(3))
    dev, won, given = random_gifts(9, n_cards=3)
    gifts = gift_rows(gift_sums(3, dev, won, given), card_set(3))
    for seen, gift, row in zip(observed, gifts, bias_rows(observed, gifts), strict=True):
        assert row["card_id"] == seen["card_id"]
        assert math.isclose(row["bias_margin"], seen["observed_margin"] - gift["gift_margin"])
        assert row["bias_margin_low"] < min(row["bias_margin"], seen["observed_margin_low"] - gift["gift_margin"])
        assert math.isclose(row["bias_win"], seen["observed_win"] - gift["gift_win"])


def test_bias_is_nothing_where_cards_are_held_by_chance():
    """The holder is drawn, so the log tells what a gift would: both estimates are of the same quantity, in one unit."""
    generator = np.random.default_rng(10)
    n, n_games, effect = 2, 20_000, 6
    holder = random_holders(generator, n_games, 1, n, dealt=1)
    scores = np.rint(generator.normal(30, 6, size=(n_games, n))).astype(np.int64)
    with_card = scores + effect * hands(holder, n)[:, :, 0]
    observed = observed_rows(card_sums(holder, with_card, wins_of(with_card)), card_set(1))
    base = np.rint(generator.normal(30, 6, size=(n_games, n))).astype(np.int64)
    gifted = base + effect * np.array([1, 0])
    dev = (deviations(gifted) - deviations(base))[:, :1]
    won = (wins_of(gifted) - wins_of(base))[:, :1]
    gifts = gift_rows(gift_sums(n, dev, won, np.ones((n_games, 1), dtype=bool)), card_set(1))
    (row,) = bias_rows(observed, gifts)
    assert gifts[0]["gift_margin"] == effect
    assert row["bias_margin_low"] < 0 < row["bias_margin_high"] and row["bias_margin_high"] < 0.3
    assert row["bias_win_low"] < 0 < row["bias_win_high"] and row["bias_win_high"] < 0.03
