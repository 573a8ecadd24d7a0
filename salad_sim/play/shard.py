"""A shard: a range of deals played by one kernel on one workspace record.

The engine takes strategies as six numba first-class functions, so this kernel is compiled once and cached on disk,
whoever plays.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types

from salad_sim.game.engine import (
    LEGAL,
    NOT_CONSERVED,
    apply_move,
    deal,
    deal_next_round,
    final_scores,
    share_win,
    turns_of,
    why_illegal,
)
from salad_sim.game.scoring import card_value, hand_value
from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES, layout
from salad_sim.jit.kernel import compile_only, kernel
from salad_sim.jit.records import at, record_dtype
from salad_sim.jit.rng import DEAL_STREAM, RNG, seed_stream
from salad_sim.play.tally import DEAL_SUMS, TALLY, close_deal, count_round, count_seat
from salad_sim.play.trace import COURSE, FOLLOWED, begin_course, follow
from salad_sim.strategy.memory import clear_memory

MOST_ROWS = 256
"""Games of a shard that keeps rows, at most."""

NOT_KEPT = -32768
"""In a row, the worth of a card that nobody kept."""

DIGIT = 10
"""Bits in which the cards of one vegetable are counted where all six stand in one number."""

NO_MOVE = -1
MIXER = 1_000_003


def row_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of what is kept of one game: by seat, and by card what it was worth to the one who kept it."""
    return record_dtype(
        [
            ("wins", "i4", (MAX_PLAYERS,)),
            ("scores", "i4", (MAX_PLAYERS,)),
            ("kept", "i4", (MAX_PLAYERS,)),
            ("best_card", "i4", (MAX_PLAYERS,)),
            ("turns", "i4"),
            ("tied", "i4"),
            ("last_seat", "i4"),
            ("lead_changes", "i4"),
            ("half_leader", "i4"),
            ("worth", "i2", (capacity,)),
        ]
    )


@cache
def workspace_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of all that one shard needs: the job, the table, the seats' own records, the tally."""
    house = layout(capacity)
    return record_dtype(
        [
            ("seed", "u8"),
            ("first_deal", "i8"),
            ("n_deals", "i8"),
            ("n_rotations", "i8"),
            ("group", "i8", (MAX_PLAYERS,)),  # of each place in the line-up: equal strategies share a group
            ("deal", "i8"),  # the game being played, for messages
            ("rotation", "i8"),
            ("move", "i8"),
            ("careful", "i8"),  # whether it is looked at after each choice that nothing on the table was written to
            ("spoiled", "i8"),  # whether something was
            ("table", house.table),
            ("own", house.own, (MAX_PLAYERS,)),  # by place in the line-up
            ("rng", RNG, (MAX_PLAYERS,)),  # by seat
            ("scores", "i8", (MAX_PLAYERS,)),
            ("wins", "i8", (MAX_PLAYERS,)),
            ("head_start", "i8", (MAX_PLAYERS,)),  # by seat: points that it has before the game begins
            # sums over the rounds of the game, by seat
            ("kept", "i8", (MAX_PLAYERS,)),
            ("flipped", "i8", (MAX_PLAYERS,)),
            ("turns", "i8", (MAX_PLAYERS,)),
            # one row a game, where a study needs the games one by one; see `course` for how much is kept
            ("keep_rows", "i8"),
            ("course", COURSE),
            ("rows", row_dtype(capacity), (MOST_ROWS,)),
            ("sums", DEAL_SUMS),
            ("tally", TALLY),
        ]
    )


@kernel
def place_of(work, seat):
    """Return the place in the line-up that sits at ``seat`` in the current rotation."""
    n_players = work.table.public.n_players
    place = seat - work.rotation
    return place + n_players if place < 0 else place


