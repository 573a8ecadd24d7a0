"""Shrunken values, tests of families and ranges for one more card: against closed forms, and what is promised."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from salad_sim.errors import InputError
from salad_sim.game.card_families import Family
from salad_sim.stats.heterogeneity import contrasts_of, helmert
from salad_sim.stats.prediction import out_of_line, prediction_range
from salad_sim.stats.shrinkage import Shrunken, family_tests, shrink

NAN = math.nan
DECK = [
    Family("a", tuple(range(6))),
    Family("b", tuple(range(6, 12))),
    Family("c", tuple(range(12, 18))),
    Family("d", (18,)),
    Family("e", (19,)),
]
FAMILY_OF = np.repeat(np.arange(5), [6, 6, 6, 1, 1])
ONE = [Family("all", tuple(range(10)))]


def some_covariance(p: int, seed: int, scale: float) -> np.ndarray:
    """Correlated noise of different sizes."""
    generator = np.random.default_rng(seed)
    mixed = generator.normal(size=(p, 2 * p))
    sizes = scale * np.exp(generator.normal(0, 0.3, p))
    return (mixed @ mixed.T / (4 * p) + np.eye(p) / 2) * np.outer(sizes, sizes)


def true_values(generator: np.random.Generator, within: float, between: float) -> np.ndarray:
    return 3 + generator.normal(0, between, 5)[FAMILY_OF] + generator.normal(0, within, 20)


def arrays(found: Shrunken) -> np.ndarray:
    return np.array([found.value, found.low, found.high])


# ------------------------------------------------------------------------------------------- the spread


def test_contrasts_are_orthonormal_and_free_of_the_mean() -> None:
    for n_values in (1, 2, 7):
        weights = helmert(n_values)
        assert weights.shape == (n_values - 1, n_values)
        assert weights @ weights.T == pytest.approx(np.eye(n_values - 1))
        assert weights.sum(axis=1) == pytest.approx(0)
    assert helmert(0).shape[1] == 0


def test_the_spread_with_equal_noise_is_the_variance_less_that_of_the_noise() -> None:
    values = np.random.default_rng(1).normal(0, 2, 9)
    found = contrasts_of(values, 0.5 * np.eye(9), helmert(9))
    assert found.freedom == 8
    assert found.variance() == pytest.approx(values.var(ddof=1) - 0.5)
    bounds = 8 * values.var(ddof=1) / stats.chi2.ppf([0.975, 0.025], 8) - 0.5
    assert found.deviation() == pytest.approx([math.sqrt(found.variance()), *np.sqrt(bounds)])
    assert contrasts_of(values, 50 * np.eye(9), helmert(9)).variance() == 0
    assert contrasts_of(values, np.zeros((9, 9)), helmert(9)).variance() == pytest.approx(values.var(ddof=1))


def test_walds_statistic_is_that_of_differences_to_the_first() -> None:
    values, covariance = np.random.default_rng(2).normal(size=5), some_covariance(5, 3, 1)
    differences = np.hstack([-np.ones((4, 1)), np.eye(4)])
    gaps = differences @ values
    expected = gaps @ np.linalg.solve(differences @ covariance @ differences.T, gaps)
    found = contrasts_of(values, covariance, helmert(5))
    assert found.statistic() == pytest.approx(expected)
    assert found.p_value() == pytest.approx(stats.chi2.sf(expected, 4))


# ------------------------------------------------------------------------------------------- shrinking


def test_one_family_with_equal_noise_is_shrunken_by_the_known_factor() -> None:
    values = np.random.default_rng(5).normal(0, 1, 10)
    found = shrink(values, 0.3 * np.eye(10), ONE)
    spread = values.var(ddof=1) - 0.3
    factor = spread / values.var(ddof=1)
    deviations = values - values.mean()
    assert found.within == pytest.approx(math.sqrt(spread))
    assert found.between == 0
    assert found.value == pytest.approx(values.mean() + factor * deviations, rel=1e-6)
    # the member's own part, the mean's, and twice that of the factor, whose slope in the spread is 0.3 / variance**2
    error = 2 * values.var(ddof=1) ** 2 / 9
    variance = 0.3 * factor + 0.3 * (1 - factor) / 10 + 2 * (deviations * 0.3 / values.var(ddof=1) ** 2) ** 2 * error
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * np.sqrt(variance), rel=1e-3)


def test_without_noise_values_stay_and_without_spread_they_become_the_mean() -> None:
    values = np.random.default_rng(5).normal(0, 1, 20)
    still = shrink(values, np.zeros((20, 20)), DECK)
    assert arrays(still) == pytest.approx(np.tile(values, (3, 1)), abs=1e-4)
    noisy = shrink(values, 100 * np.eye(20), DECK)
    assert noisy.within == noisy.between == 0
    assert noisy.value == pytest.approx(values.mean())
    assert shrink(np.ones(20), np.zeros((20, 20)), DECK).value == pytest.approx(1)


def test_a_single_card_is_drawn_to_the_mean_of_all_and_a_member_to_its_family() -> None:
    means = np.array([-2.0, 0, 2, 9, 0])
    values = means[FAMILY_OF]
    values[0] += 1
    found = shrink(values, np.eye(20) * 0.5, DECK)
    assert -2 < found.value[0] < -1.2  # of its family and nothing else
    assert 6 < found.value[18] < 8.9
    assert found.between > found.within


@pytest.mark.parametrize(("within", "between"), [(0.1, 1.0), (0.5, 1.0), (0.05, 0.2)])
def test_shrunken_values_are_nearer_to_the_truth_and_their_intervals_cover(within: float, between: float) -> None:
    generator, covariance = np.random.default_rng(7), some_covariance(20, 4, 0.3)
    n_repeats, covered, raw, shrunken, best = 150, [], 0.0, 0.0, []
    for _ in range(n_repeats):
        true = true_values(generator, within, between)
        values = generator.multivariate_normal(true, covariance)
        found = shrink(values, covariance, DECK)
        covered.append(((found.low <= true) & (true <= found.high)).mean())
        raw += ((values - true) ** 2).sum()
        shrunken += ((found.value - true) ** 2).sum()
        top = int(np.argmax(values))
        best.append((values[top] - true[top], found.value[top] - true[top]))
    assert shrunken < 0.9 * raw
    assert np.mean(covered) > 0.95 - 3 * np.std(covered, ddof=1) / math.sqrt(n_repeats) - 0.01
    by_luck, after = np.mean(best, axis=0)
    assert abs(after) < by_luck / 2  # the top is no longer the luckiest


def test_the_order_of_cards_and_unknown_cards_do_not_matter_to_the_others() -> None:
    values, covariance = true_values(np.random.default_rng(3), 0.3, 1), some_covariance(20, 4, 0.3)
    whole = arrays(shrink(values, covariance, DECK))
    mixed = np.random.default_rng(9).permutation(20)
    place = np.argsort(mixed)
    deck = [Family(each.name, tuple(int(place[card]) for card in each.members)) for each in DECK[::-1]]
    again = shrink(values[mixed], covariance[np.ix_(mixed, mixed)], deck)
    assert arrays(again) == pytest.approx(whole[:, mixed], rel=1e-6)
    more = np.full((22, 22), NAN)
    more[:20, :20] = covariance
    padded = shrink(np.append(values, [NAN, 5]), more, [*DECK, Family("f", (20, 21))])
    assert arrays(padded)[:, :20] == pytest.approx(whole)
    assert np.isnan(arrays(padded)[:, 20:]).all()
    assert math.isnan(shrink(np.full(2, NAN), np.eye(2), [Family("f", (0, 1))]).within)
    with pytest.raises(InputError, match="covariance"):
        shrink(values, covariance[:5], DECK)


# -------------------------------------------------------------------------------------------- families


def test_members_that_are_equal_are_found_different_as_often_as_stated() -> None:
    generator, covariance = np.random.default_rng(11), some_covariance(20, 6, 0.3)
    n_repeats, p_values, any_found, means, spreads = 400, [], 0, 0, 0
    for _ in range(n_repeats):
        true = np.array([0.0, 1, 2, 3, 4])[FAMILY_OF]
        found = family_tests(generator.multivariate_normal(true, covariance), covariance, DECK)
        p_values.append([each.p_value for each in found[:3]])
        any_found += min(each.p_holm for each in found[:3]) <= 0.05
        means += sum(each.mean.low <= number <= each.mean.high for number, each in enumerate(found))
        spreads += sum(each.spread.low == 0 for each in found[:3])
    assert stats.kstest(np.ravel(p_values), "uniform").pvalue > 0.001
    error = 3 * math.sqrt(0.05 * 0.95 / n_repeats)
    assert abs(any_found / n_repeats - 0.05) < error
    assert abs(means / (5 * n_repeats) - 0.95) < error / math.sqrt(5)
    assert abs(spreads / (3 * n_repeats) - 0.975) < error / math.sqrt(3)


def test_a_member_that_differs_is_found() -> None:
    values = np.array([0.0, 1, 2, 3, 4])[FAMILY_OF]
    values[3] = 0.4
    found = family_tests(values, 0.05**2 * np.eye(20), DECK)
    assert [each.n_members for each in found] == [6, 6, 6, 1, 1]
    assert found[0].mean.value == pytest.approx(0.4 / 6)
    assert found[0].mean.high - found[0].mean.value == pytest.approx(1.959964 * 0.05 / math.sqrt(6))
    assert found[0].freedom == 5
    assert found[0].statistic == pytest.approx(0.4**2 * 5 / 6 / 0.05**2)
    assert found[0].p_holm == pytest.approx(3 * found[0].p_value)
    assert found[0].p_holm < 0.001
    assert 0 < found[0].spread.low < found[0].spread.value < found[0].spread.high
    assert found[1].p_value == found[1].p_holm == 1
    assert found[1].spread.value == 0
    assert math.isnan(found[3].p_value)
    assert math.isnan(found[3].spread.value)


def test_copies_without_noise_between_them_are_equal_or_differ_for_certain() -> None:
    values = np.array([1.0, 1.0, NAN, 1.0, 2.0])
    covariance = np.ones((5, 5))
    same, other = family_tests(values, covariance, [Family("same", (0, 1, 2)), Family("other", (3, 4))])
    assert (same.n_members, same.freedom) == (2, 0)
    assert math.isnan(same.p_value)
    assert (other.freedom, other.p_value, other.p_holm) == (1, 0, 0)


# ----------------------------------------------------------------------------------- ranges for one more


def test_with_little_noise_the_range_is_the_usual_one_for_one_more_observation() -> None:
    values = np.random.default_rng(2).normal(size=6)
    others = values[:5]
    half = stats.t.ppf(0.975, 4) * others.std(ddof=1) * math.sqrt(1 + 1 / 5)
    for noise in (0, 0.1 * others.var(ddof=1)):  # equal noise is a part of the spread that is seen
        found = prediction_range(values, noise * np.eye(6), range(6), 5)
        assert found == pytest.approx([others.mean(), others.mean() - half, others.mean() + half])


@pytest.mark.parametrize("within", [0.0, 0.2, 2.0])
def test_ranges_cover_one_more_card(within: float) -> None:
    generator, covariance = np.random.default_rng(13), some_covariance(6, 6, 0.3)
    n_repeats, n_covered = 1000, 0
    for _ in range(n_repeats):
        values = generator.multivariate_normal(generator.normal(0, within, 6), covariance)
        _, low, high = prediction_range(values, covariance, range(6), 2)
        n_covered += low <= values[2] <= high
    error = 3 * math.sqrt(0.05 * 0.95 / n_repeats)
    assert n_covered / n_repeats > 0.95 - error
    if within > 1:
        assert n_covered / n_repeats < 0.95 + error


def test_a_card_out_of_line_is_found_in_its_family_and_among_all() -> None:
    generator = np.random.default_rng(17)
    values = np.array([0.0, 1, 2, 3, 4])[FAMILY_OF] + generator.normal(0, 0.1, 20)
    values[3] = 1.5
    values[19] = 30
    values[7] = NAN
    found = out_of_line(values, 0.01 * np.eye(20), DECK)
    assert [each.card for each in found] == list(range(20))
    assert [each.card for each in found if each.outside_family] == [3]
    assert [each.card for each in found if each.outside_all] == [19]
    assert found[3].family == "a"
    assert found[3].family_range == prediction_range(values, 0.01 * np.eye(20), DECK[0].members, 3)
    assert found[3].all_range == prediction_range(values, 0.01 * np.eye(20), range(20), 3)
    assert math.isnan(found[19].family_range.low)
    assert math.isnan(found[7].family_range.low)


def test_three_others_are_needed() -> None:
    values = np.array([0.0, 1, 2, 3, NAN])
    family = [Family("f", (0, 1, 2, 3, 4))]
    assert not math.isnan(out_of_line(values, np.eye(5), family)[0].family_range.low)
    values[3] = NAN
    assert math.isnan(out_of_line(values, np.eye(5), family)[0].family_range.low)
    assert not math.isnan(prediction_range(values, np.eye(5), range(5), 0).low)
    assert math.isnan(prediction_range(values, np.eye(5), (0, 1, 3, 4), 0).low)
