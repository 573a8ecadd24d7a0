"""Statistics of the seats against scipy and statsmodels, by plain arithmetic, and by what they promise in simulation.

Statistical tests have fixed seeds; a count of failures may lie within four standard deviations of what is promised.
"""

import math
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from salad_sim import InputError
from salad_sim.stats.deal_sums import DealSums, add_up
from salad_sim.stats.equivalence import DIFFERS, FAIR, UNDECIDED, check_margin, fairness, games_to_decide, judge
from salad_sim.stats.intervals import Estimate, Z, mean, proportion, student
from salad_sim.stats.shares import (
    are_single_wins,
    contrasts,
    from_fair,
    paired_changes,
    seat_shares,
    seats_equal,
    spread,
)
from salad_sim.stats.simultaneous import bonferroni_quantile, joint_quantile

WHOLE = 60


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def single_wins(generator, n_games, shares):
    """Games that one seat wins whole: [n_games, n_seats] in sixtieths."""
    n_seats = len(shares)
    return WHOLE * np.eye(n_seats, dtype=np.int64)[generator.choice(n_seats, size=n_games, p=shares)]


def clustered_wins(generator, n_deals, shares, games, alike):
    """Deals of several games, [n_deals, n_seats]: with probability ``alike`` all games of a deal end as the first."""
    won = single_wins(generator, n_deals * games, shares).reshape(n_deals, games, len(shares))
    same = generator.random(n_deals) < alike
    won[same] = won[same, :1]
    return won.sum(axis=1)


def from_counts(counts):
    """The sums of games of which each seat won so many."""
    wins = np.repeat(WHOLE * np.eye(len(counts), dtype=np.int64), counts, axis=0)
    return DealSums.from_deals(wins)


# sums


def test_sums_of_deals_add_up_and_combine():
    generator = np.random.default_rng(1)
    deals = generator.integers(-50, 200, size=(300, 4))
    parts = [DealSums.from_deals(deals[start : start + 100], 3) for start in (0, 100, 200)]
    whole = add_up(parts)
    assert (whole.n_deals, whole.n_games) == (300, 900)
    np.testing.assert_array_equal(whole.total, deals.sum(axis=0))
    np.testing.assert_array_equal(whole.products, deals.T @ deals)
    np.testing.assert_allclose(whole.covariance(), np.cov(deals.T) / 300 / 9, rtol=1e-12)
    weights = np.array([[1, -1, 0, 0], [0, 2, 0, 1]])
    combined = DealSums.from_deals(deals @ weights.T, 3)
    np.testing.assert_array_equal(whole.combine(weights).products, combined.products)
    np.testing.assert_array_equal(whole.part([2, 0]).products, whole.products[np.ix_([2, 0], [2, 0])])
    assert whole.mean(1) == mean(int(deals[:, 1].sum()), int((deals[:, 1] ** 2).sum()), 300, 900)


def test_what_does_not_vary_has_no_variance_whatever_its_size():
    sums = DealSums.from_deals(np.full((10_001, 2), 12_345_679))
    assert not sums.covariance().any()
    assert sums.products[0, 0] == 10_001 * 12_345_679**2  # beyond what floats hold


@pytest.mark.parametrize(
    "deals", [np.zeros((0, 2), dtype=int), np.zeros((3, 2)), np.zeros(3, dtype=int), np.full((3, 1), 2**62)]
)
def test_sums_of_other_things_are_refused(deals):
    with pytest.raises(ValueError, match=r"whole numbers|64 bits"):
        DealSums.from_deals(deals)


def test_sums_of_different_designs_do_not_add():
    with pytest.raises(ValueError, match="same quantities"):
        DealSums.from_deals([[1, 2]]) + DealSums.from_deals([[1, 2]], 2)


# quantiles


@pytest.mark.parametrize("n_seats", [3, 4, 6])
@pytest.mark.parametrize("freedom", [4, 60, 10**6])
def test_all_pairs_of_equal_seats_need_the_studentized_range(n_seats, freedom):
    weights = np.array([np.eye(n_seats)[i] - np.eye(n_seats)[j] for i, j in combinations(range(n_seats), 2)])
    expected = stats.studentized_range.ppf(0.95, n_seats, freedom) / math.sqrt(2)
    assert joint_quantile(weights @ weights.T, freedom) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_independent_estimates_need_sidaks_quantile(n):
    sidak = stats.norm.ppf((1 + 0.95 ** (1 / n)) / 2)
    assert joint_quantile(np.diag(np.arange(1.0, n + 1)), 10**7) == pytest.approx(sidak, rel=2e-3)


