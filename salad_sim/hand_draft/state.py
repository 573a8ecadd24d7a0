"""The state record of the hand-draft game, and how it is set up for a run.

All that is public is nested in it as in the main game, and a strategy is handed that part only. A hand is hidden from
the others: it lies outside of the public part, and is moved into it for its owner's turn. So a strategy reads its own
hand as ``view.tableau[view.seat].held``; those of others hold NONE there until the game is over.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.game.rules import SHARED
from salad_sim.game.state import CAPACITY, HIDDEN, MAX_PLAYERS, N_VEGETABLES, NONE, Dtype, layout
from salad_sim.hand_draft.moves import MOST_DRAFTS, N_BLIND, N_SLOTS
from salad_sim.jit.records import record_dtype
from salad_sim.jit.rng import RNG

__all__ = ["DRAFT", "FACE_UP", "HAND_SIZE", "HIDDEN", "LAY", "NONE", "RESHUFFLED", "TAKEN", "THROWN", "HandLayout"]

MIN_PLAYERS = 2
MOST_PLAYERS = 5
HAND_SIZE = 3
"""Cards that are dealt to each player."""

SET_ASIDE = 3
"""Cards of each vegetable from which the hands are dealt."""

MOST_RETURNING = 3
"""Up to this many players, what remains of the cards set aside returns to the pile; with more it is out of the game."""

THROWS_PER_CARD = 4
"""Times the number of cards in the game: how often cards may be thrown away in it.

