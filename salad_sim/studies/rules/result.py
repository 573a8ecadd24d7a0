"""What a ruling moves: tables of paired differences between two sets of rules on the same deals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from salad_sim.files.values import as_frame, finite
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.jit.typing import Row
from salad_sim.run.driver import Progress, Session, counted
from salad_sim.run.paired import PairSums, play_pair
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import DealOptions, Lineup
from salad_sim.stats.intervals import LEVEL, Estimate, mean, proportion

if TYPE_CHECKING:
    import pandas as pd

FEWEST_KEPT = 30
"""Games in which a card must have been kept under each ruling before its worth is compared."""


@dataclass(frozen=True)
class Comparison:
    """Two rulings on the same deals.

    Attributes
    ----------
    a, b : Plan
        What was played under each; differences are B minus A.
    sums : PairSums
        What was counted.
    """

    a: Plan
    b: Plan
    sums: PairSums

    @property
    def deals(self) -> int:
        """Deals played under both."""
        return self.sums.n_deals

    @property
    def differ(self) -> Estimate:
        """Share of the deals in which the two games differ at all."""
        count = self.sums.n_differ
        return proportion(count, count, self.deals, self.deals)

    @cached_property
    def seat_rows(self) -> list[Row]:
        """One row a seat: win share and mean score under A and B, and the paired difference with its interval."""
        rows = []
        for seat in range(self.a.n_players):
            row: Row = {"seat": seat + 1}
            row |= self._seat_difference("win_share", "wins", seat, WHOLE_WIN)
            row |= self._seat_difference("mean_score", "scores", seat, 1)
            rows.append(row)
        return rows

    @cached_property
    def game_rows(self) -> list[Row]:
        """One row for the turns of a game and one for the rate of equal top totals."""
        rows = []
        for what, name in (("turns", "turns"), ("tie_rate", "tied")):
            sums = self.sums.of_game
            difference = self._difference(sums[f"{name}_a"], sums[f"{name}_b"], sums[f"{name}_squared"], 1)
            rows.append({"measure": what, **difference})
        return rows

    def _seat_difference(self, what: str, name: str, seat: int, unit: int) -> Row:
        sums = self.sums.by_seat
        a, b, squares = (int(sums[f"{name}{end}"][seat]) for end in ("_a", "_b", "_squared"))
        found = self._difference(a, b, squares, unit)
        if what == "win_share":  # a difference of shares lies between -1 and 1
            for end in ("difference_low", "difference_high"):
                found[end] = min(max(found[end], -1.0), 1.0)
        return {f"{what}_{key}": value for key, value in found.items()}

    def _difference(self, a: int, b: int, squares: int, unit: int) -> Row:
        n = self.deals
        value, low, high = mean(b - a, squares, n, n)
        return {
            "a": a / n / unit,
            "b": b / n / unit,
            "difference": value / unit,
            "difference_low": low / unit,
            "difference_high": high / unit,
        }

    @cached_property
    def card_rows(self) -> list[Row]:
        """One row a card: how often it was kept and what it was then worth, under A and B, ranks, and the difference.

        Intervals are simultaneous for all cards (Bonferroni): all of them hold at once with 95 %. Ranks are by mean
        points when kept, 1 the highest; cards that were hardly kept have none. Means of kept cards are ratios, whose
        errors come from the delta method over deals.
        """
        n = self.deals
        enough = [index for index in range(len(self.a.cards)) if min(self.sums.cards[index, [0, 2]]) >= FEWEST_KEPT]
        quantile = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / max(len(enough), 1))
        ranks = {end: _ranks({card: self._worth(card, end) for card in enough}) for end in (0, 2)}
        rows = []
        for index, card in enumerate(self.a.cards):
            kept_a, _, kept_b, _ = self.sums.cards[index].tolist()
            row: Row = {"card_id": card.card_id, "card": card.text, "kept_a": kept_a / n, "kept_b": kept_b / n}
            row |= {"points_a": math.nan, "points_b": math.nan, "difference": math.nan}
            row |= {"difference_low": math.nan, "difference_high": math.nan, "rank_a": None, "rank_b": None}
            if index in ranks[0]:
                row |= {"points_a": self._worth(index, 0), "points_b": self._worth(index, 2)}
                difference, half = row["points_b"] - row["points_a"], quantile * self._error(index)
                row |= {"difference": difference, "difference_low": difference - half}
                row |= {"difference_high": difference + half}
                row |= {"rank_a": ranks[0][index], "rank_b": ranks[2][index]}
            rows.append(row)
        return rows

    def _worth(self, card: int, end: int) -> float:
        return float(self.sums.cards[card, end + 1] / self.sums.cards[card, end])

    def _error(self, card: int) -> float:
        """Return the standard error of a card's difference in mean points when kept (delta method of two ratios)."""
        n = self.deals
        weights = np.zeros(4)
        for end, sign in ((0, -1.0), (2, 1.0)):
            kept_rate = self.sums.cards[card, end] / n
            weights[end] = -sign * self._worth(card, end) / kept_rate
            weights[end + 1] = sign / kept_rate
        second = self.sums.card_products[card] / n
        return float(math.sqrt(max(weights @ second @ weights, 0.0) / n))

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation between the cards' ranks under A and B; NaN for fewer than three cards."""
        pairs = [(row["rank_a"], row["rank_b"]) for row in self.card_rows if row["rank_a"] is not None]
        if len(pairs) < 3:
            return math.nan
        return float(np.corrcoef(np.array(pairs, dtype=float).T)[0, 1])

    def frame(self, rows: list[Row]) -> pd.DataFrame:
        """Return rows as a table."""
        return as_frame(rows)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data that JSON can hold."""
        data = {
            "deals": self.deals,
            "players": self.a.n_players,
            "seed": self.a.seed,
            "rules_a": self.a.rules.as_dict(),
            "rules_b": self.b.rules.as_dict(),
            "differ": self.differ.value,
            "differ_low": self.differ.low,
            "differ_high": self.differ.high,
            "seats": self.seat_rows,
            "game": self.game_rows,
            "cards": self.card_rows,
            "rank_correlation": self.rank_correlation,
            "interrupted": self.sums.interrupted,
        }
        return {key: finite(value) for key, value in data.items()}


def _ranks(worth: dict[int, float]) -> dict[int, float]:
    """Return the rank of each key by value, 1 the highest, equal ones sharing the mean of their ranks."""
    from scipy.stats import rankdata

    return dict(zip(worth, rankdata([-value for value in worth.values()]).tolist(), strict=True))


def compare_rules(
    a: Rules,
    b: Rules = OFFICIAL,
    games: float | str = 20_000,
    players: int | str = 2,
    strategies: Lineup = "greedy",
    seed: int | str = 1,
    workers: int | str | None = None,
    progress: Progress | None = None,
    **options: Unpack[DealOptions],
) -> Comparison:
    """Play the same deals under two rulings and measure what that moves.

    Parameters
    ----------
    a, b : Rules
        Differences are B minus A. Both must deal the same cards: of_each, deck and rounds are the same.
    games : int, float or str
        Deals, each played once under each ruling.
    players, strategies, seed, workers, progress
        As in `simulate`.
    **options
        ``game``, ``cards``: see `salad_sim.run.setup.DealOptions`.

    Raises
    ------
    InputError
        If an option is not allowed, before any game is played.
    """
    first, second = (plan_run(games, players, strategies, seed, rules=each, **options) for each in (a, b))
    return counted(compare_plans(first, second, Session(workers, progress)))


def compare_plans(a: Plan, b: Plan, session: Session) -> Comparison | None:
    """Play the same deals under two plans; None if Ctrl-C came before any deal was counted."""
    sums = play_pair(a, b, session)
    return None if sums is None else Comparison(a, b, sums)
