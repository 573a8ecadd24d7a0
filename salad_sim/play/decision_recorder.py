"""What is noted of a strategy that is watched, as kernels: a row for each of its decisions, and one for each round.

The rows hold plain facts, as integers; `profile.play` adds them up and `profile.estimate` makes rates of them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types

from salad_sim.game.endgame import NOT_SOLVED, WIN_VALUE, ending_dtype, is_open, solve_ending, value_end
from salad_sim.game.engine import (
    LEGAL,
    NOT_CONSERVED,
    WHOLE_WIN,
    apply_move,
    deal_next_round,
    final_scores,
    list_drafts,
    share_win,
    turns_of,
    why_illegal,
)
from salad_sim.game.moves import MOST_DRAFTS, N_PILES, N_SLOTS, draft_of, first_slot, flip_of, second_slot
from salad_sim.game.rules import MOST_ROUNDS
from salad_sim.game.scoring import card_value, hand_value
from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES, NONE, layout
from salad_sim.jit.kernel import compile_only, kernel
from salad_sim.jit.records import record_dtype
from salad_sim.play.shard import begin_game, choice_signature, choose, is_conserved, place_of, workspace_dtype

POINT_CARD, ONE_VEGETABLE, TWO_VEGETABLES = range(3)
"""What a turn takes."""

NOT_NAMED, ASKED_FOR, SHUNNED, BOTH = range(4)
"""What the point cards that a seat holds say of a vegetable."""
N_WISHES = 4

NOT_OPEN, SOLVED, TOO_LARGE = range(3)
"""Whether the position before a decision was an ending that can be solved, and was."""

NOT_KEPT = -(1 << 30)
"""In a round row, the worth of a card that the watched seat does not hold."""

FAR = 1 << 40

MOST_ROWS = 16_384
"""Decisions of which a watcher keeps rows at once, unless one deal has more."""

DECISION = record_dtype(
    [
        ("deal", "i8"),
        ("is_watched", "i8"),  # else it is an opponent's, of which only the ending counts
        ("turn", "i8"),  # turns that the seat took before, in this round
        ("n_left", "i8"),
        ("takes", "i8"),  # POINT_CARD ..
        ("card", "i8"),  # the point card that is taken, or NONE
        ("top", "i8", (N_PILES,)),
        ("market", "i8", (N_WISHES,)),  # vegetables on offer, by what the own cards say of them
        ("taken", "i8", (N_WISHES,)),
        ("n_drafts", "i8"),
        ("is_best", "i8"),  # no draft scores more at once
        ("n_best", "i8"),  # drafts of which that is true
        ("is_conflict", "i8"),  # no draft is best for the seat and what the next one wants most, too
        ("denies", "i8"),  # no draft would score more at once for the next seat
        ("n_denials", "i8"),  # drafts of which that is true
        ("flip", "i8"),  # the card that is flipped, or NONE
        ("flip_gain", "i8"),  # points at once
        ("flip_worth", "i8"),  # points at the end of the round
        ("ending", "i8"),  # NOT_OPEN ..
        ("win_loss", "i8"),  # sixtieths of a win
        ("margin_loss", "i8"),  # points
    ]
)


def round_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of what is noted of the watched seat at the end of a round."""
    return record_dtype(
        [
            ("deal", "i8"),
            ("is_last", "i8"),  # of the match
            ("turns", "i8"),
            ("score", "i8"),  # of this round
            ("wins", "i8"),  # sixtieths, after the last round
            ("worth", "i4", (capacity,)),  # by card, or NOT_KEPT
        ]
    )


def decision_room(capacity: int) -> int:
    """Return of how many decisions a watcher has room for rows: those of one deal at least."""
    return max(MOST_ROWS, MAX_PLAYERS * MOST_ROUNDS * capacity)


