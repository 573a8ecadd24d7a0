"""The tables of a league against naive counts, and how often they claim what is not there."""

import numpy as np
import pytest
from scipy import stats

from salad_sim.stats.cross_table import cross_table, find_cycles
from salad_sim.stats.finishing_orders import Finishes
from salad_sim.stats.plackett_luce import compare, rate
from salad_sim.studies.league.seat_effects import check_interaction, sum_seats
from support.leagues import finishes_of, league_of_shares, random_league


def league_with_repetition():
    """Three strategies at four players with shared wins and ties, a few points apart."""
    generator = np.random.default_rng(17)
    who = [[0, 0, 1, 2]] * 5 + [[0, 1, 2, 1]] * 6 + [[2, 0, 1, 2]] * 4
    scores = generator.integers(0, 4, size=(15, 4, 4))
    best = scores == scores.max(axis=2, keepdims=True)
    return finishes_of(who, scores, wins=best * 60 // best.sum(axis=2, keepdims=True))


@pytest.mark.parametrize(
    "finishes",
    [league_with_repetition(), random_league(np.random.default_rng(4), [0, 1, 0.5, -1], 3, 7)],
    ids=["several places", "three players"],
)
def test_cross_table_by_counting(finishes):
    cross = cross_table(finishes)
    for one in range(finishes.n_strategies):
        for other in range(finishes.n_strategies):
            if one == other:
                continue
            deals = []
            for who, scores, wins in zip(finishes.who, finishes.scores, finishes.wins, strict=True):
                duels = [
                    (points[p], won[p]) > (points[q], won[q]) or ((points[p], won[p]) == (points[q], won[q])) / 2
                    for points, won in zip(scores.tolist(), wins.tolist(), strict=True)
                    for p in np.flatnonzero(who == one)
                    for q in np.flatnonzero(who == other)
                ]
                deals += [sum(duels) / len(duels)] if duels else []
            share = cross.share(one, other)
            assert cross.deals[one, other] == len(deals)
            assert share.value == pytest.approx(np.mean(deals))
            assert share.low < share.value < share.high
            assert cross.share(other, one).value == pytest.approx(1 - share.value)
            assert cross.superiority(one, other) == pytest.approx(1 - cross.superiority(other, one))


@pytest.mark.parametrize(
    "finishes",
    [league_with_repetition(), random_league(np.random.default_rng(4), [0, 1, 0.5, -1], 3, 7)],
    ids=["several places", "three players"],
)
def test_seats_by_counting(finishes):
    sums = sum_seats(finishes)
    n_players = finishes.n_players
    for strategy in range(finishes.n_strategies):
        of_deals = []
        for who, wins, scores in zip(finishes.who, finishes.wins, finishes.scores, strict=True):
            places = np.flatnonzero(who == strategy)
            if len(places) == 0:
                continue
            at_seat = np.zeros(n_players)
            for rotation in range(n_players):
                for place in places:
                    at_seat[(place + rotation) % n_players] += wins[rotation, place] / 60 / len(places)
            of_deals.append([*at_seat, scores[:, places].mean()])
        expected = np.mean(of_deals, axis=0)
        assert sums.deals[strategy] == len(of_deals)
        assert sums.win_share(strategy).value == pytest.approx(expected[:-1].mean())
        assert sums.mean_score(strategy).value == pytest.approx(expected[-1])
        spread = np.std(of_deals, axis=0, ddof=1)[-1] / np.sqrt(len(of_deals)) * stats.t.ppf(0.975, len(of_deals) - 1)
        assert sums.mean_score(strategy).high - expected[-1] == pytest.approx(spread)
        for seat in range(n_players):
            assert sums.at_seat(strategy, seat).value == pytest.approx(expected[seat])
            assert sums.effect(strategy, seat).value == pytest.approx(expected[seat] - expected[:-1].mean())


def test_a_seat_that_is_worth_the_same_to_all_seldom_looks_otherwise():
    """300 leagues in which the first seat helps all alike, and 20 in which it helps one only."""
    generator = np.random.default_rng(8)
    p_values = [
        check_interaction(sum_seats(random_league(generator, [0, 0, 0], 3, 60, luck=0.5, first_seat=0.4))).p_value
        for _ in range(300)
    ]
    assert stats.binom.ppf(0.0005, 300, 0.05) <= sum(p <= 0.05 for p in p_values) <= stats.binom.ppf(0.9995, 300, 0.05)
    for _ in range(20):
        found = check_interaction(sum_seats(random_league(generator, [0, 0, 0], 3, 300, first_seat=[2.0, 0, 0])))
        # wins of a game add up to one: a single order around the table leaves two of the four contrasts free
        assert found.numerator == 2
        assert found.p_value < 1e-6


def test_interaction_by_the_influence_of_each_deal():
    """The covariance again, deal by deal: what a deal adds to the mean wins by strategy and seat."""
    finishes = random_league(np.random.default_rng(21), [0, 1, 0.5, -1], 3, 25, luck=1.0, first_seat=[1.0, 0, 0, 0.5])
    wins = np.full((finishes.n_deals, 4, 3), np.nan)
    for deal, who in enumerate(finishes.who):
        for place, strategy in enumerate(who):
            for rotation in range(3):
                wins[deal, strategy, (place + rotation) % 3] = finishes.wins[deal, rotation, place] / 60
    n_deals = (~np.isnan(wins)).sum(axis=0)
    means = np.nanmean(wins, axis=0)
    influence = np.nan_to_num((wins - means) / np.sqrt(n_deals * (n_deals - 1))).reshape(finishes.n_deals, 12)
    both = np.kron(np.eye(4) - 1 / 4, np.eye(3) - 1 / 3)
    covariance = both @ influence.T @ influence @ both
    found = check_interaction(sum_seats(finishes))
    squared = both @ means.ravel() @ np.linalg.pinv(covariance, rcond=1e-8) @ both @ means.ravel()
    n_fewest = n_deals.min()
    assert found.numerator == np.linalg.matrix_rank(covariance, tol=1e-10)
    assert found.denominator == n_fewest - found.numerator
    expected = squared * found.denominator / (found.numerator * (n_fewest - 1))
    assert found.statistic == pytest.approx(expected)
    assert found.p_value == pytest.approx(stats.f.sf(expected, found.numerator, found.denominator))


def test_two_strategies_at_two_players_share_every_seat_effect():
    found = check_interaction(sum_seats(random_league(np.random.default_rng(1), [0, 1], 2, 50, first_seat=1.0)))
    assert found.numerator == 0
    assert np.isnan(found.p_value)


def test_rock_paper_scissors_is_a_cycle():
    shares = np.array([[0.5, 0.6, 0.4, 0.9], [0.4, 0.5, 0.6, 0.9], [0.6, 0.4, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]])
    cycles = find_cycles(cross_table(league_of_shares(np.random.default_rng(5), shares, 400)))
    assert [cycle.strategies for cycle in cycles] == [(0, 1, 2)]
    cycle = cycles[0]
    assert [share.value for share in cycle.shares] == pytest.approx([0.6] * 3, abs=0.06)
    assert cycle.p_value < 0.001
    assert cycle.p_holm == pytest.approx(4 * cycle.p_value)


def test_cycles_that_do_not_exist_are_seldom_claimed():
    """400 leagues of equals, and 400 where two of three links hold and the third is even: the worst case."""
    generator = np.random.default_rng(6)
    even = np.full((4, 4), 0.5)
    nearly = np.array([[0.5, 0.75, 0.5], [0.25, 0.5, 0.75], [0.5, 0.25, 0.5]])
    for shares in (even, nearly):
        claimed = 0
        for _ in range(400):
            cycles = find_cycles(cross_table(league_of_shares(generator, shares, 60)))
            claimed += any(cycle.p_holm <= 0.05 for cycle in cycles)
        assert claimed <= stats.binom.ppf(0.999, 400, 0.05)


def test_copies_that_are_made_up_are_seldom_told_apart():
    """The same for leagues drawn from the model, with luck that stays with a deal."""
    generator = np.random.default_rng(77)
    found = sum(
        bool((compare(rate(random_league(generator, [0, 0, 0], 2, 20, luck=1.0))).p_holm <= 0.05).any())
        for _ in range(200)
    )
    assert 1 <= found <= stats.binom.ppf(0.999, 200, 0.05)


def test_finishes_of_places():
    """The tie-break decides at the top only."""
    scores = np.array([[[30, 30, 20, 20]]])
    found = Finishes(4, np.array([[0, 1, 2, 3]]), np.array([[[0, 60, 0, 0]]]), scores)
    assert found.above.tolist() == [[[1, 0, 2, 2]]]
    shared = Finishes(4, np.array([[0, 1, 2, 3]]), np.array([[[30, 30, 0, 0]]]), scores)
    assert shared.above.tolist() == [[[0, 0, 2, 2]]]
