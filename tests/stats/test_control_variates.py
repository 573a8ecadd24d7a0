"""Luck adjustment and factors in variance: unbiased, as wide as they say, and against plain least squares."""

import math
import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from salad_sim.stats.control_variates import adjust_for_luck, fit_slopes
from salad_sim.stats.deal_sums import DealSums, add_up
from salad_sim.stats.efficiency import pairing_factor, variance_factor


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def blocks_of(deals, n_blocks, games=1):
    return [DealSums.from_deals(part, games) for part in np.array_split(deals, n_blocks)]


def lucky_deals(generator, n_deals, n_noise=0):
    """One win of two seats in sixtieths that owes something to a control of expectation 0, and noise controls."""
    luck = generator.integers(-5, 6, size=n_deals)
    won = 60 * (generator.normal(size=n_deals) + luck / 3 > 0.2)
    noise = generator.integers(-3, 4, size=(n_deals, n_noise))
    return np.column_stack([won, 60 - won, luck, noise]).astype(np.int64)


def test_slopes_are_those_of_least_squares():
    generator = np.random.default_rng(1)
    controls = generator.integers(-9, 10, size=(500, 3))
    outcome = controls @ [[2, 0], [-1, 3], [0, 1]] + generator.integers(-4, 5, size=(500, 2))
    design = np.column_stack([np.ones(500), controls])
    expected = np.linalg.lstsq(design, outcome, rcond=None)[0][1:]
    found = fit_slopes(DealSums.from_deals(np.hstack([outcome, controls])), 2, choose=False)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_adjustment_by_plain_arithmetic_on_two_folds():
    """Each half is adjusted with the slope of the other half."""
    deals = lucky_deals(np.random.default_rng(2), 400)
    first, second = deals[:200].astype(float), deals[200:].astype(float)

    def slope(part):
        return np.cov(part[:, 0], part[:, 2])[0, 1] / part[:, 2].var(ddof=1)

    adjusted = np.concatenate([first[:, 0] - slope(second) * first[:, 2], second[:, 0] - slope(first) * second[:, 2]])
    found = adjust_for_luck(blocks_of(deals, 2), 2, unit=60, choose=False)
    assert found.estimates[0].value == pytest.approx(adjusted.mean() / 60)
    half = (found.estimates[0].high - found.estimates[0].low) / 2
    assert half == pytest.approx(adjusted.std(ddof=1) / 60 / math.sqrt(400) * 1.9659, rel=1e-4)
    assert found.factors[0].value == pytest.approx(deals[:, 0].var(ddof=1) / adjusted.var(ddof=1))
    assert found.factors[0].value > 1.5
    assert sum(each.value for each in found.estimates) == pytest.approx(1)


@pytest.mark.parametrize("choose", [False, True])
def test_expectation_is_kept_exactly_for_few_deals(choose):
    """All equally likely samples of 2 blocks of 2 deals, enumerated: the mean of the estimates is the true mean.

    The luck of a deal is -1, 0 or 1; it wins 60, 0 or 30 of 60. With so few deals slopes from the same deals would
    bias: the check at the end says by how much.
    """
    kinds = [(60, -1), (0, 0), (30, 1)]
    estimates, within = [], []
    for sample in product(kinds, repeat=4):
        deals = np.repeat(np.array(sample), 20, axis=0)  # enough deals for a control
        halves = [DealSums.from_deals(deals[:40]), DealSums.from_deals(deals[40:])]
        estimates.append(adjust_for_luck(halves, 1, choose=choose).estimates[0].value)
        slope = fit_slopes(add_up(halves), 1, choose=choose)[0, 0]
        within.append(deals[:, 0].mean() - slope * deals[:, 1].mean())
    truth = float(Fraction(60 + 0 + 30, 3))
    assert np.mean(estimates) == pytest.approx(truth, rel=1e-12)
    assert abs(np.mean(within) - truth) > 0.5


def test_estimates_are_unbiased_and_cover_in_simulation():
    """300 runs: the mean within four standard errors; 15 misses are 5 %, 30 are four standard deviations more."""
    generator = np.random.default_rng(3)
    truth = lucky_deals(generator, 2_000_000)[:, 0].mean() / 60
    values, misses = [], 0
    for _ in range(300):
        found = adjust_for_luck(blocks_of(lucky_deals(generator, 600, n_noise=3), 10), 2, unit=60).estimates[0]
        values.append(found.value)
        misses += not found.low <= truth <= found.high
    assert abs(np.mean(values) - truth) < 4 * np.std(values) / math.sqrt(300)
    assert misses <= 30


