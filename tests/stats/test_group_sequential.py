"""Stopping when it is precise: checkpoints, alpha spending against published boundaries, and coverage in simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from salad_sim import InputError
from salad_sim.stats.deal_sums import DealSums
from salad_sim.stats.group_sequential import (
    WIDEST,
    Boundary,
    Checkpoints,
    PrecisionWatch,
    check_precision,
    half_width,
    spent_share,
)
from salad_sim.stats.intervals import Z, any_time_quantile
from salad_sim.stats.shares import seat_shares


def test_checkpoints_are_fixed_grow_and_end():
    looks = list(Checkpoints(1_000, 10_000))
    assert looks == [1_000, 1_250, 1_562, 1_952, 2_440, 3_050, 3_812, 4_765, 5_956, 7_445, 9_306, 10_000]
    assert list(Checkpoints(1_000, 10_000)) == looks
    assert list(Checkpoints(1_000, 300)) == [300]
    assert list(Checkpoints(1, 6)) == [1, 2, 3, 4, 5, 6]
    # another end changes no earlier look
    assert list(Checkpoints(1_000, 20_000))[:11] == looks[:11]


def test_one_look_needs_the_normal_quantile():
    assert Boundary(0.05).next(700, 1.0) == pytest.approx(Z)


def test_equal_quantiles_are_pococks():
    """Pocock (1977): five equally spaced looks at 2.413 err with 5 %; what each spends is worked out by scipy."""
    constant = 2.413
    correlation = np.array([[math.sqrt(min(i, j) / max(i, j)) for j in range(1, 6)] for i in range(1, 6)])
    boundary = Boundary(0.05)
    for looks in range(1, 4):
        inside = stats.multivariate_normal(cov=correlation[:looks, :looks], maxpts=10**6, abseps=1e-7, seed=1)
        kept = inside.cdf([constant] * looks, lower_limit=[-constant] * looks)
        assert boundary.next(100 * looks, (1 - kept) / 0.05) == pytest.approx(constant, abs=2e-3)


def test_boundaries_of_obrien_and_fleming_type():
    """Lan and DeMets (1983), two-sided 5 %, five looks: the quantiles are widely tabulated."""
    boundary = Boundary(0.05)
    found = []
    for look in range(1, 6):
        spent = 4 * stats.norm.sf(stats.norm.ppf(1 - 0.0125) / math.sqrt(look / 5))
        found.append(boundary.next(look * 1_000, spent / 0.05))
    assert found == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=2e-3)


def test_all_is_spent_by_the_end_and_no_more():
    boundary = Boundary(0.0125)
    for n_deals in Checkpoints(100, 5_000):
        boundary.next(n_deals, spent_share(n_deals / 2_000) if n_deals < 5_000 else 1.0)
        assert boundary.spent <= 0.0125 * (1 + 1e-9)
    assert boundary.spent == pytest.approx(0.0125)


def test_a_look_with_nothing_to_spend_is_as_wide_as_can_be():
    boundary = Boundary(0.05)
    assert boundary.next(10, 0.0) == WIDEST
    assert boundary.next(20, 0.5) < boundary.next(30, 0.5)
    assert boundary.next(40, 0.4) == WIDEST
    with pytest.raises(ValueError, match="forwards"):
        boundary.next(40, 1.0)


def stop(draws, precision, n_intervals=1):
    """Run games, [n_games, n_seats] in sixtieths, to a precision; return the last look and its shares."""
    watch = PrecisionWatch(precision, len(draws), n_intervals)
    for n_deals in Checkpoints(100, len(draws)):
        sums = DealSums.from_deals(draws[:n_deals])

        def widest(quantile, sums=sums):
            return max(half_width(each.low, each.high) for each in seat_shares(sums, quantile=quantile))

        look = watch.look(n_deals, widest)
        assert look.half_width == pytest.approx(widest(look.quantile))
        if look.precise:
            break
    return look, seat_shares(sums, quantile=look.quantile)


def wins(generator, n_games, shares):
    return 60 * np.eye(len(shares), dtype=np.int64)[generator.choice(len(shares), size=n_games, p=shares)]


@pytest.mark.parametrize("shares", [[0.55, 0.45], [0.4, 0.3, 0.2, 0.1]])
def test_stopped_intervals_cover(shares):
    """5 % of 300 are 15, with four standard deviations of 3.8 at most 30. A stop costs no more than 1.45 times the
    deals of one look at a number that is known beforehand, and half a step between checkpoints."""
    generator = np.random.default_rng(1)
    n_intervals = 1 if len(shares) == 2 else len(shares)
    misses, taken = 0, []
    for _ in range(300):
        look, found = stop(wins(generator, 3_000, shares), 0.05, n_intervals)
        assert look.precise
        taken.append(look.n_deals)
        misses += not all(each.low <= share <= each.high for each, share in zip(found, shares, strict=True))
    quantile = stats.norm.ppf(1 - 0.025 / n_intervals)
    enough = (quantile / 0.05) ** 2 * max(share * (1 - share) for share in shares)
    assert misses <= 30
    assert enough < np.mean(taken) < 1.45 * enough


def test_a_run_that_never_gets_precise_ends_with_all_error_spent():
    look, _ = stop(wins(np.random.default_rng(2), 1_000, [0.5, 0.5]), 0.001)
    assert (look.n_deals, look.precise) == (1_000, False)
    assert look.quantile == pytest.approx(Z, abs=1e-3)
    assert look.expected_deals == 1_000


def test_it_is_narrower_than_a_confidence_sequence():
    look, _ = stop(wins(np.random.default_rng(3), 4_000, [0.5, 0.5]), 0.03)
    assert look.quantile < 1.15 * Z
    assert any_time_quantile(look.n_deals, look.n_deals) > 1.5 * Z


def test_results_without_spread_end_at_once():
    watch = PrecisionWatch(0.01, 10**6)
    look = watch.look(1_000, lambda quantile: 0.0)
    assert look.precise


@pytest.mark.parametrize("given", [0, 0.5, -1, "many", None, "nan", math.inf])
def test_precision_that_makes_no_sense_is_refused(given):
    with pytest.raises(InputError, match="half-width"):
        check_precision(given)
    assert check_precision("0.001") == 0.001
