"""The interval routines against scipy, against figures worked out by hand, and by their coverage."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

from salad_sim.stats.intervals import deviation, mean, proportion, student

WHOLE = 60
SHARED = WHOLE // 2


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def of_plain_games(n_won, n_games):
    """The interval for games that are each won or lost."""
    return proportion(n_won * WHOLE, n_won * WHOLE**2, n_games, n_games, WHOLE)


def of_deals(wins):
    """The interval for an array [deals, games of a deal] of wins in sixtieths."""
    wins = np.asarray(wins, dtype=np.int64)
    by_deal = wins.sum(axis=1)
    return proportion(int(wins.sum()), int((by_deal**2).sum()), len(wins), wins.size, WHOLE)


@pytest.mark.parametrize("n_games", [1, 2, 3, 10, 997, 10**6])
def test_plain_games_give_wilsons_interval(n_games):
    for n_won in sorted({0, 1, n_games // 3, n_games // 2, n_games - 1, n_games}):
        share, low, high = of_plain_games(n_won, n_games)
        expected = stats.binomtest(n_won, n_games).proportion_ci(method="wilson")
        assert share == n_won / n_games
        assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-12, abs=1e-15)


def test_bounds_are_exact_at_no_win_and_all_wins():
    assert of_plain_games(0, 1000).low == 0
    assert of_plain_games(1000, 1000).high == 1
    assert 0 < of_plain_games(0, 1000).high < 0.01


def test_a_million_games_of_ten_to_the_fifteen_do_not_overflow():
    share, low, high = of_plain_games(10**15 // 2, 10**15)
    assert low < share < high
    assert high - low == pytest.approx(2 * 1.959964 * math.sqrt(0.25 / 1e15), rel=1e-5)


def test_copies_of_a_game_do_not_count_as_games():
    generator = np.random.default_rng(11)
    wins = WHOLE * generator.integers(0, 2, size=(400, 1))
    assert of_deals(np.repeat(wins, 3, axis=1))[1:] == pytest.approx(of_deals(wins)[1:], rel=1e-12)


def test_deals_that_are_all_won_count_once_each():
    assert of_deals([[WHOLE] * 3] * 10) == of_plain_games(10, 10)
    assert of_deals([[WHOLE, WHOLE]]) == of_plain_games(1, 1)
    assert of_deals([[0] * 6] * 4) == of_plain_games(0, 4)


def test_shared_wins_are_worth_more_games():
    plain = of_deals([[WHOLE], [0]] * 500)
    half_shared = of_deals([[WHOLE], [0], [SHARED], [SHARED]] * 250)
    ratio = (half_shared.high - half_shared.low) / (plain.high - plain.low)
    # half of the games have no variance at all
    assert ratio == pytest.approx(math.sqrt(0.5), rel=0.01)


def test_opposite_results_in_a_deal_cancel():
    independent = of_deals(WHOLE * np.random.default_rng(5).integers(0, 2, size=(1000, 2)))
    mostly_opposite = of_deals([[WHOLE, 0], [0, WHOLE]] * 450 + [[WHOLE, WHOLE], [0, 0]] * 50)
    assert mostly_opposite.high - mostly_opposite.low < 0.5 * (independent.high - independent.low)


@pytest.mark.parametrize("wins", [[[WHOLE, 0]] * 2, [[SHARED]] * 2, [[WHOLE, 0]], [[SHARED]], [[WHOLE, WHOLE]]])
def test_a_few_deals_that_agree_give_no_certainty(wins):
    share, low, high = of_deals(wins)
    assert 0 <= low <= share <= high <= 1
    assert high - low > 0.4


def test_coverage_for_rotated_deals():
    """Of 1,500 runs of 150 deals of 3 correlated games, about 95 % cover; the seed is fixed, 4 sigma is 2.3 points."""
    generator = np.random.default_rng(2024)
    covered = 0
    for _ in range(1500):
        luck = generator.random((150, 1))
        wins = WHOLE * (0.5 * luck + 0.5 * generator.random((150, 3)) < 0.3)
        low, high = of_deals(wins)[1:]
        covered += low <= 0.18 <= high  # P(U + V < 0.6) = 0.6**2 / 2
    assert 0.93 < covered / 1500 < 0.975


def test_mean_of_single_games_is_students_interval():
    scores = np.random.default_rng(3).integers(-5, 80, size=40)
    value, low, high = mean(int(scores.sum()), int((scores**2).sum()), 40, 40)
    expected = stats.t.interval(0.95, 39, loc=scores.mean(), scale=stats.sem(scores))
    assert value == pytest.approx(scores.mean())
    assert (low, high) == pytest.approx(expected, rel=1e-6)


def test_mean_takes_the_deal_as_the_unit():
    scores = np.random.default_rng(4).integers(0, 80, size=(25, 4)) + np.arange(25)[:, None]
    by_deal = scores.sum(axis=1)
    low, high = mean(int(scores.sum()), int((by_deal**2).sum()), 25, 100)[1:]
    means = scores.mean(axis=1)
    expected = stats.t.interval(0.95, 24, loc=means.mean(), scale=stats.sem(means))
    assert (low, high) == pytest.approx(expected)


def test_mean_of_one_deal_has_no_interval():
    value, low, high = mean(42, 42**2, 1, 1)
    assert value == 42
    assert math.isnan(low) and math.isnan(high)


def test_mean_of_equal_scores_is_certain():
    assert mean(-70, 7 * 100, 7, 7) == (-10, -10, -10)


@pytest.mark.parametrize("freedom", [1, 2, 29, 30, 31, 100, 10**4, 10**15])
def test_student_quantile(freedom):
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-7)


def test_deviation():
    scores = np.random.default_rng(8).integers(-20, 90, size=500)
    found = deviation(int(scores.sum()), int((scores**2).sum()), 500)
    assert found == pytest.approx(scores.std(ddof=1), rel=1e-12)
    assert deviation(14, 2 * 49, 2) == 0
    assert math.isnan(deviation(7, 49, 1))
