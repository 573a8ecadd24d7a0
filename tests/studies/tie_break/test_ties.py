"""All tie-break rules at once against the kernels and the naive twin; what is said of them from their sums."""

from __future__ import annotations

import numpy as np
import pytest

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.play.tie_breaks import RULES, wins_under
from salad_sim.play.trace import FOLLOWED
from salad_sim.run.outcomes import Outcomes, play_outcomes
from salad_sim.run.plan import plan_run
from salad_sim.stats.deal_sums import DealSums
from salad_sim.stats.evenness import evenness
from salad_sim.stats.intervals import Estimate, mean, proportion
from salad_sim.stats.named_sums import NamedSums
from salad_sim.stats.tie_counts import seat_pairs, tied_pairs
from salad_sim.studies.seat_counts import at_seats, count_seats
from salad_sim.studies.tie_break.play import (
    MADE,
    NO_EFFECT,
    OVER,
    RIGHT,
    UNDER,
    WRONG_WAY,
    count_ties,
    judge_correction,
)
from support.playing import PLAYERS, SEED, Player, Table, play_beside_twin
from support.reference.game import NaiveRules


@pytest.mark.parametrize("n_players", PLAYERS)
def test_every_rule_names_the_winners_that_a_run_under_it_has(n_players: int) -> None:
    """Random play knows no rule, so a run under another rule has the same games, and often equal totals."""
    runs = {
        rule: play_outcomes(plan_run(300, n_players, "random", SEED, tie_break=rule), kept=FOLLOWED) for rule in RULES
    }
    games = runs["later"]
    scores = at_seats(games.scores)
    assert (np.sort(scores, axis=2)[..., -1] == np.sort(scores, axis=2)[..., -2]).mean() > 0.3
    for rule, played in runs.items():
        assert (played.scores == games.scores).all()
        found = wins_under(rule, scores, games.course["kept"], games.course["last_seat"])
        assert (found == at_seats(played.wins)).all(), rule
    different = {rule: played.wins.tobytes() for rule, played in runs.items()}
    assert len(set(different.values())) == len(RULES)


@pytest.mark.parametrize("n_players", PLAYERS)
def test_every_rule_names_the_winners_that_the_twin_names(n_players: int) -> None:
    n_tied = 0
    for number in range(4):
        table = Table(n_players)
        *_, (_, twin) = play_beside_twin(table, SEED, Player("random", number), number)
        scores, kept = np.array(table.scores()), table.n_held[:n_players].astype(np.int64)
        n_tied += (scores == scores.max()).sum() > 1
        for rule in RULES:
            won = wins_under(rule, scores, kept, np.array((table.seat - 1) % n_players))
            assert won.tolist() == [share * WHOLE_WIN for share in twin.shares(NaiveRules(tie_break=rule))], rule
            assert won.tolist() == [share * WHOLE_WIN for share in table.shares(rule)[0]], rule
    assert n_tied


def test_rules_by_hand() -> None:
    scores, kept = np.array([[9, 9, 4, 9]]), np.array([[2, 1, 0, 2]])
    won = {rule: wins_under(rule, scores, kept, np.array([0]))[0].tolist() for rule in RULES}
    assert won == {
        "later": [0, 0, 0, 60],
        "earlier": [60, 0, 0, 0],
        "last-turn": [60, 0, 0, 0],
        "fewer-cards": [0, 60, 0, 0],
        "shared": [20, 20, 0, 20],
    }
    # seat 1 took the last turn, so of seats 0 and 3 seat 0 was later in time
    assert wins_under("last-turn", np.array([9, 0, 0, 9]), kept[0], np.array(1)).tolist() == [60, 0, 0, 0]
    assert wins_under("last-turn", np.array([9, 0, 0, 9]), kept[0], np.array(3)).tolist() == [0, 0, 0, 60]
    assert tied_pairs(scores)[0].tolist() == [1, 0, 1, 0, 1, 0]
    assert seat_pairs(3) == [(0, 1), (0, 2), (1, 2)]


def outcomes(scores: list[list[int]], wins: list[list[int]], **course: object) -> Outcomes:
    """Games of deals that are not rotated."""
    shaped = {name: np.array(values)[:, None] for name, values in course.items()}
    return Outcomes(0, np.array(wins)[:, None, :], np.array(scores)[:, None, :], shaped)


