"""What was counted of a line-up -> its cards in rows: three estimates side by side, ranks, families, synergies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from salad_sim.game.card_families import Family, families, form_of
from salad_sim.game.cards import Card, CardSet, official_cards
from salad_sim.jit.typing import Floats, Ints, Row
from salad_sim.play.card_sums import WORTH_UNITS, CardSums, no_gifts
from salad_sim.stats.intervals import Estimate
from salad_sim.stats.prediction import OutOfLine, out_of_line
from salad_sim.stats.ranks import certain_order, leaders, rank_intervals, tiers
from salad_sim.stats.ratios import columns
from salad_sim.stats.shrinkage import FamilyTest, Shrunken, family_tests, shrink
from salad_sim.studies.cards.adjusted import adjusted_rows
from salad_sim.studies.cards.causal import (
    KNOWN_PAIRS,
    GiftValues,
    bias_rows,
    gift_rows,
    gift_seat_rows,
    gift_values,
    offer_card_rows,
    offer_rows,
    relative_bias,
)
from salad_sim.studies.cards.estimate import CardFindings
from salad_sim.studies.cards.observed import distribution_rows, observed_rows
from salad_sim.studies.cards.synergy import Synergies, synergies

ENDS = ("", "_low", "_high")
"""Ends of the names of the three columns of an estimate."""

MOST_PAIRS = 500
"""Pairs of cards in the table of synergies, the strongest first."""


@dataclass(frozen=True)
class Ranking:
    """An order of the cards by one estimate.

    Attributes
    ----------
    values, covariance : ndarray of float64
    rank, best, worst : ndarray of int64, shape [n_cards]
        By value, 1 the highest; the best and the worst that it may be, for all cards at once with 95 %.
    tier, group : ndarray of int64, shape [n_cards]
        See `ranks.tiers` and `ranks.leaders`.
    """

    values: Floats
    covariance: Floats
    rank: Ints
    best: Ints
    worst: Ints
    tier: Ints
    group: Ints

    @classmethod
    def of(cls, values: Floats, covariance: Floats) -> Ranking:
        """Rank cards by estimates of what each is worth."""
        certain = certain_order(values, covariance)
        best, worst = rank_intervals(certain)
        return cls(values, covariance, ranked(values), best, worst, tiers(values, certain), leaders(values, certain))


@dataclass(frozen=True)
class CardTables:
    """The cards of one line-up in rows."""

    found: CardFindings

    @property
    def name(self) -> str:
        """The line-up."""
        return self.found.condition.name

    @property
    def n_players(self) -> int:
        """Players in a game."""
        return self.found.plan.n_players

    @property
    def cards(self) -> CardSet:
        """The card set."""
        return self.found.plan.cards

    @cached_property
    def families(self) -> list[Family]:
        """The families of the set."""
        return families(self.cards)

    @cached_property
    def gift_sums(self) -> Any:
        """What gifts and offers did; nothing, if the study ended before."""
        return self.found.gifts or no_gifts(self.n_players, len(self.cards))

    @cached_property
    def values(self) -> GiftValues:
        """The causal values."""
        return gift_values(self.gift_sums, KNOWN_PAIRS)

    @property
    def is_ranked(self) -> bool:
        """Whether any card was given often enough to be ranked."""
        return bool(np.isfinite(self.values.margin).any())

    @cached_property
    def margin(self) -> Ranking:
        """The ranking by points of margin."""
        return Ranking.of(self.values.margin, self.values.margin_covariance)

    @cached_property
    def win(self) -> Ranking:
        """The ranking by win share."""
        return Ranking.of(self.values.win, self.values.win_covariance)

    @cached_property
    def shrunken(self) -> Shrunken:
        """Points of margin, drawn toward the family."""
        return shrink(self.values.margin, self.values.margin_covariance, self.families)

    @cached_property
    def family_tests(self) -> list[FamilyTest]:
        """Means of families and whether their members differ."""
        return family_tests(self.values.margin, self.values.margin_covariance, self.families)

    @cached_property
    def observed(self) -> list[Row]:
        """What games show of each card."""
        rows = observed_rows(with_extra(self.found.counts, self.found.extra), self.cards)
        if self.found.extra:
            plain = observed_rows(self.found.counts, self.cards)
            for row, of_free in zip(rows, plain, strict=True):
                row |= {name: of_free[name] for name in ("games", "in_deck", "in_deck_low", "in_deck_high")}
        for row in rows:
            more = self.found.extra.get(row["card_id"])
            row["games_with_it_dealt"] = 0 if more is None else int(more["dealt"])
        return rows

    @cached_property
    def gifts(self) -> list[Row]:
        """What gifts cause."""
        return gift_rows(self.gift_sums, self.cards)

    @cached_property
    def offers(self) -> list[Row]:
        """What offers cause, by turn."""
        return offer_rows(self.gift_sums, self.cards)

    @cached_property
    def synergies(self) -> Synergies | None:
        """What pairs of cards are worth beyond the sum; None if there are no games to tell."""
        sums = self.found.residuals
        if sums is None or len(sums.n_games) < 2:
            return None
        return synergies(sums, self.cards, WORTH_UNITS)

    @cached_property
    def lines(self) -> list[OutOfLine]:
        """Whether each card is within the range of its family and of all cards."""
        known = official_forms()
        among = [card.card_id for card in self.cards if plain(card) in known]
        return out_of_line(self.values.margin, self.values.margin_covariance, self.families, among or None)

    @cached_property
    def ranking(self) -> list[Row]:
        """One row for each card, by id: ranks and values, the three estimates side by side."""
        bias = bias_rows(self.observed, self.gifts)
        adjusted = adjusted_rows(self.found.adjusted, self.cards)
        offers = {row["card_id"]: row for row in offer_card_rows(self.gift_sums, self.cards)}
        rows = []
        for card in self.cards:
            number = card.card_id
            row: Row = {"card_id": number, "card": card.text, "back": self.cards.labels[card.back]}
            row |= {"family": form_of(card)} | ranks_of(self.margin, number, "")
            row |= self.gifts[number] | self._shrunken(number) | ranks_of(self.win, number, "win_")
            row |= {name: value for name, value in self.observed[number].items() if name.startswith("observed_")}
            row |= {name: value for name, value in adjusted[number].items() if name.startswith(("adjusted_", "ridge"))}
            row |= {name: value for name, value in bias[number].items() if name.startswith("bias_")}
            row |= line_columns(self.lines[number])
            offer = offers.get(number, {})
            row |= {name: offer.get(name) for name in OFFER_COLUMNS}
            row |= {f"pick_rate{end}": self.observed[number][f"pick_rate{end}"] for end in ENDS}
            rows.append(row)
        for row, relative in zip(rows, relative_bias(self.observed, self.values), strict=True):
            row |= columns("bias_beyond_mean", relative)
        in_logs = ranked(np.array([row["observed_margin"] for row in rows]))
        for row, rank in zip(rows, in_logs, strict=True):
            row["observed_rank"] = int(rank)
        return rows

    def _shrunken(self, number: int) -> Row:
        drawn = self.shrunken
        return columns("shrunken_margin", Estimate(*(float(x[number]) for x in (drawn.value, drawn.low, drawn.high))))

    @cached_property
    def by_rank(self) -> list[Row]:
        """The rows of the ranking, the best card first."""
        return sorted(self.ranking, key=lambda row: row["rank"])

    def family_rows(self) -> list[Row]:
        """Return one row for each family, the best first."""
        rows = []
        members = {family.name: family.members for family in self.families}
        for test in self.family_tests:
            # of a single card the very interval that stands beside it in the ranking
            alone = members[test.name][0] if len(members[test.name]) == 1 else None
            mean = test.mean if alone is None else Estimate(*(self.gifts[alone][f"gift_margin{end}"] for end in ENDS))
            row: Row = {"family": test.name, "cards": test.n_members} | columns("mean_margin", mean)
            row |= columns("spread", test.spread)
            row |= {"chi_square": test.statistic, "freedom": test.freedom, "p_value": test.p_value}
            rows.append(row | {"p_holm": test.p_holm})
        return sorted((row for row in rows if row["cards"]), key=lambda row: -row["mean_margin"])

    def new_cards(self) -> list[Row]:
        """Return the ranking's rows of the cards that are not among the 108 of the game."""
        known = official_forms()
        return [row for row in self.by_rank if plain(self.cards[row["card_id"]]) not in known]

    def labelled(self, rows: list[Row]) -> list[Row]:
        """Return rows with the number of players and the line-up in front."""
        return [{"players": self.n_players, "strategy": self.name, **row} for row in rows]

    def tables(self) -> dict[str, list[Row]]:
        """Return all that is known in tidy tables, by name."""
        found = self.synergies
        tables = {
            "ranking": [without_ranks(row) for row in self.by_rank],
            "families": self.family_rows(),
            "observed": self.observed,
            "points": distribution_rows(with_extra(self.found.counts, self.found.extra), self.cards),
            "gift_by_seat": gift_seat_rows(self.gift_sums, self.cards),
            "offers": self.offers,
            "synergies": found.rows[:MOST_PAIRS] if found else [],
            "family_synergies": found.family_rows if found else [],
        }
        return {name: self.labelled(rows) for name, rows in tables.items()}


