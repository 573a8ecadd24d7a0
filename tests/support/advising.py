"""Positions out of games of odd moves."""

from __future__ import annotations

import numpy as np

from salad_sim.game.cards import official_set
from salad_sim.game.engine import apply_move
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.play.shard import begin_game
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import new_workspace
from salad_sim.studies.advice.notation import legal_moves
from salad_sim.studies.advice.position import Position, position_of

CARDS = official_set()


def some_positions(n_players: int, rules: Rules = OFFICIAL, seed: int = 1) -> list[tuple[Position, np.record]]:
    """Every turn of a game of odd moves: the position and the table's public record, copied."""
    work = new_workspace(plan_run(1, n_players, "greedy", seed, rules=rules))
    work.deal = seed
    begin_game(work)
    view, found, number = work.table.public, [], seed
    while view.n_left > 0:
        names = [f"player {seat + 1}" for seat in range(n_players)]
        found.append((position_of(view, rules, CARDS, names), view.copy()))
        moves = legal_moves(view)
        number = (number * 31 + 7) % 1009
        apply_move(work.table, moves[number % len(moves)])
    return found