def two_games(half_leader: int = 0, best_card: int = 5) -> Outcomes:
    """A game that seat 0 wins by 3 points, and one that seats 1 and 2 tie and the later one wins."""
    return outcomes(
        scores=[[30, 20, 27], [8, 11, 11]],
        wins=[[60, 0, 0], [0, 0, 60]],
        kept=[[3, 2, 4], [1, 2, 1]],
        best_card=[[best_card, 9, 9], [8, 7, 6]],
        turns=[33, 31],
        last_seat=[2, 0],
        lead_changes=[4, 0],
        half_leader=[half_leader, -1],
    )


def test_what_is_counted_of_games_by_hand() -> None:
    sums = count_seats(two_games())
    assert sums.n_games == sums.n_deals == 2
    assert sums.total("wins").tolist() == [60, 0, 60]
    assert sums.total("scores").tolist() == [38, 31, 38]
    assert sums.total("margins").tolist() == [3 - 3, -10 + 0, -3 + 0]
    assert sums.total("last_turn").tolist() == [1, 0, 1]
    assert sums.total("gaps").tolist() == [3 + 0, 7 + 3]
    assert {name: int(sums.total(name)[0]) for name in ("turns", "lead_changes", "half_led", "half_leader_wins")} == {
        "turns": 64,
        "lead_changes": 4,
        "half_led": 1,
        "half_leader_wins": 60,
    }
    # a lead of 3 is less than the 5 points of the winner's best card; equal totals count
    assert sums.total("one_card").tolist() == [2] and sums.total("tied").tolist() == [1]


@pytest.mark.parametrize(("best_card", "n_games"), [(2, 1), (3, 1), (4, 2)])
def test_a_lead_as_large_as_the_best_card_is_not_decided_by_one(best_card: int, n_games: int) -> None:
    assert count_seats(two_games(best_card=best_card)).total("one_card").tolist() == [n_games]


@pytest.mark.parametrize(("leader", "led", "wins"), [(0, 1, 60), (1, 1, 0), (2, 1, 0), (-1, 0, 0)])
def test_a_leader_at_half_time_wins_or_does_not(leader: int, led: int, wins: int) -> None:
    sums = count_seats(two_games(half_leader=leader))
    assert (sums.total("half_led")[0], sums.total("half_leader_wins")[0]) == (led, wins)


def test_ties_by_hand() -> None:
    sums = count_ties(two_games())
    assert sums.total("tied").tolist() == [1]
    assert sums.total("sizes").tolist() == [1, 0]
    assert sums.total("pairs").tolist() == [0, 0, 1]
    assert sums.total("later").tolist() == [60, 0, 60]
    assert sums.total("earlier").tolist() == [60, 60, 0]
    assert sums.total("shared").tolist() == [60, 30, 30]
    assert sums.total("fewer-cards").tolist() == [60, 0, 60]
    assert sums.total("last-turn").tolist() == [60, 0, 60]  # seat 0 ended the second game, seat 2 moved just before it


def test_places_of_rotations_come_to_their_seats() -> None:
    by_place = np.array([[[10, 20, 30], [11, 21, 31], [12, 22, 32]]])
    assert at_seats(by_place).tolist() == [[[10, 20, 30], [31, 11, 21], [22, 32, 12]]]


def test_named_sums_add_and_are_found_by_name() -> None:
    values = np.arange(40).reshape(10, 4)
    whole = NamedSums.from_deals({"a": values[:, :1], "b": values[:, 1:]})
    parts = [NamedSums.from_deals({"a": part[:, :1], "b": part[:, 1:]}) for part in (values[:3], values[3:])]
    both = parts[0] + parts[1]
    assert (both.sums.products == whole.sums.products).all() and both.n_deals == 10
    assert whole.total("b").tolist() == values[:, 1:].sum(axis=0).tolist()
    assert whole.of("b", "a").total.tolist() == [*values[:, 1:].sum(axis=0), values[:, 0].sum()]
    assert whole.means("a")[0] == mean(int(values[:, 0].sum()), int((values[:, 0] ** 2).sum()), 10, 10)
    with pytest.raises(ValueError, match="same quantities"):
        whole + NamedSums.from_deals({"b": values[:, :1], "a": values[:, 1:]})


