"""A shard with counters by card: what becomes of each card of the deck, and who wins with it.

The turns only note who could take what; everything else is worked out once a game from where the cards ended.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from salad_sim.game.engine import (
    LEGAL,
    NOT_CONSERVED,
    WHOLE_WIN,
    apply_move,
    deal,
    draw_cards,
    lay_out,
    shuffle_deck,
    why_illegal,
)
from salad_sim.game.moves import N_PILES, draft_of
from salad_sim.game.rules import SHARED
from salad_sim.game.scoring import card_value
from salad_sim.game.state import MAX_PLAYERS, NONE
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at, fields_of, record_dtype
from salad_sim.jit.rng import below
from salad_sim.play.card_sums import LEAST_BIN, N_BINS, PAIR, n_pairs
from salad_sim.play.shard import (
    choice_signature,
    choose,
    count_game,
    is_conserved,
    seat_players,
    shard_kernel,
    sum_round,
    workspace_dtype,
)
from salad_sim.play.tally import close_deal

SEATS = 8
"""More than there are seats: a moment is the seat's own turn times SEATS plus the seat."""

LOOKS = 1 << 16
"""More than a game has turns."""

GAME = 1 << 32
"""More than the seats of a shard win in sixtieths."""

MIN_PLAYERS = 2

NO_CARD = -1


@cache
def count_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of what is counted of one card, as few additions a game as will do; see `card_sums.CARD`."""
    n_turns = capacity // MIN_PLAYERS + 2
    return record_dtype(
        [
            # games in which it was taken
            ("taken_looks", "i8"),
            ("wins_taken", "i8"),
            ("wins_taken_squared", "i8"),
            # games in which it was kept
            ("points", "i8"),
            ("points_squared", "i8"),
            ("wins_kept", "i8"),
            ("wins_kept_squared", "i8"),
            ("dev", "i8"),
            ("dev_squared", "i8"),
            ("dev_wins", "i8"),
            ("kept_at", "i8", (MAX_PLAYERS,)),
            # games in the deck: by the number of seats that could take it and did not, by the seat's own turn when it
            # last could be taken (0 if it never could), by turns at which it could be; close together, because a
            # processor that has to fetch them takes longer than it takes to count
            ("left_wins_squared", "i8"),  # only where wins can be shared; else it follows from the wins
            ("left", "i8", (MAX_PLAYERS + 1,)),  # games times GAME, plus the wins of these seats
            ("last_seen", "i4", (n_turns,)),
            ("looks", "i4", (capacity + 2,)),
            # games in which it was taken, by the seat's own turn; kept, by what it scored
            ("taken_at", "i4", (n_turns,)),
            ("points_at", "i4", (N_BINS,)),
        ]
    )


@cache
def counted_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of a workspace with counters: what is counted by card, and all that a shard has."""
    return record_dtype(
        [
            # first, because numba takes a record that begins with the fields of another for a kind of it, and warns
            ("turning", "i8"),  # whether the line-up sits one seat further in each deal
            ("wanted", "i8"),  # a card that every deck shall have, or NO_CARD
            ("units", "i8"),  # deviations are counted in units of one point over this
            ("effect", "i8", (capacity,)),  # what each card and each seat is worth, in these units; 0 if not known
            ("seat_effect", "i8", (MAX_PLAYERS,)),
            ("pair_effect", "i8", (max(n_pairs(capacity), 1),)),  # what two cards of one hand are worth beyond the sum
            # of the game that is being played: for each card the moment at which it could last be taken times LOOKS,
            # plus the turns at which it could be; a last place for "no card"
            ("watched", "i8", (capacity + 1,)),
            ("n_taken", "i8"),
            ("taken_card", "i8", (capacity,)),
            ("taken_turn", "i8", (capacity,)),
            ("taker", "i8", (capacity,)),
            ("n_kept", "i8"),
            ("kept_card", "i8", (capacity,)),
            ("keeper", "i8", (capacity,)),
            ("dev", "i8", (MAX_PLAYERS,)),
            ("extra", "i8", (MAX_PLAYERS,)),
            ("wins_before", "i8", (MAX_PLAYERS, MAX_PLAYERS + 1)),
            # sums over games
            ("n_games", "i8"),
            ("seat_dev", "i8", (MAX_PLAYERS,)),
            ("seat_wins", "i8", (MAX_PLAYERS,)),
            ("dev_squared", "i8"),
            ("wins_squared", "i8"),
            ("dev_extra", "i8"),
            ("extra_squared", "i8"),
            ("cards", count_dtype(capacity), (capacity,)),
            ("pairs", PAIR, (max(n_pairs(capacity), 1),)),
            *fields_of(workspace_dtype(capacity)),
        ]
    )