def test_only_controls_that_help_are_chosen():
    deals = lucky_deals(np.random.default_rng(4), 4_000, n_noise=6)
    found = adjust_for_luck(blocks_of(deals, 10), 2, unit=60)
    assert found.chosen[0] == 1
    assert max(found.chosen[1:]) < 0.5
    assert all(adjust_for_luck(blocks_of(deals, 10), 2, unit=60, choose=False).chosen)
    assert found.slopes[0, 0] > 0
    assert found.slopes[0, 1] == pytest.approx(-found.slopes[0, 0])


def test_a_control_said_twice_or_constant_does_no_harm():
    deals = lucky_deals(np.random.default_rng(5), 1_000)
    once = adjust_for_luck(blocks_of(deals, 10), 2, choose=False)
    more = np.column_stack([deals, 7 * deals[:, 2], np.zeros(1_000, dtype=np.int64)])
    twice = adjust_for_luck(blocks_of(more, 10), 2, choose=False)
    assert twice.estimates[0] == pytest.approx(once.estimates[0])
    assert twice.chosen[2] == 0


@pytest.mark.parametrize(("n_deals", "n_blocks"), [(1, 1), (2, 1), (2, 2), (100, 1), (100, 10)])
@pytest.mark.parametrize("varies", [False, True])
def test_degenerate_runs_are_left_as_played(n_deals, n_blocks, varies):
    deals = np.zeros((n_deals, 4), dtype=np.int64)
    deals[:, 0] = 60
    if varies:
        deals[: n_deals // 2] = deals[: n_deals // 2, [1, 0, 2, 3]]
    found = adjust_for_luck(blocks_of(deals, n_blocks), 2, unit=60)
    for adjusted, plain in zip(found.estimates, found.plain, strict=True):
        assert adjusted == pytest.approx(plain)
    assert found.plain[0].value == deals[:, 0].mean() / 60
    assert [each.value for each in found.factors] == [1, 1]
    assert not any(math.isnan(bound) for each in found.estimates for bound in each)


# what a design is worth


def test_copies_of_a_game_are_worth_nothing():
    generator = np.random.default_rng(6)
    won = 60 * generator.integers(0, 2, size=(2_000, 1))
    found = variance_factor(blocks_of(won, 20), blocks_of(3 * won, 20, games=3))
    assert (found.value, found.low, found.high) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_factor_of_rotations_whose_luck_cancels():
    """A deal favours a seat by its luck; played from both seats the luck cancels, but for the noise of each game."""
    generator = np.random.default_rng(7)
    luck = generator.normal(size=(40_000, 1)) * 300
    noise = generator.normal(size=(40_000, 2)) * 100
    once = np.rint(luck + noise[:, :1]).astype(np.int64)
    both = np.rint((luck + noise[:, :1]) + (-luck + noise[:, 1:])).astype(np.int64)
    found = variance_factor(blocks_of(once, 20), blocks_of(both, 20, games=2))
    # for each game: 300^2 + 100^2 against (2 * 100^2) / 2
    assert found.low < 10 < found.high
    assert found.high / found.low < 1.2


def test_factor_of_pairing_by_plain_arithmetic():
    generator = np.random.default_rng(8)
    common = generator.integers(0, 100, size=(900, 2))
    deals = np.hstack([common + generator.integers(0, 30, size=(900, 2)) for _ in range(2)])
    found = pairing_factor(blocks_of(deals, 30))
    difference = deals[:, 2:] - deals[:, :2]
    assert found.value == pytest.approx(deals.var(axis=0).sum() / difference.var(axis=0).sum())
    assert found.low < found.value < found.high


def test_intervals_of_a_factor_cover():
    """400 factors of 1: 5 % misses are 20, with four standard deviations of 4.4 at most 38."""
    generator = np.random.default_rng(9)
    misses = 0
    for _ in range(400):
        parts = [blocks_of(generator.integers(0, 50, size=(800, 1)), n_blocks) for n_blocks in (20, 25)]
        found = variance_factor(*parts)
        misses += not found.low <= 1 <= found.high
    assert misses <= 38


def test_factors_without_variance():
    still, moving = np.full((40, 1), 5), np.arange(40)[:, None]
    assert variance_factor(blocks_of(still, 4), blocks_of(still, 4)).value == 1
    assert variance_factor(blocks_of(moving, 4), blocks_of(still, 4)).value == math.inf
    assert variance_factor(blocks_of(still, 4), blocks_of(moving, 4)).value == 0
    alone = variance_factor(blocks_of(moving, 1), blocks_of(moving, 1))
    assert (alone.value, alone.low, alone.high) == (1, 0, math.inf)