def ranked(values: Floats) -> Ints:
    """Return the rank of each value, 1 the highest; NaN comes last."""
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return rank


OFFER_COLUMNS = (
    *(f"{name}{end}" for name in ("offer_taken", "offer_margin", "offer_win") for end in ENDS),
    "pays_from",
    "pays_to",
)


def ranks_of(ranking: Ranking, card: int, prefix: str) -> Row:
    """Return a card's rank and what it may be as columns."""
    row = {
        f"{prefix}rank": int(ranking.rank[card]),
        f"{prefix}rank_low": int(ranking.best[card]),
        f"{prefix}rank_high": int(ranking.worst[card]),
    }
    return row | ({"tier": int(ranking.tier[card]), "group": int(ranking.group[card])} if not prefix else {})


def without_ranks(row: Row) -> Row:
    """Return a row of the ranking, without ranks if its card was given too seldom to have one."""
    if row["tier"]:
        return row
    return row | dict.fromkeys([f"{name}{end}" for name in ("rank", "win_rank") for end in ENDS])


def line_columns(line: OutOfLine) -> Row:
    """Return the ranges predicted for a card, and whether its value is outside, as columns."""
    return {
        "family_range_low": line.family_range.low,
        "family_range_high": line.family_range.high,
        "outside_family": line.outside_family,
        "all_range_low": line.all_range.low,
        "all_range_high": line.all_range.high,
        "outside_all": line.outside_all,
    }


def with_extra(counts: CardSums, extra: dict[int, Any]) -> CardSums:
    """Return counts in which the cards that were dealt more often have their further games too.

    All rates of a card but that of being in the deck are given that it is there, in the further games as in the others.
    """
    cards, n_games = counts.cards.copy(), counts.n_games.copy()
    for card, more in extra.items():
        n_games[0] += int(more["dealt"])
        for name in cards.dtype.names or ():
            cards[name][0, card] += more[name]
    return replace(counts, cards=cards, n_games=n_games)


@cache
def official_forms() -> frozenset[tuple[Any, ...]]:
    """Return what makes the 108 cards of the game what they are."""
    return frozenset(plain(card) for card in official_cards())


def plain(card: Card) -> tuple[Any, ...]:
    """Return what makes a card what it is: its back and its terms, not its id or what it says."""
    terms = [(term.kind, term.weights, term.points, term.even_points, term.odd_points) for term in card.terms]
    return card.back, tuple(sorted(terms))
