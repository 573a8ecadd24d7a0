"""Endings that games came to: found, solved by the kernel, and all moves in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from salad_sim.game.endgame import ending_dtype, solve_ending
from salad_sim.game.moves import NO_FLIP, make_move
from salad_sim.game.rules import Rules
from salad_sim.jit.records import new_record
from support.playing import SEED, Arbitrary, Mover, Player, Position, Table, draft_code, play_beside_twin
from support.reference.ending import Turn, ending_of, moves
from support.reference.game import NaiveGame

ENOUGH = 10_000_000


@cache
def memory() -> Any:
    """The solver's record, one for all: it must not matter what is in it."""
    return new_record(ending_dtype())


def solver(table: Table, most: int = ENOUGH) -> int:
    return int(solve_ending(table.view, memory(), most))


def values(table: Table) -> list[float]:
    return memory().levels[0].best[: table.n_players].tolist()  # type: ignore[no-any-return]


def code(turn: Turn) -> int:
    draft, flip = turn
    return int(make_move(draft_code(draft), NO_FLIP if flip is None else flip))


def mover(number: int) -> Mover:
    """Greedy and odd moves in turn, so that hands are of every size."""
    movers, chance = (Player("greedy", number), Arbitrary(number)), random.Random(number)
    return lambda table, twin: movers[chance.random() < 0.5](table, twin)


def is_open_in_words(twin: NaiveGame) -> bool:
    """No pile has a card below its top, and chance has no say."""
    return all(len(pile) <= 1 for pile in twin.piles) and (twin.rules.split, twin.rules.split_tie) != ("draw", "random")


def size(twin: NaiveGame) -> int:
    """At most how many positions it takes to try everything, about: turns, and flips of the cards in hand."""
    n_left = sum(map(len, twin.piles)) + len([card for card in twin.market if card is not None])
    flips = 1 + (max(map(len, twin.hands)) if twin.rules.flip == "after" else 0)
    n_positions = 1
    while n_left > 0:
        n_positions *= flips * max(1, n_left * (n_left - 1) // 2)
        n_left -= 2 if twin.rules.vegetables == "two" else 1
    return n_positions


def endings(n_players: int, rules: Rules, most: int, numbers: range) -> Iterator[Position]:
    """The first position of each game that is open and small enough to try everything."""
    for number in numbers:
        for position in play_beside_twin(Table(n_players, rules), SEED, mover(number), number):
            twin = position.twin
            if not twin.over and is_open_in_words(twin) and size(twin) <= most:
                yield position
                break


def all_moves(position: Position) -> list[Turn]:
    table, twin = position
    return moves(ending_of(twin, [table.hand(seat) for seat in range(table.n_players)]))
