"""What a run comes back with, and the function of the public API that plays one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from salad_sim.files.values import as_frame, finite
from salad_sim.game.rules import Rules
from salad_sim.jit.typing import Row
from salad_sim.run.driver import Count, Progress, Session, play_plan
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import Lineup, SetupOptions
from salad_sim.stats.intervals import UNKNOWN, Estimate, columns
from salad_sim.studies.simulate.estimate import round_rows, seat_rows, strategy_rows, tie_rate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Result:
    """The counted games of a run, and what they say.

    Attributes
    ----------
    plan : Plan
        What was to be played.
    tally : numpy record
        What was counted, as integers.
    seconds : float
        Time spent playing.
    interrupted : bool
        Whether Ctrl-C ended the run early; everything then speaks of the games that were counted.
    """

    plan: Plan
    tally: np.record
    seconds: float
    interrupted: bool

    @property
    def games(self) -> int:
        """Games counted."""
        return int(self.tally.games)

    @property
    def deals(self) -> int:
        """Deals counted."""
        return int(self.tally.deals)

    @property
    def players(self) -> int:
        """Players in a game."""
        return self.plan.n_players

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.plan.seed

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.plan.rules

    @property
    def games_per_second(self) -> float:
        """Games counted by all workers together, for each second of playing."""
        return self.games / self.seconds

    @property
    def turns(self) -> float:
        """Turns of a game, on average; NaN if no game was counted."""
        return int(self.tally.turns) / self.games if self.games else math.nan

    @property
    def tie_rate(self) -> float:
        """Share of games in which two or more seats have the top total; NaN if no game was counted."""
        return self.tie_estimate.value

    @property
    def tie_estimate(self) -> Estimate:
        """The tie rate with its interval."""
        return tie_rate(self.tally) if self.games else UNKNOWN

    @cached_property
    def seat_rows(self) -> list[Row]:
        """The table `seats` as plain rows."""
        return seat_rows(self.plan, self.tally)

    @cached_property
    def strategy_rows(self) -> list[Row]:
        """The table `strategies` as plain rows."""
        return strategy_rows(self.plan, self.tally)

    @cached_property
    def round_rows(self) -> list[Row]:
        """The table `rounds` as plain rows."""
        return round_rows(self.plan, self.tally)

    @property
    def rounds(self) -> pd.DataFrame:
        """One row for each round and seat of a match, see `estimate.round_rows`; empty if a game is one round."""
        return as_frame(self.round_rows)

    @property
    def seats(self) -> pd.DataFrame:
        """One row for each seat: win share, score and what it did; columns as in `estimate.seat_rows`."""
        return as_frame(self.seat_rows)

    @property
    def strategies(self) -> pd.DataFrame:
        """One row for each different strategy; columns as in `estimate.seat_rows`."""
        return as_frame(self.strategy_rows)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data that JSON can hold; None where the games cannot tell a number."""
        tie = self.tie_estimate
        data = {
            "games": self.games,
            "deals": self.deals,
            "players": self.players,
            "seed": self.seed,
            "rules": self.rules.as_dict(),
            "rotate": self.plan.rotate,
            "cards": self.plan.cards.source,
            "interrupted": self.interrupted,
            **columns("tie_rate", tie),
            "turns": self.turns,
            "games_per_second": self.games_per_second,
            "seats": self.seat_rows,
            "strategies": self.strategy_rows,
            **({"rounds": self.round_rows} if self.round_rows else {}),
        }
        return {key: finite(value) for key, value in data.items()}


def as_result(plan: Plan, count: Count) -> Result:
    """Put a plan and what was counted together."""
    return Result(plan, count.tally, count.seconds, count.interrupted)


def simulate(
    games: float | str,
    players: int = 2,
    strategies: Lineup = "greedy",
    seed: int = 1,
    workers: int | None = None,
    rotate: bool = False,
    progress: Progress | None = None,
    shard_deals: int | None = None,
    head_start: Sequence[int | str] = (),
    **options: Unpack[SetupOptions],
) -> Result:
    """Play many games and count who wins, from which seat, with what score.

    Parameters
    ----------
    games : int, float or str
        How many, 1..1e15; 1e6 and "1_000_000" are fine. With ``rotate`` rounded up to whole deals.
    players : int
        2..6.
    strategies : str, Strategy or sequence of them
        One for all seats, or one for each: a name that `salad-sim strategies` lists, ``path/to/file.py[:name]``, or a
        kernel declared with ``@strategy``.
    seed : int
        0..2**63 - 1; the same seed and options give the same result.
    workers, shard_deals : int, optional
        Threads, 1..1024, and deals that each plays in one go; by default one for each core, and as many as suit the
        speed. The result does not depend on them.
    rotate : bool
        Play each deal once in every rotation of the line-up, so that every strategy sits in every seat.
    progress : callable, optional
        Called about ten times a second with the games counted so far and the games planned.
    head_start : sequence of int
        By seat: points that it has before the game begins, -999..999; by default none.
    **options
        ``rules``, ``tie_break``, ``game``, ``cards``: see `salad_sim.run.setup.SetupOptions`.

    Returns
    -------
    Result
        On Ctrl-C what was counted so far, ``interrupted`` being true.

    Raises
    ------
    InputError
        If an option is not allowed, before any game is played.
    IllegalMoveError, StrategyError
        If a strategy makes an illegal move or raises an error; the message says in which game.

    Examples
    --------
    >>> simulate(games=1000, players=2, strategies=["greedy", "random"]).strategies  # doctest: +SKIP
    """
    plan = plan_run(games, players, strategies, seed, rotate, head_start, **options)
    return as_result(plan, play_plan(plan, Session(workers, progress, plan.n_games), shard_deals))
