"""The endgame solver against trying everything on the naive twin, in endings that real games came to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from salad_sim.game.endgame import N_LEVELS, NOT_SOLVED, is_open
from salad_sim.game.moves import NO_FLIP, make_move
from salad_sim.game.rules import CHOICES, OFFICIAL, Rules
from support.endings import all_moves, code, endings, is_open_in_words, memory, mover, solver, values
from support.playing import (
    PLAYERS,
    SEED,
    Position,
    Table,
    play_beside_twin,
)
from support.reference.ending import Solved, ending_of, solve

RULE_MIXES = {
    "official": OFFICIAL,
    "never": Rules(flip="never", tie_break="shared"),
    "up to two": Rules(vegetables="up-to-two", flip="never", tie_break="fewer-cards"),
    "up to two, flips": Rules(vegetables="up-to-two", tie_break="earlier", zero="odd"),
    "bottom cards": Rules(split="draw", tie_break="last-turn", sets="once"),
    "halves rounded down": Rules(split="down", tie_break="shared", zero="even"),
}


def solved(position: Position) -> Solved:
    table, twin = position
    return solve(ending_of(twin, [table.hand(seat) for seat in range(table.n_players)]))


# ------------------------------------------------------------------------------------- against everything


@pytest.mark.parametrize("mix", RULE_MIXES)
@pytest.mark.parametrize("n_players", [2, 3, 4])
def test_the_value_and_the_move_are_those_of_trying_everything(n_players: int, mix: str) -> None:
    n_choices = n_larger = 0
    for position in endings(n_players, RULE_MIXES[mix], 900, range(5)):
        table, everything = position.table, solved(position)
        seat = table.seat
        seen = table.view.tobytes()
        move = solver(table)
        assert table.view.tobytes() == seen
        assert values(table) == [float(value) for value in everything.values]
        worth = {code(turn): everything.of_turns[repr(turn)] for turn in all_moves(position)}
        assert worth[move][seat] == everything.values[seat] == max(value[seat] for value in worth.values())
        assert move == code(everything.turn)
        if n_players > 2:  # with two, some of them cannot matter
            assert memory().n_positions == everything.n_positions
        else:
            assert len(worth) <= memory().n_positions <= everything.n_positions
            assert sum(values(table)) == 1000
        n_choices += len({value[seat] for value in worth.values()}) > 1
        n_larger += everything.n_positions > 50
    assert n_choices >= 3
    assert n_larger >= 2


@pytest.mark.parametrize("mix", ["official", "up to two"])
def test_slots_left_out_change_nothing(mix: str) -> None:
    """Of vegetables of one kind any will do, where their slots stay empty."""
    n_left_out = 0
    for position in endings(2, RULE_MIXES[mix], 900, range(10)):
        everything = solve(ending_of(position.twin, position.twin.hands), every_slot=True)
        solver(position.table)
        assert values(position.table) == [float(value) for value in everything.values]
        n_left_out += len(everything.of_turns) > len(all_moves(position))
    assert n_left_out >= 3


@pytest.mark.parametrize("mix", ["official", "up to two", "bottom cards"])
def test_a_larger_ending_is_worth_what_its_best_move_leads_to(mix: str) -> None:
    """Too large to try everything in plain Python: solved, and each move of it solved for itself."""
    n_found = 0
    for position in endings(2, RULE_MIXES[mix], 400_000, range(6)):
        table, seat = position.table, position.table.seat
        move = solver(table)
        best, before = values(table), table.record.copy()
        reached = {}
        for turn in all_moves(position):
            table.record["public"], table.record["low"], table.record["high"] = (
                before["public"],
                before["low"],
                before["high"],
            )
            table.move(code(turn))
            assert solver(table) != NOT_SOLVED
            reached[code(turn)] = values(table)
        n_found += len(reached) > 20
        assert reached[move] == best
        assert best[seat] == max(value[seat] for value in reached.values())
    assert n_found >= 3


# ------------------------------------------------------------------------------------- what is open


@pytest.mark.parametrize("n_players", PLAYERS)
def test_an_ending_is_open_when_nothing_is_hidden_and_no_chance_is_left(n_players: int) -> None:
    n_open = 0
    for number in range(6):
        rules = Rules(split=CHOICES["split"][number % 3], split_tie=CHOICES["split_tie"][number % 2])
        for table, twin in play_beside_twin(Table(n_players, rules), SEED, mover(number), number):
            assert is_open(table.view) == is_open_in_words(twin)
            n_open += is_open(table.view)
            if is_open(table.view) and not twin.over:
                assert table.n_left <= N_LEVELS - 1
    assert n_open > 10


# ------------------------------------------------------------------------------------- limits


def test_it_gives_up_at_the_number_of_positions_that_it_is_allowed() -> None:
    n_found = 0
    for position in endings(2, OFFICIAL, 5000, range(5)):
        table = position.table
        move, worth, n_positions = solver(table), values(table), int(memory().n_positions)
        assert solver(table, n_positions - 1) == solver(table, 0) == NOT_SOLVED
        assert solver(table, n_positions) == move
        assert values(table) == worth
        n_found += n_positions > 100
    assert n_found >= 2


def test_more_moves_than_there_is_room_for_are_not_solved() -> None:
    """Two players take the point cards of a whole deck, and nothing else: too many flips for each draft."""
    table = Table(2, drawn=[18] * 6)
    table.deal(SEED)
    while not is_open(table.view):
        table.move(int(make_move(int(np.argmax(table.view.pile_size)), NO_FLIP)))
    assert min(table.n_held[:2]) > 512 // 18
    assert solver(table) == NOT_SOLVED


def test_the_longest_endings_find_room() -> None:
    """Nine cards, one a turn, and three players, so that no branch is cut."""
    table = Table(3, Rules(vegetables="up-to-two", flip="never"))
    for number in range(40):
        table.deal(SEED, number)
        while not is_open(table.view):
            table.move(int(make_move(int(np.argmax(table.view.pile_size)), NO_FLIP)))
        if table.n_left == N_LEVELS - 1:
            break
    assert table.n_left == N_LEVELS - 1
    assert solver(table, 5000) == NOT_SOLVED  # but it has looked at so many, to the end of the game
    assert memory().n_positions == 5001


def test_what_was_solved_before_has_no_influence() -> None:
    found = list(range(4))
    answers: list[list[Any]] = [[], []]
    for order in (0, 1):
        tables = {number: next(endings(3, OFFICIAL, 900, range(number, 20))).table for number in found}
        for number in found if order == 0 else reversed(found):
            answers[order].append((solver(tables[number]), values(tables[number])))
    assert answers[0] == answers[1][::-1]
