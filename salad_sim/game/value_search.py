"""Looking a little ahead by a learned value, as kernels: the best moves are tried at tables as they may be.

What is hidden is drawn anew, the others answer by the same value, and the seat itself makes its next move by it too;
the value of that, or the result if the round is over before, is what a move was worth at this table.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from salad_sim.game.determinization import copy_state, copy_view, draw_hidden, lay_piles
from salad_sim.game.engine import WHOLE_WIN, apply_move, final_scores, share_win
from salad_sim.game.state import CAPACITY, MAX_PLAYERS, Dtype, layout
from salad_sim.game.value_layout import HIDDEN_UNITS, N_RANKED, UNITS, mind_dtype
from salad_sim.game.value_net import squeezed
from salad_sim.game.value_play import best_move
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import record_dtype
from salad_sim.jit.rng import RNG

WIN_WEIGHT = 0.6
"""Of the win in a result; the rest is the margin's."""

MARGIN_SCALE = 10.0
"""Points of margin by which a result is 2.7 times as good against bad."""

FAR_WORSE = 0.8
"""Moves whose value before it is squeezed is so much below the best are not tried."""

TRUSTED = 20.0
"""Tables looked at that the value of a move itself counts as."""


@cache
def search_dtype(capacity: int = CAPACITY, units: int = UNITS, hidden: int = HIDDEN_UNITS) -> Dtype:
    """Return the dtype of what a seat needs to look ahead at tables of ``capacity`` cards."""
    house = layout(capacity)
    return record_dtype(
        [
            ("mind", mind_dtype(capacity, units, hidden)),
            ("table", house.table),
            ("own", house.own),
            ("world", RNG),
            ("scores", "i8", (MAX_PLAYERS,)),
            ("wins", "i8", (MAX_PLAYERS,)),
            ("moves", "i8", (N_RANKED,)),
            ("totals", "f8", (N_RANKED,)),
        ]
    )


@kernel
def result_of(view, scores, wins, seat, win_weight):
    """Return how good the end of a round is for a seat, 0..1."""
    best = -1000000
    for other in range(view.n_players):
        if other != seat:
            best = max(best, scores[other])
    win = wins[seat] / WHOLE_WIN
    return win_weight * win + (1.0 - win_weight) * squeezed((scores[seat] - best) / MARGIN_SCALE)


@kernel
def value_ahead(search, net, seat, depth):
    """Play on by the value until ``seat`` has moved ``depth`` times; return the value of that, or the result."""
    view = search.table.public
    while view.n_left > 0:
        move = best_move(view, search.own, search.mind, net)
        if view.seat == seat:
            depth -= 1
            if depth == 0:
                return squeezed(search.mind.ranked_values[0])
        apply_move(search.table, move)
    final_scores(view, search.scores)
    share_win(view, search.scores, view.rules.tie_break, search.wins)
    return result_of(view, search.scores, search.wins, seat, WIN_WEIGHT)


@kernel
def try_moves(view, rng, search, net, budget):
    """Add up in ``search.totals`` what moves are worth; ``budget`` = (tables, moves ahead, moves listed)."""
    n_tables, depth, n_moves = budget
    seat = np.int64(view.seat)
    for _ in range(n_tables):
        draw_hidden(view, search.table, rng)
        search.world = search.table.rng
        for index in range(n_moves):
            copy_state(view, search.table)
            lay_piles(view, search.table)
            search.table.rng = search.world
            apply_move(search.table, search.moves[index])
            search.totals[index] += value_ahead(search, net, seat, depth)


@kernel
def sort_moves(search, n_moves):
    """Put the moves in order, the best first."""
    for index in range(1, n_moves):
        move, total = search.moves[index], search.totals[index]
        place = index
        while place > 0 and search.totals[place - 1] < total:
            search.moves[place], search.totals[place] = search.moves[place - 1], search.totals[place - 1]
            place -= 1
        search.moves[place], search.totals[place] = move, total


@kernel
def list_best(search):
    """List the moves that are worth trying, each with its value as if that were TRUSTED tables; return their number."""
    mind = search.mind
    n_moves = 0
    for index in range(mind.n_ranked):
        if mind.ranked_values[index] > mind.ranked_values[0] - FAR_WORSE:
            search.moves[n_moves] = mind.ranked[index]
            search.totals[n_moves] = TRUSTED * squeezed(mind.ranked_values[index])
            n_moves += 1
    return n_moves


@kernel
def choose_by_search(view, own, rng, search, net, effort):
    """Return the best move by looking ahead; ``effort`` = (tables, moves ahead)."""
    n_tables, depth = effort
    best = best_move(view, own, search.mind, net)
    n_moves = list_best(search)
    if n_moves == 1 or n_tables == 0:
        return best
    copy_view(view, search.table)
    first = (n_tables + 1) // 2  # at the other half only the better half of the moves is tried
    try_moves(view, rng, search, net, (first, depth, n_moves))
    sort_moves(search, n_moves)
    n_moves = max((n_moves + 1) // 2, 2)
    try_moves(view, rng, search, net, (n_tables - first, depth, n_moves))
    sort_moves(search, n_moves)
    return np.int64(search.moves[0])
