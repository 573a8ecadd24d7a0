"""Endings in which nothing is hidden any more: what each move is worth is worked out, not played for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salad_sim.game.determinization import copy_view
from salad_sim.game.endgame import (
    LARGEST_SOLVED,
    N_LEVELS,
    NOT_SOLVED,
    WIN_VALUE,
    begin_ending,
    copy_table,
    ending_dtype,
    is_open,
    solve_ending,
    value_end,
)
from salad_sim.game.engine import apply_move
from salad_sim.game.moves import draft_of, first_slot, flip_of, second_slot
from salad_sim.game.state import HIDDEN, NONE
from salad_sim.jit.records import new_record
from salad_sim.run.plan import Plan
from salad_sim.studies.advice.notation import brief
from salad_sim.studies.advice.position import Position

MOST_POSITIONS = 200_000
"""Positions that the solution for one move may take."""

MOST_TOLD = 4
"""Moves of a line that are told."""

Exact = tuple[float, float]
"""Share of the win and margin of the mover, if everybody plays the ending as well as can be."""


def solved(position: Position, plan: Plan, moves: Sequence[int]) -> list[Exact] | None:
    """Return what each move of an ending is worth; None if something is hidden, or if it would take too long.

    Parameters
    ----------
    position : Position
    plan : Plan
        From ``position.plan``.
    moves : sequence of int
        Legal ones.
    """
    solver = _Solver.of(position, plan)
    if solver is None:
        return None
    found = []
    for move in moves:
        value = solver.after([move])
        if value is None:
            return None
        share = min(max(value, 0.0), WIN_VALUE) / WIN_VALUE
        found.append((share, value - WIN_VALUE * share))
    return found or None


def told_apart(view: np.record, moves: Sequence[int], own: int | None) -> list[int]:
    """Return moves without those that come to the same: vegetables of one kind, where no pile fills the market."""
    if view.pile_size.any():
        return list(moves)
    found: dict[tuple[tuple[int, ...], int], int] = {}
    for move in moves:
        draft = draft_of(move)
        slots = {int(first_slot(draft)), int(second_slot(draft))}
        alike = tuple(sorted(int(view.market[slot]) for slot in slots)), int(flip_of(move))
        if alike not in found or move == own:
            found[alike] = move
    return list(found.values())


def best_line(position: Position, plan: Plan, move: int) -> list[str]:
    """Return how a solved ending goes on after a move, with names."""
    solver = _Solver.of(position, plan)
    moves = [move]
    told: list[str] = []
    while solver is not None and solver.after(moves) is not None and len(told) < MOST_TOLD:
        view = solver.table.public
        if view.n_left == 0:
            break
        best = int(solver.ending.levels[0].best_move)
        told.append(f"{position.seats[int(view.seat)].name}: {brief(view, position.cards, best)}")
        moves.append(best)
    return told


class _Solver:
    """The table of an ending, and the memory of its solver."""

    def __init__(self, view: np.record, capacity: int) -> None:
        self.view, self.seat = view, int(view.seat)
        self.start, self.ending = new_record(ending_dtype(capacity)), new_record(ending_dtype(capacity))
        begin_ending(view, self.start)
        self.table = self.start.levels[1].table

    @classmethod
    def of(cls, position: Position, plan: Plan) -> _Solver | None:
        """Return the solver of a position; None if it is no ending to be solved."""
        view = position.public(plan)
        fits = view.n_left < N_LEVELS and plan.capacity <= LARGEST_SOLVED and plan.rules.rounds == 1
        if not fits or not is_open(view):
            return None
        _name_market(view)
        return cls(view, plan.capacity)

    def after(self, moves: Sequence[int]) -> float | None:
        """Return what the ending is worth to the first mover after some moves, None if that takes too long."""
        copy_view(self.view, self.table)
        copy_table(self.start.levels[0].table, self.table)
        for move in moves:
            apply_move(self.table, move)
        view = self.table.public
        if view.n_left == 0:
            value_end(view, self.ending, self.ending.levels[0])
        elif solve_ending(view, self.ending, MOST_POSITIONS) == NOT_SOLVED:
            return None
        return float(self.ending.levels[0].best[self.seat])


def _name_market(view: np.record) -> None:
    """Give vegetables of the market that nobody knows cards that they may be: which does not matter any more."""
    hidden = [card for card in range(int(view.cards.n_cards)) if view.place[card] == HIDDEN]
    for slot, veg in enumerate(view.market.tolist()):
        if veg != NONE and view.market_card[slot] == NONE:
            card = next(each for each in hidden if view.cards.back[each] == veg)
            hidden.remove(card)
            view.market_card[slot] = card
