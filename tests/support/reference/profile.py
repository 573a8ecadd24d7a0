"""What a profile counts, once more: from the moves of a game, played on the naive twin, in dicts and strings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from copy import copy
from fractions import Fraction
from typing import Any

from support.reference.game import Card, Draft, NaiveGame, card_value

SETS = ("pair", "triple", "combo2", "combo3", "complete_set")

Sums = defaultdict[tuple[Any, ...], Fraction]
"""By name, cell and x or y."""


def family(card: Card) -> str:
    """The family of an official card, all of which have one term."""
    (term,) = card["terms"]
    costs = any(weight < 0 for weight in term["weights"].values())
    return term["kind"] + (" with a minus" if costs else "")


def says(card: Card, veg: str) -> set[str]:
    """What an official card says of a vegetable: asks, shuns or nothing."""
    (term,) = card["terms"]
    weight = term["weights"].get(veg, 0)
    if term["kind"] in (*SETS, "most"):
        return {"asks"} if weight else set()
    if term["kind"] == "fewest":
        return {"shuns"} if weight else set()
    if term["kind"] == "per_veg" and weight:
        return {"asks"} if weight > 0 else {"shuns"}
    return set()


def wish(game: NaiveGame, seat: int, veg: str) -> str:
    """What the cards of a seat say of a vegetable, as the tables call it."""
    said = set().union(*(says(game.cards[card], veg) for card in game.hands[seat]))
    return {0: "not named", 2: "asked for and shunned"}.get(len(said)) or ("asked for" if "asks" in said else "shunned")


def score(game: NaiveGame, seat: int, more: list[str], card: int | None = None, without: int | None = None) -> int:
    """Points of a seat if it had some vegetables more, perhaps one card more and one less."""
    tables = game.tables()
    for veg in more:
        tables[seat][veg] += 1
    hand = [each for each in [*game.hands[seat], card] if each is not None and each != without]
    return sum(card_value(game.cards[each], tables, seat, game.rules) for each in hand)


def backs(game: NaiveGame, draft: Draft) -> list[str]:
    """The vegetables that a draft takes."""
    slots = draft[1] if draft[0] == "market" else ()
    return [game.cards[game.market[slot]]["back"] for slot in slots]


def top(game: NaiveGame, draft: Draft) -> int | None:
    """The card that a draft takes."""
    return game.piles[draft[1]][-1] if draft[0] == "pile" else None


def gain(game: NaiveGame, seat: int, draft: Draft) -> int:
    """Points that a draft adds at once to a seat, whosever turn it is."""
    return score(game, seat, backs(game, draft), top(game, draft)) - score(game, seat, [])


def note_decision(sums: Sums, game: NaiveGame, turn: int, draft: Draft, flip: int | None) -> None:
    """Add what a decision of the profiled seat counts."""
    seat = game.seat
    taken, card = backs(game, draft), top(game, draft)
    way = "point_card" if card is not None else ("one_vegetable", "two_vegetables")[len(taken) - 1]
    sums["turns", turn, "x"] += 1
    sums[way, turn, "y"] += 1
    sums["flip", turn, "y"] += flip is not None
    tops = [pile[-1] for pile in game.piles if pile]
    for each in tops:
        sums["pick", family(game.cards[each]), "x"] += 1
        if card is not None:
            sums["preference", family(game.cards[each]), "x"] += Fraction(1, len(tops))
    if card is not None:
        sums["pick", family(game.cards[card]), "y"] += 1
    else:
        market = [game.cards[each]["back"] for each in game.market if each is not None]
        for veg in market:
            sums["wish", wish(game, seat, veg), "x"] += 1
            sums["wish_preference", wish(game, seat, veg), "x"] += Fraction(len(taken), len(market))
        for veg in taken:
            sums["wish", wish(game, seat, veg), "y"] += 1
    note_rivalry(sums, game, draft)
    if flip is not None:
        kind = family(game.cards[flip])
        after = [*taken, game.cards[flip]["back"]]
        sums["flip_gain", kind, "x"] += 1
        sums["flip_gain", kind, "y"] += score(game, seat, after, card, flip) - score(game, seat, taken, card)


def note_rivalry(sums: Sums, game: NaiveGame, draft: Draft) -> None:
    """Add whether the draft is the best at once, and whether it denies."""
    drafts, rival = game.legal_drafts(), (game.seat + 1) % game.n_players
    own = {each: gain(game, game.seat, each) for each in drafts}
    rivals = {each: gain(game, rival, each) for each in drafts}
    best = {each for each in drafts if own[each] == max(own.values())}
    denials = {each for each in drafts if rivals[each] == max(rivals.values())}
    sums["best", "y"] += draft in best
    if max(rivals.values()) > 0 and not best & denials:
        sums["conflict", "y"] += 1
        sums["denial", "y"] += draft in denials
        if draft not in best:
            sums["given_up", "y"] += 1
            sums["given_up_chance", "y"] += Fraction(len(denials), len(drafts) - len(best))


def note_end(sums: Sums, game: NaiveGame, seat: int, flips: list[int]) -> None:
    """Add what the end of the game counts."""
    sums["score", "y"] += game.scores()[seat]
    sums["wins", "y"] += game.shares()[seat]
    for card in game.hands[seat]:
        kind = family(game.cards[card])
        sums["points", kind, "x"] += 1
        sums["points", kind, "y"] += card_value(game.cards[card], game.tables(), seat, game.rules)
    for card in flips:
        other = copy(game)
        other.hands = [list(hand) for hand in game.hands]
        other.vegetable_cards = [[each for each in own if each != card] for own in game.vegetable_cards]
        other.hands[seat].append(card)
        sums["flip_worth", family(game.cards[card]), "y"] += game.scores()[seat] - other.scores()[seat]


def moves_of(game: NaiveGame) -> Iterator[tuple[Draft, int | None]]:
    """Every move that may be made."""
    for draft in game.legal_drafts():
        own = [*game.hands[game.seat], top(game, draft)]
        yield from ((draft, card) for card in [None, *(card for card in own if card is not None)])


def after(game: NaiveGame, move: tuple[Draft, int | None]) -> NaiveGame:
    """The game after a move, the game itself staying as it is."""
    other = copy(game)
    other.piles = [list(pile) for pile in game.piles]
    other.market = list(game.market)
    other.hands = [list(hand) for hand in game.hands]
    other.vegetable_cards = [list(own) for own in game.vegetable_cards]
    other.seen = set(game.seen)
    other.last_turn_of = dict(game.last_turn_of)
    other.play(*move)
    return other


def value(game: NaiveGame, seat: int) -> tuple[Fraction, int]:
    """What an ending of two players is worth to a seat: its win, then its margin, if both play as well as can be."""
    if game.over:
        scores = game.scores()
        return game.shares()[seat], scores[seat] - scores[1 - seat]
    values = [value(after(game, move), seat) for move in moves_of(game)]
    return max(values) if game.seat == seat else min(values)
