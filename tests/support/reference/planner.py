"""The strategy `planner` once more, from its description, in dicts and strings on the naive twin.

Nothing here comes from `salad_sim`. What a card scores for a number of vegetables is asked of `reference.term_value`;
chances of so many more vegetables are Poisson's, everything beyond seven counting as seven.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, factorial, sqrt
from typing import Any

from support.reference.game import VEGETABLES, Draft, NaiveGame, term_value

Numbers = dict[str, float]

SHARPEST = 0.05
MOST_MORE = 7
MOST_EXPECTED = 8.0
BY_NUMBER = ("pair", "triple", "even_odd")
SETS = ("combo2", "combo3", "complete_set", "set")


def likely(lead: float) -> float:
    """A smooth step from 0 to 1."""
    return (1 + lead / sqrt(1 + lead**2)) / 2


def chances_of_more(expected: float, n_left: int) -> list[float]:
    """The chance of 0, 1, 2, ... more vegetables: by the expected number in eighths, never more than there are."""
    expected = min(int(expected * 8 + 0.5) / 8, MOST_EXPECTED)
    most = min(n_left, MOST_MORE)
    chances = [exp(-expected) * expected**more / factorial(more) for more in range(most)]
    return [*chances, 1 - sum(chances)]


@dataclass
class Outlook:
    """What a seat can expect to have of each vegetable at the end, and how its races stand."""

    own: dict[str, int]
    come: Numbers
    mean: Numbers
    lead: Numbers
    lag: Numbers


class NaivePlanner:
    """A planner of some parameters. `wants` is what it found on its last turn that one vegetable more would add."""

    def __init__(self, parameters: Numbers, n_cards: int) -> None:
        self.parameters = parameters
        self.n_cards = n_cards
        self.wants: dict[str, Numbers] = {who: dict.fromkeys(VEGETABLES, 0.0) for who in ("mine", "rival")}

    def __getattr__(self, name: str) -> float:
        return self.parameters[name]

    # ------------------------------------------------------------------------------- what can be expected

    def look(self, game: NaiveGame) -> None:
        """Take a position in."""
        self.game = game
        self.n_players = game.n_players
        self.crowded = 1 - 2 / game.n_players
        self.tables = game.tables()
        left = [card for pile in game.piles for card in pile] + [card for card in game.market if card is not None]
        self.n_left = len(left)
        backs = [game.cards[card]["back"] for card in left]
        self.supply = {veg: backs.count(veg) for veg in VEGETABLES}
        self.spreads = {veg: SHARPEST + self.spread * sqrt(self.supply[veg]) for veg in VEGETABLES}
        self.ahead = self.n_left / self.n_cards

    def outlook(self, seat: int, wants: Numbers) -> Outlook:
        """How many of each vegetable a seat can expect, a few more of those that it wants most."""
        share = self.reach * 2 / self.n_players * max(0, 1 - self.horizon * self.n_players / self.n_left)
        tilt = self.tilt + self.tilt_crowd * self.crowded
        average = sum(wants.values()) / len(VEGETABLES)
        own = self.tables[seat]
        outlook = Outlook(own, {}, {}, {}, {})
        for veg in VEGETABLES:
            others = [table[veg] for each, table in enumerate(self.tables) if each != seat]
            want = (wants[veg] - average) / 3
            fair = share * self.supply[veg]
            come = fair * (1 + tilt * want / (1 + abs(want)))
            come = max(0, min(come, self.supply[veg]))
            mean = own[veg] + come
            outlook.come[veg], outlook.mean[veg] = come, mean
            outlook.lead[veg] = (mean - (max(others) + fair) + 0.5) / self.spreads[veg]
            outlook.lag[veg] = (min(others) + fair - mean + 0.5) / self.spreads[veg]
        return outlook

    # ------------------------------------------------------------------------------- what a card will score

    def by_number(self, term: dict[str, Any], veg: str, outlook: Outlook) -> tuple[float, float]:
        """What a term that asks for the number of one vegetable will score, and what one more of it adds."""
        chances = chances_of_more(outlook.come[veg], self.supply[veg])
        start = outlook.own[veg]
        points = [self.points_for(term, veg, start + more) for more in range(len(chances) + 1)]
        now = sum(chance * points[more] for more, chance in enumerate(chances))
        with_one = sum(chance * points[more + 1] for more, chance in enumerate(chances))
        return now, with_one - now

    def points_for(self, term: dict[str, Any], veg: str, number: int) -> float:
        """What a term scores for so many of one vegetable; of each kind for itself where it counts kinds."""
        if term["kind"] == "missing_type":
            return float(term["points"]) if number == 0 else 0.0
        if term["kind"].startswith("type_at_least_"):
            return float(term["points"]) if number >= int(term["kind"].removeprefix("type_at_least_")) else 0.0
        return float(term_value(term, [{veg: number}, {}], 0, self.game.rules))

    def of_set(self, term: dict[str, Any], outlook: Outlook) -> tuple[float, Numbers]:
        """A set of several vegetables: as often as its scarcest one, the edges rounded off."""
        needs = {veg: need for veg, need in term["weights"].items() if need}
        least = 1000.0
        for veg in VEGETABLES:
            if veg in needs:
                mean = outlook.mean[veg] / needs[veg]
                least = (least + mean - sqrt((least - mean) ** 2 + self.spreads[veg] ** 2)) / 2
        adds = {}
        for veg, need in needs.items():
            beyond = (outlook.mean[veg] / need - least - 0.5) / self.spreads[veg]
            adds[veg] = term["points"] * (1 - likely(beyond)) / need
        rules = self.game.rules
        once = rules.sets == "once" or (rules.sets == "complete-once" and term["kind"] == "complete_set")
        return term["points"] * max(min(least, 1) if once else least, 0), adds

    def of_race(self, term: dict[str, Any], outlook: Outlook) -> tuple[float, Numbers]:
        """Most or fewest of one vegetable: as likely as the lead is large."""
        (veg,) = term["weights"]
        lead, step = outlook.lead[veg], 1 / self.spreads[veg]
        if term["kind"] == "fewest":
            lead, step = outlook.lag[veg], -step
        return term["points"] * likely(lead), {veg: term["points"] * (likely(lead + step) - likely(lead))}

    def of_total(self, term: dict[str, Any], seat: int) -> float:
        """Most or fewest of all: by how they stand now."""
        totals = [sum(table.values()) for table in self.tables]
        mine = totals.pop(seat)
        lead = mine - max(totals) if term["kind"] == "most_total" else min(totals) - mine
        return float(term["points"] * likely((lead + 0.5) / (SHARPEST + self.spread * sqrt(self.n_left))))

    def of_term(self, term: dict[str, Any], seat: int, outlook: Outlook) -> tuple[float, Numbers]:
        """What a term will score, and what one vegetable more adds to it."""
        kind, asked = term["kind"], [veg for veg, weight in term["weights"].items() if weight]
        if kind == "per_veg":
            return sum(term["weights"][veg] * outlook.mean[veg] for veg in asked), dict(term["weights"])
        if kind in BY_NUMBER or (kind in SETS and len(asked) == 1):
            value, more = self.by_number(term, asked[0], outlook)
            return value, {asked[0]: more}
        if kind in SETS:
            return self.of_set(term, outlook)
        if kind in ("most", "fewest"):
            return self.of_race(term, outlook)
        if kind in ("most_total", "fewest_total"):
            return self.of_total(term, seat), {}
        each = {veg: self.by_number(term, veg, outlook) for veg in VEGETABLES}
        return sum(value for value, _ in each.values()), {veg: more for veg, (_, more) in each.items()}

    def value(self, card: int, seat: int, outlook: Outlook) -> float:
        """What a card will score at the end."""
        return sum(self.of_term(term, seat, outlook)[0] for term in self.game.cards[card]["terms"])

    def gains(self, seat: int, outlook: Outlook) -> Numbers:
        """What one vegetable more adds to the cards in front of a seat."""
        gains = dict.fromkeys(VEGETABLES, 0.0)
        for card in self.game.hands[seat]:
            for term in self.game.cards[card]["terms"]:
                for veg, more in self.of_term(term, seat, outlook)[1].items():
                    gains[veg] += more
        return gains

    # ------------------------------------------------------------------------------- what is on offer

    def appraise(self, game: NaiveGame) -> None:
        """Value everything: drafts into `worth`, own cards into `values`, one more vegetable into `wants`."""
        self.look(game)
        seat, rival = game.seat, (game.seat + 1) % game.n_players
        self.mine, self.theirs = self.outlook(seat, self.wants["mine"]), self.outlook(rival, self.wants["rival"])
        self.wants = {"mine": self.gains(seat, self.mine), "rival": self.gains(rival, self.theirs)}
        self.values = {card: self.value(card, seat, self.mine) for card in game.hands[seat]}
        self.worth = {draft: self.worth_of(draft) for draft in game.legal_drafts()}

    def worth_of(self, draft: Draft) -> float:
        """What a draft is worth, and what the next player misses by it."""
        game, n_others = self.game, self.n_players - 1
        if draft[0] == "market":
            vegs = [game.cards[card]["back"] for card in (game.market[slot] for slot in draft[1]) if card is not None]
            missed = sum(self.wants["rival"][veg] for veg in vegs)
            return sum(map(self.worth_of_vegetable, vegs)) + self.deny_vegetable / n_others * missed
        card = game.piles[draft[1]][-1]
        rival = (game.seat + 1) % game.n_players
        extra = self.card + (self.card_early + self.card_crowd * self.crowded) * self.ahead
        worth = self.value(card, game.seat, self.mine) + extra
        missed = max(self.value(card, rival, self.theirs), 0)
        return max(worth, self.worth_of_vegetable(game.cards[card]["back"])) + self.deny_card / n_others * missed

    def worth_of_vegetable(self, veg: str) -> float:
        return self.wants["mine"][veg] + self.vegetable + self.vegetable_early * self.ahead

    def gains_of_flips(self, draft: Draft) -> dict[int, float]:
        """By how much each flip after a draft gains more than a flip must."""
        values = dict(self.values)
        if draft[0] == "pile":
            card = self.game.piles[draft[1]][-1]
            values[card] = self.value(card, self.game.seat, self.mine)
        must = self.flip + self.flip_early * self.ahead
        backs = {card: self.game.cards[card]["back"] for card in values}
        return {card: self.wants["mine"][backs[card]] - value - must for card, value in values.items()}
