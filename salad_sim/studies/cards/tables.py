"""What was counted of a line-up -> its cards in rows: to take now, to own, in logs; ranks, families, synergies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from salad_sim.game.card_families import Family, families, form_of
from salad_sim.game.cards import CardSet
from salad_sim.jit.typing import Floats, Ints, Row
from salad_sim.play.card_sums import WORTH_UNITS, CardSums, TrialSums, no_trials
from salad_sim.stats.intervals import Estimate
from salad_sim.stats.ranks import certain_order, leaders, rank_intervals
from salad_sim.stats.ratios import columns
from salad_sim.stats.shrinkage import FamilyTest, family_tests, shrink
from salad_sim.studies.cards.adjusted import adjusted_rows
from salad_sim.studies.cards.estimate import CardFindings
from salad_sim.studies.cards.lines import Line, lines, official_forms, plain
from salad_sim.studies.cards.observed import distribution_rows, observed_rows
from salad_sim.studies.cards.synergy import Synergies, synergies
from salad_sim.studies.cards.trials import (
    PHASES,
    Means,
    first_of,
    gift_columns,
    mean_blank,
    over_blank,
    take_columns,
    trial_means,
)

ENDS = ("", "_low", "_high")
"""Ends of the names of the three columns of an estimate."""

MOST_PAIRS = 500
"""Pairs of cards in the table of synergies, the strongest first."""

BLANK = "blank card"
"""What the row of the tables is called that is about a card which scores nothing."""


@dataclass(frozen=True)
class Ranking:
    """An order of the cards by one estimate.

    Attributes
    ----------
    means : Means
        NaN for cards of too few pairs.
    certain : ndarray of bool, shape [n_cards, n_cards]
        Which is certainly better than which, for all cards at once with 95 %.
    rank, best, worst : ndarray of int64, shape [n_cards]
        By value, 1 the highest; the best and the worst that it may be, likewise.
    """

    means: Means
    rank: Ints
    best: Ints
    worst: Ints
    group: Ints

    @classmethod
    def of(cls, means: Means) -> Ranking:
        """Rank cards by estimates of what each is worth."""
        means = means.if_known()
        certain = certain_order(means.value, means.covariance)
        return cls(means, ranked(means.value), *rank_intervals(certain), leaders(means.value, certain))

    def columns(self, card: int, prefix: str = "") -> Row:
        """Return a card's rank and what it may be as columns, empty if the card has too few pairs."""
        found = (self.rank, self.best, self.worst)
        known = bool(self.means.is_known[card])
        return {f"{prefix}rank{end}": int(x[card]) if known else None for end, x in zip(ENDS, found, strict=True)}

    @cached_property
    def for_all(self) -> float:
        """The half-width, in standard errors, of intervals that hold for all cards at once."""
        return self.means.for_all()

    def at_once(self, card: int) -> Estimate:
        """Return the value of a card with an interval that holds for all cards at once: also for the largest."""
        return self.means.estimate(card, self.for_all)

    @property
    def n_certain(self) -> tuple[int, int]:
        """How many cards are certainly worth more than nothing, and how many less, all at once."""
        found = [self.at_once(int(card)) for card in np.flatnonzero(self.means.is_known)]
        return sum(each.low > 0 for each in found), sum(each.high < 0 for each in found)


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
    def gift_sums(self) -> TrialSums:
        """What gifts did; nothing, if the study ended before."""
        return self.found.gifts or no_trials(self.n_players, len(self.cards))

    @cached_property
    def take_sums(self) -> TrialSums:
        """What taking cards did; nothing, if the study ended before."""
        return self.found.takes or no_trials(self.n_players, len(self.cards))

    @cached_property
    def gift(self) -> tuple[Means, Means]:
        """What gifts of cards and of blank ones bring: margin, win share."""
        return trial_means(self.gift_sums, "dev"), trial_means(self.gift_sums, "wins")

    @cached_property
    def own(self) -> tuple[Means, Means]:
        """What each card is worth to own, more than a blank one: margin, win share."""
        return over_blank(self.gift[0], self.cards), over_blank(self.gift[1], self.cards)

    @cached_property
    def take(self) -> list[tuple[Means, Means]]:
        """What each card is worth to take: margin, win share; of all tables, then by phase."""
        return [(self._take("dev", layer), self._take("wins", layer)) for layer in range(len(self.take_sums.trials))]

    def _take(self, name: str, layer: int) -> Means:
        return first_of(trial_means(self.take_sums, name, layer), len(self.cards))

    @property
    def is_ranked(self) -> bool:
        """Whether any card was taken and left often enough to be ranked."""
        return bool(self.by_take.means.is_known.any())

    @cached_property
    def by_take(self) -> Ranking:
        """The ranking by points of margin if taken."""
        return Ranking.of(self.take[0][0])

    @cached_property
    def by_own(self) -> Ranking:
        """The ranking by points of margin to own."""
        return Ranking.of(self.own[0])

    @cached_property
    def family_tests(self) -> list[FamilyTest]:
        """Means of families and whether their members differ."""
        return family_tests(self.by_take.means.value, self.by_take.means.covariance, self.families)

    @cached_property
    def observed(self) -> list[Row]:
        """What games show of each card."""
        rows = observed_rows(with_extra(self.found.counts, self.found.extra), self.cards)
        if self.found.extra:
            plain_rows = observed_rows(self.found.counts, self.cards)
            for row, of_free in zip(rows, plain_rows, strict=True):
                row |= {name: of_free[name] for name in ("games", "in_deck", "in_deck_low", "in_deck_high")}
        for row in rows:
            more = self.found.extra.get(row["card_id"])
            row["games_with_it_dealt"] = 0 if more is None else int(more["dealt"])
        return rows

    @cached_property
    def synergies(self) -> Synergies | None:
        """What pairs of cards are worth beyond the sum; None if there are no games to tell."""
        sums = self.found.residuals
        if sums is None or len(sums.n_games) < 2:
            return None
        return synergies(sums, self.cards, WORTH_UNITS)

    @cached_property
    def lines(self) -> list[Line]:
        """Whether each card is in line with the others."""
        return lines(self.by_own.means, self.cards, self.found.plan.rules)

    @cached_property
    def ranking(self) -> list[Row]:
        """One row for each card, by id: ranks, and the answers to the three questions side by side."""
        adjusted = adjusted_rows(self.found.adjusted, self.cards)
        win = Ranking.of(self.take[0][1])
        drawn = shrink(self.by_take.means.value, self.by_take.means.covariance, self.families)
        rows = []
        for card in self.cards:
            number = card.card_id
            row: Row = {"card_id": number, "card": card.text, "back": self.cards.labels[card.back]}
            row |= {"family": form_of(card)} | self.by_take.columns(number)
            row["group"] = int(self.by_take.group[number])
            row |= take_columns(self.take_sums, *self.take[0], number) | win.columns(number, "win_")
            row |= columns(
                "shrunken_margin", Estimate(*(float(x[number]) for x in (drawn.value, drawn.low, drawn.high)))
            )
            row |= self.by_own.columns(number, "own_")
            row |= columns("own_margin", self.own[0].estimate(number)) | columns(
                "own_win", self.own[1].estimate(number)
            )
            row |= gift_columns(self.gift_sums, *self.gift, number)
            row |= {name: value for name, value in self.observed[number].items() if name.startswith("observed_")}
            row |= {name: value for name, value in adjusted[number].items() if name.startswith(("adjusted_", "ridge"))}
            row |= {f"pick_rate{end}": self.observed[number][f"pick_rate{end}"] for end in ENDS}
            rows.append(row | self.lines[number].columns())
        in_logs = ranked(np.array([row["observed_margin"] for row in rows]))
        for row, rank in zip(rows, in_logs, strict=True):
            row["observed_rank"] = int(rank)
        return rows

    @cached_property
    def by_rank(self) -> list[Row]:
        """The rows of the ranking, the best card to take first."""
        return [self.ranking[card] for card in np.argsort(self.by_take.rank)]

    @cached_property
    def blank(self) -> Row:
        """The row of a card that scores nothing and may be flipped, the mean of the backs: it can only be given."""
        n = len(self.cards)
        row = dict.fromkeys(self.ranking[0]) | {"card": BLANK, "gift_pairs": int(self.gift[0].pairs[n:].sum())}
        names = ("gift_margin", "gift_win")
        for name, means in zip(names, self.gift, strict=True):
            row |= columns(name, mean_blank(means, n))
        return row

    def phase_rows(self) -> list[Row]:
        """Return one row for each card and phase of the game."""
        rows = []
        for layer, phase in enumerate(PHASES, start=1):
            ranking = Ranking.of(self.take[layer][0])
            for card in self.cards:
                row: Row = {"card_id": card.card_id, "card": card.text, "own_turns": phase}
                row |= ranking.columns(card.card_id)
                rows.append(row | take_columns(self.take_sums, *self.take[layer], card.card_id, layer))
        return rows

    def family_rows(self) -> list[Row]:
        """Return one row for each family, the best to take first."""
        rows = []
        members = {family.name: family.members for family in self.families}
        for test in self.family_tests:
            # of a single card the very interval that stands beside it in the ranking
            alone = members[test.name][0] if len(members[test.name]) == 1 else None
            mean = test.mean if alone is None else self.by_take.means.estimate(alone)
            row: Row = {"family": test.name, "cards": test.n_members} | columns("mean_margin", mean)
            row |= columns("spread", test.spread)
            row |= {"chi_square": test.statistic, "freedom": test.freedom, "p_value": test.p_value}
            rows.append(row | {"p_holm": test.p_holm})
        return sorted((row for row in rows if row["cards"]), key=lambda row: -row["mean_margin"])

    def new_cards(self) -> list[Row]:
        """Return the ranking's rows of the cards that are not among the 108 of the game."""
        known = official_forms()
        return [row for row in self.by_rank if plain(self.cards[row["card_id"]]) not in known]

    @cached_property
    def phases(self) -> list[Row]:
        """The rows of `phase_rows`."""
        return self.phase_rows()

    def tables(self) -> dict[str, list[Row]]:
        """Return all that is known in tidy tables, by name."""
        found = self.synergies
        tables = {
            "ranking": [*self.by_rank, self.blank],
            "phases": self.phases,
            "families": self.family_rows(),
            "observed": self.observed,
            "points": distribution_rows(with_extra(self.found.counts, self.found.extra), self.cards),
            "synergies": found.rows[:MOST_PAIRS] if found else [],
            "family_synergies": found.family_rows if found else [],
        }
        labels = {"players": self.n_players, "strategy": self.name}
        return {name: [labels | row for row in rows] for name, rows in tables.items()}


def ranked(values: Floats) -> Ints:
    """Return the rank of each value, 1 the highest; NaN comes last."""
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return rank


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