Without an end to it, players who only throw would never finish. No game that is played for the win comes near: random
players throw a card less than once.
"""

DRAFT, LAY = 0, 1
"""What the seat to move is asked for (view.phase)."""

# What all players know of a card (view.place). HIDDEN: it never lay face up. TAKEN + seat names who took it face up; it
# is in that hand, or was laid since, which shows the vegetable only.
FACE_UP = 1
THROWN = 2
RESHUFFLED = 3  # thrown away and shuffled into the pile; drafted blind since, perhaps
TAKEN = 8


def with_fields(dtype: np.dtype[np.record], changed: dict[str, Any]) -> np.dtype[np.record]:
    """Return a record dtype with some fields replaced or added; ``changed`` maps a name to (type,) or (type, shape)."""
    fields: list[Any] = []
    for name in dtype.names or ():
        base, shape = dtype[name].subdtype or (dtype[name], ())
        fields.append((name, *changed[name]) if name in changed else (name, base, shape))
    fields += [(name, *what) for name, what in changed.items() if name not in (dtype.names or ())]
    return record_dtype(fields)


def _public(capacity: int, n_turns: int, rules: Dtype, cards: Dtype, tableau: Dtype) -> Dtype:
    """What everybody sees: the view."""
    return record_dtype(
        [
            ("n_players", "i8"),
            ("n_cards", "i8"),
            ("start", "i8"),
            ("turn", "i8"),
            ("turns_left", "i8"),  # NONE until the pile has run out
            ("seat", "i8"),
            ("phase", "i8"),
            ("drafted", "i8"),  # the draft of this turn, once it is made, else NONE
            ("rules", rules),  # nested records come early: numpy does not align records of this kind
            ("cards", cards),
            ("bonus", "i8", (MAX_PLAYERS,)),
            ("pile_size", "i8"),
            ("n_face", "i8"),
            ("face", "i2", (N_SLOTS,)),
            ("n_thrown", "i8"),  # cards that wait to be shuffled into a new pile
            ("n_throws", "i8"),
            ("tableau", tableau, (MAX_PLAYERS,)),  # counts: in front; n_held: in hand; n_flipped: cards laid
            ("place", "i1", (capacity,)),
            ("history", "i4", (n_turns,)),  # by turn: make_turn(draft, vegetable laid)
        ]
    )


def _table(capacity: int, n_turns: int, public: Dtype) -> Dtype:
    """The game, with what is hidden."""
    return record_dtype(
        [
            ("public", public),
            ("set_aside", "i8", (N_VEGETABLES,)),
            ("rng", RNG),
            ("deck", "i2", (capacity,)),  # the pile, its top at pile_size - 1
            ("thrown", "i2", (capacity,)),
            ("hands", "i2", (MAX_PLAYERS, capacity)),  # of the seats that are not to move
            ("pool", "i2", (capacity,)),
            ("aside", "i2", (capacity,)),
            ("turns", "i4", (n_turns,)),  # by turn: make_turn(draft, card laid)
        ]
    )


class HandLayout:
    """The record dtypes for decks of up to ``capacity`` cards and terms, named as in `game.state.Layout`."""

    def __init__(self, capacity: int) -> None:
        house = layout(capacity)
        n_turns = (THROWS_PER_CARD + 1) * capacity + MAX_PLAYERS  # drafts, throws, and turns with nothing to draft
        a_card_each = ("i2", (capacity,))  # a seat that drafts blind while the others throw may hold nearly all cards
        self.capacity = capacity
        self.most_of_one = house.most_of_one
        self.rules = house.rules
        self.cards = house.cards
        self.tableau = with_fields(house.tableau, {"held": a_card_each})
        self.hand = with_fields(house.hand, {"held": a_card_each, "sets": a_card_each})
        self.public = _public(capacity, n_turns, self.rules, self.cards, self.tableau)
        self.table = _table(capacity, n_turns, self.public)
        self.own = with_fields(
            house.own,
            {
                "hand": (self.hand,),
                "gains": ("i8", (capacity,)),
                "equal": ("i8", (MOST_DRAFTS * (capacity + 1),)),
                "n_equal": ("i8",),
                "best": ("i8",),
                "with_one": ("i8", (N_VEGETABLES,)),
            },
        )


@cache
def hand_layout(capacity: int = CAPACITY) -> HandLayout:
    """Return the record dtypes with room for ``capacity`` cards (one object for each capacity)."""
    return HandLayout(capacity)


def set_up(
    table: np.record,
    n_players: int,
    facts: np.record,
    codes: dict[str, int],
    set_aside: list[int] | None = None,
) -> None:
    """Write what stays the same in every game of a run into a table: players, cards, rules, deck.

    Parameters
    ----------
    table : record `HandLayout.table`
    n_players : int
        2 to 5.
    facts : record
        All cards of it play, see `cards.facts`.
    codes : dict of str to int
        The code of every rule switch; ``throw`` is the one that is read. Equal totals always share the win.
    set_aside : list of int, optional
        Cards of each vegetable from which the hands are dealt; by default three of each.

    Raises
    ------
    InputError
        If the number of players is not allowed, or the cards do not suffice.
    """
    aside = [SET_ASIDE] * N_VEGETABLES if set_aside is None else list(set_aside)
    sizes = np.diff(facts.pool_start).tolist()
    if not MIN_PLAYERS <= n_players <= MOST_PLAYERS:
        raise InputError(f"the hand-draft game takes {MIN_PLAYERS} to {MOST_PLAYERS} players, not {n_players}")
    if any(n_aside > size for n_aside, size in zip(aside, sizes, strict=True)):
        raise InputError(f"of the vegetables, {aside} cards are to be set aside for the hands, but there are {sizes}")
    if sum(aside) < HAND_SIZE * n_players:
        raise InputError(f"{n_players} hands of {HAND_SIZE} cards cannot be dealt from {sum(aside)} cards")
    if sum(sizes) - sum(aside) < N_SLOTS + N_BLIND:
        raise InputError(f"{sum(sizes)} cards, {sum(aside)} of them set aside, are too few for a pile")
    view = table.public
    view.n_players = n_players
    view.cards = facts
    view.cards.n_counts = max(sizes) + 3  # a strategy asks about up to two more than anybody can own
    for name, code in codes.items():
        setattr(view.rules, name, code)
    view.rules.tie_break = SHARED
    table.set_aside[:] = aside
