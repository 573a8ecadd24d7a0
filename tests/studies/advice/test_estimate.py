"""What moves are worth: continuations against the same games played in Python, hidden cards, noise, and the command."""

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from salad_sim.game.engine import WHOLE_WIN, apply_move, final_scores, share_win
from salad_sim.game.scoring import card_value
from salad_sim.game.state import HIDDEN, MARKET, VEGETABLE
from salad_sim.play.continuations import HIDDEN_STREAM, begin_continuation, begin_world, continuation_dtype
from salad_sim.run.driver import Session
from salad_sim.run.runner import new_workspace
from salad_sim.stats.ranks import certain_order
from salad_sim.strategy.registry import load_strategy
from salad_sim.studies.advice.estimate import Advice, advise, check_budget, sensible
from salad_sim.studies.advice.notation import legal_moves
from salad_sim.studies.advice.play import Continuations, play_moves
from salad_sim.studies.advice.position import Position, unknown_vegetables
from salad_sim.studies.advice.position_file import example_text
from salad_sim.studies.advice.reasons import reason
from support.advising import CARDS, some_positions
from support.commands import good

FORGETFUL = some_positions(3)[9][0]


def forget(position: Position) -> Position:
    """The same position to somebody who has not watched: no card that lies as a vegetable is known."""
    return Position(**{**vars(position), "seen": ()})


def worlds(position: Position) -> np.record:
    """A workspace on which tables that agree with the position can be drawn."""
    plan = position.plan("greedy")
    work = new_workspace(plan, continuation_dtype(plan.capacity))
    work["start"] = position.public(plan)
    work["unknown"][: plan.n_players] = unknown_vegetables(work.start)
    work["table"]["public"] = work["start"]
    return work


def test_continuations_are_the_games_that_python_plays() -> None:
    position = forget(some_positions(3)[12][0])
    plan, choose = position.plan("greedy"), load_strategy("greedy").ready()
    moves = legal_moves(position.public(plan))[:3]
    played = play_moves(position, plan, moves, (5, 9), Session(1))
    work, wins, scores = worlds(position), np.zeros((4, 3, 3), int), np.zeros((4, 3, 3), int)
    worth = np.zeros((3, len(CARDS)), int)
    for world in range(4):
        work.deal = 5 + world
        begin_world(work)
        for arm, move in enumerate(moves):
            begin_continuation(work)
            view = work.table.public
            apply_move(work.table, move)
            while view.n_left > 0:
                apply_move(work.table, choose(view, work.own[view.seat], work.rng[view.seat]))
            final_scores(view, work.scores)
            share_win(view, work.scores, 0, work.wins)
            wins[world, arm], scores[world, arm] = work.wins[:3], work.scores[:3]
            mine = view.tableau[position.to_move]
            for card in mine.held[: mine.n_held].tolist():
                worth[arm, card] += card_value(view, position.to_move, mine, card)
    assert (played.wins == wins).all()
    assert (played.scores == scores).all()
    assert (played.worth == worth).all()
    assert HIDDEN_STREAM > 7  # the streams of deals and seats are others


def test_a_drawn_table_agrees_with_the_position() -> None:
    for position in (FORGETFUL, forget(FORGETFUL)):
        work = worlds(position)
        for world in range(20):
            work.deal = world
            begin_world(work)
            known, table = work.known, work.table
            piles = [table.deck[table.low[pile] : table.high[pile]].tolist() for pile in range(3)]
            assert [len(pile) for pile in piles] == list(position.sizes)
            assert [pile[-1] for pile in piles] == list(position.tops)
            market = known.market_card[:6].tolist()
            assert [CARDS[card].back for card in market] == list(position.market)
            assert [known.place[card] for card in market] == [MARKET] * 6
            laid = [[card for card in range(108) if known.place[card] == VEGETABLE + seat] for seat in range(3)]
            for seat, cards in zip(position.seats, laid, strict=True):
                assert [[CARDS[card].back for card in cards].count(veg) for veg in range(6)] == list(seat.counts)
            held = [card for seat in position.seats for card in seat.held]
            deck = [*chain(*piles), *market, *chain(*laid), *held]
            assert len(set(deck)) == len(deck) == 54
            assert [[CARDS[card].back for card in deck].count(veg) for veg in range(6)] == [9] * 6


