"""The sequential test: published likelihood ratios, brute force, cases worked out by hand, and its error rates."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, special, stats

from salad_sim.errors import InputError
from salad_sim.stats.elo import elo_of_share, share_of_elo
from salad_sim.stats.sprt import (
    ACCEPT_H0,
    ACCEPT_H1,
    GO_ON,
    WHOLE_PAIR,
    Sprt,
    count_results,
    deficit,
    log_likelihood_ratio,
    looks,
    sprt,
)
from support.sequential import first_decision


def ratio(counts, elo0, elo1):
    """The log likelihood ratio for counts of equally spaced results from 0 to 1."""
    results = [(index / (len(counts) - 1), count) for index, count in enumerate(counts) if count]
    return log_likelihood_ratio(results, share_of_elo(elo0), share_of_elo(elo1))


# ------------------------------------------------------------------------------------------ the Elo scale


@pytest.mark.parametrize(("elo", "share"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (200, 0.7597), (70, 0.5993)])
def test_elo_scale(elo, share):
    # ten to one at 400 points by definition; 0.76 at 200 as in every table of expected scores
    assert share_of_elo(elo) == pytest.approx(share, abs=1e-4)
    assert elo_of_share(share_of_elo(elo)) == pytest.approx(elo)


def test_elo_of_certainty_is_infinite():
    assert (elo_of_share(0.0), elo_of_share(1.0)) == (-math.inf, math.inf)


# ------------------------------------------------------------------------------------------ the likelihood ratio


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "expected"),
    [
        ((223, 9863, 20279 + 1000, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55003 + 980, 26678, 821), 0, 2, -4.98),
        ((21184, 40708, 21404), 0.5, 2.5, -1.57),
        ((57030, 106593, 57433), 0, 2, -2.59),
    ],
)
def test_published_likelihood_ratios_of_chess_matches(counts, elo0, elo1, expected):
    """Results of engine matches (pairs, or single games) with the ratios that the test manager fastchess expects.

    Source: github.com/Disservin/fastchess, app/tests/sprt_test.cpp, the cases called logistic.
    """
    assert ratio(counts, elo0, elo1) == pytest.approx(expected, abs=0.006)


def brute_force(counts, share):
    """The log likelihood of counts, maximised over all distributions on their results with mean ``share``."""
    values = np.linspace(0, 1, len(counts))
    best = optimize.minimize(
        lambda logits: -float(np.array(counts) @ special.log_softmax(logits)) / sum(counts),
        np.zeros(len(counts)),
        method="SLSQP",
        bounds=[(-20, 20)] * len(counts),
        constraints=[{"type": "eq", "fun": lambda logits: special.softmax(logits) @ values - share}],
        options={"maxiter": 2000, "ftol": 1e-12},
    )
    # where weights go to zero it may end on a singular step instead of a success: what counts is that the mean is kept
    assert special.softmax(best.x) @ values == pytest.approx(share, abs=1e-7)
    return -best.fun * sum(counts)


@pytest.mark.parametrize(
    "counts",
    [(30, 0, 50, 0, 20), (3, 5, 10, 9, 2), (0, 0, 20, 0, 3), (0, 0, 12, 0, 0), (0, 0, 0, 0, 9), (4, 1, 0, 0, 0)],
    ids=str,
)
@pytest.mark.parametrize("share", [0.35, 0.5, 0.57, 0.8])
def test_deficit_against_brute_force(counts, share):
    """The dual with one unknown finds what a general optimiser finds over all weights."""
    n = sum(counts)
    free = sum(count * math.log(count / n) for count in counts if count)
    results = [(index / 4, count) for index, count in enumerate(counts) if count]
    assert deficit(results, share) == pytest.approx(free - brute_force(counts, share), abs=2e-4)


def test_deficits_worked_out_by_hand():
    # all pairs won: the best distribution with mean s wins a pair with probability s
    assert deficit([(1.0, 7)], 0.6) == pytest.approx(-7 * math.log(0.6))
    # all pairs shared out equally, mean 0.6: a fifth of the weight must go to pairs that are won
    assert deficit([(0.5, 10)], 0.6) == pytest.approx(-10 * math.log(0.8))
    # won or lost: a binomial likelihood ratio
    won, lost, share = 30, 10, 0.6
    expected = won * math.log(0.75 / share) + lost * math.log(0.25 / (1 - share))
    assert deficit([(0.0, lost), (1.0, won)], share) == pytest.approx(expected)
    assert deficit([(0.5, 5)], 0.5) == 0
    assert deficit([], 0.5) == 0


def test_swapping_the_sides_turns_the_ratio_over():
    counts = (7, 3, 40, 9, 12)
    assert ratio(counts, -3, 20) == pytest.approx(-ratio(counts[::-1], -20, 3))


def test_state():
    wins = [0] * 3 + [60] * 4 + [90] * 1 + [120] * 6
    found = sprt(wins, 0, 40, alpha=0.01, beta=0.1)
    assert (found.lower, found.upper) == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))
    assert found.llr == pytest.approx(ratio([3, 0, 4, 1, 6], 0, 40))
    assert found.decision == GO_ON
    assert sprt(wins * 30, 0, 40, 0.01, 0.1).decision == ACCEPT_H1
    assert sprt(wins * 10, 180, 300).decision == ACCEPT_H0
    assert sprt([], 0, 5).decision == GO_ON


@pytest.mark.parametrize("wins", [[-1], [WHOLE_PAIR + 1], [0.5]])
def test_results_of_pairs_are_sixtieths(wins):
    with pytest.raises(ValueError, match="0 to 120"):
        count_results(wins)


@pytest.mark.parametrize(
    "given", [(5, 5), (10, 0), (0, 1001), (math.nan, 5), (0, 5, 0, 0.05), (0, 5, 0.05, 0.5), (0, 5, math.nan)]
)
def test_what_is_no_test_is_refused(given):
    with pytest.raises(InputError, match=r"SPRT: .* not "):
        Sprt(*given)


# ------------------------------------------------------------------------------------------ when it ends


@pytest.mark.parametrize("n_pairs", [1, 19, 20, 21, 500, 100_001])
def test_looks_go_up_to_the_last_pair(n_pairs):
    found = list(looks(n_pairs))
    assert found[-1] == n_pairs
    assert found[0] == min(20, n_pairs)
    steps = [after - before for before, after in itertools.pairwise(found)]
    assert all(steps) and all(step >= 20 for step in steps[:-1])
    assert all(step <= max(20, before / 50) for before, step in zip(found, steps, strict=False))


def test_the_first_look_that_decides_ends_it():
    """The twin: `sprt` of every prefix; what comes later does not count, though it would decide otherwise."""
    test = Sprt(0, 60)
    luck = np.random.default_rng(8).choice([0, 60, 120], p=[0.15, 0.5, 0.35], size=900)
    wins = np.concatenate([luck, np.zeros(5000, dtype=np.int64)])
    states = {look: sprt(wins[:look], 0, 60) for look in looks(len(wins))}
    expected = next(look for look, state in states.items() if state.decision != GO_ON)
    found, state = first_decision(test, wins)
    assert (found, state) == (expected, states[expected])
    assert state.decision == ACCEPT_H1
    assert sprt(wins, 0, 60).decision == ACCEPT_H0


def test_a_test_that_does_not_end_has_seen_all_pairs():
    assert first_decision(Sprt(0, 5), [60] * 33)[0] == 33


RUNS = 300
SPREADS = {"many decided pairs": 0.5, "few decided pairs": 0.1}


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize(("true", "wrong"), [(0, ACCEPT_H1), (20, ACCEPT_H0)])
def test_error_rates(name, true, wrong):
    """At either hypothesis at most 5 % of 300 tests end on the wrong side; by chance more than 27 would once in 400."""
    generator = np.random.default_rng(31)
    decided, share = SPREADS[name], share_of_elo(true)
    won = share - (1 - decided) / 2
    n_wrong = 0
    for _ in range(RUNS):
        wins = generator.choice([0, 60, 120], p=[decided - won, 1 - decided, won], size=8000)
        decision = first_decision(Sprt(0, 20), wins)[1].decision
        assert decision != GO_ON
        n_wrong += decision == wrong
    assert n_wrong <= stats.binom.ppf(0.9975, RUNS, 0.05)
    assert n_wrong >= 2  # the test does not spend far more pairs than it must
