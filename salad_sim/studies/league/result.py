"""What a league comes back with, and the function of the public API that plays one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from salad_sim.files.atomic import open_folder, sole_use
from salad_sim.files.values import as_frame, finite
from salad_sim.jit.typing import Row
from salad_sim.run.driver import Progress, Session
from salad_sim.run.setup import SetupOptions
from salad_sim.stats.cross_table import Cross, Cycle, cross_table, find_cycles
from salad_sim.stats.finishing_orders import Finishes
from salad_sim.stats.plackett_luce import RatingGaps, Ratings, compare, rate
from salad_sim.strategy.registry import Strategy
from salad_sim.studies.league.checkpoint import LeagueSaver, restore
from salad_sim.studies.league.config import LeagueTask, plan_league
from salad_sim.studies.league.play import LeaguePlayer
from salad_sim.studies.league.schedule import Played, Schedule
from salad_sim.studies.league.seat_effects import Interaction, SeatSums, check_interaction, sum_seats
from salad_sim.studies.league.tables import (
    CYCLE_COLUMNS,
    cross_rows,
    cycle_rows,
    lineup_rows,
    model_shares,
    ranking,
    rating_rows,
    seat_rows,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class League:
    """The games of a league, and what they say.

    Attributes
    ----------
    task : LeagueTask
        What was to be played.
    finishes : Finishes
        The games.
    interrupted : bool
        Whether Ctrl-C ended it early; everything then speaks of the games that were played.
    n_planned : int
        Games that were to be played.
    """

    task: LeagueTask
    finishes: Finishes
    interrupted: bool
    n_planned: int

    @property
    def games(self) -> int:
        """Games that were played."""
        return self.finishes.n_games

    @property
    def deals(self) -> int:
        """Deals that were played, each in all rotations."""
        return self.finishes.n_deals

    @property
    def labels(self) -> tuple[str, ...]:
        """The strategies, in the order they were given."""
        return self.task.labels

    @cached_property
    def fitted(self) -> Ratings:
        """The ratings, as logarithms of strengths, with their covariance."""
        return rate(self.finishes)

    @cached_property
    def pairs(self) -> RatingGaps:
        """Every two strategies compared by their ratings."""
        return compare(self.fitted)

    @cached_property
    def duels(self) -> Cross:
        """Who finished above whom."""
        return cross_table(self.finishes)

    @cached_property
    def seat_sums(self) -> SeatSums:
        """Wins by strategy and seat."""
        return sum_seats(self.finishes)

    @cached_property
    def interaction(self) -> Interaction:
        """Whether a seat is worth the same to all strategies."""
        return check_interaction(self.seat_sums)

    @cached_property
    def found_cycles(self) -> list[Cycle]:
        """Cycles of three."""
        return find_cycles(self.duels)

    @cached_property
    def rating_rows(self) -> list[Row]:
        """The table `ratings` as plain rows."""
        expected = model_shares(self.fitted, self.finishes)
        return rating_rows(self.labels, self.fitted, self.pairs, self.seat_sums, self.task.anchor, expected)

    @cached_property
    def cross_rows(self) -> list[Row]:
        """The table `cross` as plain rows."""
        return cross_rows(self.labels, self.fitted, self.pairs, self.duels)

    @cached_property
    def seat_rows(self) -> list[Row]:
        """The table `seats` as plain rows."""
        return seat_rows(self.labels, ranking(self.fitted), self.seat_sums)

    @cached_property
    def lineup_rows(self) -> list[Row]:
        """The table `lineups` as plain rows."""
        return lineup_rows(self.labels, self.finishes)

    @cached_property
    def cycle_rows(self) -> list[Row]:
        """The table `cycles` as plain rows."""
        return cycle_rows(self.labels, self.found_cycles)

    @property
    def ratings(self) -> pd.DataFrame:
        """The ranking, the best first; columns as in `league.tables.rating_rows`."""
        return as_frame(self.rating_rows)

    @property
    def cross(self) -> pd.DataFrame:
        """Every strategy against every other one; columns as in `league.tables.cross_rows`."""
        return as_frame(self.cross_rows)

    @property
    def seats(self) -> pd.DataFrame:
        """Win shares by strategy and seat; columns as in `league.tables.seat_rows`."""
        return as_frame(self.seat_rows)

    @property
    def lineups(self) -> pd.DataFrame:
        """Who played with whom, and won how often; columns as in `league.tables.lineup_rows`."""
        return as_frame(self.lineup_rows)

    @property
    def cycles(self) -> pd.DataFrame:
        """Cycles of three, the most certain first; columns as in `league.tables.cycle_rows`."""
        return as_frame(self.cycle_rows, CYCLE_COLUMNS)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data that JSON can hold; None where the games cannot tell a number."""
        test = self.interaction
        data = {
            "games": self.games,
            "deals": self.deals,
            **{name: value for name, value in self.task.options().items() if name not in ("games", "cards")},
            "cards": self.task.plan.cards.source,
            "interrupted": self.interrupted,
            "ratings": self.rating_rows,
            "cross": self.cross_rows,
            "seats": self.seat_rows,
            "seat_interaction": {
                "f": test.statistic,
                "numerator": test.numerator,
                "denominator": test.denominator,
                "p_value": test.p_value,
            },
            "lineups": self.lineup_rows,
            "cycles": self.cycle_rows,
        }
        return {key: finite(value) for key, value in data.items()}


