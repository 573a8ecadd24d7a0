"""The naive twin: the rules of Point Salad once more, in lists, dicts and strings.

It is slow and meant to be read. Nothing here comes from `salad_sim`, and nothing is done the way a kernel
would: piles are lists of cards, a set is taken out of a heap of vegetables until it no longer can be, what
lies on the table is counted anew each time. The compiled engine is compared with it over whole games, state
after every turn.
"""

import csv
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from support.places import ROOT

VEGETABLES = ("cabbage", "carrot", "lettuce", "onion", "pepper", "tomato")
CARDS_CSV = ROOT / "salad_sim" / "game" / "data" / "cards.csv"
COLUMNS = (0, 1, 2)
UPPER_AND_LOWER = (0, 1)

Card = dict[str, Any]
Table = dict[str, int]
Draft = tuple[Any, ...]


class IllegalMove(Exception):  # noqa: N818 (named as players say it)
    """A move the rules forbid; the message says why. The game is as it was before."""


@dataclass(frozen=True)
class NaiveRules:
    """The rule switches; the defaults are the official game."""

    vegetables: str = "two"
    flip: str = "after"
    zero: str = "nothing"
    sets: str = "repeat"
    split: str = "up"
    split_tie: str = "first"
    tie_break: str = "later"

    def __post_init__(self) -> None:
        allowed = {
            "vegetables": ("two", "up-to-two"),
            "flip": ("after", "never"),
            "zero": ("nothing", "even", "odd"),
            "sets": ("repeat", "once", "complete-once"),
            "split": ("up", "down", "draw"),
            "split_tie": ("first", "random"),
            "tie_break": ("later", "earlier", "last-turn", "fewer-cards", "shared"),
        }
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name}={getattr(self, name)!r}, allowed: {', '.join(values)}")


OFFICIAL = NaiveRules()


# ----------------------------------------------------------------------------------------------- cards


def load_cards(path: Path | str = CARDS_CSV) -> list[Card]:
    """Read the cards; rows of the same card_id are terms of one card, whose values add."""
    cards: dict[int, Card] = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            weights = {veg: int(row["w_" + veg]) for veg in VEGETABLES if int(row["w_" + veg]) != 0}
            term = {
                "kind": row["kind"],
                "weights": weights,
                "points": int(row["points"]),
                "even": int(row["even_points"]),
                "odd": int(row["odd_points"]),
            }
            number = int(row["card_id"])
            card = cards.setdefault(number, {"id": number, "back": row["back"], "terms": []})
            if card["back"] != row["back"]:
                raise ValueError(f"card {number} has two backs, {card['back']} and {row['back']}")
            card["terms"].append(term)
    return list(cards.values())


def card_value(card: Card, tables: list[Table], seat: int, rules: NaiveRules = OFFICIAL) -> int:
    """Points of `card` for `seat`; `tables` holds what every player has, {vegetable: count}."""
    return sum(term_value(term, tables, seat, rules) for term in card["terms"])


def term_value(term: dict[str, Any], tables: list[Table], seat: int, rules: NaiveRules) -> int:
    """Points of one line of a card."""
    everyone = [{veg: table.get(veg, 0) for veg in VEGETABLES} for table in tables]
    own = everyone[seat]
    kind, weights, points = term["kind"], term["weights"], int(term["points"])

    if kind == "per_veg":
        return sum(int(weight) * own[veg] for veg, weight in weights.items())

    if kind in ("pair", "triple", "combo2", "combo3", "set", "complete_set"):
        complete = how_many_sets(weights, own)
        at_most_one = rules.sets == "once" or (rules.sets == "complete-once" and kind == "complete_set")
        return points * (min(complete, 1) if at_most_one else complete)

    if kind == "even_odd":
        number = own[the_only(weights)]
        if number == 0:
            return {"nothing": 0, "even": int(term["even"]), "odd": int(term["odd"])}[rules.zero]
        return int(term["even"]) if number % 2 == 0 else int(term["odd"])

    if kind == "most":
        veg = the_only(weights)
        return points if own[veg] == max(table[veg] for table in everyone) else 0

    if kind == "fewest":
        veg = the_only(weights)
        return points if own[veg] == min(table[veg] for table in everyone) else 0

    if kind == "most_total":
        return points if sum(own.values()) == max(sum(table.values()) for table in everyone) else 0

    if kind == "fewest_total":
        return points if sum(own.values()) == min(sum(table.values()) for table in everyone) else 0

    if kind == "missing_type":
        return points * len([veg for veg in VEGETABLES if own[veg] == 0])

    if at_least := re.fullmatch(r"type_at_least_(\d+)", kind):
        return points * len([veg for veg in VEGETABLES if own[veg] >= int(at_least[1])])

    raise ValueError(f"unknown kind of card: {kind!r}")


def how_many_sets(needs: Table, own: Table) -> int:
    """Take the set out of the heap as often as that can be done."""
    if not needs or min(needs.values()) < 1:
        raise ValueError(f"a set must need something: {needs}")
    heap = dict(own)
    complete = 0
    while all(heap[veg] >= number for veg, number in needs.items()):
        for veg, number in needs.items():
            heap[veg] -= number
        complete += 1
    return complete


