"""Ratings against direct maximisation, against known strengths, and by the coverage of their intervals."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy import optimize, stats

from salad_sim.stats.finishing_orders import choices_of
from salad_sim.stats.intervals import student
from salad_sim.stats.plackett_luce import (
    PHANTOM_DEALS,
    compare,
    count_choices,
    deal_gradients,
    fit,
    holm,
    information,
    rate,
)
from support.leagues import finishes_of, random_league


def orders_of(above):
    """All complete orders that a finishing order with ties allows."""
    groups = [[player for player in range(len(above)) if above[player] == level] for level in sorted(set(above))]
    for parts in product(*(list(permutations(group)) for group in groups)):
        yield [player for part in parts for player in part]


def weak_orders(n_players):
    for ranks in product(range(n_players), repeat=n_players):
        above = tuple(sum(other < rank for other in ranks) for rank in ranks)
        if above == ranks:
            yield np.array(above)


@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_a_tie_stands_for_all_its_orders_in_equal_parts(n_players):
    for above in weak_orders(n_players):
        expected = np.zeros((2**n_players, n_players))
        orders = list(orders_of(above))
        for order in orders:
            for place, player in enumerate(order[:-1]):
                expected[sum(1 << left for left in order[place:]), player] += 1 / len(orders)
        assert choices_of(above) == pytest.approx(expected)


def log_likelihood(finishes, strength):
    """The logarithm of the likelihood, game by game and order by order; the last strength is the phantom's."""
    total = 0.0
    for deal, who in enumerate(finishes.who):
        for above in finishes.above[deal]:
            orders = list(orders_of(list(above)))
            for order in orders:
                seated = [strength[who[player]] for player in order]
                total += sum(seated[p] - np.logaddexp.reduce(seated[p:]) for p in range(len(order))) / len(orders)
    games = PHANTOM_DEALS * finishes.wins.shape[1]
    for each in strength[:-1]:
        total -= games / 2 * (np.logaddexp(0, each - strength[-1]) + np.logaddexp(0, strength[-1] - each))
    return total


def small_leagues():
    generator = np.random.default_rng(31)
    yield random_league(generator, [0, 0.7, -0.4], 2, 6)
    yield random_league(generator, [0, 1.5, -1, 0.2], 3, 2)
    # scores of a few points only: many ties
    yield finishes_of([[0, 1, 2, 3]] * 6, generator.integers(0, 3, size=(6, 4, 4)))
    # shared wins, and a strategy in several places
    scores = generator.integers(0, 2, size=(8, 3, 3))
    yield finishes_of([[0, 0, 1]] * 4 + [[0, 1, 1]] * 4, scores, wins=20 * np.ones_like(scores))


@pytest.mark.parametrize("finishes", list(small_leagues()), ids=["pairs", "three", "ties", "several places"])
def test_fit_is_the_maximum_of_the_likelihood(finishes):
    n_strategies = finishes.n_strategies
    found = fit(count_choices(finishes), n_strategies, PHANTOM_DEALS * finishes.wins.shape[1])
    direct = optimize.minimize(
        lambda strength: -log_likelihood(finishes, strength), np.zeros(n_strategies + 1), method="BFGS", tol=1e-8
    ).x
    assert found == pytest.approx(direct - direct[:-1].mean(), abs=1e-4)


@pytest.mark.parametrize("finishes", list(small_leagues()), ids=["pairs", "three", "ties", "several places"])
def test_gradients_and_information_are_derivatives_of_the_likelihood(finishes):
    n_strategies = finishes.n_strategies
    strength = np.linspace(-0.5, 0.8, n_strategies + 1)
    games = PHANTOM_DEALS * finishes.wins.shape[1]
    gradient = np.zeros(n_strategies)
    np.add.at(gradient, finishes.who.ravel(), deal_gradients(finishes, strength).ravel())
    gradient += games * (0.5 - 1 / (1 + np.exp(strength[-1] - strength[:-1])))
    second = information(count_choices(finishes), strength, games)
    step = 1e-3
    for one in range(n_strategies):
        here = np.eye(n_strategies + 1)[one] * step
        up, down = log_likelihood(finishes, strength + here), log_likelihood(finishes, strength - here)
        assert gradient[one] == pytest.approx((up - down) / (2 * step), abs=1e-4)
        middle = log_likelihood(finishes, strength)
        assert second[one, one] == pytest.approx((2 * middle - up - down) / step**2, abs=1e-4)
        for other in range(one):
            there = np.eye(n_strategies + 1)[other] * step
            both = log_likelihood(finishes, strength + here + there) + log_likelihood(finishes, strength - here - there)
            mixed = log_likelihood(finishes, strength + here - there) + log_likelihood(
                finishes, strength - here + there
            )
            assert second[one, other] == pytest.approx((mixed - both) / (4 * step**2), abs=1e-4)
    assert second.sum(axis=0) == pytest.approx(np.zeros(n_strategies + 1), abs=1e-9)