def test_every_card_that_may_lie_in_the_market_does_so_equally_often() -> None:
    position = forget(FORGETFUL)
    work, veg = worlds(position), position.market[0]
    unseen = [card for card in range(108) if work.start.place[card] == HIDDEN and CARDS[card].back == veg]
    counts = dict.fromkeys(unseen, 0)
    for world in range(1500):
        work.deal = world
        begin_world(work)
        counts[int(work.known.market_card[0])] += 1
    expected = 1500 / len(unseen)
    statistic = sum((count - expected) ** 2 / expected for count in counts.values())
    assert statistic < 2.5 * len(unseen)  # chi-square: beyond it by chance less often than once in a thousand seeds


def fixed(won: list[list[int]], margins: list[list[int]]) -> Continuations:
    """Continuations of two players, by table and move."""
    wins = np.array(won)[:, :, None] * [1, -1] + [0, WHOLE_WIN]
    scores = np.array(margins)[:, :, None] * [1, 0]
    worth = np.zeros((len(won[0]), len(CARDS)), dtype=np.int64)
    return Continuations(tuple(range(len(won[0]))), wins, scores, worth, worth, 0)


def test_moves_that_are_clearly_worse_are_not_sensible() -> None:
    seen = fixed([[60, 60, 0], [0, 60, 0]] * 20, [[1, 2, -9], [0, 1, -8]] * 20)
    assert sensible(seen) == [1]
    assert sensible(fixed([[60, 0], [0, 60]] * 20, [[1, 0], [0, 1]] * 20)) == [0, 1]


def test_what_a_move_costs_is_a_difference_in_pairs() -> None:
    won = [[60, 60], [60, 0], [60, 60], [0, 0]] * 50
    played = fixed(won, [[3, 1], [5, -2], [2, 0], [-4, -6]] * 50)
    found = Advice(FORGETFUL, FORGETFUL.plan("greedy"), played, 0, 2)
    assert found.wins[0].value == 0.75
    lost, points = found.cost(1)
    assert (lost.value, points.value) == (0.25, 3.25)
    assert 0 < lost.low < 0.25 < lost.high < 0.4
    assert found.as_good.tolist() == [True, False]
    assert found.cost(0)[0] == (0.0, 0.0, 0.0)
    covariance = np.cov(np.array(won).T / WHOLE_WIN) / 200
    assert certain_order(np.array([0.75, 0.5]), covariance)[0, 1]


def test_where_every_move_wins_points_decide() -> None:
    found = Advice(FORGETFUL, FORGETFUL.plan("greedy"), fixed([[60, 60]] * 60, [[9, 2], [8, 3]] * 30), 0, 2)
    assert found.as_good.tolist() == [True, False]


@pytest.fixture(scope="module")
def advice() -> Advice:
    return advise(FORGETFUL, check_budget(200, 3, "greedy"), session=Session(1))


def test_advice_is_the_same_for_any_number_of_workers(advice: Advice) -> None:
    again = advise(FORGETFUL, check_budget(200, 3, "greedy"), session=Session(3))
    assert again.moves == advice.moves
    assert (again.played.wins == advice.played.wins).all()
    assert (again.played.worth == advice.played.worth).all()


def test_a_reason_adds_up_to_the_margin(advice: Advice) -> None:
    played = advice.played
    assert played.worth.sum() == played.scores[:, :, played.seat].sum()
    assert "In points at the end" in reason(advice, advice.best)


def test_the_command_advises(tmp_path: Path) -> None:
    file = tmp_path / "position.toml"
    file.write_text(example_text(), encoding="utf-8")
    words = ["advise", file, "--games", 50, "--with", "greedy", "-q", "-w", 1]
    text = good(*words).stdout
    assert text.startswith("Ann to move, 28 cards left: ")
    assert text.count("your move") == 1
    found = json.loads(good(*words, "--move", "market 1 2", "--format", "json").stdout)
    assert [row["move"] for row in found["moves"] if row["own"]] == ["market 1 2"]
    assert found["moves"][0]["cost"] == 0
    assert found["policy"] == "greedy"
    assert good("advise", "--example").stdout == example_text()
