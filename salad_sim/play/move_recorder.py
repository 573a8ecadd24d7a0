"""A shard that keeps rows: one for each game and seat, or one for each move, in buffers beside the tally.

The games are played and counted by the kernels of every other run, so the tally is the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from salad_sim.game.engine import (
    LEGAL,
    NOT_CONSERVED,
    apply_move,
    deal_next_round,
    tie_rank,
    why_illegal,
)
from salad_sim.game.moves import N_PILES, N_SLOTS, draft_of, first_slot, flip_of, second_slot
from salad_sim.game.scoring import card_value, hand_value
from salad_sim.game.state import MAX_PLAYERS, NONE
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import fields_of, record_dtype
from salad_sim.play.shard import (
    begin_game,
    choice_signature,
    choose,
    close_round,
    count_game,
    is_conserved,
    place_of,
    play_round,
    shard_kernel,
    sum_round,
    workspace_dtype,
)
from salad_sim.play.tally import close_deal

GAMES, MOVES = 0, 1
"""What a row is kept of."""

GAME_ROWS = 1 << 13
MOVE_ROWS = 1 << 14
N_POINTS = 1 << 18
"""Room in the buffers, at least; see `move_room` and `point_room`."""

GAME_ROW = record_dtype(
    [
        ("deal", "i8"),
        ("game", "i8"),
        ("score", "i4"),
        ("wins", "i4"),
        ("turns", "i2"),
        ("point_cards", "i2"),
        ("flips", "i2"),
        ("rotation", "i1"),
        ("seat", "i1"),
        ("group", "i1"),
        ("place", "i1"),
    ]
)
"""What is kept of one seat in one game; what its cards scored stands beside it."""

MOVE_ROW = record_dtype(
    [
        ("deal", "i8"),
        ("game", "i8"),
        ("points", "i4"),
        ("cards_left", "i2"),
        ("turn", "i2"),
        ("top", "i2", (N_PILES,)),
        ("market", "i2", (N_SLOTS,)),
        ("point_card", "i2"),
        ("vegetable_card", "i2", (2,)),
        ("flip_card", "i2"),
        ("pile", "i1"),
        ("slot", "i1", (2,)),
        ("rotation", "i1"),
        ("round", "i1"),
        ("seat", "i1"),
        ("group", "i1"),
    ]
)
"""What is kept of one move; NONE where there is no such thing."""


def move_room(capacity: int) -> int:
    """Return how many rows of moves a workspace has room for: all rotations of one deal at least."""
    return max(MOVE_ROWS, MAX_PLAYERS * capacity)


def point_room(capacity: int) -> int:
    """Return for how many numbers of points there is room: all rows of one deal at least, each card a family."""
    return max(N_POINTS, MAX_PLAYERS * MAX_PLAYERS * capacity)


@cache
def saving_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of a workspace with rows, and all that a shard has."""
    return record_dtype(
        [
            # first, because numba takes a record that begins with the fields of another for a kind of it, and warns
            ("level", "i8"),
            ("every", "i8"),  # rows are kept of every so many deals
            ("n_families", "i8"),
            ("family", "i8", (capacity,)),  # of each card
            ("n_rows", "i8"),
            ("games", GAME_ROW, (GAME_ROWS,)),
            ("points", "i4", (point_room(capacity),)),  # row after row, one number for each family
            ("moves", MOVE_ROW, (move_room(capacity),)),
            *fields_of(workspace_dtype(capacity)),
        ]
    )


@kernel
def clear_points(work):
    """Forget what cards scored in the rows of the game that begins."""
    start = work.n_rows * work.n_families
    for index in range(start, start + work.table.public.n_players * work.n_families):
        work.points[index] = 0


@kernel
def add_points(work):
    """Add what the cards score in the round just played to the rows of the game."""
    view = work.table.public
    for seat in range(view.n_players):
        tableau = view.tableau[seat]
        start = (work.n_rows + seat) * work.n_families
        for index in range(tableau.n_held):
            card = np.int64(tableau.held[index])
            work.points[start + work.family[card]] += card_value(view, seat, tableau, card)


