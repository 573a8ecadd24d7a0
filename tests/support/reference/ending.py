"""Endings once more: every move of every seat is tried on the naive twin, to the end, and nothing is left out.

Nothing here comes from `salad_sim`. A position is a `NaiveGame`; its value is a list with a number for each seat: a
thousand for the whole win or the share of it that a shared win is, plus the points by which the seat is ahead of the
best other one. The seat to move takes what is best for itself; of equally good moves the one that leaves it ahead by
most right away, then the one that comes first in `moves`.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from fractions import Fraction

from support.reference.game import Draft, NaiveGame

Turn = tuple[Draft, int | None]
Values = list[Fraction]


class Row(list[int]):
    """Point cards in a row: when one is turned over, the last takes its place."""

    def remove(self, card: int) -> None:
        self[self.index(card)] = self[-1]
        self.pop()


def ending_of(twin: NaiveGame, hands: list[list[int]]) -> NaiveGame:
    """A game of its own in the same state, the point cards lying in the given order."""
    game = copy(twin)
    game.piles = [list(pile) for pile in twin.piles]
    game.market = list(twin.market)
    game.hands = [Row(hand) for hand in hands]
    game.vegetable_cards = [list(own) for own in twin.vegetable_cards]
    game.seen = set(twin.seen)
    game.last_turn_of = dict(twin.last_turn_of)
    return game


def after(game: NaiveGame, turn: Turn) -> NaiveGame:
    """The position after a turn."""
    game = ending_of(game, game.hands)
    game.play(*turn)
    return game


def market_kinds(game: NaiveGame, draft: Draft) -> list[str]:
    """The vegetables that a draft takes from the market."""
    cards = [game.market[slot] for slot in draft[1]]
    return sorted(game.cards[card]["back"] for card in cards if card is not None)


def moves(game: NaiveGame, every_slot: bool = False) -> list[Turn]:
    """All turns: cards first, then the market by its slots; after each draft no flip, then the own cards in a row.

    When no card is left in the piles, slots stay empty: of vegetables of the same kinds the first ones stand for all,
    unless ``every_slot`` is wanted.
    """
    slots = [slot for slot in range(6) if game.market[slot] is not None]
    legal = game.legal_drafts()
    drafts: list[Draft] = [draft for draft in legal if draft[0] == "pile"]
    for slot in slots:
        pairs: list[Draft] = [("market", (slot, other)) for other in slots if other > slot]
        drafts += [draft for draft in [*pairs, ("market", (slot,))] if draft in legal]
    found: list[Turn] = []
    taken: list[list[str]] = []
    for draft in drafts:
        if draft[0] == "market" and not any(game.piles) and not every_slot:
            if market_kinds(game, draft) in taken:
                continue
            taken.append(market_kinds(game, draft))
        own = [*game.hands[game.seat], *([game.piles[draft[1]][-1]] if draft[0] == "pile" else [])]
        found += [(draft, flip) for flip in [None, *(own if game.rules.flip == "after" else [])]]
    return found


def margins(scores: list[int]) -> list[int]:
    """By how much each seat is ahead of the best other one."""
    return [score - max(scores[:seat] + scores[seat + 1 :]) for seat, score in enumerate(scores)]


def value_at_end(game: NaiveGame) -> Values:
    """What a finished game is worth to each seat."""
    return [1000 * share + margin for share, margin in zip(game.shares(), margins(game.scores()), strict=True)]


@dataclass
class Solved:
    """The best turn of a position, what every turn is worth to each seat, and how many positions were looked at."""

    turn: Turn
    values: Values
    of_turns: dict[str, Values]
    n_positions: int


def solve(game: NaiveGame, every_slot: bool = False) -> Solved:
    """Try everything to the end."""
    seat = game.seat
    best: tuple[Fraction, int] | None = None
    solved = Solved((("pile", -1), None), [], {}, 0)
    for turn in moves(game, every_slot):
        position = after(game, turn)
        ahead = margins(position.scores())[seat]
        if position.over:
            values, n_below = value_at_end(position), 0
        else:
            deeper = solve(position, every_slot)
            values, n_below = deeper.values, deeper.n_positions
        solved.n_positions += 1 + n_below
        solved.of_turns[repr(turn)] = values
        if best is None or (values[seat], ahead) > best:
            best = (values[seat], ahead)
            solved.turn, solved.values = turn, values
    return solved