@inline_kernel
def watch_tops(view, watched, now):
    """Note which cards the seat to move could take for their points; without branches, this is done every turn."""
    for pile in range(N_PILES):
        card = np.int64(view.top[pile])
        place = at(card if card != NONE else watched.shape[0] - 1)
        watched[place] = now * LOOKS + watched[place] % LOOKS + 1


@kernel
def play_watched(work, first, second, third, fourth, fifth, sixth):
    """Play a dealt game to its end and note who could take and who took each card; return LEGAL or why not."""
    table = work.table
    view = table.public
    turn = 1
    work.n_taken = 0
    while view.n_left > 0:
        watch_tops(view, work.watched, turn * SEATS + view.seat)
        work.move = choose(work, first, second, third, fourth, fifth, sixth)
        reason = why_illegal(view, work.move)
        if reason != LEGAL:
            return reason
        draft = draft_of(work.move)
        if draft < N_PILES:
            work.taken_card[at(work.n_taken)] = view.top[draft]
            work.taken_turn[at(work.n_taken)] = turn
            work.taker[at(work.n_taken)] = view.seat
            work.n_taken += 1
        apply_move(table, work.move)
        turn += view.seat == 0
    return LEGAL if is_conserved(view) else NOT_CONSERVED


@kernel
def deal_wanted(work):
    """Deal the current deal given that the wanted card is in the deck.

    Where it is not, it takes the place of a card with the same back, each as likely: the others are then a random
    choice of those that there are, as they are in a deck that has the card by itself.
    """
    table = work.table
    view = table.public
    view.round_number = 0
    view.n_moves = 0
    draw_cards(table)
    n_cards = shuffle_deck(table)
    chosen, n_alike = np.int64(0), np.int64(0)
    for index in range(n_cards):
        if table.deck[index] == work.wanted:
            n_alike = np.int64(0)
            break
        if view.cards.back[table.deck[index]] == view.cards.back[work.wanted]:
            n_alike += 1
            if below(table.rng, n_alike) == 0:
                chosen = index
    if n_alike > 0:
        table.deck[chosen] = work.wanted
    lay_out(table, n_cards)


@kernel
def count_deviations(work):
    """Work out each seat's deviation, less what its cards and its seat are worth as far as that is known."""
    view = work.table.public
    n_players = view.n_players
    work.n_kept = 0
    total = np.int64(0)
    for seat in range(n_players):
        tableau = view.tableau[seat]
        score = work.units * work.scores[seat] - work.seat_effect[seat]
        for index in range(tableau.n_held):
            card = np.int64(tableau.held[index])
            score -= work.effect[at(card)]
            work.kept_card[at(work.n_kept)] = card
            work.keeper[at(work.n_kept)] = seat
            work.n_kept += 1
        work.dev[seat] = n_players * score
        total += score
    for seat in range(n_players):
        work.dev[seat] -= total
        won = n_players * work.wins[seat] - WHOLE_WIN
        work.seat_dev[seat] += work.dev[seat]
        work.seat_wins[seat] += work.wins[seat]
        work.dev_squared += work.dev[seat] * work.dev[seat]
        work.wins_squared += won * won
    work.n_games += 1


@kernel
def add_wins_before(work):
    """Work out for every seat what it and the seats before it won together, 0, 1, .. n of them."""
    n_players = work.table.public.n_players
    for last in range(n_players):
        wins = np.int64(0)
        seat = last
        for number in range(n_players + 1):
            work.wins_before[last, number] = wins
            wins += work.wins[seat]
            seat = n_players - 1 if seat == 0 else seat - 1


