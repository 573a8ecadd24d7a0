"""The ladder's strategies once more, from their descriptions: the turn is tried on the naive twin and scored anew.

Each function returns the turns that its strategy may choose in a position, as (draft, card to flip or None). Nothing
here comes from `salad_sim`; points are counted by `reference.card_value` on tables as they would be, preferences are
tuples that compare from the left, and what is left to the next player is seen by making the draft in a copy of the
game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from support.reference.game import VEGETABLES, Draft, NaiveGame, Table, card_value

Turn = tuple[Draft, int | None]
Worth = Any
"""Numbers or tuples of them."""


class Position:
    """A position of the naive twin, as the seat to move sees it, some of its vegetables perhaps imagined."""

    def __init__(self, twin: NaiveGame, imagined: Table | None = None) -> None:
        self.twin, self.seat, self.rules = twin, twin.seat, twin.rules
        self.tables = twin.tables()
        for veg, number in (imagined or {}).items():
            self.tables[self.seat][veg] += number
        self.drafts = twin.legal_drafts()
        self.known: dict[tuple[Any, ...], int] = {}

    def back(self, card: int) -> str:
        return str(self.twin.cards[card]["back"])

    def card(self, draft: Draft) -> int | None:
        """The point card of a draft, if it is one."""
        return self.twin.piles[draft[1]][-1] if draft[0] == "pile" else None

    def vegetables(self, draft: Draft) -> list[str]:
        """The vegetables of a draft."""
        cards = [self.twin.market[slot] for slot in draft[1]] if draft[0] == "market" else []
        return [self.back(card) for card in cards if card is not None]

    def hand(self, draft: Draft | None) -> list[int]:
        """The own point cards after a draft."""
        drafted = self.card(draft) if draft else None
        return [*self.twin.hands[self.seat], *([] if drafted is None else [drafted])]

    def own(self, draft: Draft | None, flip: int | None = None) -> Table:
        """The own vegetables after a draft and a flip."""
        own = dict(self.tables[self.seat])
        for veg in self.vegetables(draft) if draft else []:
            own[veg] += 1
        if flip is not None:
            own[self.back(flip)] += 1
        return own

    def value(self, cards: Iterable[int], seat: int, tables: list[Table]) -> int:
        return sum(card_value(self.twin.cards[card], tables, seat, self.rules) for card in cards)

    def score(self, draft: Draft | None, flip: int | None = None) -> int:
        """The own score right after a draft and a flip."""
        if (draft, flip) not in self.known:
            tables = [*self.tables[: self.seat], self.own(draft, flip), *self.tables[self.seat + 1 :]]
            left = [card for card in self.hand(draft) if card != flip]
            self.known[draft, flip] = self.value(left, self.seat, tables)
        return self.known[draft, flip]

    def gain(self, draft: Draft) -> int:
        return self.score(draft) - self.score(None)

    def flip_gain(self, draft: Draft, card: int) -> int:
        return self.score(draft, card) - self.score(draft)

    def share_gone(self) -> float:
        """The share of the deck that is taken."""
        in_front = sum(map(len, self.twin.hands)) + sum(map(len, self.twin.vegetable_cards))
        left = sum(map(len, self.twin.piles)) + len([card for card in self.twin.market if card is not None])
        return in_front / (in_front + left)


def best(options: Iterable[Any], worth: Callable[[Any], Worth]) -> list[Any]:
    """All options that are worth most."""
    worths = [(option, worth(option)) for option in options]
    most = max(worth for _, worth in worths)
    return [option for option, worth in worths if worth == most]


def turns(
    position: Position,
    worth: Callable[[Draft], Worth],
    flip_worth: Callable[[Draft, int], Worth],
    least: Callable[[Draft], Worth],
) -> list[Turn]:
    """The drafts that are worth most, and after each the flips that are worth most, if worth at least so much."""
    found: list[Turn] = []
    for draft in best(position.drafts, worth):
        hand = position.hand(draft) if position.rules.flip == "after" else []
        good = [card for card in hand if flip_worth(draft, card) >= least(draft)]
        cards = best(good, lambda card, draft=draft: flip_worth(draft, card)) if good else [None]  # type: ignore[misc]
        found += [(draft, card) for card in cards]
    return found


def is_card(draft: Draft) -> bool:
    return bool(draft[0] == "pile")


def greedy(twin: NaiveGame) -> list[Turn]:
    at = Position(twin)
    return turns(at, at.gain, at.flip_gain, lambda draft: 1)


def hoarder(twin: NaiveGame, until: float = 0.5) -> list[Turn]:
    at = Position(twin)

    def worth(draft: Draft) -> Worth:
        wants = at.gain(draft) >= 1 if at.share_gone() >= until else False
        return (wants if is_card(draft) else True, is_card(draft) and wants, at.gain(draft))

    return turns(at, worth, at.flip_gain, lambda draft: 0)


def printed(at: Position, card: int) -> int:
    """The highest number on each line of a card."""
    total = 0
    for term in at.twin.cards[card]["terms"]:
        per_vegetable = list(term["weights"].values()) if term["kind"] == "per_veg" else []
        total += max(0, term["points"], term["even"], term["odd"], *per_vegetable)
    return total


def point_grabber(twin: NaiveGame, until: float = 0.5) -> list[Turn]:
    at = Position(twin)

    def worth(draft: Draft) -> Worth:
        card = at.card(draft)
        grabs = at.share_gone() < until and card is not None
        return (grabs, printed(at, card) if grabs and card is not None else 0, at.gain(draft))

    return turns(at, worth, at.flip_gain, lambda draft: 1)


def many(own: Table, kinds: int) -> int:
    """How many there are of the most numerous kinds."""
    return sum(sorted(own.values(), reverse=True)[:kinds])


def collector(twin: NaiveGame, kinds: int = 2, enough: float = 4) -> list[Turn]:
    at = Position(twin)

    def worth(draft: Draft) -> Worth:
        if is_card(draft):
            return (1 if at.gain(draft) >= enough else -1, at.gain(draft))
        return (0, many(at.own(draft), kinds), at.gain(draft))

    def flip_worth(draft: Draft, card: int) -> Worth:
        return (at.flip_gain(draft, card), many(at.own(draft, card), kinds))

    return turns(at, worth, flip_worth, lambda draft: (0, many(at.own(draft), kinds) + 1))


def variety(twin: NaiveGame, enough: float = 4) -> list[Turn]:
    at = Position(twin)

    def worth(draft: Draft) -> Worth:
        if is_card(draft):
            return (1 if at.gain(draft) >= enough else -1, at.gain(draft))
        laid, own = 0, dict(at.own(None))
        for veg in at.vegetables(draft):
            laid -= own[veg]
            own[veg] += 1
        return (0, laid, at.gain(draft))

    def flip_worth(draft: Draft, card: int) -> Worth:
        own = at.own(draft)
        return (at.flip_gain(draft, card), own[at.back(card)] == min(own.values()))

    return turns(at, worth, flip_worth, lambda draft: (0, True))


def specialist(twin: NaiveGame, vegetable: str, ahead: int = 4) -> list[Turn]:
    deck = Counter(twin.cards[card]["back"] for card, place in twin.where().items() if place != "out")
    room = max(deck.values()) - 2 - twin.tables()[twin.seat][vegetable]
    at = Position(twin, {vegetable: max(0, min(ahead, room))})

    def worth(draft: Draft) -> Worth:
        return (at.gain(draft), at.vegetables(draft).count(vegetable))

    def flip_worth(draft: Draft, card: int) -> Worth:
        return (at.flip_gain(draft, card), at.back(card) == vegetable)

    return turns(at, worth, flip_worth, lambda draft: (0, True))


def offered_most(twin: NaiveGame) -> list[str]:
    """The vegetables that the market offers most of."""
    market = [twin.cards[card]["back"] for card in twin.market if card is not None]
    return best(VEGETABLES, market.count)


def has_minus(at: Position, card: int) -> bool:
    """Whether a minus is printed on a card."""
    terms = at.twin.cards[card]["terms"]
    return any(min(0, *term["weights"].values(), term["points"], term["even"], term["odd"]) < 0 for term in terms)


def no_negatives(twin: NaiveGame, unless: float = 100) -> list[Turn]:
    at = Position(twin)

    def worth(draft: Draft) -> Worth:
        card = at.card(draft)
        shunned = card is not None and has_minus(at, card) and at.gain(draft) < unless
        return (not shunned, at.gain(draft))

    def is_unwanted(draft: Draft, card: int) -> bool:
        tables = [*at.tables[: at.seat], at.own(draft), *at.tables[at.seat + 1 :]]
        return has_minus(at, card) and at.value([card], at.seat, tables) < unless

    def flip_worth(draft: Draft, card: int) -> Worth:
        return (is_unwanted(draft, card), at.flip_gain(draft, card))

    def least(draft: Draft) -> Worth:
        unwanted = any(is_unwanted(draft, card) for card in at.hand(draft))
        return (True, -1000) if unwanted else (False, 1)

    return turns(at, worth, flip_worth, least)


def flipper(twin: NaiveGame, back: float = 1.0, least: float = 1.0) -> list[Turn]:
    at = Position(twin)

    def worth(draft: Draft) -> Worth:
        card = at.card(draft)
        if card is None:
            return at.gain(draft)
        own = at.own(None)
        own[at.back(card)] += 1
        tables = [*at.tables[: at.seat], own, *at.tables[at.seat + 1 :]]
        return at.gain(draft) + back * max(0, at.value(at.hand(None), at.seat, tables) - at.score(None))

    return turns(at, worth, at.flip_gain, lambda draft: least)


def balanced(twin: NaiveGame, per_card: float = 1.5) -> list[Turn]:
    at = Position(twin)
    takes_card = sum(at.own(None).values()) >= per_card * (len(at.hand(None)) + 1)

    def least(draft: Draft) -> Worth:
        return 1 if sum(at.own(draft).values()) >= per_card * len(at.hand(draft)) else 0

    return turns(at, lambda draft: (is_card(draft) == takes_card, at.gain(draft)), at.flip_gain, least)


class Opponent:
    """The next player, as `denial` sees it."""

    def __init__(self, at: Position) -> None:
        self.at = at
        self.seat = (at.seat + 1) % at.twin.n_players
        self.hand = at.twin.hands[self.seat]
        self.score = at.value(self.hand, self.seat, at.tables)

    def gain(self, card: int | None, vegetables: list[str]) -> int:
        """What it would gain by a draft if it moved now."""
        tables = [dict(table) for table in self.at.tables]
        for veg in vegetables:
            tables[self.seat][veg] += 1
        return self.at.value([*self.hand, *([] if card is None else [card])], self.seat, tables) - self.score

    def best_left(self, draft: Draft) -> int:
        """The most that it can gain after a draft by what has been seen before."""
        seen, game = self.at.twin.seen, copy(self.at.twin)
        game.piles = [list(pile) for pile in game.piles]
        game.market, game.seen = list(game.market), set(seen)
        game.hands, game.vegetable_cards = [[*own] for own in game.hands], [[*own] for own in game.vegetable_cards]
        game.last_turn_of = {}
        game.play(draft)
        tops = [pile[-1] for pile in game.piles if pile and pile[-1] in seen]
        market = [self.at.back(card) for card in game.market if card is not None and card in seen]
        gains = [self.gain(card, []) for card in tops]
        gains += [self.gain(None, [veg, other]) for i, veg in enumerate(market) for other in market[i + 1 :]]
        if len(market) == 1 or self.at.rules.vegetables == "up-to-two":
            gains += [self.gain(None, [veg]) for veg in market]
        return max(gains, default=0)

    def loss(self, before: Table, after: Table) -> int:
        """What it loses by the vegetables that the seat to move gets."""
        values = []
        for own in (before, after):
            tables = [*self.at.tables[: self.at.seat], own, *self.at.tables[self.at.seat + 1 :]]
            values.append(self.at.value(self.hand, self.seat, tables))
        return values[0] - values[1]


def denial(twin: NaiveGame, weight: float = 0.5) -> list[Turn]:
    at = Position(twin)
    opponent = Opponent(at)
    part = weight / (twin.n_players - 1)

    def worth(draft: Draft) -> Worth:
        return at.gain(draft) - part * (opponent.best_left(draft) - opponent.loss(at.own(None), at.own(draft)))

    def flip_worth(draft: Draft, card: int) -> Worth:
        return at.flip_gain(draft, card) + part * opponent.loss(at.own(draft), at.own(draft, card))

    return turns(at, worth, flip_worth, lambda draft: 1e-9)
