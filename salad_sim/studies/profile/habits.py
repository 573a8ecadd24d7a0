"""The rows that were noted of a strategy -> what it does, as sums over deals that add up exactly.

Each statistic is a rate or mean y / x whose parts are summed for each deal, since the deal is the unit of every
interval. What is kept of them are integers, so nothing depends on the order in which deals were added.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from salad_sim.game.card_kinds import KINDS
from salad_sim.game.cards import Card, CardSet
from salad_sim.game.state import N_VEGETABLES, NONE
from salad_sim.jit.typing import Ints
from salad_sim.play.decision_recorder import N_WISHES, NOT_KEPT, POINT_CARD, SOLVED, TOO_LARGE, TWO_VEGETABLES
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.stats.ratios import Ratios

MOST_LEFT = 9
"""Cards of an ending that is solved with two players: three tops and the market."""

MOST_LEFT_IN_A_CROWD = 6
"""The same with more players, where no branch of the search can be cut."""

SIXTHS = 6
SIXTIETHS = 60
TEN_THOUSANDTHS = 10_000
"""Units of what chance would do: thirds of a card, sixths of a slot; one of up to 24 drafts is rounded."""


Sums = dict[str, Ratios]
"""Statistics by name, see `Counter.count`."""


def family_of(card: Card) -> str:
    """Return the kind of a card; cards that can cost points are families of their own."""
    kinds = "+".join(dict.fromkeys(term.kind for term in card.terms))
    return kinds if all(term.only_gains for term in card.terms) else f"{kinds} with a minus"


def families_of(cards: CardSet) -> list[str]:
    """Return the different families of a card set, in the order of its cards."""
    return list(dict.fromkeys(map(family_of, cards)))


def wishes_of(card: Card) -> tuple[list[bool], list[bool]]:
    """Return which vegetables a card asks for and which it shuns, by what it says.

    It asks for what brings points each, for parts of a set and for what to have most of; it shuns what costs points and
    what to have fewest of (points below zero turn this round). Even/odd cards, cards about missing vegetables, about
    types and about totals name none.
    """
    asks, shuns = [False] * N_VEGETABLES, [False] * N_VEGETABLES
    for term in card.terms:
        kind = KINDS[term.kind]
        gain = kind.wish * (term.points if kind.points else 1)
        for veg, weight in enumerate(term.weights):
            asks[veg] |= weight * gain > 0
            shuns[veg] |= weight * gain < 0
    return asks, shuns


class Counter:
    """Adds up the rows of decisions and rounds, deal by deal."""

    def __init__(self, plan: Plan) -> None:
        families = families_of(plan.cards)
        self.family = np.array([families.index(family_of(card)) for card in plan.cards])
        self.n_cards, self.n_families = len(plan.cards), len(families)
        self.n_turns = -(-sum(plan.drawn) // plan.n_players)  # every seat takes at least one card each turn
        self.n_left = most_left(plan) + 1
        self.first_deal = self.n_deals = 0

    def count(self, rows: Any, rounds: Any, shard: Shard) -> Sums:
        """Return the statistics of the rows of a shard.

        Returns
        -------
        dict of str to Ratios
            With x and y of each cell in words; cells of ``..._card`` and ``..._family`` are cards and families:

            - ``turn_takes`` [turn, what]: turns; those that take a point card, one vegetable, two; ``takes`` [what]
            - ``turn_flips`` [turn]: turns; those with a flip; ``flips`` of all turns
            - ``length``: rounds; own turns. ``score``: rounds; points. ``flips_round``: rounds; flips
            - ``wins``: games; wins in sixtieths
            - ``pick_*``: times on top at an own turn; taken
            - ``preference_*``: sixths of the cards that would be taken, on turns that take a point card, if it were
              one of the tops at random; sixths of those taken
            - ``kept_*``: rounds; cards held at the end. ``points_*``: cards held at the end; their points.
            - ``flipped_*``: point cards taken; those flipped, sooner or later
            - ``flip_gain``, ``flip_worth``, ``..._family``: flips; points at once, points at the end
            - ``wish_pick`` [wish]: vegetables on offer on turns that take vegetables; taken
            - ``wish_preference`` [wish]: the same as ``preference_*`` in sixtieths of vegetables
            - ``best``: turns; those with the draft that scores most at once
            - ``conflict``: turns; those on which the best draft and the one that denies most differ
            - ``denial``, ``given_up``: such turns; those that deny, those that do not take the best draft
            - ``given_up_denial``, ``given_up_chance``: those that do not; those that deny, what chance would deny if it
              drafted anything but the best, in ten-thousandths
            - ``ending_perfect``, ``ending_win_loss``, ``ending_margin_loss`` [who, cards left]: solved endings; those
              without a loss, sixtieths of a win lost, points of margin lost; the watched seat first, then the others.
              ``endings_...`` [who]: of all numbers of cards
            - ``endings_solved`` [who]: endings; those that could be solved
        """
        self.first_deal, self.n_deals = shard.first_deal, shard.n_deals
        own = rows[rows["is_watched"] == 1]
        parts = (
            self._turns(own),
            self._rounds(own, rounds),
            self._cards(own, rounds),
            self._flips(own),
            self._vegetables(own),
            self._rivalry(own),
            self._endings(rows),
        )
        return {name: ratios for part in parts for name, ratios in part}

    def _sum(self, rows: Any, cell: Any, n_cells: int, values: Any = None) -> Ints:
        """Return the sums of values (default: the number of rows) by deal and cell."""
        where = (rows["deal"] - self.first_deal) * n_cells + cell
        sums = np.bincount(where, values, minlength=self.n_deals * n_cells)  # floats, but whole numbers far below 2**53
        return sums.astype(np.int64).reshape(self.n_deals, n_cells)

    def _turns(self, own: Any) -> Iterator[tuple[str, Ratios]]:
        turns = self._sum(own, own["turn"], self.n_turns)
        n_ways = TWO_VEGETABLES + 1
        takes = self._sum(own, own["turn"] * n_ways + own["takes"], self.n_turns * n_ways)
        flips = self._sum(own, own["turn"], self.n_turns, own["flip"] != NONE)
        yield "turn_takes", Ratios.of_deals(np.repeat(turns, n_ways, axis=1), takes)
        yield "takes", Ratios.of_deals(_total(turns), takes.reshape(self.n_deals, -1, n_ways).sum(1))
        yield "turn_flips", Ratios.of_deals(turns, flips)
        yield "flips", Ratios.of_deals(_total(turns), _total(flips))

    def _rounds(self, own: Any, rounds: Any) -> Iterator[tuple[str, Ratios]]:
        n_rounds = self._sum(rounds, 0, 1)
        for name, field in (("length", "turns"), ("score", "score")):
            yield name, Ratios.of_deals(n_rounds, self._sum(rounds, 0, 1, rounds[field]))
        yield "flips_round", Ratios.of_deals(n_rounds, self._sum(own, 0, 1, own["flip"] != NONE))
        last = rounds[rounds["is_last"] == 1]
        yield "wins", Ratios.of_deals(self._sum(last, 0, 1), self._sum(last, 0, 1, last["wins"]))

    def _cards(self, own: Any, rounds: Any) -> Iterator[tuple[str, Ratios]]:
        """What is done with each card and family."""
        tops, n_cards = own["top"], self.n_cards
        offered = np.zeros((self.n_deals, n_cards), dtype=np.int64)
        expected = np.zeros_like(offered)
        picks = own["takes"] == POINT_CARD
        n_tops = (tops != NONE).sum(1)
        for top in tops.T:
            there = top != NONE
            offered += self._sum(own[there], top[there], n_cards)
            there &= picks
            expected += self._sum(own[there], top[there], n_cards, SIXTHS // n_tops[there])
        takers, flippers = own[picks], own[own["flip"] != NONE]
        taken = self._sum(takers, takers["card"], n_cards)
        flipped = self._sum(flippers, flippers["flip"], n_cards)
        worth = rounds["worth"][:, :n_cards]
        row, card = np.nonzero(worth != NOT_KEPT)
        kept = self._sum(rounds[row], card, n_cards)
        points = self._sum(rounds[row], card, n_cards, worth[row, card])
        n_rounds = self._sum(rounds, 0, 1)
        for what, group in (("card", lambda each: each), ("family", self._by_family)):
            there, got = group(offered), group(taken)
            yield f"pick_{what}", Ratios.of_deals(there, got)
            yield f"preference_{what}", Ratios.of_deals(group(expected), SIXTHS * got)
            yield f"flipped_{what}", Ratios.of_deals(got, group(flipped))
            held = group(kept)
            yield f"kept_{what}", Ratios.of_deals(n_rounds, held)
            yield f"points_{what}", Ratios.of_deals(held, group(points))
        yield "kept", Ratios.of_deals(n_rounds, _total(kept))
        yield "points", Ratios.of_deals(_total(kept), _total(points))

    def _by_family(self, by_card: Ints) -> Ints:
        sums = np.zeros((len(by_card), self.n_families), dtype=np.int64)
        np.add.at(sums.T, self.family, by_card.T)
        return sums

    def _flips(self, own: Any) -> Iterator[tuple[str, Ratios]]:
        flips = own[own["flip"] != NONE]
        family, n_families = self.family[flips["flip"]], self.n_families
        number = self._sum(flips, family, n_families)
        for name in ("flip_gain", "flip_worth"):
            points = self._sum(flips, family, n_families, flips[name])
            yield f"{name}_family", Ratios.of_deals(number, points)
            yield name, Ratios.of_deals(_total(number), _total(points))

    def _vegetables(self, own: Any) -> Iterator[tuple[str, Ratios]]:
        """What is taken of the vegetables on offer, by what the own cards say of them."""
        takers = own[own["takes"] != POINT_CARD]
        n_market, n_taken = takers["market"].sum(1), takers["taken"].sum(1)
        offered, taken, expected = (np.zeros((self.n_deals, N_WISHES), dtype=np.int64) for _ in range(3))
        for wish in range(N_WISHES):
            on_offer = takers["market"][:, wish]
            offered[:, wish] = self._sum(takers, 0, 1, on_offer)[:, 0]
            taken[:, wish] = self._sum(takers, 0, 1, takers["taken"][:, wish])[:, 0]
            expected[:, wish] = self._sum(takers, 0, 1, on_offer * n_taken * (SIXTIETHS // n_market))[:, 0]
        yield "wish_pick", Ratios.of_deals(offered, taken)
        yield "wish_preference", Ratios.of_deals(expected, SIXTIETHS * taken)

    def _rivalry(self, own: Any) -> Iterator[tuple[str, Ratios]]:
        turns, conflicts = self._sum(own, 0, 1), own[own["is_conflict"] == 1]
        given_up = conflicts[conflicts["is_best"] == 0]
        chance = np.rint(TEN_THOUSANDTHS * given_up["n_denials"] / (given_up["n_drafts"] - given_up["n_best"]))
        n_conflicts, n_given_up = self._sum(conflicts, 0, 1), self._sum(given_up, 0, 1)
        yield "best", Ratios.of_deals(turns, self._sum(own, 0, 1, own["is_best"]))
        yield "conflict", Ratios.of_deals(turns, n_conflicts)
        yield "denial", Ratios.of_deals(n_conflicts, self._sum(conflicts, 0, 1, conflicts["denies"]))
        yield "given_up", Ratios.of_deals(n_conflicts, n_given_up)
        yield "given_up_denial", Ratios.of_deals(n_given_up, self._sum(given_up, 0, 1, given_up["denies"]))
        yield "given_up_chance", Ratios.of_deals(n_given_up, self._sum(given_up, 0, 1, chance))

    def _endings(self, rows: Any) -> Iterator[tuple[str, Ratios]]:
        solved, large = rows[rows["ending"] == SOLVED], rows[rows["ending"] == TOO_LARGE]
        n_cells = 2 * self.n_left
        cell = (1 - solved["is_watched"]) * self.n_left + solved["n_left"]
        number = self._sum(solved, cell, n_cells)
        perfect = (solved["win_loss"] == 0) & (solved["margin_loss"] == 0)
        for name, values in (
            ("perfect", perfect),
            ("win_loss", solved["win_loss"]),
            ("margin_loss", solved["margin_loss"]),
        ):
            sums = self._sum(solved, cell, n_cells, values)
            yield f"ending_{name}", Ratios.of_deals(number, sums)
            yield f"endings_{name}", Ratios.of_deals(self._by_who(number), self._by_who(sums))
        n_solved = self._by_who(number)
        yield "endings_solved", Ratios.of_deals(n_solved + self._sum(large, 1 - large["is_watched"], 2), n_solved)

    def _by_who(self, sums: Ints) -> Ints:
        by_who: Ints = sums.reshape(self.n_deals, 2, self.n_left).sum(2)
        return by_who


def _total(by_cell: Ints) -> Ints:
    total: Ints = by_cell.sum(1, keepdims=True)
    return total


def most_left(plan: Plan) -> int:
    """Return the most cards of an ending that is solved."""
    return MOST_LEFT if plan.n_players == 2 else MOST_LEFT_IN_A_CROWD