def the_only(weights: Table) -> str:
    """The one vegetable a card asks about."""
    (veg,) = weights
    return veg


# -------------------------------------------------------------------------------------------- the game


def random_piles(cards: list[Card], n_players: int, rng: random.Random) -> list[list[int]]:
    """The official deal: 3n cards of each vegetable, shuffled, in three equal piles."""
    deck: list[int] = []
    for veg in VEGETABLES:
        deck += rng.sample([card["id"] for card in cards if card["back"] == veg], 3 * n_players)
    rng.shuffle(deck)
    third = len(deck) // 3
    return [deck[:third], deck[third : 2 * third], deck[2 * third :]]


class NaiveGame:
    """One game. Piles are lists of card ids, the last one is the top; market slot = row * 3 + column.

    `split_choices`: for split_tie="random", the numbers that chance gives: each time a card or a half is
    taken from the largest pile and two piles are equally large, the next one says which (0 = the
    lowest-numbered). `bonus`: points each seat brings along. `start`: the seat that moves first.
    """

    def __init__(
        self,
        cards: list[Card],
        piles: list[list[int]],
        n_players: int,
        rules: NaiveRules = OFFICIAL,
        start: int = 0,
        bonus: list[int] | None = None,
        split_choices: Iterator[int] | None = None,
    ) -> None:
        if rules.split_tie == "random" and split_choices is None:
            raise ValueError("split_tie='random' needs split_choices")
        self.cards: dict[int, Card] = {card["id"]: card for card in cards}
        dealt = [card for pile in piles for card in pile]
        if len(piles) != 3 or len(set(dealt)) != len(dealt) or not set(dealt) <= set(self.cards):
            raise ValueError("three piles of different, known cards are needed")
        self.n_players = n_players
        self.rules = rules
        self.start = start
        self.bonus = list(bonus) if bonus is not None else [0] * n_players
        self.split_choices = split_choices
        self.piles: list[list[int]] = [list(pile) for pile in piles]
        self.market: list[int | None] = [None] * 6
        self.hands: list[list[int]] = [[] for _ in range(n_players)]
        self.vegetable_cards: list[list[int]] = [[] for _ in range(n_players)]
        self.seen: set[int] = set()
        self.turn = 0
        self.last_turn_of: dict[int, int] = {}  # seat -> number of its latest turn
        self._look()
        self._refill()

    @property
    def seat(self) -> int:
        """The seat to move."""
        return (self.start + self.turn) % self.n_players

    @property
    def over(self) -> bool:
        """No card is left in the piles and in the market."""
        return not any(self.piles) and not self._occupied()

    # ------------------------------------------------------------------------------------------ a turn

    def legal_drafts(self) -> list[Draft]:
        """Every ("pile", p) and every ("market", (slot, slot)) or ("market", (slot,)) allowed now."""
        slots = self._occupied()
        drafts: list[Draft] = [("pile", pile) for pile in COLUMNS if self.piles[pile]]
        drafts += [("market", (i, j)) for i in slots for j in slots if i < j]
        if self.rules.vegetables == "up-to-two" or len(slots) == 1:
            drafts += [("market", (i,)) for i in slots]
        return drafts

    def play(self, draft: Draft, flip: int | None = None) -> None:
        """Draft, then flip the point card `flip` (None: no card), then the table is refilled."""
        self._check_draft(draft)
        seat, source = self.seat, draft[0]
        new_card = self.piles[draft[1]][-1] if source == "pile" else None
        self._check_flip(flip, new_card)

        if new_card is not None:
            self.piles[draft[1]].pop()
            self.hands[seat].append(new_card)
        else:
            for slot in draft[1]:
                card = self.market[slot]
                assert card is not None
                self.market[slot] = None
                self.vegetable_cards[seat].append(card)
        if flip is not None:
            self.hands[seat].remove(flip)
            self.vegetable_cards[seat].append(flip)
        self._look()
        self._refill()
        self.last_turn_of[seat] = self.turn
        self.turn += 1

    def _check_draft(self, draft: Draft) -> None:
        if self.over:
            raise IllegalMove("the game is over")
        if draft in self.legal_drafts():
            return
        match draft:
            case ("pile", int(pile)) if pile in COLUMNS:
                raise IllegalMove(f"pile {pile} is empty")
            case ("market", (int(), int()) | (int(),) as slots) if set(slots) <= set(range(6)):
                for slot in slots:
                    if self.market[slot] is None:
                        raise IllegalMove(f"market slot {slot} is empty")
                if len(slots) == 1:
                    raise IllegalMove("two vegetables must be taken while the market holds two")
                raise IllegalMove(f"the two market slots must be different, the lower number first: {slots}")
        raise IllegalMove(f"not a draft: {draft!r}")

    def _check_flip(self, flip: int | None, new_card: int | None) -> None:
        if flip is None:
            return
        if self.rules.flip == "never":
            raise IllegalMove("these rules know no flip")
        if flip not in self.hands[self.seat] and flip != new_card:
            raise IllegalMove(f"seat {self.seat} does not hold point card {flip}")

    # --------------------------------------------------------------------------------------- the table

    def _refill(self) -> None:
        """Fill the market, column by column, upper slot first; then see to the empty piles."""
        for column in COLUMNS:
            for row in UPPER_AND_LOWER:
                slot = row * 3 + column
                if self.market[slot] is None:
                    self.market[slot] = self._card_for_column(column)
                    self._look()
        for pile in COLUMNS:
            self._replace_if_empty(pile)

    def _card_for_column(self, column: int) -> int | None:
        self._replace_if_empty(column)
        if self.piles[column]:
            return self.piles[column].pop()
        if self.rules.split == "draw":
            giver = self._largest_pile(at_least=1)
            if giver is not None:
                return self.piles[giver].pop(0)
        return None

    def _replace_if_empty(self, pile: int) -> None:
        """Give an empty pile the bottom half of the largest one."""
        if self.piles[pile] or self.rules.split == "draw":
            return
        giver = self._largest_pile(at_least=2)
        if giver is None:
            return
        cards = self.piles[giver]
        half = len(cards) // 2
        if self.rules.split == "up" and len(cards) % 2 == 1:
            half += 1
        self.piles[pile], self.piles[giver] = cards[:half], cards[half:]
        self._look()

    def _largest_pile(self, at_least: int) -> int | None:
        largest = max(len(pile) for pile in self.piles)
        if largest < at_least:
            return None
        equal = [pile for pile in COLUMNS if len(self.piles[pile]) == largest]
        if len(equal) == 1 or self.rules.split_tie == "first":
            return equal[0]
        assert self.split_choices is not None
        choice = next(self.split_choices)
        if choice not in range(len(equal)):
            raise ValueError(f"split choice {choice} among {len(equal)} equal piles")
        return equal[choice]

    def _occupied(self) -> list[int]:
        return [slot for slot in range(6) if self.market[slot] is not None]

    def _look(self) -> None:
        """Whatever lies open now has been seen: the tops of the piles, and the market."""
        self.seen |= {pile[-1] for pile in self.piles if pile}
        self.seen |= {card for card in self.market if card is not None}

    # -------------------------------------------------------------------------------------- the result

    def tables(self) -> list[Table]:
        """What each seat has: {vegetable: count}, all six."""
        tables = []
        for own in self.vegetable_cards:
            backs = [self.cards[card]["back"] for card in own]
            tables.append({veg: backs.count(veg) for veg in VEGETABLES})
        return tables

    def where(self) -> dict[int, str]:
        """The place of every card: "pile 0", "market 3", "hand 1", "vegetables 1" or "out" of the game."""
        place = dict.fromkeys(self.cards, "out")
        for p, pile in enumerate(self.piles):
            place |= dict.fromkeys(pile, f"pile {p}")
        for slot in self._occupied():
            card = self.market[slot]
            assert card is not None
            place[card] = f"market {slot}"
        for seat in range(self.n_players):
            place |= dict.fromkeys(self.hands[seat], f"hand {seat}")
            place |= dict.fromkeys(self.vegetable_cards[seat], f"vegetables {seat}")
        return place

    def state(self) -> dict[str, Any]:
        """All there is to know, as a copy."""
        return {
            "piles": [list(pile) for pile in self.piles],
            "market": list(self.market),
            "hands": [sorted(hand) for hand in self.hands],
            "vegetables": self.tables(),
            "seen": set(self.seen),
            "where": self.where(),
            "turn": self.turn,
            "seat": self.seat,
            "over": self.over,
        }

    def scores(self, rules: NaiveRules | None = None) -> list[int]:
        """Total of each seat, bonus included."""
        rules, tables = rules or self.rules, self.tables()
        totals = []
        for seat, hand in enumerate(self.hands):
            values = [card_value(self.cards[card], tables, seat, rules) for card in hand]
            totals.append(self.bonus[seat] + sum(values))
        return totals

    def shares(self, rules: NaiveRules | None = None) -> list[Fraction]:
        """Who wins, as shares that add up to one; `rules` (default: the game's own) count and break ties."""
        scores = self.scores(rules)
        order = [(self.start + place) % self.n_players for place in range(self.n_players)]
        tied = [seat for seat in order if scores[seat] == max(scores)]  # in turn order
        match (rules or self.rules).tie_break:
            case "shared":
                winners = tied
            case "earlier":
                winners = tied[:1]
            case "later":
                winners = tied[-1:]
            case "last-turn":  # who never had a turn comes before all who had; among those the later seat
                latest = max(self.last_turn_of.get(seat, -1) for seat in tied)
                winners = [seat for seat in tied if self.last_turn_of.get(seat, -1) == latest][-1:]
            case "fewer-cards":
                fewest = min(len(self.hands[seat]) for seat in tied)
                winners = [seat for seat in tied if len(self.hands[seat]) == fewest][-1:]
        return [Fraction(seat in winners, len(winners)) for seat in range(self.n_players)]
