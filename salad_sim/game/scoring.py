"""The scoring predicates as kernels over integer arrays, and the two public functions that score a table.

Each point card looks at all vegetables of its owner. A card's worth is the sum of its terms; each of the 108 cards has
one. ``mine`` is a record whose ``counts`` are the vegetables to score by, usually ``view.tableau[seat]``; another one
asks "what if". Records and integers pass to a kernel as they are; an array argument costs seven words and a reference
count, which was more than the scoring itself (measured: greedy ran at a third of the speed).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from salad_sim.errors import InputError
from salad_sim.game.card_kinds import (
    AT_LEAST,
    EVEN_ODD,
    FEWEST,
    FEWEST_TOTAL,
    LAST_PLAIN,
    LINEAR,
    MISSING,
    MOST,
    MOST_TOTAL,
    SET,
    STACK,
)
from salad_sim.game.cards import facts, official_cards
from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES, layout
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import new_record

MANY = 1 << 30
NOT_SCORED = "scoring does not know a kind of card that card_kinds has"


@inline_kernel
def most_of_others(view, seat, veg):
    """Return the largest number of ``veg`` that another seat has."""
    most = -1
    for other in range(view.n_players):
        if other != seat:
            most = max(most, view.tableau[other].counts[veg])
    return most


@inline_kernel
def fewest_of_others(view, seat, veg):
    """Return the smallest number of ``veg`` that another seat has."""
    fewest = MANY
    for other in range(view.n_players):
        if other != seat:
            fewest = min(fewest, view.tableau[other].counts[veg])
    return fewest


@inline_kernel
def total_of(mine):
    """Return the number of vegetables in ``mine``."""
    total = 0
    for veg in range(N_VEGETABLES):
        total += mine.counts[veg]
    return total


@kernel
def most_total_of_others(view, seat):
    """Return the largest total of vegetables that another seat has."""
    most = -1
    for other in range(view.n_players):
        if other != seat:
            most = max(most, total_of(view.tableau[other]))
    return most


@kernel
def fewest_total_of_others(view, seat):
    """Return the smallest total of vegetables that another seat has."""
    fewest = MANY
    for other in range(view.n_players):
        if other != seat:
            fewest = min(fewest, total_of(view.tableau[other]))
    return fewest


@inline_kernel
def n_sets(cards, term, mine):
    """Return how often the multiset of vegetables that a set term needs is complete in ``mine``."""
    sets = MANY
    for veg in range(N_VEGETABLES):
        need = cards.needs[term, veg]
        if need == 1:
            sets = min(sets, np.int64(mine.counts[veg]))
        elif need > 1:
            sets = min(sets, np.int64(mine.counts[veg]) // need)
    return sets


@kernel
def past_curve(cards, term, n_owned):
    """Return what `by_count` does, for numbers beyond the table of the record."""
    kind = cards.kind[term]
    if kind == EVEN_ODD:
        return np.int64(cards.odd_points[term] if n_owned & 1 else cards.even_points[term])
    if kind == STACK:
        sets = min(n_owned // cards.needs[term, cards.veg[term]], np.int64(cards.most_sets[term]))
        return sets * cards.points[term]
    if kind == AT_LEAST:
        return np.int64(cards.points[term] if n_owned >= cards.least[term] else 0)
    if kind == MISSING or kind == LINEAR:
        return np.int64(0)
    raise AssertionError(NOT_SCORED)


@inline_kernel
def by_count(cards, term, n_owned):
    """Return what a term is worth for ``n_owned`` of the one vegetable it asks about, or of one type among all."""
    if n_owned < cards.curve.shape[1]:
        return np.int64(cards.curve[term, n_owned])
    return past_curve(cards, term, n_owned)


@inline_kernel
def plain_value(cards, term, mine):
    """Return what a term up to LAST_PLAIN is worth: weights times counts, plus a function of one count.

    One of the two is zero. Taking the sum spares the processor a branch that it could not foresee.
    """
    value = by_count(cards, term, np.int64(mine.counts[max(cards.veg[term], 0)]))
    for veg in range(N_VEGETABLES):
        value += np.int64(cards.linear[term, veg]) * np.int64(mine.counts[veg])
    return value


@inline_kernel
def majority_value(view, seat, term, n_owned):
    """Return what a "most" or "fewest" term is worth to a seat that has ``n_owned``: ties count."""
    cards = view.cards
    veg = cards.veg[term]
    if cards.kind[term] == MOST:
        return cards.points[term] if n_owned >= most_of_others(view, seat, veg) else 0
    return cards.points[term] if n_owned <= fewest_of_others(view, seat, veg) else 0


@kernel
def by_total(view, seat, term, n_owned):
    """Return what a term about totals is worth with ``n_owned`` vegetables in all."""
    cards = view.cards
    if cards.kind[term] == MOST_TOTAL:
        return cards.points[term] if n_owned >= most_total_of_others(view, seat) else 0
    return cards.points[term] if n_owned <= fewest_total_of_others(view, seat) else 0


@kernel
def wide_value(view, seat, mine, term):
    """Return what a term is worth that compares players or asks about several vegetables at once."""
    cards = view.cards
    kind = cards.kind[term]
    if kind == MOST or kind == FEWEST:
        return np.int64(majority_value(view, seat, term, mine.counts[cards.veg[term]]))
    if kind == SET:
        return min(n_sets(cards, term, mine), np.int64(cards.most_sets[term])) * cards.points[term]
    if kind == AT_LEAST or kind == MISSING:
        value = 0
        for veg in range(N_VEGETABLES):
            value += by_count(cards, term, np.int64(mine.counts[veg]))
        return value
    if kind == MOST_TOTAL or kind == FEWEST_TOTAL:
        return np.int64(by_total(view, seat, term, total_of(mine)))
    raise AssertionError(NOT_SCORED)


@inline_kernel
def term_value(view, seat, mine, term):
    """Return what one term is worth to ``seat`` if it had the vegetables ``mine``."""
    if view.cards.kind[term] <= LAST_PLAIN:
        return plain_value(view.cards, term, mine)
    return wide_value(view, seat, mine, term)


@kernel
def value_of_term(view, seat, mine, term):
    """Return `term_value`, compiled once and not at each place that asks."""
    return term_value(view, seat, mine, term)


@kernel
def card_value(view, seat, mine, card):
    """Return what ``card`` is worth to ``seat`` if it had the vegetables ``mine``, as int64."""
    value = 0
    term = np.int64(card)
    while term >= 0:
        value += term_value(view, seat, mine, term)
        term = np.int64(view.cards.next_term[term])
    return value


@kernel
def hand_value(view, seat):
    """Return the score of ``seat``: all its point cards, looking at all its vegetables (without bonus points)."""
    value = 0
    mine = view.tableau[seat]
    for index in range(mine.n_held):
        value += card_value(view, seat, mine, np.int64(mine.held[index]))
    return value


@kernel
def values_of_all(view, seat, values):
    """Write what each card of the card set would be worth to ``seat`` into ``values`` (int64 array [n_cards])."""
    for card in range(view.cards.n_cards):
        values[card] = card_value(view, seat, view.tableau[seat], card)


def _table_of(counts: npt.ArrayLike, seat: int) -> np.record:
    """Check ``counts`` and ``seat`` and return a public record with these vegetables."""
    given = np.asarray(counts)
    if given.ndim != 2 or given.shape[1] != N_VEGETABLES or not 1 <= given.shape[0] <= MAX_PLAYERS:
        raise InputError(f"counts must have shape [n_players 1..{MAX_PLAYERS}, 6], not {list(given.shape)}")
    if not np.issubdtype(given.dtype, np.integer):
        raise InputError(f"counts must be whole numbers, not {given.dtype}")
    if given.min() < 0 or given.max() > 1000:
        raise InputError(f"counts must be 0..1000, not {given.min()}..{given.max()}")
    if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < given.shape[0]:
        raise InputError(f"seat must be 0..{given.shape[0] - 1}, not {seat!r}")
    view = new_record(layout().public)
    view.cards = facts()
    view.n_players = given.shape[0]
    view.tableau["counts"][: given.shape[0]] = given
    return view


def card_values(counts: npt.ArrayLike, seat: int = 0) -> npt.NDArray[np.int64]:
    """Return what each of the 108 cards would be worth to a seat.

    Parameters
    ----------
    counts : array_like of int, shape [n_players, 6]
        Vegetables of each player (1 to 6 players, each number 0..1000), in the order cabbage, carrot, lettuce, onion,
        pepper, tomato.
    seat : int
        The player asked about, 0-based.

    Returns
    -------
    ndarray of int64, shape [108]
        Points, by card id.

    Raises
    ------
    InputError
        If the shape, the numbers or the seat are not as above.
    """
    view = _table_of(counts, seat)
    values = np.zeros(len(official_cards()), dtype=np.int64)
    values_of_all(view, seat, values)
    return values


def score(counts: npt.ArrayLike, held: Sequence[int], seat: int = 0) -> int:
    """Return the score of a hand of point cards.

    Parameters
    ----------
    counts : array_like of int, shape [n_players, 6]
        As in `card_values`.
    held : sequence of int
        Ids 0..107 of the point cards that the seat kept, each at most once.
    seat : int
        The player asked about, 0-based.

    Returns
    -------
    int
        Points.

    Raises
    ------
    InputError
        If an argument is not as above.
    """
    values = card_values(counts, seat)
    for card in held:
        if isinstance(card, bool) or not isinstance(card, (int, np.integer)) or not 0 <= card < len(values):
            raise InputError(f"held must be card ids 0..{len(values) - 1}, not {card!r}")
    if len(set(held)) != len(held):
        raise InputError(f"held must not name a card twice: {sorted(held)}")
    return int(sum(values[card] for card in held))
