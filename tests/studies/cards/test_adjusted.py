"""Adjusted values and synergies of cards: against regressions on single rows, and by known truths in simulation.

Statistical tests have fixed seeds; a count of failures may lie within four standard deviations of what is promised.
"""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

from salad_sim import InputError
from salad_sim.play.card_sums import pair_cards
from salad_sim.studies.cards.adjusted import PENALTIES, adjust, adjusted_rows
from salad_sim.studies.cards.observed import observed_rows
from salad_sim.studies.cards.synergy import synergies
from support.card_games import card_set, card_sums, deviations, hands, random_holders, set_of, wins_of


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def played(generator, holder, n_seats, effects, spread=6.0, level=30):
    """Whole scores of seats whose cards have these effects."""
    chance = generator.normal(level, spread, size=(len(holder), n_seats))
    return np.rint(chance + hands(holder, n_seats) @ effects).astype(np.int64)


def rows_of(holder, scores, wins):
    """Centred rows of a regression, games one after the other: regressors, and both outcomes."""
    n = scores.shape[1]
    seats = np.broadcast_to(np.eye(n)[:, :-1], (len(holder), n, n - 1))
    regressors = np.concatenate([hands(holder, n), seats], axis=2).astype(float)
    outcomes = np.stack([scores, wins / 60], axis=2).astype(float)
    return tuple(
        (each - each.mean(axis=1, keepdims=True)).reshape(-1, each.shape[2]) for each in (regressors, outcomes)
    )


# adjusted


