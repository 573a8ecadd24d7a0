"""Many games, each played one small step at a time by actions from outside: for programs that learn to play.

A turn is two steps, a draft and then a flip or none. An action is a whole number: 0..2 take the top of a pile, 3..23 a
pair of market slots (or one slot twice: a single vegetable), 24 flips nothing, 25 + card flips an own card. Between the
two steps the table stays as it was; what the seat took is kept in mind and shown to it as already lying in front of it,
while the new top of a pile stays covered until the turn ends, as for every strategy of the program.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from salad_sim.game.engine import LEGAL, apply_move, deal, deal_next_round, final_scores, share_win, why_draft_illegal
from salad_sim.game.moves import (
    FIRST_PAIR,
    N_PILES,
    N_SLOTS,
    NO_FLIP,
    SLOT_SHIFT,
    first_slot,
    make_move,
    second_slot,
)
from salad_sim.game.rules import FLIP_NEVER
from salad_sim.game.scoring import hand_value
from salad_sim.game.state import (
    EARLIER_ROUND,
    HIDDEN,
    MARKET,
    MAX_PLAYERS,
    N_VEGETABLES,
    NONE,
    POINTS,
    VEGETABLE,
    layout,
)
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import record_dtype
from salad_sim.jit.rng import DEAL_STREAM, seed_stream

PAIRS = [(slot, other) for slot in range(N_SLOTS) for other in range(slot, N_SLOTS)]
DRAFTS = np.array([*range(N_PILES), *(FIRST_PAIR + (slot << SLOT_SHIFT) + other for slot, other in PAIRS)], np.int64)
"""The draft of each action below PASS."""

PASS = len(DRAFTS)
"""The action that flips nothing."""

FIRST_FLIP = PASS + 1

# Where things stand in an observation. Seats are told from the eyes of the one that sees: itself, then in turn order.
PHASE, PLAYERS, ORDER, TURNS, LEFT, N_MARKET, ROUND, ROUNDS, STEPS = range(9)
SIZES = STEPS
TOPS = SIZES + N_PILES
SLOTS = TOPS + N_PILES
COUNTS = SLOTS + N_SLOTS
HELD = COUNTS + MAX_PLAYERS * N_VEGETABLES
TOTALS = HELD + MAX_PLAYERS
PLACES = TOTALS + MAX_PLAYERS
"""From here on a number for each card: 0 not seen, 1 to 3 on top of that pile, 4 in the market, 5 seen in an earlier
round, 8 + k a point card of the k-th seat from the one that sees, 16 + k a vegetable of it."""

WIN, MARGIN, SCORE = range(3)
"""What a finished game rewards: the share of the win, points above the best other seat, points."""


@cache
def game_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of a game that is stepped."""
    return record_dtype(
        [
            ("table", layout(capacity).table),
            ("pending", "i8"),  # the draft of the turn begun, or NONE
            ("seed", "u8"),
            ("deal", "i8"),
            ("stride", "i8"),  # from a finished game to the next deal
            ("scores", "i8", (MAX_PLAYERS,)),
            ("wins", "i8", (MAX_PLAYERS,)),
            ("head_start", "i8", (MAX_PLAYERS,)),
        ]
    )


def n_actions(n_cards: int) -> int:
    """Return how many actions there are."""
    return FIRST_FLIP + n_cards


def n_observed(n_cards: int) -> int:
    """Return how many numbers an observation has."""
    return PLACES + n_cards


@kernel
def begin(game):
    """Deal the game of number ``game.deal``: the very cards of that deal of a run."""
    table = game.table
    seed_stream(table.rng, game.seed, game.deal, np.int64(DEAL_STREAM))
    table.public.start = 0
    for seat in range(table.public.n_players):
        table.public.bonus[seat] = game.head_start[seat]
    game.pending = NONE
    deal(table)


@kernel
def is_legal(game, action):
    """Return whether the seat to move may do ``action`` now."""
    view = game.table.public
    if game.pending < 0:
        return 0 <= action < PASS and why_draft_illegal(view, DRAFTS[action]) == LEGAL
    if action == PASS:
        return True
    card = action - FIRST_FLIP
    if card < 0 or card >= view.cards.n_cards or view.rules.flip == FLIP_NEVER:
        return False
    own = view.place[card] == POINTS + view.seat
    return own or (game.pending < N_PILES and view.top[game.pending] == card)


@inline_kernel
def step(game, action):
    """Do a legal action; return whether the game (of all rounds) is over."""
    if game.pending < 0:
        game.pending = DRAFTS[action]
        return False
    table = game.table
    view = table.public
    flip = np.int64(NO_FLIP) if action == PASS else action - FIRST_FLIP
    apply_move(table, make_move(game.pending, flip))
    game.pending = NONE
    if view.n_left > 0:
        return False
    if view.round_number + 1 < view.n_rounds:
        deal_next_round(table)
        return False
    return True


@kernel
def settle(game, kind, rewards):
    """Write what a finished game rewards each seat with."""
    view = game.table.public
    final_scores(view, game.scores)
    share_win(view, game.scores, view.rules.tie_break, game.wins)
    for seat in range(view.n_players):
        if kind == WIN:
            rewards[seat] = game.wins[seat] / 60.0
        elif kind == SCORE:
            rewards[seat] = game.scores[seat]
        else:
            best = np.int64(-1000000)
            for other in range(view.n_players):
                if other != seat:
                    best = max(best, game.scores[other])
            rewards[seat] = game.scores[seat] - best


