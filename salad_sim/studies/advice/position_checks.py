"""Refusals of positions that no game can come to, each one line that says why."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from salad_sim.errors import InputError
from salad_sim.game.deck_check import numbers_drawn
from salad_sim.game.moves import N_PILES
from salad_sim.game.notation import card_name, listed, plural, slot_name
from salad_sim.game.rules import SPLIT_DRAW
from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES, NONE
from salad_sim.studies.advice.position import Position

FEWEST_PLAYERS = 2


def check_position(position: Position) -> None:
    """Refuse a position that no game can come to.

    Raises
    ------
    InputError
        With the first reason that is found.
    """
    for check in CHECKS:
        for reason in check(position):
            raise InputError(f"this position cannot be: {reason}")


def where_cards_lie(position: Position) -> list[tuple[int, str]]:
    """Return every card that is named, and where."""
    found = [(card, f"on top of pile {pile + 1}") for pile, card in enumerate(position.tops) if card != NONE]
    found += [(card, f"in front of {seat.name}") for seat in position.seats for card in seat.held]
    found += [(card, "among the cards seen") for card in position.seen]
    return found + [(card, "among the cards that are gone") for card in position.gone]


def _players(position: Position) -> Iterator[str]:
    if not FEWEST_PLAYERS <= position.n_players <= MAX_PLAYERS:
        yield f"{plural(position.n_players, 'player')}; 2 to {MAX_PLAYERS} can play"
    names = [seat.name for seat in position.seats]
    yield from (f"two players are called {name!r}" for name in names if names.count(name) > 1)


def _cards(position: Position) -> Iterator[str]:
    """Say which card lies in two places, or plays no part."""
    fixed = position.rules.card_ids()
    first: dict[int, str] = {}
    for card, where in where_cards_lie(position):
        if card in first:
            twice = f"twice {where}" if where == first[card] else f"{first[card]} and {where}"
            yield f"card {card_name(position.cards, card)} is {twice}; there is one of it"
        if fixed is not None and card not in fixed and "gone" not in where:
            yield f"card {card_name(position.cards, card)} is {where}; it is not in this deck (rule deck)"
        first[card] = where


def _piles(position: Position) -> Iterator[str]:
    for pile, (card, size) in enumerate(zip(position.tops, position.sizes, strict=True), start=1):
        if size < 0 or (size == 0) != (card == NONE):
            shown = "no top card" if card == NONE else "a top card"
            yield f"pile {pile} has {shown} and {plural(size, 'card')}"


def visible(position: Position, veg: int) -> int:
    """Return how many cards with a vegetable on the back or laid as it are in sight."""
    cards = [*position.tops, *(card for seat in position.seats for card in seat.held)]
    n_backs = sum(card != NONE and position.cards[card].back == veg for card in cards)
    return n_backs + position.market.count(veg) + sum(seat.counts[veg] for seat in position.seats)


def _kinds(position: Position) -> Iterator[str]:
    """Say which vegetable there is too much of."""
    drawn = numbers_drawn(position.cards, position.rules, position.n_players)
    for veg, label in enumerate(position.cards.labels):
        n_seen = visible(position, veg)
        deck = f"the deck of {position.n_players} players has {drawn[veg]}"
        if n_seen > drawn[veg]:
            yield f"{plural(n_seen, 'card')} of {label} are in sight, backs of point cards counted; {deck}"
        n_known = sum(position.cards[card].back == veg for card in position.seen)
        n_laid = position.market.count(veg) + sum(seat.counts[veg] for seat in position.seats)
        if n_known > n_laid:
            yield f"{plural(n_known, 'card')} of {label} were seen to be laid, and {n_laid} lie there"


def _sums(position: Position) -> Iterator[str]:
    """Say where the numbers of cards do not add up."""
    n_deck = sum(numbers_drawn(position.cards, position.rules, position.n_players))
    in_piles, in_market = sum(position.sizes), sum(veg != NONE for veg in position.market)
    in_front = sum(seat.n_cards for seat in position.seats)
    if in_piles + in_market + in_front != n_deck:
        yield (
            f"{' + '.join(map(str, position.sizes))} cards in piles, {in_market} in the market and {in_front} in front "
            f"of players are {in_piles + in_market + in_front}; the deck of {position.n_players} players has {n_deck}"
        )
    most = -(-n_deck // N_PILES)
    for pile, size in enumerate(position.sizes, start=1):
        if size > most:
            yield f"pile {pile} has {size} cards; no pile began with more than {most}"
    if position.n_left == 0:
        yield "no card is left to take: the game is over"


def _gone(position: Position) -> Iterator[str]:
    """Say which vegetable there is too little of, once cards are set aside."""
    drawn = numbers_drawn(position.cards, position.rules, position.n_players)
    fixed = position.rules.card_ids()
    deck = range(len(position.cards)) if fixed is None else fixed
    for veg in range(N_VEGETABLES):
        n_left = sum(position.cards[card].back == veg and card not in position.gone for card in deck)
        if n_left < drawn[veg]:
            yield f"{n_left} cards of {position.cards.labels[veg]} are not gone; the deck needs {drawn[veg]}"


def _gaps(position: Position) -> Iterator[str]:
    """Say which gap would have been filled."""
    by_draw = position.rules.code("split") == SPLIT_DRAW
    donors = [pile + 1 for pile, size in enumerate(position.sizes) if size > (0 if by_draw else 1)]
    for slot, veg in enumerate(position.market):
        own = slot % N_PILES + 1
        sources = [own] if position.sizes[own - 1] > 0 else donors
        if veg == NONE and sources:
            yield f"the place in {slot_name(slot)} is empty, but pile {sources[0]} could fill it"
    for pile, size in enumerate(position.sizes, start=1):
        if size == 0 and donors and not by_draw:
            n_cards = plural(position.sizes[donors[0] - 1], "card")
            yield f"pile {pile} is empty, but pile {donors[0]} has {n_cards} and would have given it some"


def possible_turns(position: Position) -> list[int]:
    """Return how many turns may have been taken, by what lies in front of everybody: one or two cards a turn."""
    order = [(position.start + place) % position.n_players for place in range(position.n_players)]
    moved = order.index(position.to_move)  # so many have had one turn more
    found = []
    for n_rounds in range(max(seat.n_cards for seat in position.seats) + 1):
        n_turns = [n_rounds + (place < moved) for place in range(position.n_players)]
        cards = [position.seats[number].n_cards for number in order]
        if all(turns <= n_cards <= 2 * turns for turns, n_cards in zip(n_turns, cards, strict=True)):
            found.append(n_rounds * position.n_players + moved)
    return found


def _turns(position: Position) -> Iterator[str]:
    possible = possible_turns(position)
    if not possible:
        having = listed(f"{seat.name} has {plural(seat.n_cards, 'card')}" for seat in position.seats)
        turn = f"it is {position.seats[position.to_move].name}'s turn"
        began = f"{position.seats[position.start].name} began"
        yield f"{having}; as {began} and {turn}, no number of turns with one or two cards each makes that"


CHECKS: tuple[Callable[[Position], Iterator[str]], ...] = (
    *(_players, _cards, _piles, _kinds, _sums, _gone, _gaps, _turns),
)