def test_one_direction_needs_students_quantile():
    assert joint_quantile(np.array([[4.0]]), 9) == student(9)
    assert joint_quantile(np.array([[4.0, -2.0], [-2.0, 1.0]]), 9) == student(9)
    assert joint_quantile(np.zeros((3, 3)), 9) == student(9)
    assert joint_quantile(np.diag([1.0, 0.0]), 9) == student(9)


def test_joint_quantile_by_simulation():
    generator = np.random.default_rng(3)
    root = generator.normal(size=(4, 3))  # a singular covariance with unequal variances
    draws = np.abs(generator.normal(size=(400_000, 3)) @ root.T / np.linalg.norm(root, axis=1)).max(axis=1)
    assert joint_quantile(root @ root.T, 10**7) == pytest.approx(np.quantile(draws, 0.95), abs=0.01)


# shares


@pytest.mark.parametrize("counts", [(50, 30, 20), (7, 0, 3), (40, 0, 0, 0), (1, 0, 0), (3, 1, 4, 1, 5, 9)])
def test_single_wins_give_goodmans_intervals(counts):
    """Goodman's formula 2.1, worked out here."""
    n, limit = sum(counts), stats.chi2.ppf(1 - 0.05 / len(counts), 1)
    for found, count in zip(seat_shares(from_counts(counts)), counts, strict=True):
        root = math.sqrt(limit * (limit + 4 * count * (n - count) / n))
        assert found.value == count / n
        assert found.low == pytest.approx((limit + 2 * count - root) / (2 * (n + limit)), rel=1e-9, abs=1e-12)
        assert found.high == pytest.approx((limit + 2 * count + root) / (2 * (n + limit)), rel=1e-9)


def test_the_formula_with_a_design_effect_agrees_with_statsmodels_for_single_wins():
    sums = from_counts((50, 30, 20))
    assert are_single_wins(sums)
    for one, other in zip(seat_shares(sums), seat_shares(sums, quantile=bonferroni_quantile(3)), strict=True):
        assert one == pytest.approx(other, rel=1e-9)


def test_two_seats_have_one_unknown_share():
    first, second = seat_shares(from_counts((70, 30)))
    expected = stats.binomtest(70, 100).proportion_ci(method="wilson")
    assert first == pytest.approx((0.7, expected.low, expected.high))
    assert (second.low, second.high) == pytest.approx((1 - first.high, 1 - first.low))


def test_copies_of_a_game_count_once():
    wins = single_wins(np.random.default_rng(2), 2_000, [0.4, 0.35, 0.25])
    once, thrice = DealSums.from_deals(wins), DealSums.from_deals(3 * wins, 3)
    assert not are_single_wins(thrice)
    for one, other in zip(seat_shares(once), seat_shares(thrice), strict=True):
        assert one == pytest.approx(other, rel=1e-3)
    assert seats_equal(once).p_value == pytest.approx(seats_equal(thrice).p_value, rel=0.2)
    assert spread(once).estimate == pytest.approx(spread(thrice).estimate, rel=1e-9)


def test_differences_from_fair_are_moved_shares():
    shares = seat_shares(from_counts((50, 30, 20)))
    for share, moved in zip(shares, from_fair(shares), strict=True):
        assert moved == pytest.approx([bound - 1 / 3 for bound in share])


# equality


def test_pearsons_test_for_single_wins():
    expected = stats.chisquare((50, 30, 20))
    found = seats_equal(from_counts((50, 30, 20)))
    assert (found.statistic, found.numerator, found.denominator) == (pytest.approx(expected.statistic), 2, 0)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_hotellings_test_for_deals_by_the_formula():
    """Without the worst case that is mixed in: for many deals that hardly matters."""
    wins = clustered_wins(np.random.default_rng(4), 5_000, [0.35, 0.33, 0.32], 3, 0.5)
    means = wins[:, :2] / (3 * WHOLE) - 1 / 3
    squared = 5_000 * means.mean(axis=0) @ np.linalg.solve(np.cov(means.T), means.mean(axis=0))
    found = seats_equal(DealSums.from_deals(wins, 3))
    assert found.statistic == pytest.approx(squared * 4_998 / (2 * 4_999), rel=5e-3)
    assert (found.numerator, found.denominator) == (2, 4_998)
    assert found.p_value == pytest.approx(stats.f.sf(found.statistic, 2, 4_998))


