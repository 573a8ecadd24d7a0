"""Positions of games in which good and odd moves were made, and what a strategy chooses in them how often."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from salad_sim.game.rules import Rules
from support.playing import SEED, Arbitrary, Mover, Player, Position, Table, fits, play_beside_twin
from support.reference.game import NaiveGame

Chances = dict[int, Fraction]
"""Moves and the probability of each."""


def mixed(seed: int) -> Mover:
    """Good moves and odd ones in turn, so that hands are of every kind."""
    chance, movers = random.Random(seed), (Player("greedy", seed), Arbitrary(seed))
    share = chance.choice([0.0, 0.2, 0.6])

    def ask(table: Table, twin: NaiveGame) -> int:
        return movers[chance.random() < share](table, twin)

    return ask


def positions(n_players: int, rules: Rules, numbers: range) -> Iterator[Position]:
    """Every turn of some games."""
    for number in numbers:
        for position in play_beside_twin(Table(n_players, rules), SEED, mixed(number), number):
            if not position.twin.over:
                yield position


def check_chances(player: Player, position: Position, chances: Chances, n_times: int) -> None:
    """Ask again and again: every move comes as often as it should, and no other ever."""
    chosen = Counter(player(position.table) for _ in range(n_times))
    assert chosen.keys() <= chances.keys()
    if len(chances) > 1:
        assert fits([chosen[move] for move in chances], [float(share) for share in chances.values()])