@kernel
def count_taken(work):
    """Count the cards that were taken for their points, and take back that their takers left them, see `count_seen`."""
    n_players = work.table.public.n_players
    for index in range(work.n_taken):
        card = work.taken_card[at(index)]
        here = work.cards[at(card)]
        seen = work.watched[at(card)]
        looks, last = seen % LOOKS, seen // LOOKS
        win = work.wins[at(work.taker[at(index)])]
        here.taken_at[at(work.taken_turn[at(index)])] += 1
        here.taken_looks += looks
        here.wins_taken += win
        here.wins_taken_squared += win * win
        n_seats = min(looks, n_players)
        wins = work.wins_before[at(last % SEATS), at(n_seats)]
        here.left[at(n_seats)] -= GAME + wins
        here.left[at(n_seats - 1)] += GAME + wins - win
        here.left_wins_squared -= wins * wins - (wins - win) * (wins - win)


@kernel
def count_seen(work):
    """Count for each card of the deck how often and when it could be taken, and what the seats won that could.

    What was noted of it is then forgotten. A card lies on top of a pile for some turns in a row, so the last of them
    and their number say whose they were. This is done for every card of the deck, so it does as little as will do.
    """
    view = work.table.public
    shared = view.rules.tie_break == SHARED
    for index in range(view.n_cards):
        card = np.int64(work.table.deck[index])
        here = work.cards[at(card)]
        seen = work.watched[at(card)]
        work.watched[at(card)] = 0
        looks, last = seen % LOOKS, seen // LOOKS
        n_seats = min(looks, view.n_players)
        wins = work.wins_before[at(last % SEATS), at(n_seats)]
        here.left[at(n_seats)] += GAME + wins
        here.looks[at(looks)] += 1
        here.last_seen[at(last // SEATS)] += 1
        if shared:
            here.left_wins_squared += wins * wins


@kernel
def count_kept(work):
    """Count the cards that were kept to the end, what they scored, and how their keepers did."""
    view = work.table.public
    for index in range(work.n_kept):
        card, seat = work.kept_card[at(index)], work.keeper[at(index)]
        here = work.cards[at(card)]
        points = card_value(view, seat, view.tableau[at(seat)], card)
        win, dev = work.wins[at(seat)], work.dev[at(seat)]
        here.kept_at[at(seat)] += 1
        here.points += points
        here.points_squared += points * points
        here.points_at[at(min(max(points - LEAST_BIN, 0), N_BINS - 1))] += 1
        here.wins_kept += win
        here.wins_kept_squared += win * win
        here.dev += dev
        here.dev_squared += dev * dev
        here.dev_wins += dev * win


@kernel
def count_pairs(work):
    """Count the pairs of cards that were kept, the deviation of a seat that kept both, and what pairs say of it."""
    n_players = work.table.public.n_players
    total = np.int64(0)
    for seat in range(n_players):
        work.extra[seat] = 0
    for index in range(work.n_kept):
        card, seat = work.kept_card[at(index)], work.keeper[at(index)]
        dev = work.dev[seat]
        for before in range(index):
            other = work.kept_card[at(before)]
            first, second = min(card, other), max(card, other)
            place = at(second * (second - 1) // 2 + first)
            pair = work.pairs[place]
            pair.both += 1
            if work.keeper[at(before)] == seat:
                pair.same += 1
                pair.dev += dev
                work.extra[seat] += work.pair_effect[place]
                total += work.pair_effect[place]
    for seat in range(n_players):
        extra = n_players * work.extra[seat] - total
        work.dev_extra += work.dev[seat] * extra
        work.extra_squared += extra * extra


@kernel
def play_counted(work, first, second, third, fourth, fifth, sixth):
    """Play the deals of a shard, one game each, and count them by card; return LEGAL, or stop at an illegal move."""
    n_players = work.table.public.n_players
    work.watched[:] = 0
    for number in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal = number
        work.rotation = number % n_players if work.turning else 0
        seat_players(work)
        if work.wanted == NO_CARD:
            deal(work.table)
        else:
            deal_wanted(work)
        reason = play_watched(work, first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
        sum_round(work)
        count_game(work)
        count_deviations(work)
        add_wins_before(work)
        count_taken(work)
        count_seen(work)
        count_kept(work)
        count_pairs(work)
        close_deal(work.tally, work.sums, n_players)
    return LEGAL


@cache
def counted_player(capacity: int) -> Any:
    """Compile (or load) `play_counted` for records of ``capacity`` and return it."""
    return shard_kernel(play_counted, counted_dtype(capacity), choice_signature(capacity))