@pytest.mark.parametrize("games", [1, 4])
def test_equal_seats_are_called_different_as_often_as_stated(games):
    """5 % of 1,000: between 22 and 78 with four standard deviations of 6.9."""
    generator = np.random.default_rng(5)
    found = 0
    for _ in range(1_000):
        sums = DealSums.from_deals(clustered_wins(generator, 200, [0.25] * 4, games, 0.4), games)
        found += seats_equal(sums).p_value < 0.05
    assert 22 <= found <= 78


def test_a_seat_that_never_wins_is_noticed_in_clustered_games():
    """That direction does not vary between deals, and must not be dropped for it."""
    wins = np.zeros((40, 3), dtype=np.int64)
    wins[:, 0], wins[:, 1] = 2 * WHOLE, WHOLE
    assert seats_equal(DealSums.from_deals(wins, 3)).p_value < 1e-6


def test_fewer_deals_than_seats_are_not_enough():
    few = seats_equal(DealSums.from_deals([[60, 60, 60]] * 2, 3))
    assert not few.enough
    assert math.isnan(few.p_value)


# differences


def test_one_difference_is_the_paired_t_test():
    generator = np.random.default_rng(6)
    wins = clustered_wins(generator, 400, [0.6, 0.4], 2, 0.3)
    sums = DealSums.from_deals(wins, 2)
    (found,) = contrasts(sums, [[1, -1]])
    difference = (wins[:, 0] - wins[:, 1]) / (2 * WHOLE)
    expected = stats.ttest_1samp(difference, 0).confidence_interval()
    assert found == pytest.approx((difference.mean(), expected.low, expected.high), rel=5e-3)  # a term for rare events
    assert spread(sums).estimate == pytest.approx(found)


def test_spread_is_that_of_the_best_and_the_worst_seat():
    found = spread(from_counts((200, 500, 300)))
    assert (found.best, found.worst) == (1, 0)
    assert found.estimate.value == pytest.approx(0.3)
    bounds = found.pairs[(0, 1)]
    assert (bounds.value, found.estimate.high) == (pytest.approx(-0.3), pytest.approx(-bounds.low))
    assert found.estimate.low == pytest.approx(-bounds.high)


@pytest.mark.parametrize("shares", [[0.25] * 4, [0.4, 0.3, 0.2, 0.1]])
def test_all_differences_of_seats_hold_at_once(shares):
    """5 % of 500: between 6 and 44 misses with four standard deviations of 4.9."""
    generator = np.random.default_rng(7)
    misses = 0
    for _ in range(500):
        found = spread(DealSums.from_deals(single_wins(generator, 300, shares)))
        misses += any(not each.low <= shares[i] - shares[j] <= each.high for (i, j), each in found.pairs.items())
    assert 6 <= misses <= 44


def test_paired_changes_by_plain_arithmetic():
    generator = np.random.default_rng(8)
    before = single_wins(generator, 500, [0.5, 0.3, 0.2])
    after = np.where(generator.random((500, 1)) < 0.1, single_wins(generator, 500, [0.2, 0.2, 0.6]), before)
    found = paired_changes(DealSums.from_deals(np.hstack([before, after])))
    difference = (after - before) / WHOLE
    for seat, estimate in enumerate(found):
        error = difference[:, seat].std(ddof=1) / math.sqrt(500)
        assert estimate.value == pytest.approx(difference[:, seat].mean())
        assert student(499) * error < (estimate.high - estimate.low) / 2 < bonferroni_quantile(3) * error * 1.01


def test_conditions_that_never_differed_may_still_differ_rarely():
    wins = single_wins(np.random.default_rng(9), 400, [0.5, 0.5])
    for found in paired_changes(DealSums.from_deals(np.hstack([wins, wins]))):
        assert found.value == 0
        # an event of that frequency is not seen in 400 games with 5 %
        assert (1 - found.high) ** 400 == pytest.approx(0.05, rel=0.05)


# fairness


def test_verdicts():
    assert judge(Estimate(0.0, -0.001, 0.001), 0.002) == FAIR
    assert judge(Estimate(0.001, 0.0005, 0.0015), 0.002) == FAIR
    assert judge(Estimate(0.002, 0.001, 0.003), 0.002) == DIFFERS
    assert judge(Estimate(-0.01, -0.02, -0.003), 0.002) == DIFFERS
    assert judge(Estimate(0.0, -0.003, 0.001), 0.002) == UNDECIDED