def test_a_rate_among_games_is_wilsons_interval_of_these_games() -> None:
    led = np.array([1, 1, 0, 1, 0, 1, 1, 1])
    won = led * np.array([60, 0, 60, 60, 60, 0, 60, 60])
    sums = NamedSums.from_deals({"won": won[:, None], "led": led[:, None]})
    found, expected = sums.rate_among("won", "led", whole=60), proportion(4, 4, 6, 6)
    assert found == pytest.approx(expected)
    always = np.full((30, 1), 6)  # 30 deals in 6 rotations: what is always so is told by the deals, not by the games
    all_of_it = NamedSums.from_deals({"won": 60 * always, "led": always}, 6)
    for share, total in ((1, 60 * 180), (0, 0)):
        sums_of_all = all_of_it if share else NamedSums.from_deals({"won": 0 * always, "led": always}, 6)
        assert sums_of_all.rate_among("won", "led", whole=60) == proportion(total, total * 360, 30, 180, 60)
    none = NamedSums.from_deals({"won": 0 * won[:, None], "led": 0 * led[:, None]})
    assert np.isnan(none.rate_among("won", "led", whole=60).value)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ((3, 1), (1, 0.5), UNDER),
        ((3, 1), (-1, 0.5), OVER),
        ((3, 1), (0.2, 0.5), RIGHT),
        ((3, 1), (5, 1), WRONG_WAY),
        ((-3, 1), (-1, 0.5), UNDER),
        ((-3, 1), (1, 0.5), OVER),
        ((-3, 1), (-5, 1), WRONG_WAY),
        ((0.5, 1), (-4, 1), MADE),
        ((0.5, 1), (-0.5, 1), NO_EFFECT),
    ],
)
def test_what_a_rule_does_to_an_effect(before: tuple[float, float], after: tuple[float, float], verdict: str) -> None:
    one, other = (Estimate(value, value - half, value + half) for value, half in (before, after))
    assert judge_correction(one, other) == verdict


def wins_with(shares: list[list[float]], n_deals: int, seed: int) -> DealSums:
    """Wins by rule and seat of games whose winner has these probabilities, one draw for all rules of a game."""
    chance = np.random.default_rng(seed).random(n_deals)
    columns = []
    for row in shares:
        winner = np.searchsorted(np.cumsum(row)[:-1], chance, side="right")
        columns.append((winner[:, None] == np.arange(len(row))) * WHOLE_WIN)
    return DealSums.from_deals(np.concatenate(columns, axis=1).astype(np.int64))


def test_the_most_even_rule_is_found_and_certain_only_where_games_tell() -> None:
    shares = [[0.50, 0.30, 0.20], [0.36, 0.33, 0.31], [0.36, 0.33, 0.31]]
    found = evenness(wins_with(shares, 20_000, SEED), ("bad", "good", "equal"), WHOLE_WIN)
    assert found.best in ("good", "equal") and found.surpassed == ["bad"] and len(found.open) == 1
    assert found.deviations[0] == pytest.approx(np.sqrt(np.mean((np.array(shares[0]) - 1 / 3) ** 2)), abs=0.01)
    (same,) = (found.excess[rule] for rule in found.open)
    assert same == (0.0, 0.0, 0.0)
    few = evenness(wins_with(shares, 40, SEED), ("bad", "good", "equal"), WHOLE_WIN)
    assert few.surpassed == []


def test_a_rule_is_called_less_even_no_more_often_than_promised() -> None:
    """Two rules that are equally uneven in opposite ways: of 400 studies at most 5 % may be certain of either.

    Bonferroni's inequality is exact for one pair; with 5 % more than 37 of 400 have a probability of 1e-4.
    """
    shares = [[0.6, 0.4], [0.4, 0.6]]
    wrong = sum(bool(evenness(wins_with(shares, 500, seed), ("a", "b"), WHOLE_WIN).surpassed) for seed in range(400))
    assert wrong <= 37