@pytest.mark.parametrize("n_seats", [2, 4])
def test_fit_agrees_with_a_regression_on_rows(n_seats):
    import statsmodels.api as sm

    generator = np.random.default_rng(n_seats)
    holder = random_holders(generator, 905, 6, n_seats)
    scores = played(generator, holder, n_seats, np.arange(6.0))
    wins = wins_of(scores)
    found = adjust(card_sums(holder, scores, wins, n_blocks=9))
    regressors, outcomes = rows_of(holder, scores, wins)
    block = np.repeat(
        np.concatenate([[number] * len(part) for number, part in enumerate(np.array_split(holder, 9))]), n_seats
    )
    for fit, outcome, unit in ((found.margin, 0, 1), (found.win, 1, (n_seats - 1) / n_seats)):
        plain = sm.OLS(outcomes[:, outcome], regressors).fit(cov_type="cluster", cov_kwds={"groups": block}, use_t=True)
        np.testing.assert_allclose(fit.value, unit * plain.params[:6], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(fit.covariance, unit**2 * plain.cov_params()[:6, :6], rtol=1e-8, atol=1e-14)
        seats = np.append(plain.params[6:], 0)
        np.testing.assert_allclose(fit.seats, unit * (seats - seats.mean()), rtol=1e-8, atol=1e-12)
        assert math.isclose(fit.r_squared, plain.rsquared, rel_tol=1e-9)
        assert fit.penalty == 0
        np.testing.assert_allclose(fit.estimate(2)[1:], unit * plain.conf_int()[2], rtol=1e-6)


def test_cards_of_strong_seats_and_rich_hands_are_not_overrated():
    generator = np.random.default_rng(5)
    n_games, n_seats, effects = 20_000, 3, np.array([0.0, 0.0, 8.0, -2.0])
    holder = random_holders(generator, n_games, 4, n_seats, dealt=1)
    holder[:, 0] = np.where(generator.random(n_games) < 0.8, 0, holder[:, 0])  # the strong seat's card
    holder[:, 1] = np.where(generator.random(n_games) < 0.8, holder[:, 2], holder[:, 1])  # beside the good card
    scores = played(generator, holder, n_seats, effects) + np.array([5, 0, 0])
    sums = card_sums(holder, scores, wins_of(scores), n_blocks=32)
    fit = adjust(sums).margin
    errors = np.sqrt(np.diag(fit.covariance))
    np.testing.assert_array_less(np.abs(fit.value - effects), 4 * errors)
    assert errors.max() < 0.2
    np.testing.assert_allclose(fit.seats, np.array([10, -5, -5]) / 3, atol=0.3)
    observed = observed_rows(sums, card_set(4))
    assert min(row["observed_margin_low"] for row in observed[:2]) > 2


def test_effects_are_told_in_points_over_the_mean_of_the_others():
    """Without chance the gain of the holder comes out as it is, and so does the gain in win share."""
    generator = np.random.default_rng(1)
    holder = random_holders(generator, 300, 3, 4)
    scores = 20 + hands(holder, 4) @ np.array([7, -3, 2])
    found = adjust(card_sums(holder, scores, wins_of(scores)))
    np.testing.assert_allclose(found.margin.value, [7, -3, 2], rtol=1e-10)
    assert math.isclose(found.margin.r_squared, 1)


def test_a_single_card_that_meets_all_seats_alike_has_its_observed_value():
    """Every game also with the seats in the other order: seats explain nothing, and both estimates are one."""
    generator = np.random.default_rng(2)
    holder = random_holders(generator, 400, 1, 2)
    scores = played(generator, holder, 2, np.array([4.0]))
    mirrored = np.where(holder >= 0, 1 - holder, holder)
    holder, scores = np.concatenate([holder, mirrored]), np.concatenate([scores, scores[:, ::-1]])
    sums = card_sums(holder, scores, wins_of(scores))
    (adjusted,), (observed,) = adjusted_rows(adjust(sums), card_set(1)), observed_rows(sums, card_set(1))
    for unit in ("margin", "win"):
        assert math.isclose(adjusted[f"adjusted_{unit}"], observed[f"observed_{unit}"], rel_tol=1e-9)


def test_intervals_cover_what_they_promise():
    """Chance is alike within a game, differs between seats, and is far from normal; 10 blocks."""
    generator = np.random.default_rng(3)
    effects, n_repeats, hits = np.array([3.0, -1.0]), 400, 0
    for _ in range(n_repeats):
        holder = random_holders(generator, 300, 2, 3)
        chance = generator.exponential(6, size=(300, 3)) * [1, 2, 1] + generator.exponential(9, size=(300, 1))
        # effects on average: half of the time twice as much
        twice = 2 * (generator.random((300, 1, 1)) < 0.5)
        scores = np.rint(chance + (twice * hands(holder, 3)) @ effects).astype(np.int64)
        fit = adjust(card_sums(holder, scores, wins_of(scores), n_blocks=10)).margin
        hits += sum(fit.estimate(card).low <= effects[card] <= fit.estimate(card).high for card in range(2))
    assert abs(hits / (2 * n_repeats) - 0.95) < 4 * math.sqrt(0.05 * 0.95 / (2 * n_repeats))


def test_cards_that_cannot_be_told_apart_share_their_effect_and_rows_say_so():
    generator = np.random.default_rng(4)
    holder = random_holders(generator, 4000, 4, 2, dealt=1)
    holder[:, 1] = holder[:, 0]
    scores = played(generator, holder, 2, np.array([5.0, 1.0, 2.0, 0.0]))
    found = adjust(card_sums(holder, scores, wins_of(scores), n_blocks=16))
    assert found.margin.penalty > 0
    np.testing.assert_allclose(found.margin.value, [3, 3, 2, 0], atol=0.5)
    assert math.isclose(found.margin.value[0], found.margin.value[1], rel_tol=1e-6)
    rows = adjusted_rows(found, card_set(4))
    assert all(row["ridge"] for row in rows)
    assert all(row["adjusted_win_low"] < row["adjusted_win"] < row["adjusted_win_high"] for row in rows)


def test_penalty_minimises_generalised_cross_validation_on_rows():
    generator = np.random.default_rng(26)
    n_seats, n_cards, n_games, n_blocks = 6, 6, 16, 4
    holder = random_holders(generator, n_games, n_cards, n_seats, kept=0.4)
    scores = played(generator, holder, n_seats, generator.normal(0, 2, n_cards))
    wins = wins_of(scores)
    fit = adjust(card_sums(holder, scores, wins, n_blocks)).margin
    regressors, outcomes = rows_of(holder, scores, wins)
    cases = n_games * (n_seats - 1)
    only_cards = np.diag([1.0] * n_cards + [0.0] * (n_seats - 1))

    def fitted(penalty):
        return np.linalg.solve(regressors.T @ regressors + penalty * only_cards, regressors.T)

    def criterion(penalty):
        solve = fitted(penalty)
        residual = outcomes[:, 0] - regressors @ (solve @ outcomes[:, 0])
        return residual @ residual / (1 - np.trace(regressors @ solve) / cases) ** 2

    effects = fitted(fit.penalty) @ outcomes[:, 0]
    np.testing.assert_allclose(fit.value, effects[:n_cards], rtol=1e-9)
    step = (PENALTIES[1] / PENALTIES[0]) ** np.arange(-40, 41)
    assert np.argmin([criterion(fit.penalty * each) for each in step]) == 40
    # blocks of equal size: each has its part of the penalty
    residual = outcomes[:, 0] - regressors @ effects
    gradients = (regressors * residual[:, None]).reshape(n_blocks, -1, len(effects)).sum(axis=1)
    gradients -= fit.penalty * only_cards @ effects / n_blocks
    inverse = np.linalg.inv(regressors.T @ regressors + fit.penalty * only_cards)
    rows = n_games * n_seats
    few = n_blocks / (n_blocks - 1) * (rows - 1) / (rows - len(effects))
    expected = few * inverse @ gradients.T @ gradients @ inverse
    np.testing.assert_allclose(fit.covariance, expected[:n_cards, :n_cards], rtol=1e-8)


def test_a_card_that_was_never_kept_has_no_value_and_spoils_no_other():
    generator = np.random.default_rng(7)
    holder = random_holders(generator, 500, 3, 2)
    scores = played(generator, holder, 2, np.array([3.0, 0.0, 1.0]))
    holder[:, 1] = -1
    fit = adjust(card_sums(holder, scores, wins_of(scores))).margin
    without = adjust(card_sums(np.delete(holder, 1, axis=1), scores, wins_of(scores))).margin
    assert math.isnan(fit.value[1]) and np.isnan(fit.covariance[1]).all() and math.isnan(fit.estimate(1).low)
    np.testing.assert_allclose(fit.value[[0, 2]], without.value)
    np.testing.assert_allclose(fit.covariance[np.ix_([0, 2], [0, 2])], without.covariance)
    holder[:] = -1
    assert np.isnan(adjust(card_sums(holder, scores, wins_of(scores))).win.value).all()


def test_one_block_tells_values_but_no_spread():
    generator = np.random.default_rng(8)
    holder = random_holders(generator, 500, 3, 2)
    scores = played(generator, holder, 2, np.array([3.0, 0.0, 1.0]))
    estimate = adjust(card_sums(holder, scores, wins_of(scores), n_blocks=1)).margin.estimate(0)
    assert math.isfinite(estimate.value) and math.isnan(estimate.low) and math.isnan(estimate.high)


# synergy


def test_planted_synergy_is_found_and_nothing_else():
    generator = np.random.default_rng(9)
    n_cards, n_seats, effects, units = 10, 3, np.arange(10.0), 16
    holder = random_holders(generator, 24_000, n_cards, n_seats)
    scores = played(generator, holder, n_seats, effects)
    together = (holder[:, 2] == holder[:, 7]) & (holder[:, 2] >= 0)
    scores[together, holder[together, 2]] += 5
    residuals = deviations(units * scores - np.rint(units * hands(holder, n_seats) @ effects).astype(np.int64))
    sums = card_sums(holder, scores, wins_of(scores), 48, residuals)
    found = synergies(sums, set_of(*range(4, 90, 18), *range(12, 90, 18)), units)
    assert len(found.rows) == 45 and found.left_out == 0
    top = found.rows[0]
    assert (top["card_id_1"], top["card_id_2"], top["family_1"], top["family_2"]) == (2, 7, "2/A", "A + A = 5")
    assert top["p_holm"] < 1e-6 and 0 < top["at_least"] < top["extra"]
    assert top["extra_low"] < 5 < top["extra_high"]
    assert [row["p_holm"] < 0.05 for row in found.rows[1:]] == [False] * 44
    assert found.matrix[2, 7] == found.matrix[7, 2] == top["extra"] and np.isnan(np.diag(found.matrix)).all()
    of_families = found.family_rows[0]
    assert (of_families["family_1"], of_families["family_2"], of_families["pairs"]) == ("2/A", "A + A = 5", 25)
    assert of_families["extra_low"] < 5 / 25 < of_families["extra_high"] and of_families["p_holm"] < 0.05
    assert found.families == ("2/A", "A + A = 5")
    assert math.isclose(found.family_matrix[0, 1], found.matrix[:5, 5:].mean())


def test_extra_and_its_error_are_those_of_rows_without_each_block():
    generator = np.random.default_rng(10)
    n_seats = 3
    holder = random_holders(generator, 600, 4, n_seats)
    scores = played(generator, holder, n_seats, np.array([3.0, 0, 1, 2]))
    found = synergies(card_sums(holder, scores, wins_of(scores), 6), set_of(4, 5, 7, 22))
    margins = deviations(scores) / (n_seats - 1)
    keeps = hands(holder, n_seats).astype(bool)
    parts = np.array_split(np.arange(600), 6)

    def extra(games, c, d):
        first, second, margin = keeps[games][:, :, c], keeps[games][:, :, d], margins[games]
        cells = [margin[(first == a) & (second == b)].mean() for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
        return cells[0] - cells[1] - cells[2] + cells[3]

    def jackknifed(values):
        return math.sqrt(np.var(values) * (len(values) - 1))

    without = {}
    for row in found.rows:
        c, d = row["card_id_1"], row["card_id_2"]
        assert math.isclose(row["extra"], extra(np.arange(600), c, d), rel_tol=1e-9)
        left = without[c, d] = [extra(np.setdiff1d(np.arange(600), part), c, d) for part in parts]
        half = stats.t.ppf(0.975, 5) * jackknifed(left)
        assert math.isclose(row["extra_high"] - row["extra"], half, rel_tol=1e-8)
        assert math.isclose(row["p_value"], 2 * stats.t.sf(abs(row["extra"]) / jackknifed(left), 5), rel_tol=1e-8)
    family = next(row for row in found.family_rows if (row["family_1"], row["family_2"]) == ("2/A", "1/A, 1/B"))
    left = np.mean([without[0, 1], without[1, 3]], axis=0)
    assert math.isclose(family["extra_high"] - family["extra"], stats.t.ppf(0.975, 5) * jackknifed(left), rel_tol=1e-8)


def test_p_values_are_uniform_where_there_is_no_synergy():
    """Effects are not taken out here, and one card goes along with another: neither makes an extra."""
    generator = np.random.default_rng(11)
    p_values, any_false = [], 0
    for _ in range(60):
        holder = random_holders(generator, 1500, 6, 2)
        beside = generator.random(1500) < 0.5
        holder[beside, 1] = holder[beside, 0]
        scores = played(generator, holder, 2, np.zeros(6))
        found = synergies(card_sums(holder, scores, wins_of(scores), 20), card_set(6))
        p_values += [row["p_value"] for row in found.rows]
        any_false += min(row["p_holm"] for row in found.rows) < 0.05
    assert len(p_values) == 900
    assert stats.kstest(p_values, "uniform").pvalue > 1e-3
    assert abs(np.mean(np.array(p_values) < 0.05) - 0.05) < 4 * math.sqrt(0.05 * 0.95 / 900)
    assert any_false <= 60 * 0.05 + 4 * math.sqrt(60 * 0.05 * 0.95)


def test_rare_pairs_are_left_out():
    generator = np.random.default_rng(12)
    holder = random_holders(generator, 600, 4, 2)
    holder[:, 3] = -1
    holder[:5, 3] = holder[:5, 2]
    scores = played(generator, holder, 2, np.zeros(4))
    found = synergies(card_sums(holder, scores, wins_of(scores)), card_set(4))
    assert (len(found.rows), found.left_out) == (3, 3)
    assert np.isnan(found.matrix[3]).all()
    holder[:] = -1
    nothing = synergies(card_sums(holder, scores, wins_of(scores)), card_set(4))
    assert nothing.rows == [] and nothing.family_rows == [] and nothing.left_out == 6
    assert np.isnan(nothing.family_matrix).all()


def test_cards_that_are_always_together_have_no_extra():
    generator = np.random.default_rng(13)
    holder = random_holders(generator, 600, 3, 2)
    holder[:, 1] = holder[:, 0]
    scores = played(generator, holder, 2, np.zeros(3))
    found = synergies(card_sums(holder, scores, wins_of(scores)), card_set(3))
    assert {(row["card_id_1"], row["card_id_2"]) for row in found.rows} == {(0, 2), (1, 2)}
    assert found.left_out == 1


def test_synergies_refuse_what_they_cannot_use():
    holder = np.zeros((10, 3), dtype=np.int64)
    scores = np.tile([3, 1], (10, 1))
    with pytest.raises(InputError, match="played with 3 cards, the set has 2"):
        synergies(card_sums(holder, scores, wins_of(scores)), card_set(2))
    with pytest.raises(InputError, match="at least 2 blocks of games, not 1"):
        synergies(card_sums(holder, scores, wins_of(scores), 1), card_set(3))


def test_all_pairs_of_the_game_take_a_moment():
    """108 cards, 64 blocks: memory and shapes hold."""
    generator = np.random.default_rng(15)
    holder = random_holders(generator, 6400, 108, 2)
    scores = played(generator, holder, 2, np.zeros(108))
    sums = card_sums(holder, scores, wins_of(scores), 64)
    found = synergies(sums, card_set(108))
    assert len(found.rows) == len(pair_cards(108)[0]) == 5778
    assert [row["at_least"] for row in found.rows] == sorted((row["at_least"] for row in found.rows), reverse=True)
    fit = adjust(sums).margin
    assert np.linalg.eigvalsh(fit.covariance)[0] > -1e-12