def test_a_verdict_that_is_not_made_says_how_many_games_it_would_need():
    fair, off = Estimate(0.0005, -0.006, 0.007), Estimate(0.004, -0.0025, 0.0105)
    for difference, wanted in ((fair, 0.0045), (off, 0.004)):
        more = games_to_decide(difference, 0.005, 1000)
        assert more == pytest.approx(1000 * (0.0065 / wanted) ** 2, abs=1)
        narrower = 0.0065 * (1000 / (1.01 * more)) ** 0.5
        found = Estimate(difference.value, difference.value - narrower, difference.value + narrower)
        assert judge(difference, 0.005) == UNDECIDED != judge(found, 0.005)
    assert games_to_decide(Estimate(0.01, 0.008, 0.012), 0.005, 1000) == 0


def test_fairness_of_a_game():
    fair = fairness(from_counts((50_000, 50_100)), 0.01)
    assert (fair.verdict, [each.verdict for each in fair.seats]) == (FAIR, [FAIR, FAIR])
    assert fair.p_value < 1e-6
    unfair = fairness(from_counts((50_000, 40_000, 45_000)), 0.01)
    assert [each.verdict for each in unfair.seats] == [DIFFERS, DIFFERS, FAIR]
    assert unfair.verdict == DIFFERS
    assert unfair.p_value > 0.99
    assert fairness(from_counts((5, 4))).verdict == UNDECIDED
    real_but_small = fairness(from_counts((502_000, 498_000)), 0.01)
    assert (real_but_small.verdict, real_but_small.seats[0].detected) == (FAIR, True)


def test_two_one_sided_tests_by_scipy():
    """One-sided score tests of a share against 1/2 + 0.02 and 1/2 - 0.02, whose variance is that of the estimate."""
    sums = from_counts((5_050, 4_950))
    found = fairness(sums, 0.02)
    above = stats.norm.cdf((0.505 - 0.52) / math.sqrt(0.52 * 0.48 / 10_000))
    assert found.seats[0].p_value == pytest.approx(above, rel=1e-6)


@pytest.mark.parametrize("share", [0.27, 0.23])
def test_a_seat_at_the_margin_is_seldom_called_fair(share):
    """The first of four seats is off by the margin: called fair in at most 1.25 %, 5 of 400, with 4 sd at most 14."""
    generator = np.random.default_rng(10)
    rest = (1 - share) / 3
    wrong = sum(
        fairness(DealSums.from_deals(single_wins(generator, 4_000, [share, rest, rest, rest])), 0.02).verdict == FAIR
        for _ in range(400)
    )
    assert wrong <= 14


@pytest.mark.parametrize("given", ["x", 0, -0.1, 0.5, "nan", None])
def test_margins_that_make_no_sense_are_refused(given):
    with pytest.raises(InputError, match=r"below a fair share of 0\.25"):
        check_margin(given, 4)


def test_a_margin_may_be_text():
    assert check_margin("0.002", 2) == float(Fraction(2, 1000))


# what is degenerate


@pytest.mark.parametrize("n_seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("n_deals", [1, 2, 50])
@pytest.mark.parametrize("kind", ["one seat wins all", "all share", "copies"])
def test_degenerate_games_give_finite_intervals(n_seats, n_deals, kind):
    wins = np.zeros((n_deals, n_seats), dtype=np.int64)
    games = 1
    if kind == "one seat wins all":
        wins[:, 0] = WHOLE
    elif kind == "all share":
        wins[:] = WHOLE // n_seats
    else:
        wins[:, 0], games = 3 * WHOLE, 3
    sums = DealSums.from_deals(wins, games)
    changed = paired_changes(DealSums.from_deals(np.hstack([wins, wins[:, ::-1]]), games))
    found = spread(sums)
    for estimate in [*seat_shares(sums), *changed, found.estimate, *found.pairs.values()]:
        assert all(math.isfinite(bound) for bound in estimate)
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.low < estimate.high
    test = seats_equal(sums)
    assert test.enough == (not math.isnan(test.p_value))
    assert fairness(sums, 0.01).verdict in (UNDECIDED, DIFFERS)


def test_wilsons_interval_is_that_of_a_single_quantile():
    sums = from_counts((50, 30, 20))
    assert seat_shares(sums, quantile=Z)[0] == proportion(50 * WHOLE, 50 * WHOLE**2, 100, 100, WHOLE)
