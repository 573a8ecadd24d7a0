"""A position as players see it: piles, market and what lies in front of everybody, and the record that kernels take."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from salad_sim.game.cards import CardSet, official_set
from salad_sim.game.moves import N_PILES, N_SLOTS
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.game.state import EARLIER_ROUND, MARKET, N_VEGETABLES, NONE, POINTS, TOP, VEGETABLE
from salad_sim.jit.typing import Ints
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import new_workspace
from salad_sim.run.setup import Lineup


@dataclass(frozen=True)
class Seat:
    """What lies in front of a player.

    Attributes
    ----------
    name : str
    counts : tuple of int
        Vegetables, by kind.
    held : tuple of int
        Point cards, by id.
    points : int
        From earlier rounds, or a head start.
    """

    name: str
    counts: tuple[int, ...] = (0,) * N_VEGETABLES
    held: tuple[int, ...] = ()
    points: int = 0

    @property
    def n_cards(self) -> int:
        """Point cards and vegetables."""
        return sum(self.counts) + len(self.held)


@dataclass(frozen=True)
class Position:
    """What everybody at a table sees before a turn.

    Attributes
    ----------
    seats : tuple of Seat
    to_move : int
        The seat, from 0, whose turn it is.
    tops : tuple of int
        By pile the id of its top card, or NONE.
    sizes : tuple of int
        By pile how many cards it has.
    market : tuple of int
        By slot the vegetable, or NONE.
    turn : int
        Turns taken so far.
    start : int
        The seat that began.
    seen : tuple of int
        Cards that are known to lie somewhere as vegetables: their point sides were seen before.
    gone : tuple of int
        Cards that are known not to be in the deck.
    rules : Rules
    cards : CardSet
    """

    seats: tuple[Seat, ...]
    to_move: int
    tops: tuple[int, ...]
    sizes: tuple[int, ...]
    market: tuple[int, ...]
    turn: int = 0
    start: int = 0
    seen: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    rules: Rules = OFFICIAL
    cards: CardSet = field(default_factory=official_set)

    @property
    def n_players(self) -> int:
        """Players at the table."""
        return len(self.seats)

    @property
    def n_left(self) -> int:
        """Cards that are still to be taken."""
        return sum(self.sizes) + sum(veg != NONE for veg in self.market)

    def plan(self, strategies: Lineup, seed: int = 1) -> Plan:
        """Return a plan of games at such a table.

        Raises
        ------
        InputError
            If the cards cannot serve these rules and players.
        """
        return plan_run(1, self.n_players, strategies, seed, rules=self.rules, cards=self.cards)

    def public(self, plan: Plan) -> np.record:
        """Return the record of it, for a plan of its own; market cards that nobody knows are NONE there.

        Known vegetables that may lie in several places are put into one of them: where they lie matters to nobody.
        """
        view: np.record = new_workspace(plan).table.public
        view.n_cards = sum(plan.drawn)
        view.n_left = self.n_left
        view.turn, view.seat, view.start = self.turn, self.to_move, self.start
        view.top[:], view.pile_size[:] = self.tops, self.sizes
        view.n_market = sum(veg != NONE for veg in self.market)
        view.market[:], view.market_card[:] = self.market, NONE
        view.place[list(self.gone)] = EARLIER_ROUND
        view.place[[card for card in self.tops if card != NONE]] = TOP
        for number, seat in enumerate(self.seats):
            tableau = view.tableau[number]
            tableau.counts[:] = seat.counts
            tableau.n_held = len(seat.held)
            tableau.held[: len(seat.held)] = seat.held
            view.place[list(seat.held)] = POINTS + number
            view.bonus[number] = seat.points
        self._place_seen(view)
        return view

    def _place_seen(self, view: np.record) -> None:
        free = [[veg, slot, -1] for slot, veg in enumerate(self.market) if veg != NONE]
        for number, seat in enumerate(self.seats):
            free += [[veg, -1, number] for veg in range(N_VEGETABLES) for _ in range(seat.counts[veg])]
        for card in self.seen:
            spot = next(each for each in free if each[0] == self.cards[card].back)
            free.remove(spot)
            _, slot, number = spot
            view.place[card] = MARKET if number < 0 else VEGETABLE + number
            if number < 0:
                view.market_card[slot] = card


def unknown_vegetables(view: np.record) -> Ints:
    """Return how many vegetables of each kind in front of each seat nobody knows the cards of, shape [seats, 6]."""
    n_players, n_cards = int(view.n_players), int(view.cards.n_cards)
    found: Ints = view.tableau["counts"][:n_players].astype(np.int64)
    for place, back in zip(view.place[:n_cards].tolist(), view.cards.back[:n_cards].tolist(), strict=True):
        if place >= VEGETABLE:
            found[place - VEGETABLE, back] -= 1
    return found


def position_of(
    view: np.record, rules: Rules, cards: CardSet, names: Sequence[str], unseen: Collection[int] = ()
) -> Position:
    """Return the position of a public record, as a careful player knows it.

    Parameters
    ----------
    view : public record
    rules, cards
        Of the game.
    names : sequence of str
        One for each seat.
    unseen : collection of int
        Cards that lie as vegetables and that nobody saw before.
    """
    places = view.place[: len(cards)].tolist()
    seats = [
        Seat(
            name,
            tuple(tableau.counts.tolist()),
            tuple(tableau.held[: tableau.n_held].tolist()),
            int(view.bonus[number]),
        )
        for number, (name, tableau) in enumerate(zip(names, view.tableau, strict=False))
    ]
    seen = [card for card, place in enumerate(places) if (place == MARKET or place >= VEGETABLE) and card not in unseen]
    return Position(
        seats=tuple(seats),
        to_move=int(view.seat),
        tops=tuple(view.top[:N_PILES].tolist()),
        sizes=tuple(view.pile_size[:N_PILES].tolist()),
        market=tuple(view.market[:N_SLOTS].tolist()),
        turn=int(view.turn),
        start=int(view.start),
        seen=tuple(seen),
        gone=tuple(card for card, place in enumerate(places) if place == EARLIER_ROUND),
        rules=rules,
        cards=cards,
    )