@kernel
def seat_players(work):
    """Seed the streams of the current deal and clear what the seats remember; nothing is dealt yet."""
    table = work.table
    seed_stream(table.rng, work.seed, work.deal, np.int64(DEAL_STREAM))
    table.public.start = 0
    for seat in range(table.public.n_players):
        seed_stream(work.rng[seat], work.seed, work.deal, seat + 1)
        clear_memory(work.own[seat])
        table.public.bonus[seat] = work.head_start[seat]
        work.kept[seat] = 0
        work.flipped[seat] = 0
        work.turns[seat] = 0


@kernel
def begin_game(work):
    """Seed the streams of the current deal, deal it, and clear what the seats remember."""
    seat_players(work)
    deal(work.table)


@kernel
def sum_of_table(view):
    """Return a number that is another one if what lies in front of a seat, or its bonus, is."""
    total = np.int64(0)
    for seat in range(view.n_players):
        tableau = view.tableau[seat]
        total = total * MIXER + view.bonus[seat]
        total = total * MIXER + tableau.n_held
        for veg in range(N_VEGETABLES):
            total = total * MIXER + tableau.counts[veg]
        for index in range(min(tableau.n_held, len(tableau.held))):
            total = total * MIXER + tableau.held[index]
    return total


@kernel
def choose(work, first, second, third, fourth, fifth, sixth):
    """Ask the strategy whose turn it is for a move; if one that is watched has cheated the answer is no move."""
    if work.careful == 0:
        return ask(work, first, second, third, fourth, fifth, sixth)
    before = sum_of_table(work.table.public)
    move = ask(work, first, second, third, fourth, fifth, sixth)
    work.spoiled = sum_of_table(work.table.public) != before
    return NO_MOVE if work.spoiled else move


@kernel
def ask(work, first, second, third, fourth, fifth, sixth):
    """Call the strategy whose turn it is."""
    view = work.table.public
    rng = work.rng[view.seat]
    place = place_of(work, view.seat)
    own = work.own[place]
    if place == 0:
        return first(view, own, rng)
    if place == 1:
        return second(view, own, rng)
    if place == 2:
        return third(view, own, rng)
    if place == 3:
        return fourth(view, own, rng)
    if place == 4:
        return fifth(view, own, rng)
    return sixth(view, own, rng)


@kernel
def is_conserved(view):
    """Return whether the cards in front of all seats at the end of a round are those that were dealt, by vegetable."""
    sum_of_cards = np.int64(0)
    for veg in range(N_VEGETABLES):
        sum_of_cards -= view.drawn[veg] << (DIGIT * veg)
        for seat in range(view.n_players):
            sum_of_cards += np.int64(view.tableau[seat].counts[veg]) << (DIGIT * veg)
    for seat in range(view.n_players):
        tableau = view.tableau[seat]
        for index in range(min(tableau.n_held, len(tableau.held))):
            sum_of_cards += np.int64(1) << (DIGIT * np.int64(view.cards.back[at(tableau.held[at(index)])]))
    return sum_of_cards == 0


@kernel
def play_round(work, first, second, third, fourth, fifth, sixth):
    """Play from the current state of the table to the end of the round; return LEGAL or why a move was not."""
    table = work.table
    if work.keep_rows >= FOLLOWED:
        begin_course(table.public, work.course)
    while table.public.n_left > 0:
        work.move = choose(work, first, second, third, fourth, fifth, sixth)
        reason = why_illegal(table.public, work.move)
        if reason != LEGAL:
            return reason
        apply_move(table, work.move)
        if work.keep_rows >= FOLLOWED:
            follow(table.public, work.course)
    return LEGAL if is_conserved(table.public) else NOT_CONSERVED


@kernel
def sum_round(work):
    """Add what the seats did in the round just played to their sums over the game."""
    view = work.table.public
    for seat in range(view.n_players):
        work.kept[seat] += view.tableau[seat].n_held
        work.flipped[seat] += view.tableau[seat].n_flipped
        work.turns[seat] += turns_of(view, seat)
    work.tally.turns += view.turn


@kernel
def close_round(work):
    """Count the round of a match that was just played, on its own."""
    view = work.table.public
    for seat in range(view.n_players):
        work.scores[seat] = hand_value(view, seat)
    share_win(view, work.scores, view.rules.tie_break, work.wins)
    count_round(work.tally, view, work.scores, work.wins)