@kernel
def finishing_place(work, seat):
    """Return the place of ``seat``, from 1: how many are above it by score, then by the tie-break, plus one."""
    view = work.table.public
    rule = view.rules.tie_break
    place = 1
    for other in range(view.n_players):
        more = work.scores[other] - work.scores[seat]
        place += more > 0 or (more == 0 and tie_rank(view, other, rule) > tie_rank(view, seat, rule))
    return place


@kernel
def keep_game(work):
    """Note a game that was counted, a row for each seat."""
    n_players = work.table.public.n_players
    for seat in range(n_players):
        row = work.games[work.n_rows + seat]
        row.deal = work.deal
        row.game = work.deal * work.n_rotations + work.rotation
        row.rotation = work.rotation
        row.seat = seat
        row.group = work.group[place_of(work, seat)]
        row.score = work.scores[seat]
        row.wins = work.wins[seat]
        row.place = finishing_place(work, seat)
        row.turns = work.turns[seat]
        row.point_cards = work.kept[seat]
        row.flips = work.flipped[seat]
    work.n_rows += n_players


@kernel
def note_move(work, row):
    """Note a legal move that is about to be made, and what lay on the table."""
    view = work.table.public
    row.deal = work.deal
    row.game = work.deal * work.n_rotations + work.rotation
    row.rotation = work.rotation
    row.round = view.round_number
    row.turn = view.turn
    row.seat = view.seat
    row.group = work.group[place_of(work, view.seat)]
    row.cards_left = view.n_left
    for pile in range(N_PILES):
        row.top[pile] = view.top[pile]
    for slot in range(N_SLOTS):
        row.market[slot] = view.market_card[slot]
    draft = draft_of(work.move)
    row.flip_card = flip_of(work.move)
    row.pile = draft if draft < N_PILES else NONE
    row.point_card = view.top[draft] if draft < N_PILES else NONE
    for index in range(2):
        row.slot[index] = NONE
        row.vegetable_card[index] = NONE
    if draft >= N_PILES:
        slot, other = first_slot(draft), second_slot(draft)
        row.slot[0] = slot
        row.vegetable_card[0] = view.market_card[slot]
        if other != slot:
            row.slot[1] = other
            row.vegetable_card[1] = view.market_card[other]


@kernel
def play_noted_round(work, first, second, third, fourth, fifth, sixth):
    """Play a round as `shard.play_round` does, and note each move."""
    table = work.table
    view = table.public
    while view.n_left > 0:
        work.move = choose(work, first, second, third, fourth, fifth, sixth)
        reason = why_illegal(view, work.move)
        if reason != LEGAL:
            return reason
        row = work.moves[work.n_rows]
        note_move(work, row)
        seat = view.seat
        apply_move(table, work.move)
        row.points = hand_value(view, seat)
        work.n_rows += 1
    return LEGAL if is_conserved(view) else NOT_CONSERVED


@kernel
def play_kept_game(work, first, second, third, fourth, fifth, sixth):
    """Play a game as `shard.play_game` does, and keep what its rows need."""
    begin_game(work)
    view = work.table.public
    kept = work.deal % work.every == 0
    if kept and work.level == GAMES:
        clear_points(work)
    while True:
        if kept and work.level == MOVES:
            reason = play_noted_round(work, first, second, third, fourth, fifth, sixth)
        else:
            reason = play_round(work, first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
        sum_round(work)
        if kept and work.level == GAMES:
            add_points(work)
        if view.n_rounds > 1:
            close_round(work)
        if view.round_number + 1 >= view.n_rounds:
            return LEGAL
        deal_next_round(work.table)


@kernel
def play_saved(work, first, second, third, fourth, fifth, sixth):
    """Play a shard as `shard.play_shard` does, and keep rows of every so many deals."""
    work.n_rows = 0
    for deal_number in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal = deal_number
        for rotation in range(work.n_rotations):
            work.rotation = rotation
            reason = play_kept_game(work, first, second, third, fourth, fifth, sixth)
            if reason != LEGAL:
                return reason
            count_game(work)
            if work.level == GAMES and deal_number % work.every == 0:
                keep_game(work)
        close_deal(work.tally, work.sums, work.table.public.n_players)
    return LEGAL


@cache
def saving_player(capacity: int) -> Any:
    """Compile (or load) `play_saved` for records of ``capacity`` and return it."""
    return shard_kernel(play_saved, saving_dtype(capacity), choice_signature(capacity))