def run_league(task: LeagueTask, session: Session, out: str | Path | None = None, force: bool = False) -> League:
    """Play a league, or what is left of it; see `play_league`.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended it before the first deal was played.
    """
    schedule = Schedule(task)
    n_planned = schedule.n_games
    played = Played(task.n_strategies, task.players, schedule.n_deals)
    folder = None if out is None else open_folder(out)
    saver = None if folder is None else LeagueSaver(folder, task.identity())
    with sole_use(None if session.is_kept_in(folder) else folder):
        n_restored = 0 if saver is None or force else restore(saver.folder, saver.identity, played)
        for table in task.tables_of_each():
            session.prepare(table)  # a strategy that does not compile is refused before anything is played
        LeaguePlayer(task, schedule, played, session).play(n_restored, saver)
    if played.n_deals == 0:
        raise KeyboardInterrupt
    return League(task, played.finishes(), session.interrupted, n_planned)


def play_league(
    strategies: Sequence[str | Strategy],
    players: int = 2,
    games: float | str = 20_000,
    seed: int = 1,
    adaptive: bool = False,
    anchor: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    out: str | Path | None = None,
    force: bool = False,
    **options: Unpack[SetupOptions],
) -> League:
    """Play a league between strategies and rate them.

    Parameters
    ----------
    strategies : sequence of str or Strategy
        2 to 40 different ones, as in `simulate`.
    players : int
        In a game, 2..6.
    games : int, float or str
        Of the whole league; rounded up to whole deals, equally many of every line-up.
    seed : int
        0..2**63 - 1; the same seed and options give the same league.
    adaptive : bool
        Give the second half of the games to the neighbours in the ranking whose order is least certain.
    workers, progress
        As in `simulate`.
    anchor : str, optional
        The strategy whose rating is 0; by default the mean of all ratings is.
    out : str or path, optional
        Keep the games in this folder while they are played; a league that was stopped goes on from there. (The
        tables and the report are written by `salad_sim.studies.league.report.write_league`.)
    force : bool
        Play from the start even if ``out`` holds a league, and replace that.
    **options
        As in `simulate`.

    Returns
    -------
    League
        On Ctrl-C what was played so far, ``interrupted`` being true.

    Raises
    ------
    InputError
        If an option is not allowed, or ``out`` holds another league, before any game is played.
    IllegalMoveError, StrategyError
        If a strategy fails.
    """
    task = plan_league(strategies, players, games, seed, adaptive, anchor, **options)
    return run_league(task, Session(workers, progress), out, force)