@cache
def notes_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of what a watcher needs: how far its rows are filled, what cards want, room to try things."""
    house = layout(capacity)
    return record_dtype(
        [
            ("n_rows", "i8"),
            ("n_rounds", "i8"),
            ("ending_deals", "i8"),  # deals, from the first on, whose endings are solved
            ("most_left", "i8"),  # cards of an ending that is solved
            ("most_positions", "i8"),
            ("wishes", "i8", (N_VEGETABLES,)),
            ("n_drafts", "i8"),
            ("drafts", "i8", (MOST_DRAFTS,)),
            ("gains", "i8", (MOST_DRAFTS,)),
            ("rival_gains", "i8", (MOST_DRAFTS,)),
            ("table", house.table),
            ("ending", ending_dtype(capacity)),
            ("rows", DECISION, (decision_room(capacity),)),
            ("rounds", round_dtype(capacity), (decision_room(capacity),)),
            ("asks", "i1", (capacity, N_VEGETABLES)),
            ("shuns", "i1", (capacity, N_VEGETABLES)),
        ]
    )


@kernel
def read_wishes(view, notes):
    """Note what the point cards of the seat to move say of each vegetable."""
    mine = view.tableau[view.seat]
    for veg in range(N_VEGETABLES):
        asks, shuns = 0, 0
        for index in range(mine.n_held):
            card = np.int64(mine.held[index])
            asks |= notes.asks[card, veg]
            shuns |= notes.shuns[card, veg]
        notes.wishes[veg] = asks * ASKED_FOR + shuns * SHUNNED


@kernel
def note_draft(view, notes, draft, row):
    """Note what is on offer and what of it is taken."""
    read_wishes(view, notes)
    row.market[:] = 0
    row.taken[:] = 0
    row.card = NONE
    for pile in range(N_PILES):
        row.top[pile] = view.top[pile]
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0:
            row.market[notes.wishes[view.market[slot]]] += 1
    if draft < N_PILES:
        row.takes = POINT_CARD
        row.card = view.top[draft]
        return
    slot, other = first_slot(draft), second_slot(draft)
    row.takes = ONE_VEGETABLE if slot == other else TWO_VEGETABLES
    row.taken[notes.wishes[view.market[slot]]] += 1
    if other != slot:
        row.taken[notes.wishes[view.market[other]]] += 1


@kernel
def add_vegetables(view, seat, draft, sign):
    """Give the vegetables of a draft to a seat, or take them back; the market stays as it is."""
    if draft >= N_PILES:
        slot, other = first_slot(draft), second_slot(draft)
        view.tableau[seat].counts[view.market[slot]] += sign
        if other != slot:
            view.tableau[seat].counts[view.market[other]] += sign


@kernel
def value_with(view, seat, draft):
    """Return the points of a seat, with the card that a draft takes; its vegetables must have been added."""
    value = np.int64(hand_value(view, seat))
    if draft < N_PILES:
        value += card_value(view, seat, view.tableau[seat], np.int64(view.top[draft]))
    return value


@kernel
def gain_of_draft(view, seat, draft, now):
    """Return by how many points a draft would bring a seat above ``now`` at once."""
    add_vegetables(view, seat, draft, 1)
    gain = value_with(view, seat, draft) - now
    add_vegetables(view, seat, draft, -1)
    return gain


@kernel
def note_rivalry(view, notes, draft, row):
    """Note whether a draft is the best at once, and whether it takes what the next seat would gain most from."""
    list_drafts(view, notes)
    seat = np.int64(view.seat)
    rival = (seat + 1) % view.n_players
    now, rival_now = np.int64(hand_value(view, seat)), np.int64(hand_value(view, rival))
    best, rival_best = np.int64(-FAR), np.int64(-FAR)
    for index in range(notes.n_drafts):
        notes.gains[index] = gain_of_draft(view, seat, notes.drafts[index], now)
        notes.rival_gains[index] = gain_of_draft(view, rival, notes.drafts[index], rival_now)
        best = max(best, notes.gains[index])
        rival_best = max(rival_best, notes.rival_gains[index])
    row.n_drafts = notes.n_drafts
    row.is_conflict = rival_best > 0
    row.n_best = 0
    row.n_denials = 0
    for index in range(notes.n_drafts):
        is_best = notes.gains[index] == best
        denies = notes.rival_gains[index] == rival_best
        row.n_best += is_best
        row.n_denials += denies
        if is_best and denies:
            row.is_conflict = 0
        if notes.drafts[index] == draft:
            row.is_best = is_best
            row.denies = denies


@kernel
def note_flip(view, draft, card, row):
    """Note which card is flipped after a draft, and by how much that changes the own points at once."""
    row.flip = card
    row.flip_gain = 0
    row.flip_worth = 0
    if card < 0:
        return
    seat = np.int64(view.seat)
    mine = view.tableau[seat]
    back = view.cards.back[card]
    add_vegetables(view, seat, draft, 1)
    before = value_with(view, seat, draft)
    mine.counts[back] += 1
    row.flip_gain = value_with(view, seat, draft) - card_value(view, seat, mine, card) - before
    mine.counts[back] -= 1
    add_vegetables(view, seat, draft, -1)


@kernel
def may_solve(work, notes):
    """Return whether the position is an ending to be solved: the end of its round is the end of the game."""
    view = work.table.public
    is_short = view.n_left <= notes.most_left and work.deal < notes.ending_deals
    return is_short and view.round_number + 1 == view.n_rounds and is_open(view)


@kernel
def value_after(table, notes, move, seat):
    """Return what the ending is worth to a seat after a move, or -FAR if that takes too many positions."""
    notes.table = table
    apply_move(notes.table, move)
    view = notes.table.public
    if view.n_left == 0:
        value_end(view, notes.ending, notes.ending.levels[0])
    elif solve_ending(view, notes.ending, notes.most_positions) == NOT_SOLVED:
        return np.float64(-FAR)
    return notes.ending.levels[0].best[seat]


@kernel
def note_ending(work, notes, row):
    """Note what the move that is about to be made loses against the best one, if the position can be solved.

    A value is WIN_VALUE for the whole win plus the margin. Totals are equal where a win is shared, so that a value
    between none and a whole win has margin 0, and the two can be told apart.
    """
    view = work.table.public
    seat = np.int64(view.seat)
    row.ending = NOT_OPEN
    row.win_loss = 0
    row.margin_loss = 0
    if not may_solve(work, notes):
        return
    row.ending = TOO_LARGE
    best_move = solve_ending(view, notes.ending, notes.most_positions)
    if best_move == NOT_SOLVED:
        return
    best = notes.ending.levels[0].best[seat]
    value = best if best_move == work.move else value_after(work.table, notes, work.move, seat)
    if value == -FAR:
        return
    row.ending = SOLVED
    share, best_share = min(max(value, 0.0), WIN_VALUE), min(max(best, 0.0), WIN_VALUE)
    # with three or more players equally good answers of the others may help the seat by chance; that is no loss
    row.win_loss = max(np.int64(np.rint((best_share - share) / WIN_VALUE * WHOLE_WIN)), 0)
    row.margin_loss = max(np.int64(np.rint((best - best_share) - (value - share))), 0)


@kernel
def note_decision(work, notes, row, is_watched):
    """Fill the row of the decision that is about to be played."""
    view = work.table.public
    draft, card = draft_of(work.move), np.int64(flip_of(work.move))
    row.deal = work.deal
    row.is_watched = is_watched
    row.turn = turns_of(view, view.seat)
    row.n_left = view.n_left
    note_ending(work, notes, row)
    if is_watched:
        note_draft(view, notes, draft, row)
        note_rivalry(view, notes, draft, row)
        note_flip(view, draft, card, row)


@kernel
def note_round(work, notes, first_row, row):
    """Fill the row of a round that is over, and note what each of its flips was worth in the end."""
    view = work.table.public
    seat = np.int64(work.rotation)  # where place 0 sits
    mine = view.tableau[seat]
    row.deal = work.deal
    row.is_last = view.round_number + 1 == view.n_rounds
    row.turns = turns_of(view, seat)
    row.score = hand_value(view, seat)
    final_scores(view, work.scores)
    share_win(view, work.scores, view.rules.tie_break, work.wins)
    row.wins = work.wins[seat]
    row.worth[:] = NOT_KEPT
    for index in range(mine.n_held):
        card = np.int64(mine.held[index])
        row.worth[card] = card_value(view, seat, mine, card)
    for index in range(first_row, notes.n_rows):
        decision = notes.rows[index]
        if decision.is_watched and decision.flip >= 0:
            card = np.int64(decision.flip)
            mine.counts[view.cards.back[card]] -= 1
            without = hand_value(view, seat) + card_value(view, seat, mine, card)
            mine.counts[view.cards.back[card]] += 1
            decision.flip_worth = row.score - without


@kernel
def watch_round(work, notes, first, second, third, fourth, fifth, sixth):
    """Play to the end of the round and note the decisions; return LEGAL or why a move was not."""
    view = work.table.public
    while view.n_left > 0:
        work.move = choose(work, first, second, third, fourth, fifth, sixth)
        reason = why_illegal(view, work.move)
        if reason != LEGAL:
            return reason
        is_watched = place_of(work, view.seat) == 0
        if is_watched or may_solve(work, notes):
            note_decision(work, notes, notes.rows[notes.n_rows], is_watched)
            notes.n_rows += 1
        apply_move(work.table, work.move)
    return LEGAL if is_conserved(view) else NOT_CONSERVED


@kernel
def watch_game(work, notes, first, second, third, fourth, fifth, sixth):
    """Play the current deal in the current rotation and note it; return LEGAL or why a move was not."""
    begin_game(work)
    view = work.table.public
    while True:
        first_row = notes.n_rows
        reason = watch_round(work, notes, first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
        note_round(work, notes, first_row, notes.rounds[notes.n_rounds])
        notes.n_rounds += 1
        if view.round_number + 1 >= view.n_rounds:
            return LEGAL
        deal_next_round(work.table)


@kernel
def watch_shard(work, notes, first, second, third, fourth, fifth, sixth):
    """Play every rotation of every deal of the shard, watching place 0; return LEGAL, or stop at an illegal move."""
    for deal_number in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal = deal_number
        for rotation in range(work.n_rotations):
            work.rotation = rotation
            reason = watch_game(work, notes, first, second, third, fourth, fifth, sixth)
            if reason != LEGAL:
                return reason
    return LEGAL


@cache
def watching_player(capacity: int) -> Any:
    """Compile (or load) `watch_shard` for records of ``capacity`` and return it."""
    if hasattr(watch_shard, "compile"):  # not with NUMBA_DISABLE_JIT
        work, notes = (numba.from_dtype(dtype(capacity)) for dtype in (workspace_dtype, notes_dtype))
        choice = types.FunctionType(choice_signature(capacity))
        compile_only(watch_shard, types.int64(work, notes, *[choice] * MAX_PLAYERS))
    return watch_shard