@kernel
def play_game(work, first, second, third, fourth, fifth, sixth):
    """Play the current deal in the current rotation to its end; return LEGAL or why a move was not."""
    begin_game(work)
    view = work.table.public
    while True:
        reason = play_round(work, first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
        sum_round(work)
        if view.n_rounds > 1:
            close_round(work)
        if view.round_number + 1 >= view.n_rounds:
            return LEGAL
        deal_next_round(work.table)


@kernel
def keep_worth(work, row):
    """Note in a row what each kept card was worth, in the last round if there are several."""
    view = work.table.public
    for card in range(view.cards.n_cards):
        row.worth[card] = NOT_KEPT
    for seat in range(view.n_players):
        tableau = view.tableau[seat]
        row.best_card[seat] = 0
        for index in range(tableau.n_held):
            card = np.int64(tableau.held[index])
            row.worth[card] = card_value(view, seat, tableau, card)
            row.best_card[seat] = max(row.best_card[seat], row.worth[card])


@kernel
def keep_row(work, n_top):
    """Note a finished and scored game in its row."""
    row = work.rows[(work.deal - work.first_deal) * work.n_rotations + work.rotation]
    row.turns = 0
    row.tied = n_top > 1
    row.last_seat = (work.table.public.seat - 1) % work.table.public.n_players
    row.lead_changes = work.course.lead_changes
    row.half_leader = work.course.half_leader
    for seat in range(work.table.public.n_players):
        row.wins[seat] = work.wins[seat]
        row.scores[seat] = work.scores[seat]
        row.turns += work.turns[seat]
        row.kept[seat] = work.table.public.tableau[seat].n_held
    keep_worth(work, row)


@kernel
def count_game(work):
    """Score a finished game and count it."""
    view = work.table.public
    tally = work.tally
    final_scores(view, work.scores)
    n_top = share_win(view, work.scores, view.rules.tie_break, work.wins)
    tally.games += 1
    tally.ties += n_top > 1
    if work.keep_rows != 0:
        keep_row(work, n_top)
    for seat in range(view.n_players):
        count_seat(work, work.group[place_of(work, seat)], seat)


@kernel
def play_shard(work, first, second, third, fourth, fifth, sixth):
    """Play every rotation of every deal of the shard into work.tally; return LEGAL, or stop at an illegal move."""
    for deal_number in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal = deal_number
        for rotation in range(work.n_rotations):
            work.rotation = rotation
            reason = play_game(work, first, second, third, fourth, fifth, sixth)
            if reason != LEGAL:
                return reason
            count_game(work)
        close_deal(work.tally, work.sums, work.table.public.n_players)
    return LEGAL


def signature_of(house: Any) -> Any:
    """Return the signature of strategies that are handed records of a layout: choose(view, own, rng) -> move."""
    return types.int64(*(numba.from_dtype(dtype) for dtype in (house.public, house.own, RNG)))


@cache
def choice_signature(capacity: int) -> Any:
    """Return the one signature of a strategy: choose(view, own, rng) -> move."""
    return signature_of(layout(capacity))


def shard_kernel(function: Any, workspace: np.dtype[np.record], choice: Any) -> Any:
    """Compile (or load) a kernel that plays a shard with six strategies, and return it.

    Parameters
    ----------
    function : kernel
        (workspace, six strategies) -> LEGAL or why a move was not.
    workspace : dtype
    choice : numba signature
        Of the strategies.
    """
    if hasattr(function, "compile"):  # not with NUMBA_DISABLE_JIT
        strategies = [types.FunctionType(choice)] * MAX_PLAYERS
        compile_only(function, types.int64(numba.from_dtype(workspace), *strategies))
    return function


@cache
def shard_player(capacity: int) -> Any:
    """Compile (or load) `play_shard` for records of ``capacity`` and return it."""
    return shard_kernel(play_shard, workspace_dtype(capacity), choice_signature(capacity))