@kernel
def lay_pending(view, draft, sign):
    """Lay what a draft takes in front of the seat to move (sign 1), or take it back (-1): for a look at its points."""
    tableau = view.tableau[view.seat]
    if draft < N_PILES:
        if sign > 0:
            tableau.held[tableau.n_held] = view.top[draft]
        tableau.n_held += sign
        return
    first, second = first_slot(draft), second_slot(draft)
    tableau.counts[view.market[first]] += sign
    if second != first:
        tableau.counts[view.market[second]] += sign


@kernel
def write_table(view, seat, pending, out):
    """Write what lies in the middle: sizes and tops of the piles, the market, numbers."""
    n_players = view.n_players
    order = seat - view.start
    order = order + n_players if order < 0 else order
    out[PHASE] = pending >= 0
    out[PLAYERS] = n_players
    out[ORDER] = order
    out[TURNS] = (view.turn - order + n_players - 1) // n_players
    out[LEFT] = view.n_left
    out[N_MARKET] = view.n_market
    out[ROUND] = view.round_number
    out[ROUNDS] = view.n_rounds
    for pile in range(N_PILES):
        top = view.top[pile]
        out[SIZES + pile] = view.pile_size[pile]
        out[TOPS + pile] = view.cards.back[top] + 1 if top >= 0 else 0
    for slot in range(N_SLOTS):
        out[SLOTS + slot] = view.market[slot] + 1 if view.market[slot] >= 0 else 0
    if pending >= N_PILES:
        first, second = first_slot(pending), second_slot(pending)
        n_taken = 1 if first == second else 2
        out[SLOTS + first] = 0
        out[SLOTS + second] = 0
        out[N_MARKET] -= n_taken
        out[LEFT] -= n_taken
    elif pending >= 0:
        out[SIZES + pending] -= 1
        out[TOPS + pending] = 0
        out[LEFT] -= 1


@kernel
def write_places(view, seat, pending, out):
    """Write where each card is, as the seat knows it."""
    n_players = view.n_players
    mover = view.seat - seat
    mover = mover + n_players if mover < 0 else mover
    for card in range(view.cards.n_cards):
        place = np.int64(view.place[card])
        if place >= POINTS:
            kind = VEGETABLE if place >= VEGETABLE else POINTS
            other = place - kind - seat
            place = kind + (other + n_players if other < 0 else other)
        elif place == MARKET:
            place = 4
        elif place == EARLIER_ROUND:
            place = 5
        elif place != HIDDEN:
            place = 0  # on top: below
        out[PLACES + card] = place
    for pile in range(N_PILES):
        if view.top[pile] >= 0:
            out[PLACES + view.top[pile]] = POINTS + mover if pile == pending else 1 + pile
    if pending >= N_PILES:
        out[PLACES + view.market_card[first_slot(pending)]] = VEGETABLE + mover
        out[PLACES + view.market_card[second_slot(pending)]] = VEGETABLE + mover


@kernel
def observe(game, seat, out):
    """Write what ``seat`` sees of a game, int16 [n_observed]."""
    view = game.table.public
    pending = game.pending
    n_players = view.n_players
    write_table(view, seat, pending, out)
    if pending >= 0:
        lay_pending(view, pending, 1)
    for k in range(MAX_PLAYERS):
        other = seat + k
        other = other - n_players if other >= n_players else other
        for veg in range(N_VEGETABLES):
            out[COUNTS + k * N_VEGETABLES + veg] = view.tableau[other].counts[veg] if k < n_players else 0
        out[HELD + k] = view.tableau[other].n_held if k < n_players else 0
        out[TOTALS + k] = hand_value(view, other) + view.bonus[other] if k < n_players else 0
    if pending >= 0:
        lay_pending(view, pending, -1)
    write_places(view, seat, pending, out)


@kernel
def write_mask(game, out):
    """Write which actions the seat to move may do, int8 [n_actions]."""
    view = game.table.public
    out[:] = 0
    if game.pending < 0:
        for action in range(PASS):
            out[action] = why_draft_illegal(view, DRAFTS[action]) == LEGAL
        return
    out[PASS] = 1
    if view.rules.flip == FLIP_NEVER:
        return
    tableau = view.tableau[view.seat]
    for index in range(tableau.n_held):
        out[FIRST_FLIP + tableau.held[index]] = 1
    if game.pending < N_PILES:
        out[FIRST_FLIP + view.top[game.pending]] = 1


@kernel
def begin_games(games, observations, masks, seats):
    """Deal all games and write what their first seats see."""
    for index in range(len(games)):
        game = games[index]
        begin(game)
        show(game, observations[index], masks[index])
        seats[index] = game.table.public.seat


@inline_kernel
def show(game, observation, mask):
    """Write what the seat to move sees and may do."""
    observe(game, game.table.public.seat, observation)
    write_mask(game, mask)


@kernel
def first_illegal(games, actions):
    """Return the index of the first game whose action is not legal, or -1."""
    for index in range(len(games)):
        if not is_legal(games[index], actions[index]):
            return index
    return -1


@kernel
def step_games(games, actions, kind, observations, masks, rewards, finished, seats):
    """Do one legal action in each game; a finished one rewards its seats and deals itself anew.

    Parameters
    ----------
    games : record array `game_dtype` [n]
    actions : int64 array [n]
    kind : int
        WIN, MARGIN or SCORE.
    observations : int16 array [n, n_observed], out
        What the seat to move next sees.
    masks : int8 array [n, n_actions], out
    rewards : float32 array [n, MAX_PLAYERS], out
        By seat; all zero but where a game finished.
    finished : bool array [n], out
    seats : int64 array [n], out
        Who moves next.
    """
    for index in range(len(games)):
        game = games[index]
        rewards[index] = 0
        over = step(game, actions[index])
        finished[index] = over
        if over:
            settle(game, kind, rewards[index])
            game.deal += game.stride
            begin(game)
        show(game, observations[index], masks[index])
        seats[index] = game.table.public.seat
