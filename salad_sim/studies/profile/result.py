"""A profile of a strategy: what it takes, flips and keeps, whom it denies, what it loses in solvable endings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from salad_sim.errors import InputError
from salad_sim.files.values import as_frame, finite
from salad_sim.jit.typing import Row
from salad_sim.report.format import percent
from salad_sim.run.driver import Progress, Session, counted
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import MOST_GAMES, SetupOptions, whole_number
from salad_sim.stats.intervals import Estimate
from salad_sim.storage.command import again, setup_options
from salad_sim.storage.folder import run_record
from salad_sim.strategy.registry import Strategy
from salad_sim.strategy.variants import POINT_SALAD, find_game
from salad_sim.studies.profile.estimate import (
    card_rows,
    ending_rows,
    family_rows,
    summary_rows,
    turn_rows,
    vegetable_rows,
)
from salad_sim.studies.profile.play import Watched, watch_plan
from salad_sim.studies.profile.timing import DecisionTime, time_decisions

if TYPE_CHECKING:
    import pandas as pd

GAMES = 2000
"""Games of a profile by default."""

ENDING_DEALS = 200
"""Deals whose endings are solved by default: an ending of nine cards takes a hundred times as long as its game."""

ENOUGH = 0.5
"""A favourite is on offer at least so often in a game."""


@dataclass(frozen=True)
class Profile:
    """What a strategy does in its games against another.

    Attributes
    ----------
    plan : Plan
        What was to be played; place 0 is the strategy, the other places are its opponents.
    watched : Watched
        What was seen, as sums.
    ending_deals : int
        Deals, from the first on, whose endings were solved.
    time : DecisionTime, optional
        How long a decision took on this machine; not part of what the same seed repeats.
    """

    plan: Plan
    watched: Watched
    ending_deals: int
    time: DecisionTime | None = None

    @property
    def name(self) -> str:
        """The strategy."""
        return self.plan.labels[0]

    @property
    def opponent(self) -> str:
        """Whom it played against."""
        return self.plan.labels[-1]

    @property
    def games(self) -> int:
        """Games counted."""
        return self.watched.n_deals * self.plan.n_rotations

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it early."""
        return self.watched.interrupted

    @cached_property
    def summary_rows(self) -> list[Row]:
        """The main numbers, see `estimate.summary_rows`."""
        return summary_rows(self.watched.sums)

    @cached_property
    def turn_rows(self) -> list[Row]:
        """What it takes by own turn, see `estimate.turn_rows`."""
        return turn_rows(self.watched.sums)

    @cached_property
    def family_rows(self) -> list[Row]:
        """What it does with each family of cards, see `estimate.family_rows`."""
        return family_rows(self.plan, self.watched.sums)

    @cached_property
    def card_rows(self) -> list[Row]:
        """What it does with each card, see `estimate.card_rows`."""
        return card_rows(self.plan, self.watched.sums)

    @cached_property
    def vegetable_rows(self) -> list[Row]:
        """Which vegetables it takes, see `estimate.vegetable_rows`."""
        return vegetable_rows(self.watched.sums)

    @cached_property
    def ending_rows(self) -> list[Row]:
        """What it and its opponents lose in endings, see `estimate.ending_rows`."""
        return ending_rows(self.plan, self.watched.sums)

    @property
    def tables(self) -> dict[str, list[Row]]:
        """All tables by name."""
        return {
            "summary": self.summary_rows,
            "turns": self.turn_rows,
            "families": self.family_rows,
            "cards": self.card_rows,
            "vegetables": self.vegetable_rows,
            "endings": self.ending_rows,
        }

    def frame(self, table: str) -> pd.DataFrame:
        """Return a table as a DataFrame.

        Parameters
        ----------
        table : {"summary", "turns", "families", "cards", "vegetables", "endings"}
        """
        return as_frame(self.tables[table])

    def measure(self, name: str) -> Estimate:
        """Return one of the main numbers with its interval, by its name in the table summary."""
        row = next(row for row in self.summary_rows if row["measure"] == name)
        return Estimate(row["value"], row["low"], row["high"])

    @property
    def favourite(self) -> Row | None:
        """The family that it surely prefers most: of those that are on offer often, the one of the highest low bound.

        None if for none of them the interval lies above chance.
        """
        rows = [row for row in self.family_rows if row["offered"] >= ENOUGH * self.games and row["preference_low"] > 1]
        return max(rows, key=lambda row: row["preference_low"], default=None)

    @property
    def answer(self) -> str:
        """What kind of player it is, in one sentence."""
        what = [f"takes a point card on {percent(self.measure('takes_point_card'), 1, ' %')} of its turns"]
        liked = self.favourite
        if liked is not None:
            times = f"{liked['preference']:.2f} times as often as by chance"
            what.append(f'likes the cards "{liked["family"]}" best ({times})')
        what.append(f"flips {self.measure('flips_in_a_round').value:.2f} cards a round")
        denial = self.measure("denial")
        if not math.isnan(denial.value):
            what.append(f"denies on {percent(denial, 1, ' %')} of the turns on which that is not its best draft anyway")
        perfect = self.measure("perfect_in_endings")
        if not math.isnan(perfect.value):
            what.append(f"plays {percent(perfect, 1, ' %')} of its decisions in solved endings without loss")
        return f"{self.name} {', '.join(what[:-1])} and {what[-1]}."

    @property
    def again(self) -> str:
        """The command that makes it again."""
        (a, against), plan = self.plan.options()["strategies"][:2], self.plan
        options = {"against": against, "games": plan.n_asked, "players": plan.n_players, "seed": str(plan.seed)}
        return again("profile", [a], options | {"endings": str(self.ending_deals)} | setup_options(plan))

    @property
    def record(self) -> dict[str, Any]:
        """All that is needed to make it again; nothing that differs when it is."""
        record = run_record(self.plan, self.games, self.interrupted, self.again)
        return record | {"ending_deals": self.ending_deals}

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data that JSON can hold; None where the games cannot tell a number.

        ``microseconds`` is the one entry that another run does not repeat.
        """
        data = {
            "strategy": self.name,
            "against": self.opponent,
            "answer": self.answer,
            "games": self.games,
            "deals": self.watched.n_deals,
            "players": self.plan.n_players,
            "seed": self.plan.seed,
            "rules": self.plan.rules.as_dict(),
            "cards_of": self.plan.cards.source,
            "interrupted": self.interrupted,
            "ending_deals": min(self.ending_deals, self.watched.n_deals),
            "again": self.again,
            "microseconds": None if self.time is None else self.time.as_dict(),
        }
        return data | {name: finite(rows) for name, rows in self.tables.items()}


def line_up(a: str | Strategy, against: str | Strategy, players: int | str = 2) -> list[str | Strategy]:
    """Return A and as many opponents as are needed.

    Raises
    ------
    InputError
        If the number of players is not a whole number from 2 to 6.
    """
    n_players = whole_number("players", players, POINT_SALAD.fewest, POINT_SALAD.most)
    return [a, *[against] * (n_players - 1)]


def check_game(name: str | None) -> None:
    """Refuse other games: they have no piles to take from, no flips and no open endings.

    Raises
    ------
    InputError
        If the name is not that of the game itself, or none.
    """
    if name is not None and find_game(name) is not POINT_SALAD:
        raise InputError(f"a profile is made of the game {POINT_SALAD.name} only, not of {name}")


def check_profile(plan: Plan, endings: int | str = ENDING_DEALS) -> int:
    """Return the number of deals whose endings are solved; refuse what cannot be profiled.

    Raises
    ------
    InputError
        If the number is not a whole number from 0 to 1e15, or the game is another one.
    """
    check_game(plan.game.name)
    return whole_number("endings", endings, 0, MOST_GAMES)


def profile_plan(
    plan: Plan,
    endings: int | str = ENDING_DEALS,
    session: Session | None = None,
    timing: bool = True,
) -> Profile:
    """Play a plan that was made for it and profile place 0; see `profile_strategy`."""
    ending_deals = check_profile(plan, endings)
    watched = counted(watch_plan(plan, ending_deals, session))
    time = time_decisions(plan) if timing and not watched.interrupted else None
    return Profile(plan, watched, ending_deals, time)


def profile_strategy(
    a: str | Strategy,
    against: str | Strategy = "greedy",
    games: float | str = GAMES,
    players: int | str = 2,
    seed: int | str = 1,
    endings: int | str = ENDING_DEALS,
    timing: bool = True,
    workers: int | str | None = None,
    progress: Progress | None = None,
    **options: Unpack[SetupOptions],
) -> Profile:
    """Watch a strategy in games against another and say what it does; docs/profile.md defines every number.

    Parameters
    ----------
    a, against : str or Strategy
        As in `simulate`; with more players all others are ``against``.
    games : int, float or str
        How many, rounded up to whole deals: each is played once with A in every seat.
    players : int or str
        2..6.
    seed, workers, progress
        As in `simulate`.
    endings : int or str
        Deals, from the first on, whose endings are solved exactly; 0 for none.
    timing : bool
        Whether to measure how long a decision takes, which takes a few seconds.
    **options
        As in `simulate`; the game is point-salad.

    Returns
    -------
    Profile
        On Ctrl-C of what was played, ``interrupted`` being true. It does not depend on ``workers``, except for
        ``time``.

    Raises
    ------
    InputError
        If an option is not allowed, before any game is played.
    IllegalMoveError, StrategyError
        If a strategy fails.

    Examples
    --------
    >>> profile_strategy("greedy", games=200).answer  # doctest: +SKIP
    """
    check_game(options.get("game"))
    plan = plan_run(games, players, line_up(a, against, players), seed, rotate=True, **options)
    return profile_plan(plan, endings, Session(workers, progress), timing)
