"""The naive twin of the hand-draft game: another game with the same cards, in lists, dicts and strings.

Cards are drafted to a hidden hand, one a turn may be laid as its vegetable, and what is still in hand at the
end scores over the vegetables in front of its owner. Nothing here comes from `salad_sim`.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from support.reference.game import OFFICIAL, VEGETABLES, Card, Draft, IllegalMove, NaiveRules, Table, card_value

SLOTS = (0, 1, 2)


def random_hand_draft_deal(
    cards: list[Card], n_players: int, rng: random.Random
) -> tuple[list[int], list[int], list[list[int]], list[int]]:
    """Return pile, face-up cards, hands and the cards out of the game, dealt as the rule sheet says."""
    small: list[int] = []
    for veg in VEGETABLES:
        small += rng.sample([card["id"] for card in cards if card["back"] == veg], 3)
    pile = [card["id"] for card in cards if card["id"] not in small]
    rng.shuffle(pile)
    faceup = [pile.pop() for _ in SLOTS]
    rng.shuffle(small)
    hands = [[small.pop() for _ in range(3)] for _ in range(n_players)]
    if n_players > 3:
        return pile, faceup, hands, small
    pile += small
    rng.shuffle(pile)
    return pile, faceup, hands, []


class NaiveHandDraft:
    """One game. The last card of `pile` is its top; `aside` holds the cards out of the game.

    `throw` switches the optional rule on; `reshuffles` is given the thrown cards, in the order they were
    thrown, and returns them as the new pile. Of `rules` only what cards are worth matters.
    """

    def __init__(
        self,
        cards: list[Card],
        pile: list[int],
        faceup: list[int],
        hands: list[list[int]],
        aside: list[int],
        n_players: int,
        throw: bool = False,
        reshuffles: Callable[[list[int]], list[int]] | None = None,
        rules: NaiveRules = OFFICIAL,
        start: int = 0,
    ) -> None:
        self.cards: dict[int, Card] = {card["id"]: card for card in cards}
        dealt = [*pile, *faceup, *aside, *(card for hand in hands for card in hand)]
        if len(set(dealt)) != len(dealt) or not set(dealt) <= set(self.cards):
            raise ValueError("every card must be known and lie in one place")
        if n_players not in range(2, 6) or len(hands) != n_players or len(faceup) != 3:
            raise ValueError("two to five players, a hand for each, and three cards face up are needed")
        if throw and reshuffles is None:
            raise ValueError("throw needs reshuffles")
        self.n_players = n_players
        self.throw = throw
        self.reshuffles = reshuffles
        self.rules = rules
        self.start = start
        self.pile = list(pile)
        self.faceup: list[int | None] = list(faceup)
        self.hands = [list(hand) for hand in hands]
        self.vegetable_cards: list[list[int]] = [[] for _ in range(n_players)]
        self.thrown: list[int] = []
        self.seen = set(faceup)  # by all: each card that ever lay face up
        self.turn = 0
        self.turns_left: int | None = None  # known once the pile has run out

    @property
    def seat(self) -> int:
        """The seat to move."""
        return (self.start + self.turn) % self.n_players

    @property
    def over(self) -> bool:
        """Everybody has had the one turn after the pile ran out."""
        return self.turns_left == 0

    # --------------------------------------------------------------------------------------------- a turn

    def legal_drafts(self) -> list[Draft]:
        """Every ("face", slot), ("blind",) and ("throw", slot) allowed now; ("none",) if there is none."""
        if self.over:
            return []
        slots = [slot for slot in SLOTS if self.faceup[slot] is not None]
        drafts: list[Draft] = [("face", slot) for slot in slots]
        if self.pile:
            drafts.append(("blind",))
            if self.throw:
                drafts += [("throw", slot) for slot in slots]
        return drafts or [("none",)]

    def gain(self, draft: Draft) -> list[int]:
        """Return the cards that a legal draft brings to the hand."""
        if draft[0] == "blind":
            return self.pile[-2:]
        if draft[0] == "face":
            card = self.faceup[draft[1]]
            assert card is not None
            return [card]
        return []

    def play(self, draft: Draft, lay: int | None = None) -> None:
        """Draft (or throw), then lay the card `lay` of the hand (None: no card) as its vegetable."""
        self._check_draft(draft)
        seat, gained = self.seat, self.gain(draft)
        if lay is not None and lay not in self.hands[seat] + gained:
            raise IllegalMove(f"seat {seat} does not hold card {lay}")

        self.hands[seat] += gained
        match draft:
            case ("blind",):
                for card in gained:
                    self.pile.remove(card)
            case ("face", slot):
                self._replace(slot)
            case ("throw", slot):
                away = self.faceup[slot]
                assert away is not None
                self.thrown.append(away)
                self._replace(slot)
        if not self.pile and self.thrown:
            self._reshuffle()
        if lay is not None:
            self.hands[seat].remove(lay)
            self.vegetable_cards[seat].append(lay)
        self.turn += 1
        if self.turns_left is not None:
            self.turns_left -= 1
        elif not self.pile:
            self.turns_left = self.n_players

    def _check_draft(self, draft: Draft) -> None:
        if self.over:
            raise IllegalMove("the game is over")
        if draft in self.legal_drafts():
            return
        match draft:
            case ("throw", _) if not self.throw:
                raise IllegalMove("these rules know no throwing away")
            case ("face" | "throw", int(slot)) if slot in SLOTS and self.faceup[slot] is None:
                raise IllegalMove(f"face-up slot {slot} is empty")
            case ("blind",) | ("throw", 0 | 1 | 2):
                raise IllegalMove("the pile is empty")
            case ("none",):
                raise IllegalMove("a card must be drafted while there is one")
        raise IllegalMove(f"not a draft: {draft!r}")

    def _replace(self, slot: int) -> None:
        """Turn up the top of the pile; an empty pile leaves the slot empty."""
        self.faceup[slot] = None
        if self.pile:
            card = self.pile.pop()
            self.faceup[slot] = card
            self.seen.add(card)

    def _reshuffle(self) -> None:
        """Make the thrown cards the new pile, in an order that chance gives."""
        assert self.reshuffles is not None
        pile = list(self.reshuffles(list(self.thrown)))
        if sorted(pile) != sorted(self.thrown):
            raise ValueError(f"a new pile of {sorted(pile)} from the thrown {sorted(self.thrown)}")
        self.pile, self.thrown = pile, []

    # ------------------------------------------------------------------------------------------ the table

    def tables(self) -> list[Table]:
        """What lies in front of each seat: {vegetable: count}, all six."""
        tables = []
        for own in self.vegetable_cards:
            backs = [self.cards[card]["back"] for card in own]
            tables.append({veg: backs.count(veg) for veg in VEGETABLES})
        return tables

    def where(self) -> dict[int, str]:
        """The place of every card: "pile", "face 0", "hand 1", "vegetables 1", "thrown" or "out"."""
        place = dict.fromkeys(self.cards, "out")
        place |= dict.fromkeys(self.pile, "pile")
        place |= dict.fromkeys(self.thrown, "thrown")
        for slot, card in enumerate(self.faceup):
            if card is not None:
                place[card] = f"face {slot}"
        for seat in range(self.n_players):
            place |= dict.fromkeys(self.hands[seat], f"hand {seat}")
            place |= dict.fromkeys(self.vegetable_cards[seat], f"vegetables {seat}")
        return place

    def state(self) -> dict[str, Any]:
        """All there is to know, as a copy."""
        return {
            "pile": list(self.pile),
            "faceup": list(self.faceup),
            "hands": [sorted(hand) for hand in self.hands],
            "vegetables": self.tables(),
            "thrown": list(self.thrown),
            "seen": set(self.seen),
            "where": self.where(),
            "turn": self.turn,
            "seat": self.seat,
            "turns_left": self.turns_left,
            "over": self.over,
        }

    def scores(self) -> list[int]:
        """Total of each seat: the cards in hand, over the vegetables that lie in front of the players."""
        tables = self.tables()
        totals = []
        for seat, hand in enumerate(self.hands):
            totals.append(sum(card_value(self.cards[card], tables, seat, self.rules) for card in hand))
        return totals

    def shares(self) -> list[Fraction]:
        """Who wins; equal totals share the victory."""
        scores = self.scores()
        winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
        return [Fraction(seat in winners, len(winners)) for seat in range(self.n_players)]
