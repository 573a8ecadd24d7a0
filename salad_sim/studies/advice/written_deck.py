"""The deck of a game that was written down: cards get their places as they come up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from salad_sim.errors import InputError, quote
from salad_sim.game.card_families import find_card
from salad_sim.game.cards import parse_veg
from salad_sim.game.engine import apply_move, draft_and_flip, lay_out
from salad_sim.game.market import N_FILLS, N_STEPS, refill_step
from salad_sim.game.moves import N_PILES, N_SLOTS, draft_of, first_slot, second_slot
from salad_sim.game.notation import card_name, plural
from salad_sim.game.rules import TIE_RANDOM
from salad_sim.game.state import HIDDEN, NONE
from salad_sim.run.plan import Plan
from salad_sim.run.runner import new_workspace

LEAST_PILE = 3
"""Cards of a pile from which two market slots are filled and a top is left."""


def came_up(table: np.record, move: int) -> list[int]:
    """Make a move on a table, but for the change of turns; return the cards that come up, in order."""
    view, draft, found = table.public, int(draft_of(move)), []
    slot, other = int(first_slot(draft)), int(second_slot(draft))
    known = (view.place != HIDDEN).copy()
    for step in range(-1, N_STEPS):
        if step < 0:
            draft_and_flip(table, move)
        elif draft >= N_PILES or step >= N_FILLS:
            refill_step(table, slot, other, step)
        for card in [*view.market_card[:N_SLOTS].tolist(), *view.top[:N_PILES].tolist()]:
            if card != NONE and not known[card]:
                known[card] = True
                found.append(card)
    return found


class WrittenTable:
    """A table whose hidden cards are not known before they come up.

    Attributes
    ----------
    table : table record
        As it stands after the moves made so far; what is hidden is anything.
    guessed : set of int
        Cards that stand for vegetables whose point sides nobody saw.
    """

    def __init__(
        self, plan: Plan, start: int, market: Sequence[Any], tops: Sequence[Any], named: Sequence[Any]
    ) -> None:
        """Lay out the beginning; ``named``: the cards that will come up, which no guess takes.

        Raises
        ------
        InputError
            If it is not understood, or cannot be.
        """
        self.plan, self.start = plan, start
        self.guessed: set[int] = set()
        self.revealed: set[int] = set()
        n_cards = sum(plan.drawn)
        if plan.rules.rounds > 1 or plan.rules.code("split_tie") == TIE_RANDOM or n_cards < LEAST_PILE * N_PILES:
            raise InputError("games of one round and of piles that no chance splits can be written down")
        if len(market) != N_SLOTS or len(tops) != N_PILES:
            raise InputError(
                f"market needs {N_SLOTS} vegetables (upper row, then lower row) and tops {N_PILES} cards, "
                f"not {len(market)} and {len(tops)}"
            )
        pool = plan.rules.card_ids() or range(len(plan.cards))
        self.pool = list(pool)
        self.named = {card for each in [*market, *tops, *named] if (card := self._named(each)) is not None}
        spare = [card for card in self.pool if card not in self.named]
        self.deck = np.array([*spare, *(card for card in self.pool if card in self.named)][:n_cards], dtype=np.int16)
        ends = [(pile + 1) * n_cards // N_PILES for pile in range(N_PILES)]
        for pile in range(N_PILES):
            for depth, given in enumerate((market[pile], market[N_PILES + pile], tops[pile])):
                self._reveal(ends[pile] - 1 - depth, given)
        self.table = self._laid_out()

    def _laid_out(self) -> np.record:
        table: np.record = new_workspace(self.plan).table
        table.deck[: len(self.deck)] = self.deck
        table.public.start = self.start
        for seat, points in enumerate(self.plan.head_start):
            table.public.bonus[seat] = points
        lay_out(table, len(self.deck))
        return table

    def make(self, move: int, new: Sequence[Any]) -> None:
        """Make a legal move, after which these cards came up.

        Raises
        ------
        InputError
            If there are more or fewer, or one came up before.
        """
        expected = came_up(self.table.copy(), move)
        if len(expected) != len(new):
            raise InputError(f"{plural(len(expected), 'card')} came up after this move; new lists {len(new)}")
        for number, given in enumerate(new):
            place = int(np.flatnonzero(self.deck == came_up(self.table.copy(), move)[number])[0])
            self._reveal(place, given)
            self.table.deck[: len(self.deck)] = self.deck
        apply_move(self.table, move)

    def tables(self, moves: Sequence[int]) -> Iterator[tuple[np.record, int]]:
        """Yield the table before each move, which then changes, and the move."""
        table = self._laid_out()
        for move in moves:
            yield table, move
            apply_move(table, move)

    def _named(self, given: Any) -> int | None:
        """Return the card that is named, or None for the name of a vegetable."""
        if isinstance(given, bool) or not isinstance(given, int | str):
            raise InputError(f"a card is named by what it says or its number, not {quote(given)}")
        try:
            return find_card(self.plan.cards, str(given))
        except InputError:
            try:
                parse_veg(str(given), self.plan.cards.labels)
            except InputError:
                pass
            else:
                return None
            raise

    def _reveal(self, place: int, given: Any) -> None:
        """Put the card that came up into its place of the deck, in exchange for what stood there."""
        card = self._named(given)
        if card is None:
            card = self._guess(parse_veg(str(given), self.plan.cards.labels))
        if card in self.revealed or card not in self.pool:
            raise InputError(f"card {card_name(self.plan.cards, card)} came up before, or is not in this deck")
        self.revealed.add(card)
        for other in np.flatnonzero(self.deck == card):
            self.deck[other] = self.deck[place]
        self.deck[place] = card

    def _guess(self, veg: int) -> int:
        """Return a card that may lie there as this vegetable."""
        taken = self.named | self.revealed
        free = [card for card in self.pool if self.plan.cards[card].back == veg and card not in taken]
        if not free:
            raise InputError(f"there are not so many cards of {self.plan.cards.labels[veg]}")
        self.guessed.add(free[0])
        return free[0]
