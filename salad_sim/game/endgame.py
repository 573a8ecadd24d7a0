"""The exact solution of endings in which nothing is hidden: three pile tops at most, and the market.

Every move of every seat is tried, flips too, to the end of the round. A seat wants to win, and then to win by as much
as it can: its value is WIN_VALUE for the whole win (its share of it if it is shared) plus its margin over the best
other seat. With two players values add up to WIN_VALUE, so branches that cannot matter are cut (alpha-beta); with more,
each seat takes what is best for itself (max^n).

Sources: Knuth and Moore, An analysis of alpha-beta pruning, Artificial Intelligence 6 (1975); Luckhardt and Irani, An
algorithmic solution of n-person games, AAAI 1986 (max^n).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from salad_sim.game.determinization import copy_state, copy_view, lay_piles
from salad_sim.game.engine import WHOLE_WIN, apply_move, final_scores, may_take_one, share_win
from salad_sim.game.moves import N_PILES, N_SLOTS, NO_FLIP, make_move, pair_draft
from salad_sim.game.rules import FLIP_NEVER, SPLIT_DRAW, TIE_RANDOM
from salad_sim.game.scoring import hand_value
from salad_sim.game.state import CAPACITY, MAX_PLAYERS, Dtype, layout
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at, record_dtype

WIN_VALUE = 1000.0
"""More than any margin can be."""

NOT_SOLVED = -1

INFINITE = 1e9

N_LEVELS = 10
"""Turns that an ending can take in which nothing is hidden, and one more: three tops and six vegetables."""

LARGEST_SOLVED = 3 * CAPACITY
"""Capacity of tables up to which there is an endgame solver."""

N_MOVES = 512
"""Moves of one turn that the endgame solver looks at; a seat with more has too many point cards to be solved for."""


@cache
def ending_dtype(capacity: int = CAPACITY) -> Dtype:
    """Return the dtype of what the solver works on: a table for each turn to come, and the moves that are left to try.

    Large card sets make large tables; for those there is no solver.
    """
    level = record_dtype(
        [
            ("table", layout(capacity).table),
            ("n_moves", "i8"),
            ("n_tried", "i8"),
            ("moves", "i8", (N_MOVES,)),
            ("order", "f8", (N_MOVES,)),
            ("best_move", "i8"),
            ("best", "f8", (MAX_PLAYERS,)),
            ("alpha", "f8"),
            ("beta", "f8"),
        ]
    )
    return record_dtype(
        [
            ("levels", level, (N_LEVELS if capacity <= LARGEST_SOLVED else 1,)),
            ("n_positions", "i8"),
            ("scores", "i8", (MAX_PLAYERS,)),
            ("wins", "i8", (MAX_PLAYERS,)),
        ]
    )


@kernel
def is_open(view):
    """Return whether nothing is hidden and no chance is left: no pile holds more than the card that is seen on top."""
    by_chance = view.rules.split == SPLIT_DRAW and view.rules.split_tie == TIE_RANDOM
    return max(view.pile_size[0], view.pile_size[1], view.pile_size[2]) <= 1 and not by_chance


@kernel
def value_end(view, ending, values):
    """Write what the end of the round is worth to each seat into ``values.best``."""
    final_scores(view, ending.scores)
    share_win(view, ending.scores, view.rules.tie_break, ending.wins)
    for seat in range(view.n_players):
        best = -1000000
        for other in range(view.n_players):
            if other != seat:
                best = max(best, ending.scores[other])
        share = np.float64(ending.wins[seat]) / WHOLE_WIN
        values.best[seat] = WIN_VALUE * share + np.float64(ending.scores[seat] - best)


@inline_kernel
def add_move(level, draft, flip):
    """List a move to be tried; moves that find no room are counted all the same."""
    if level.n_moves < N_MOVES:
        level.moves[level.n_moves] = make_move(draft, flip)
    level.n_moves += 1


@kernel
def add_flips(level, draft):
    """List a draft with every flip that may follow it."""
    view = level.table.public
    tableau = view.tableau[at(view.seat)]
    add_move(level, draft, np.int64(NO_FLIP))
    if view.rules.flip == FLIP_NEVER:
        return
    for index in range(tableau.n_held):
        add_move(level, draft, np.int64(tableau.held[index]))
    if draft < N_PILES:
        add_move(level, draft, np.int64(view.top[draft]))


@kernel
def list_moves(level):
    """List all moves; of vegetables of one kind whose slots cannot be filled again, one stands for all."""
    view = level.table.public
    level.n_moves = 0
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            add_flips(level, np.int64(pile))
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0:
            for other in range(slot + 1, N_SLOTS):
                if view.market[other] >= 0 and not is_alike(view, slot, other):
                    add_flips(level, pair_draft(slot, other))
            if may_take_one(view) and not is_alike(view, slot, slot):
                add_flips(level, pair_draft(slot, slot))


@kernel
def is_alike(view, slot, other):
    """Return whether an earlier pair of slots holds the same vegetables and leaves the same behind: no pile is left."""
    if view.pile_size[0] + view.pile_size[1] + view.pile_size[2] > 0:
        return False
    for first in range(slot + 1):
        for second in range(first + (0 if slot == other else 1), first + 1 if slot == other else N_SLOTS):
            if first == slot and second >= other:
                return False
            same = view.market[first] == view.market[slot] and view.market[second] == view.market[other]
            crossed = view.market[first] == view.market[other] and view.market[second] == view.market[slot]
            if same or crossed:
                return True
    return False


@kernel
def copy_table(table, other):
    """Bring ``other`` to the state of ``table``, of whose public part it holds a copy."""
    copy_state(table.public, other)
    for pile in range(N_PILES):
        other.low[pile] = table.low[pile]
        other.high[pile] = table.high[pile]
        other.deck[table.low[pile]] = table.deck[table.low[pile]]


@kernel
def order_moves(ending, depth):
    """Note by how much each move leaves its seat ahead: the best are tried first, which cuts the most."""
    level, next_level = ending.levels[depth], ending.levels[depth + 1]
    view = next_level.table.public
    seat = np.int64(level.table.public.seat)
    for index in range(level.n_moves):
        copy_table(level.table, next_level.table)
        apply_move(next_level.table, level.moves[index])
        best = -1000000
        for other in range(view.n_players):
            if other != seat:
                best = max(best, hand_value(view, other) + view.bonus[other])
        level.order[index] = np.float64(hand_value(view, seat) + view.bonus[seat] - best)


@kernel
def open_level(ending, depth, alpha, beta):
    """Start trying the moves of a position; return whether they all found room."""
    level = ending.levels[depth]
    list_moves(level)
    if level.n_moves > N_MOVES:
        return False
    order_moves(ending, depth)
    level.n_tried = 0
    level.best_move = NOT_SOLVED
    level.best[np.int64(level.table.public.seat)] = -INFINITE
    level.alpha = alpha
    level.beta = beta
    return True


@kernel
def pick_move(level):
    """Return the most promising move not tried yet, of equal ones the first listed."""
    place = level.n_tried
    best = place
    for index in range(place + 1, level.n_moves):
        if level.order[index] > level.order[best]:
            best = index
    move, order = level.moves[best], level.order[best]
    for index in range(best, place, -1):  # the others keep their order
        level.moves[index] = level.moves[index - 1]
        level.order[index] = level.order[index - 1]
    level.moves[place] = move
    level.order[place] = order
    level.n_tried += 1
    return move


@kernel
def learn(level, result):
    """Take what became of the move tried last; return whether the other moves cannot matter any more."""
    view = level.table.public
    seat = np.int64(view.seat)
    if result.best[seat] > level.best[seat]:
        for each in range(view.n_players):
            level.best[each] = result.best[each]
        level.best_move = level.moves[level.n_tried - 1]
        level.alpha = max(level.alpha, level.best[seat])
    return view.n_players == 2 and level.alpha >= level.beta


@kernel
def begin_ending(view, ending):
    """Set up the tables of the solver, the first one as in ``view``."""
    for level in range(view.n_left + 1):
        copy_view(view, ending.levels[level].table)
    table = ending.levels[0].table
    lay_piles(view, table)
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            table.deck[table.low[pile]] = view.top[pile]
    ending.n_positions = 0


@kernel
def solve_ending(view, ending, most_positions):
    """Return the best move of the seat to move, or NOT_SOLVED if that takes more than ``most_positions`` positions.

    Equally good moves: the first by the points that it leaves the seat ahead at once, then by `list_moves`.

    Parameters
    ----------
    view : public record
        For which `is_open` is true, with a card left.
    ending : record `ending_dtype`
        Afterwards ``ending.levels[0].best`` is the value of the game for each seat, and ``ending.n_positions`` the
        number of positions looked at.
    most_positions : int
    """
    if view.n_left >= ending.levels.shape[0]:
        return np.int64(NOT_SOLVED)
    begin_ending(view, ending)
    depth = 0
    if not open_level(ending, depth, -INFINITE, INFINITE):
        return np.int64(NOT_SOLVED)
    done = False
    while True:
        level = ending.levels[depth]
        if done or level.n_tried == level.n_moves:
            if depth == 0:
                return np.int64(level.best_move)
            depth -= 1
            done = learn(ending.levels[depth], level)
            continue
        move = pick_move(level)
        result = ending.levels[depth + 1]
        copy_table(level.table, result.table)
        apply_move(result.table, move)
        ending.n_positions += 1
        if ending.n_positions > most_positions:
            return np.int64(NOT_SOLVED)
        if result.table.public.n_left == 0:
            value_end(result.table.public, ending, result)
            done = learn(level, result)
        elif open_level(ending, depth + 1, WIN_VALUE - level.beta, WIN_VALUE - level.alpha):
            depth += 1
            done = False
        else:
            return np.int64(NOT_SOLVED)
