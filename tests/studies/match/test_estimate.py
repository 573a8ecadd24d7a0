"""Statistics of pairs: against plain Python, against a run of the same games, by hand, by bootstrap and by coverage."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from salad_sim import simulate
from salad_sim.run.outcomes import Outcomes, play_outcomes
from salad_sim.run.plan import plan_run
from salad_sim.stats.intervals import Z, any_time_quantile, likelihood_above, mean, proportion
from salad_sim.stats.sprt import count_results
from salad_sim.studies.match.estimate import Pairs, count_pairs, pairs_of, share_of_results

WON = 60


def invented(n_pairs, n_players, seed=1):
    """Pairs with scores drawn anew, whose top totals share the win."""
    generator = np.random.default_rng(seed)
    scores = generator.integers(20, 26, size=(n_pairs, 2, n_players))
    tops = scores == scores.max(axis=2, keepdims=True)
    return Pairs(WON * tops // tops.sum(axis=2, keepdims=True), scores)


def of_results(results):
    """Pairs of two players in which A won so many sixtieths in its two games."""
    wins = np.array([[[first, WON - first], [WON - second, second]] for first, second in results])
    return Pairs(wins, wins)


# ------------------------------------------------------------------------------------------ counting


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_sums_against_plain_python(n_players):
    pairs = invented(40, n_players)
    found = count_pairs(pairs)
    shares, margins, ties, shared = [], [], 0, 0
    by_seat = [([], []) for _ in range(n_players)]
    for deal in range(40):
        share, margin = Fraction(0), Fraction(0)
        for game in range(2):
            wins, scores = pairs.wins[deal, game].tolist(), pairs.scores[deal, game].tolist()
            a_seats = [seat for seat in range(n_players) if (seat % 2 == 0) == (game == 0)]
            b_seats = [seat for seat in range(n_players) if seat not in a_seats]
            share += Fraction(sum(wins[seat] for seat in a_seats), WON)
            margin += Fraction(sum(scores[seat] for seat in a_seats), len(a_seats))
            margin -= Fraction(sum(scores[seat] for seat in b_seats), len(b_seats))
            ties += sorted(scores)[-1] == sorted(scores)[-2]
            shared += max(wins) < WON
            for seat in range(n_players):
                by_seat[seat][seat in b_seats].append((wins[seat] / WON, scores[seat]))
        shares.append(share)
        margins.append(margin)
    assert found.share().value == pytest.approx(float(sum(shares) / 80))
    assert found.margin().value == pytest.approx(float(sum(margins) / 80))
    interval = stats.t.interval(0.95, 39, np.mean([float(each) / 2 for each in margins]), _error(margins) / 2)
    assert found.margin()[1:] == pytest.approx(interval)
    assert (found.rate("ties").value, found.rate("shared").value) == pytest.approx((ties / 80, shared / 80))
    for row, (of_a, of_b) in zip(found.seat_rows(), by_seat, strict=True):
        assert (row["games"], len(of_a), len(of_b)) == (40, 40, 40)
        assert (row["win_share"], row["mean_score"]) == pytest.approx(tuple(np.mean(of_a, axis=0)))
        assert (row["win_share_b"], row["mean_score_b"]) == pytest.approx(tuple(np.mean(of_b, axis=0)))
    listed = {row["won"]: row["pairs"] for row in found.result_rows()}
    assert {0, 0.5, 1, 1.5, 2} <= set(listed)
    assert sum(listed.values()) == 40
    assert all(listed[won] == [float(each) for each in shares].count(won) for won in (0, 0.5, 1, 1.5, 2))


def _error(values):
    return stats.sem([float(each) for each in values])


def test_counts_of_parts_add_up_to_the_count_of_all():
    pairs = invented(50, 3)
    parts = count_pairs(pairs.part(0, 13)) + count_pairs(pairs.part(13, 50))
    whole = count_pairs(pairs)
    assert parts.n_pairs == whole.n_pairs == 50
    assert all(np.array_equal(parts.sums[name], whole.sums[name]) for name in whole.sums)


def test_pairs_are_the_games_of_a_rotated_run():
    """The same games counted by the tally of a run give the same shares, intervals, scores and ties."""
    run = simulate(600, 2, ["greedy", "random"], seed=9, rotate=True)
    found = count_pairs(pairs_of(play_outcomes(plan_run(600, 2, ["greedy", "random"], 9, rotate=True))))
    a, b = run.strategy_rows
    assert found.share() == pytest.approx((a["win_share"], a["win_share_low"], a["win_share_high"]))
    assert found.margin().value == pytest.approx(a["mean_score"] - b["mean_score"])
    assert found.rate("ties").value == pytest.approx(run.tie_rate)
    for row, seat in zip(found.seat_rows(), run.seat_rows, strict=True):
        assert (row["win_share"] + row["win_share_b"]) / 2 == pytest.approx(seat["win_share"])
        assert (row["mean_score"] + row["mean_score_b"]) / 2 == pytest.approx(seat["mean_score"])


def test_pairs_of_three_players_are_two_runs():
    lineups = ["greedy", "random", "greedy"], ["random", "greedy", "random"]
    found = count_pairs(pairs_of(*(play_outcomes(plan_run(200, 3, lineup, 4)) for lineup in lineups)))
    first, second = (simulate(200, 3, lineup, 4) for lineup in lineups)
    shares = [row["win_share"] for row in first.seat_rows], [row["win_share"] for row in second.seat_rows]
    assert found.share().value == pytest.approx((shares[0][0] + shares[0][2] + shares[1][1]) / 2)
    of_b = [row["win_share_b"] for row in found.seat_rows()]
    assert of_b == pytest.approx([shares[1][0], shares[0][1], shares[1][2]])


def test_other_shapes_are_no_pairs():
    def outcomes(*shape, first_deal=0):
        return Outcomes(first_deal, np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64), {})

    assert len(pairs_of(outcomes(5, 2, 2))) == 5
    for wrong in (
        [outcomes(5, 1, 2)],
        [outcomes(5, 3, 3)],
        [outcomes(5, 1, 3), outcomes(4, 1, 3)],
        [outcomes(5, 1, 3), outcomes(5, 1, 3, first_deal=5)],
    ):
        with pytest.raises(ValueError, match="rotated run of two players"):
            pairs_of(*wrong)


# ------------------------------------------------------------------------------------------ what they say


@pytest.mark.parametrize(
    ("results", "share", "superiority"),
    [([(WON, WON)], 1.0, 0.841), ([(0, 0)], 0.0, 0.159), ([(WON, 0)], 0.5, 0.5), ([(WON, 0)] * 300, 0.5, 0.5)],
)
def test_degenerate_matches_are_honest(results, share, superiority):
    found = count_pairs(of_results(results))
    value, low, high = found.share()
    assert value == share and low <= value <= high and high - low > 0.01
    assert found.superiority == pytest.approx(superiority, abs=0.001)
    assert math.isnan(found.pairing_gain)


def test_superiority_of_all_won_grows_with_the_pairs_but_is_never_certain():
    found = [count_pairs(of_results([(WON, WON)] * n)).superiority for n in (1, 2, 5, 20)]
    assert found == sorted(found)
    assert found[0] < 0.9 and 0.999 < found[3] < 1


def test_superiority_and_the_interval_agree():
    """Above 97.5 % exactly if the interval excludes one half."""
    generator = np.random.default_rng(7)
    seen = set()
    for _ in range(400):
        n = int(generator.integers(1, 120))
        results = generator.choice([0, 30, 60, 90, 120], p=[0.15, 0.05, 0.5, 0.05, 0.25], size=n)
        moments = int(results.sum()), int((results**2).sum()), n, 2 * n, WON
        _, low, high = proportion(*moments)
        likely = likelihood_above(0.5, *moments)
        assert (low > 0.5) == (likely > 0.975)
        assert (high < 0.5) == (likely < 0.025)
        seen.add((low > 0.5, high < 0.5))
    assert {(False, False), (True, False)} <= seen


def test_superiority_is_the_usual_one_for_many_pairs():
    generator = np.random.default_rng(5)
    results = generator.choice([0, 60, 120], p=[0.24, 0.5, 0.26], size=5000)
    expected = stats.norm.cdf((results.mean() / 120 - 0.5) / stats.sem(results / 120))
    found = likelihood_above(0.5, int(results.sum()), int((results**2).sum()), 5000, 10000, WON)
    assert found == pytest.approx(expected, abs=0.002)


def test_pairing_gain_by_hand():
    # each game alone is won by half, and the two games of a pair are often opposite: variances 1/4 and 1/4, the
    # covariance is 1/10 - 1/4 = -0.15, so a pair has 0.5 - 0.3 = 0.2
    pairs = [(WON, 0)] * 4 + [(0, WON)] * 4 + [(WON, WON), (0, 0)]
    assert count_pairs(of_results(pairs * 10)).pairing_gain == pytest.approx(0.5 / 0.2)


def test_interval_against_a_bootstrap_of_the_pairs():
    generator = np.random.default_rng(12)
    results = generator.choice([0, 30, 60, 90, 120], p=[0.1, 0.05, 0.5, 0.05, 0.3], size=800)
    means = results[generator.integers(0, 800, size=(4000, 800))].mean(axis=1) / 120
    _, low, high = share_of_results(count_results(results))
    assert (low, high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=0.003)


@pytest.mark.parametrize("decided", [0.6, 0.08])
def test_coverage_of_share_and_superiority(decided):
    """Of 2,000 even matches of 150 pairs 5 % (4 sigma: 2 points) miss one half; fewer if few pairs are decided."""
    generator = np.random.default_rng(77)
    missed = 0
    for _ in range(2000):
        results = generator.choice([0, 60, 120], p=[decided / 2, 1 - decided, decided / 2], size=150)
        _, low, high = share_of_results(count_results(results))
        missed += not low <= 0.5 <= high
    assert missed / 2000 < 0.07
    if decided > 0.5:
        assert missed / 2000 > 0.03


def test_a_wider_quantile_widens_the_intervals():
    results = np.random.default_rng(2).choice([0, 60, 120], size=400)
    moments = int(results.sum()), int((results**2).sum()), 400, 800
    wide, usual = (proportion(*moments, WON, quantile) for quantile in (3.0, Z))
    assert (wide.high - wide.low) / (usual.high - usual.low) == pytest.approx(3.0 / Z, rel=0.02)
    wide, usual = (mean(*moments, quantile) for quantile in (3.0, Z))
    assert (wide.high - wide.low) / (usual.high - usual.low) == pytest.approx(3.0 / Z)
    assert mean(*moments) == usual


# ------------------------------------------------------------------------------------------ intervals for any time


def test_the_any_time_quantile_against_its_formula():
    """The half-width of Waudby-Smith et al. (2024), theorem 2.2, in standard errors; narrowest near ``best_at``."""
    alpha, n, best_at = 0.05, 700, 500
    rho = math.sqrt((-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / best_at)
    half = math.sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * math.log(math.sqrt(n * rho**2 + 1) / alpha))
    assert any_time_quantile(n, best_at) == pytest.approx(half * math.sqrt(n))


def test_any_time_intervals_cover_at_every_time_at_once():
    """Looked at after each of 2,000 values, at most 5 % of 600 walks ever leave; the usual intervals let most go."""
    generator = np.random.default_rng(6)
    walks = generator.standard_normal((600, 2000)).cumsum(axis=1)
    n = np.arange(1, 2001)
    limits = np.array([any_time_quantile(int(each), 500) for each in n]) * np.sqrt(n)
    left = (np.abs(walks) > limits).any(axis=1).mean()
    assert 0.002 < left < 0.05
    assert (np.abs(walks) > Z * np.sqrt(n)).any(axis=1).mean() > 0.4
