"""Observed values of cards: against plain arithmetic on games, and by what they promise in simulation.

Statistical tests have fixed seeds; a count of failures may lie within four standard deviations of what is promised.
"""

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from salad_sim.play.card_sums import LEAST_BIN, N_BINS
from salad_sim.report.table import estimate_of
from salad_sim.stats.intervals import mean, proportion
from salad_sim.stats.ratios import Ratios, rate
from salad_sim.studies.cards.observed import distribution_rows, observed_rows, quantile
from support.card_games import WHOLE, card_set, card_sums, deviations, hands, random_holders, wins_of


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
