"""Komi against plain arithmetic, a second solver, and by coverage in simulation."""

import itertools
import math
import warnings

import numpy as np
import pytest

from salad_sim import InputError
from salad_sim.studies.seats.komi import Scores, _by_delta_method, komi_from_scores, priority_of


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def plain_shares(scores, points, order):
    """Win shares with points that may be fractions, each seat rounded up with the probability of its fraction."""
    n_seats = len(points)
    shares = np.zeros(n_seats)
    floors = [math.floor(each) for each in points]
    for ups in itertools.product((0, 1), repeat=n_seats):
        weight = math.prod(
            part if up else 1 - part
            for up, part in zip(ups, (each - floor for each, floor in zip(points, floors, strict=True)), strict=True)
        )
        for game in scores:
            totals = [int(score) + floor + up for score, floor, up in zip(game, floors, ups, strict=True)]
            first = [seat for seat in range(n_seats) if totals[seat] == max(totals)]
            if order == "shared":
                shares[first] += weight / len(first)
            else:
                shares[first[-1] if order == "later" else first[0]] += weight
    return shares / len(scores)


def some_scores(generator, n_games, means):
    return np.rint(generator.normal(means, 6, size=(n_games, len(means)))).astype(np.int64)


def test_two_seats_by_hand():
    """Margins -1, 0, 1, 2, 5, the later seat wins ties. Seat 1 wins 3 of 5 as played, 2 with 1 point: half is 0.5."""
    komi = komi_from_scores([[0, 1], [0, 0], [1, 0], [2, 0], [5, 0]])
    assert [each.value for each in komi.points] == pytest.approx([0, 0.5])
    assert [each.value for each in komi.without] == pytest.approx([0.6, 0.4])
    assert komi.recommended == [0, 0]
    assert [each.value for each in komi.shares] == pytest.approx([0.6, 0.4])


def test_tie_break_moves_komi_of_two_seats_by_a_point():
    generator = np.random.default_rng(1)
    scores = some_scores(generator, 3_000, [30, 28])
    later, shared, earlier = (
        komi_from_scores(scores, order).points[1].value for order in ("later", "shared", "earlier")
    )
    assert earlier == pytest.approx(later + 1)
    assert later < shared < earlier


@pytest.mark.parametrize("order", ["later", "earlier", "shared"])
@pytest.mark.parametrize("n_seats", [2, 3, 4])
def test_points_equalise_by_plain_arithmetic(n_seats, order):
    scores = some_scores(np.random.default_rng(n_seats), 150, 40 - 3 * np.arange(n_seats))
    komi = komi_from_scores(scores, order)
    assert komi.equal
    shares = plain_shares(scores, [each.value for each in komi.points], order)
    assert shares == pytest.approx(np.full(n_seats, 1 / n_seats), abs=1e-8)
    whole = plain_shares(scores, komi.recommended, order)
    assert [each.value for each in komi.shares] == pytest.approx(whole)
    gap = np.ptp(whole)
    for seat in range(1, n_seats):  # no neighbour among the roundings is better
        value = komi.points[seat].value
        for other in (math.floor(value), math.ceil(value)):
            points = [*komi.recommended[:seat], other, *komi.recommended[seat + 1 :]]
            assert np.ptp(plain_shares(scores, points, order)) >= gap - 1e-12


def test_priorities_of_each_game():
    scores = some_scores(np.random.default_rng(6), 500, [30, 29, 28])
    by_seat = komi_from_scores(scores, "earlier")
    by_game = komi_from_scores(scores, np.broadcast_to(priority_of("earlier", 3), scores.shape))
    assert by_seat == by_game


def test_copies_of_games_do_not_narrow():
    scores = some_scores(np.random.default_rng(7), 1_000, [30, 29, 28])
    once, copied = komi_from_scores(scores), komi_from_scores(np.repeat(scores[:, None], 4, axis=1))
    for one, other in zip(once.points, copied.points, strict=True):
        assert one == pytest.approx(other, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("means", [[30, 28], [30, 29, 27]])
def test_intervals_cover(means):
    """5 % of 200 are 10, with four standard deviations of 3.1 at most 22; truth from 400,000 games."""
    generator = np.random.default_rng(8)
    truth = [each.value for each in komi_from_scores(some_scores(generator, 400_000, means)).points]
    misses = 0
    for _ in range(200):
        points = komi_from_scores(some_scores(generator, 800, means)).points
        misses += not all(each.low <= true <= each.high for each, true in zip(points, truth, strict=True))
    assert misses <= 22


@pytest.mark.parametrize("n_seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("n_games", [1, 2, 30])
@pytest.mark.parametrize("kind", ["equal", "steps"])
def test_degenerate_games(n_seats, n_games, kind):
    scores = np.tile(np.zeros(n_seats, dtype=int) if kind == "equal" else 7 * np.arange(n_seats), (n_games, 1))
    komi = komi_from_scores(scores)
    assert komi.equal
    for estimate in komi.points[1:]:
        assert math.isfinite(estimate.value)
        assert estimate.low < estimate.value < estimate.high
    assert komi.points[0] == (0, 0, 0)


def test_the_scale_of_scores_does_not_matter():
    """Six seats, points ten times as large: all bounds are known, as the shares tell all points well."""
    scores = np.rint(10 * np.random.default_rng(9).normal(30.0 - np.arange(6), 8.0, (600, 6))).astype(np.int64)
    games = Scores(scores[:, None], priority_of("later", 6), np.ones(600, dtype=np.int64))
    points = np.array([16.0, 19.1, 30.8, 42.9, 58.9])  # that make these games equal, but for a few
    assert abs(np.linalg.det(games.at(points)[1][1:])) < 1e-12
    for each in _by_delta_method(games, points):
        assert math.isfinite(each.low) and each.low < each.value < each.high < each.low + 200


def test_other_orders_are_refused():
    with pytest.raises(InputError, match="later, earlier, shared"):
        priority_of("fewer-cards", 3)
