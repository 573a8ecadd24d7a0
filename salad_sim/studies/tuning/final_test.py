"""The final test: are the tuned values better than those the search began with, on deals that nothing else has seen?

Two things are measured. A sequential test between the two decides whether the tuned values may be called better; a
report of both against every opponent, on the same deals, says where they gained and where they lost.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Ints
from salad_sim.run.plan import Plan
from salad_sim.stats.elo import elo_of_share, share_of_elo
from salad_sim.stats.intervals import Estimate, columns, mean, proportion
from salad_sim.stats.sprt import ACCEPT_H0, ACCEPT_H1, GO_ON, Sprt, log_likelihood_ratio
from salad_sim.strategy.registry import Strategy
from salad_sim.studies.tuning.config import FIRST_DEALS, TuningTask
from salad_sim.studies.tuning.evaluator import Arena


@dataclass
class HeadToHead:
    """The tuned values against the start values, pair by pair.

    A pair is one deal. With two players it is played in both seat orders, and its score is what the tuned values won
    of its two games, as usual in chess testing. With n players it is played by one tuned among n - 1 start places and
    by one start among n - 1 tuned places, in all rotations: if a and b are the shares that the lonely one won of each,
    the score is 1/2 + (a - b) / 2, which is 1/2 for equals, whoever the others are, and swaps with the two sides. Over
    several numbers of players the score is the mean.

    Attributes
    ----------
    task : Task
    scores : Counter of int
        How many pairs had each score, in units of 1 / `whole`.
    """

    task: TuningTask
    scores: Counter[int] = field(default_factory=Counter)

    @property
    def whole(self) -> int:
        """The score of a pair of which the tuned values won everything."""
        return 2 * WHOLE_WIN * math.lcm(*self.task.players) * len(self.task.players)

    @property
    def n_pairs(self) -> int:
        """Pairs played."""
        return self.scores.total()

    @property
    def llr(self) -> float:
        """Logarithm of the generalised likelihood ratio; see `stats.sprt`."""
        results = [(score / self.whole, count) for score, count in sorted(self.scores.items())]
        return log_likelihood_ratio(results, *map(share_of_elo, self.task.elo)) if results else 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the log likelihood ratio at which the test ends."""
        return Sprt(*self.task.elo).bounds

    @property
    def decision(self) -> str:
        """What the test says so far: accept H0, accept H1 or go on."""
        low, high = self.bounds
        return ACCEPT_H1 if self.llr >= high else ACCEPT_H0 if self.llr <= low else GO_ON

    @property
    def score(self) -> Estimate:
        """The mean score of a pair with its 95 % interval; a test that stopped early flatters it a little."""
        total = sum(score * count for score, count in self.scores.items())
        squares = sum(score * score * count for score, count in self.scores.items())
        found = mean(total, squares, self.n_pairs, self.n_pairs)
        value, low, high = (each / self.whole for each in found)
        return Estimate(value, max(low, 0.0), min(high, 1.0))

    @property
    def elo(self) -> Estimate:
        """The score as an Elo difference."""
        return Estimate(*map(elo_of_share, self.score))

    @property
    def finished(self) -> bool:
        """Whether it is decided or has played all of its pairs."""
        return self.decision != GO_ON or self.n_pairs >= self.task.schedule.test_pairs

    def play_on(self, arena: Arena, tuned: Strategy) -> None:
        """Play to the next look."""
        n_pairs = min(self.task.schedule.look_pairs, self.task.schedule.test_pairs - self.n_pairs)
        first_deal = FIRST_DEALS["test"] + self.n_pairs
        common = math.lcm(*self.task.players)
        total = np.zeros(n_pairs, dtype=np.int64)
        for n_players in self.task.players:
            plan = next(each for each in self.task.tables if each.n_players == n_players)
            total += _scores(arena, plan, tuned, self.task.strategy, first_deal, n_pairs) * (common // n_players)
        scores, counts = np.unique(total, return_counts=True)
        self.scores.update(dict(zip(scores.tolist(), counts.tolist(), strict=True)))


def _scores(arena: Arena, plan: Plan, tuned: Strategy, start: Strategy, first_deal: int, n_pairs: int) -> Ints:
    """Return the score of each pair at one number of players, in units of 1 / (120 players)."""
    n_players = plan.n_players
    whole = n_players * WHOLE_WIN
    lonely = (tuned, *[start] * (n_players - 1))
    won, _ = arena.play(plan, lonely, first_deal, n_pairs)
    if n_players == 2:
        return 2 * won
    lonely = (start, *[tuned] * (n_players - 1))
    lost, _ = arena.play(plan, lonely, first_deal, n_pairs)
    return whole + won - lost


def report_rows(task: TuningTask, arena: Arena, tuned: Strategy) -> list[dict[str, Any]]:
    """Play start and tuned values against each line-up of opponents on the same deals and return one row for each.

    Columns: ``players``, ``opponents``, ``deals``; ``win_share_start``, ``win_share_tuned``, ``win_share_difference``
    and ``margin_difference`` (points more than the best opponent, tuned less start), each with ``_low`` and ``_high``,
    95 %, the unit being the deal.
    """
    rows = []
    n_deals = task.schedule.report_deals
    for index, plan in enumerate(task.tables):
        first_deal = FIRST_DEALS["test"] + index * n_deals
        lineups = [(each, *plan.lineup[1:]) for each in (task.strategy, tuned)]
        wins, margins = zip(*(arena.play(plan, each, first_deal, n_deals) for each in lineups), strict=True)
        n_games = n_deals * plan.n_rotations
        opponents = replace(plan, lineup=plan.lineup[1:])
        row: dict[str, Any] = {
            "players": plan.n_players,
            "opponents": " + ".join(opponents.labels[group] for group in opponents.groups),
            "deals": n_deals,
        }
        for name, won in zip(("start", "tuned"), wins, strict=True):
            share = proportion(int(won.sum()), int((won * won).sum()), n_deals, n_games, WHOLE_WIN)
            row |= columns(f"win_share_{name}", share)
        row |= columns("win_share_difference", _difference(wins, n_games * WHOLE_WIN))
        row |= columns("margin_difference", _difference(margins, n_games))
        rows.append(row)
    return rows


def _difference(both: Sequence[Ints], unit: int) -> Estimate:
    """Estimate the paired difference, second less first; ``unit`` is what the total is divided by."""
    change = both[1] - both[0]
    found = mean(int(change.sum()), int((change * change).sum()), len(change), len(change))
    scale = unit / len(change)
    return Estimate(*(each / scale for each in found))
