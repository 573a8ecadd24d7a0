"""How sure a ranking is: critical values against theory, the steps against a plain twin, and what is promised."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from salad_sim.errors import InputError
from salad_sim.stats.normal_noise import known_estimates, noise_root, normal_draws
from salad_sim.stats.rank_correlation import rank_correlation
from salad_sim.stats.ranks import (
    certain_order,
    leaders,
    rank_intervals,
    tiers,
)

NAN = math.nan


def some_covariance(p: int, seed: int, scale: float = 1.0) -> np.ndarray:
    """Correlated noise of different sizes."""
    generator = np.random.default_rng(seed)
    mixed = generator.normal(size=(p, 2 * p))
    sizes = scale * np.exp(generator.normal(0, 0.4, p))
    return (mixed @ mixed.T / (4 * p) + np.eye(p) / 2) * np.outer(sizes, sizes)


def order_of(*pairs: tuple[int, int], p: int) -> np.ndarray:
    certain = np.zeros((p, p), dtype=bool)
    for better, worse in pairs:
        certain[better, worse] = True
    return certain


# ------------------------------------------------------------------------------------------ the noise


def test_draws_are_normal_and_the_same_for_the_same_seed() -> None:
    draws = normal_draws(4, 5000, seed=3)
    assert (draws == normal_draws(4, 5000, seed=3)).all()
    assert not (draws == normal_draws(4, 5000, seed=4)).any()
    assert not (draws == normal_draws(4, 5000, seed=3, part=1)).any()
    assert stats.kstest(draws.ravel(), "norm").pvalue > 0.001
    assert np.abs(np.corrcoef(draws) - np.eye(4)).max() < 4 / math.sqrt(5000)


def test_a_root_gives_the_covariance_back_and_makes_no_variance_smaller() -> None:
    covariance = some_covariance(5, 1)
    covariance[2] *= 1e-6
    covariance[:, 2] *= 1e-6
    root = noise_root(covariance)
    assert root @ root.T == pytest.approx(covariance, rel=1e-9, abs=1e-20)
    impossible = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    root = noise_root(impossible)
    assert np.linalg.eigvalsh(root @ root.T - impossible).min() > -1e-12


def test_shapes_and_covariances_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match=r"not shapes \(3,\) and \(2, 2\)"):
        certain_order(np.zeros(3), np.eye(2))
    hole = np.eye(3)
    hole[0, 1] = NAN
    with pytest.raises(InputError, match="must be finite"):
        certain_order(np.zeros(3), hole)
    assert known_estimates(np.array([NAN, 1, 2]), hole).tolist() == [False, True, True]


# ------------------------------------------------------------------------------------- critical values


@pytest.mark.parametrize(("gap", "is_certain"), [(0.05, True), (-0.05, False)])
@pytest.mark.parametrize("p", [2, 3, 10])
def test_equal_independent_noise_gives_the_studentized_range(p: int, gap: float, is_certain: bool) -> None:
    """Of p equal estimates the first is moved ahead by the quantile of the range, and a little more or less."""
    values = np.zeros(p)
    values[0] = 2 * (stats.studentized_range.ppf(0.95, p, np.inf) + gap)
    assert certain_order(values, 4 * np.eye(p))[0].any() == is_certain


def test_pairs_that_do_not_differ_do_not_count() -> None:
    """Of two groups of copies all differences are one; of copies of one estimate none has noise."""
    groups = np.kron(np.eye(2), np.ones((3, 3)))
    for gap, is_certain in ((1.96 + 0.1, True), (1.96 - 0.1, False)):
        values = np.repeat([gap * math.sqrt(2), 0], 3)
        assert certain_order(values, groups).any() == is_certain
    assert not certain_order(np.zeros(3), np.ones((3, 3))).any()


# ------------------------------------------------------------------------------------- the certain order


def twin(values: np.ndarray, covariance: np.ndarray, n_draws: int, level: float = 0.95) -> tuple[np.ndarray, float]:
    """The steps as they are defined: over ordered pairs, one by one; with how near any comes to its bound."""
    p = len(values)
    noise = np.random.default_rng(5).multivariate_normal(np.zeros(p), covariance, n_draws)
    errors = {
        (i, j): math.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        for i in range(p)
        for j in range(p)
        if i != j
    }
    left, certain, nearest = set(errors), np.zeros((p, p), dtype=bool), math.inf
    while left:
        largest = np.max([(noise[:, i] - noise[:, j]) / errors[i, j] for i, j in left], axis=0)
        bound = np.quantile(largest, level)
        away = {(i, j): (values[i] - values[j]) / errors[i, j] - bound for i, j in left}
        nearest = min(nearest, *map(abs, away.values()))
        found = {pair for pair, distance in away.items() if distance > 0}
        if not found:
            break
        for pair in found:
            certain[pair] = True
        left -= found
    return certain, nearest


def test_the_steps_are_those_of_a_plain_twin() -> None:
    generator = np.random.default_rng(8)
    n_compared = 0
    for number in range(40):
        p = int(generator.integers(2, 9))
        covariance = some_covariance(p, number)
        values = generator.normal(0, 4, p)
        expected, nearest = twin(values, covariance, 20_000)
        if nearest > 0.04:  # else chance decides on which side of its own critical value each of the two finds it
            n_compared += 1
            assert (certain_order(values, covariance) == expected).all()
    assert n_compared > 20


def test_steps_find_what_one_critical_value_misses() -> None:
    gap = 2.74  # standard errors
    values = np.array([0, gap * math.sqrt(2), 40, 60, 80, 100])
    expected, nearest = twin(values, np.eye(6), 40_000)
    assert nearest > 0.04
    assert gap < stats.studentized_range.ppf(0.95, 6, np.inf) / math.sqrt(2) - 0.04
    assert certain_order(values, np.eye(6))[1, 0]
    assert expected[1, 0]


@pytest.mark.parametrize(
    ("true", "n_repeats"),
    [
        ((0, 0, 0, 0, 0, 0), 400),
        ((0, 0, 0, 9, 9, 20), 400),
        pytest.param((0, 0, 0, 0, 0, 0), 4000, marks=pytest.mark.slow),
        pytest.param((0, 0, 0, 9, 9, 20), 4000, marks=pytest.mark.slow),
        pytest.param((0, 0.5, 1, 1, 2, 3), 4000, marks=pytest.mark.slow),
    ],
)
def test_the_chance_of_any_false_statement_is_kept_and_ranks_are_covered(
    true: tuple[float, ...], n_repeats: int
) -> None:
    values, covariance = np.array(true, dtype=float), some_covariance(6, 4)
    noise = np.random.default_rng(12).multivariate_normal(np.zeros(6), covariance, n_repeats)
    not_better = values[:, None] <= values[None, :]
    best = 1 + (values[:, None] < values).sum(axis=1)
    worst = 6 - (values[:, None] > values).sum(axis=1)
    n_false = n_missed = 0
    for draw in noise:
        certain = certain_order(values + draw, covariance, n_draws=2000)
        n_false += bool((certain & not_better).any())
        low, high = rank_intervals(certain)
        # whatever the order of equal ones is
        n_missed += bool((low > best).any() or (high < worst).any())
    most = 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_repeats)
    assert n_false / n_repeats < most
    assert n_missed / n_repeats < most
    if len(set(true)) == 1:  # then the error rate is used up
        assert n_false / n_repeats > 0.05 - 3 * math.sqrt(0.05 * 0.95 / n_repeats)


def test_what_is_clearly_apart_is_certain() -> None:
    covariance = some_covariance(12, 2, 0.1)
    values = np.random.default_rng(3).permutation(12) * 2.0
    certain = certain_order(values, covariance)
    assert (certain == (values[:, None] > values)).all()
    low, high = rank_intervals(certain)
    assert (low == high).all()
    assert (low == 12 - values / 2).all()
    assert (tiers(values, certain) == low).all()
    assert (leaders(values, certain) == low).all()


def test_the_order_of_cards_does_not_matter_and_what_follows_is_certain_too() -> None:
    covariance = some_covariance(15, 6)
    values = np.random.default_rng(7).normal(0, 6, 15)
    certain = certain_order(values, covariance)
    assert 10 < certain.sum() < 100
    mixed = np.random.default_rng(9).permutation(15)
    again = certain_order(values[mixed], covariance[np.ix_(mixed, mixed)])
    assert (again == certain[np.ix_(mixed, mixed)]).all()
    assert (tiers(values[mixed], again) == tiers(values, certain)[mixed]).all()
    assert (leaders(values[mixed], again) == leaders(values, certain)[mixed]).all()
    follows = certain.astype(int) @ certain.astype(int) > 0
    assert (certain | ~follows).all()


def test_a_card_that_is_not_known_may_have_any_rank() -> None:
    values = np.array([5.0, NAN, 0.0, 9.0])
    covariance = np.eye(4) * 0.01
    covariance[3] = covariance[:, 3] = math.inf
    certain = certain_order(values, covariance)
    assert certain.tolist() == order_of((0, 2), p=4).tolist()
    low, high = rank_intervals(certain)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(1, 3), (1, 4), (2, 4), (1, 4)]
    assert not certain_order(np.full(3, NAN), np.eye(3)).any()
    assert certain_order(np.zeros(0), np.zeros((0, 0))).shape == (0, 0)


def test_differences_without_noise_are_certain_and_copies_are_equal() -> None:
    shared = np.ones((4, 4))
    certain = certain_order(np.array([1.0, 1.0 + 1e-14, 3.0, 1.0]), shared)
    assert certain.tolist() == order_of((2, 0), (2, 1), (2, 3), p=4).tolist()
    assert rank_intervals(certain)[0].tolist() == [2, 2, 1, 2]


# ------------------------------------------------------------------------------------------------ tiers


def test_a_border_of_tiers_needs_every_pair_across_it_and_leaders_differ_one_from_the_next() -> None:
    values = np.array([1.0, 4.0, 3.0, 2.0, NAN])
    chain = [(1, 3), (1, 0), (2, 0)]
    assert tiers(values, order_of(*chain, p=5)).tolist() == [1, 1, 1, 1, 0]
    assert leaders(values, order_of(*chain, p=5)).tolist() == [2, 1, 1, 2, 0]
    # now all of the upper two are better than all of the lower two
    assert tiers(values, order_of(*chain, (2, 3), p=5)).tolist() == [2, 1, 1, 2, 0]
    assert leaders(values, order_of(*chain, (3, 0), (2, 3), p=5)).tolist() == [3, 1, 1, 2, 0]
    assert tiers(np.full(2, NAN), order_of(p=2)).tolist() == leaders(np.full(2, NAN), order_of(p=2)).tolist() == [0, 0]


# ------------------------------------------------------------------------------------- rank correlation


def test_without_noise_the_rank_correlation_is_that_of_the_values() -> None:
    one, other = np.random.default_rng(4).normal(size=(2, 12))
    found = rank_correlation(one, 1e-12 * np.eye(12), other, 1e-12 * np.eye(12))
    assert found == pytest.approx([stats.spearmanr(one, other).statistic] * 3)


@pytest.mark.parametrize("n_repeats", [25, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("correlation", "noise"), [(0.9, 0.3), (0.5, 0.5)])
def test_rank_correlations_are_covered_and_noise_does_not_lower_them(
    correlation: float, noise: float, n_repeats: int
) -> None:
    p, generator = 20, np.random.default_rng(21)
    covariance = some_covariance(p, 3)
    covariance *= noise**2 / np.diag(covariance).mean()
    n_covered, off, raw = 0, [], []
    for _ in range(n_repeats):
        true = generator.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], p).T
        one, other = true + generator.multivariate_normal(np.zeros(p), covariance, 2)
        expected = stats.spearmanr(*true).statistic
        value, low, high = rank_correlation(one, covariance, other, covariance)
        n_covered += low <= expected <= high
        off.append(value - expected)
        raw.append(stats.spearmanr(one, other).statistic - expected)
    # 90 to 95 % is what is promised; the value is NaN where noise may have made one of the orders
    assert n_covered / n_repeats > 0.9 - 3 * math.sqrt(0.1 * 0.9 / n_repeats)
    assert np.isnan(off).mean() < 0.05
    assert abs(np.nanmean(off)) < abs(np.mean(raw)) / 2


def test_with_many_cards_the_interval_is_that_of_true_values_given_the_estimates() -> None:
    p, generator = 150, np.random.default_rng(23)
    prior = np.array([[1, 0.8], [0.8, 1]])
    total = prior + 0.3 * np.eye(2)
    estimates = generator.multivariate_normal([0, 0], total, p)
    gain = prior @ np.linalg.inv(total)
    given = generator.multivariate_normal([0, 0], prior - gain @ prior, (2000, p)) + estimates @ gain.T
    expected = [stats.spearmanr(each).statistic for each in given]
    found = rank_correlation(estimates[:, 0], 0.3 * np.eye(p), estimates[:, 1], 0.3 * np.eye(p))
    assert found.value == pytest.approx(np.mean(expected), abs=0.02)
    low, high = np.quantile(expected, [0.025, 0.975])
    # the spread and the correlation of all cards are not known here, and their estimates have errors of 0.04 or so
    assert 0.02 < low - found.low < 0.08
    assert 0.02 < found.high - high < 0.08


def test_rankings_that_noise_may_have_made_tell_nothing() -> None:
    one, other = np.random.default_rng(4).normal(size=(2, 12))
    value, low, high = rank_correlation(one, 9 * np.eye(12), other, 0.01 * np.eye(12))
    assert math.isnan(value)
    assert (low, high) == (-1, 1)
    few = np.array([1, 2, 3, NAN])
    assert all(map(math.isnan, rank_correlation(few, np.eye(4), few, np.eye(4))))