@pytest.mark.parametrize(("n_players", "n_deals"), [(2, 300), (3, 60), (5, 20)])
def test_known_strengths_are_found_again(n_players, n_deals):
    """All within 4 standard errors: one league in 2,000 or more would miss by chance; the seed is fixed."""
    strengths = np.array([-1.4, -0.5, 0.1, 0.4, 0.5, 0.9])
    found = rate(random_league(np.random.default_rng(7), strengths, n_players, n_deals))
    errors = np.sqrt(np.diag(found.covariance))
    assert np.abs(found.strength - strengths).max() < 4 * errors.max() < 0.4
    assert found.strength.mean() == pytest.approx(0, abs=1e-12)


def test_covariance_is_what_resampling_of_deals_gives():
    """The bootstrap over deals, another way to the same errors; 300 resamples know an error to 4 %."""
    generator = np.random.default_rng(12)
    finishes = random_league(generator, [0.5, 0.0, -0.5], 2, 150, luck=1.0)
    strengths = []
    for _ in range(300):
        drawn = np.concatenate([150 * pair + generator.integers(0, 150, 150) for pair in range(3)])
        strengths.append(rate(finishes_of(finishes.who[drawn], finishes.scores[drawn])).strength)
    expected = np.std(strengths, axis=0, ddof=1)
    assert np.sqrt(np.diag(rate(finishes).covariance)) == pytest.approx(expected, rel=0.16)


def test_rotations_that_agree_count_once():
    generator = np.random.default_rng(3)
    once = random_league(generator, [0.4, 0.0, -0.4], 2, 400)
    same = finishes_of(once.who, np.repeat(once.scores[:, :1], 2, axis=1))
    independent, copied = rate(once).covariance, rate(same).covariance
    assert copied[0, 0] / independent[0, 0] == pytest.approx(2, rel=0.15)


def test_a_strategy_that_wins_everything_has_a_finite_rating_and_a_wide_interval():
    for n_deals in (1, 10, 100):
        finishes = finishes_of([[0, 1]] * n_deals, [[[9, 1], [9, 1]]] * n_deals)
        value, error, freedom = rate(finishes).difference(0, 1)
        assert 0 < value < 2 * math.log(4 * n_deals + 4)
        assert error > 0.5
        if n_deals == 100:
            assert value - student(freedom) * error > 1


def covered_and_false(n_leagues, seed, strengths, n_players, n_deals, luck):
    """How many intervals of differences cover, and how many leagues find a difference between equals."""
    generator = np.random.default_rng(seed)
    pairs = list(combinations(range(len(strengths)), 2))
    n_covered, n_false = 0, 0
    for _ in range(n_leagues):
        found = rate(random_league(generator, strengths, n_players, n_deals, luck))
        for one, other in pairs:
            value, error, freedom = found.difference(one, other)
            n_covered += abs(value - (strengths[one] - strengths[other])) <= student(freedom) * error
        significant = compare(found).p_holm <= 0.05
        n_false += any(significant[one, other] for one, other in pairs if strengths[one] == strengths[other])
    return n_covered / (n_leagues * len(pairs)), n_false


CASES = [
    ([0, 0, 0], 2, 20, 0.0),
    ([0, 0, 0], 2, 20, 1.5),
    ([0, 0.5, 1.0], 2, 40, 0.0),
    ([0, 0, 0, 0], 3, 12, 1.0),
    ([0, 0, 0, 0], 4, 40, 0.0),
]
"""Strengths, players, deals of each line-up, luck of the deal."""


@pytest.mark.parametrize("case", CASES)
def test_intervals_cover(case):
    """150 leagues of 3 or 6 intervals; those of a league hang together, so 5 sigma of 150 leagues is 9 points."""
    share, n_false = covered_and_false(150, 41, *case)
    assert 0.91 < share < 0.985
    assert n_false <= stats.binom.ppf(0.999, 150, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_intervals_cover_in_many_leagues(case):
    """2,000 leagues; 95 % is met to 1.7 points, and differences between equals are found as often as stated."""
    share, n_false = covered_and_false(2000, 42, *case)
    assert 0.935 < share < 0.97
    assert n_false <= stats.binom.ppf(0.999, 2000, 0.05)


def test_holm():
    found = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert found == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.6])) == pytest.approx([1, 1])


def test_possible_ranks_follow_from_what_is_certain():
    """Two far ahead of two others, each two alike."""
    found = rate(random_league(np.random.default_rng(2), [2, 2, -2, -2], 2, 100))
    assert compare(found).ranks(found.strength) == [(1, 2), (1, 2), (3, 4), (3, 4)]


def test_superiority_is_students_probability():
    found = rate(random_league(np.random.default_rng(9), [0, 0.2], 2, 40))
    value, error, freedom = found.difference(1, 0)
    assert freedom == 39
    assert found.superiority(1, 0) == pytest.approx(stats.t.cdf(value / error, freedom))
    assert compare(found).p_value[0, 1] == pytest.approx(2 * stats.t.sf(abs(value / error), freedom))
