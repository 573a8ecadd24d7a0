"""What a league is to play: its checked options, and the table of every line-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

from salad_sim.errors import InputError, unknown
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import SetupOptions, whole_number
from salad_sim.storage.command import again, setup_options
from salad_sim.storage.folder import strategy_records, versions
from salad_sim.strategy.registry import Strategy
from salad_sim.studies.league.lineups import LineUp

FEWEST_STRATEGIES, MOST_STRATEGIES = 2, 40
MOST_GAMES = 20_000_000
"""Every game is kept, a few bytes for each player."""


@dataclass(frozen=True)
class LeagueTask:
    """A league that can be played: every option that determines its games, checked.

    Attributes
    ----------
    strategies : tuple of Strategy
        In the order of their names: who plays whom on which deals does not depend on the order they are given in.
    players : int
        In a game, 2..6.
    n_asked : int
        Games asked for in all; played are whole deals, equally many of every line-up.
    adaptive : bool
        Whether half of the games go where the ranking is least certain.
    anchor : int, optional
        The strategy whose rating is 0; by default the mean of all is.
    plan : Plan
        The options that all games share.
    """

    strategies: tuple[Strategy, ...]
    players: int
    n_asked: int
    adaptive: bool
    anchor: int | None
    plan: Plan

    @property
    def n_strategies(self) -> int:
        """Strategies in the league."""
        return len(self.strategies)

    @property
    def seed(self) -> int:
        """The seed of the deals and of the schedule."""
        return self.plan.seed

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What to call each strategy."""
        return replace(self.plan, lineup=self.strategies).labels

    def table(self, seating: LineUp, n_deals: int) -> Plan:
        """Return the plan of some deals of a line-up, each in all rotations."""
        lineup = tuple(self.strategies[number] for number in seating)
        return replace(self.plan, lineup=lineup, n_deals=n_deals, n_asked=n_deals * self.players)

    def tables_of_each(self) -> list[Plan]:
        """Return one plan for each strategy, with it in every place: what must be compiled before the league."""
        return [self.table((number,) * self.players, 1) for number in range(self.n_strategies)]

    def options(self) -> dict[str, Any]:
        """Return every option that determines the result, as plain data."""
        shared = self.plan.options()
        return {
            "strategies": [each.spec for each in self.strategies],
            "games": self.n_asked,
            "players": self.players,
            "seed": self.seed,
            "adaptive": self.adaptive,
            "anchor": None if self.anchor is None else self.labels[self.anchor],
            "rules": shared["rules"],
            "game": self.plan.game.name,
            **({"cards": shared["cards"]} if "cards" in shared else {}),
        }

    def identity(self) -> dict[str, Any]:
        """Return what must be the same for two leagues to have the same games."""
        options = {name: value for name, value in self.options().items() if name != "anchor"}
        files = {label: each.hashes for label, each in zip(self.labels, self.strategies, strict=True)}
        return {**options, "files": files, "versions": versions()}

    def record(self, n_games: int, interrupted: bool) -> dict[str, Any]:
        """Return all that is needed to play the league again; nothing that differs when it is."""
        return {
            "again": self.command(),
            "options": self.options(),
            "games_counted": n_games,
            "interrupted": interrupted,
            "strategies": strategy_records([replace(self.plan, lineup=self.strategies)]),
            "versions": versions(),
        }

    def command(self) -> str:
        """Return the command that plays the league."""
        options = {
            "games": self.n_asked,
            "players": self.players,
            "seed": str(self.seed),
            "adaptive": self.adaptive,
            "anchor": None if self.anchor is None else self.labels[self.anchor],
        }
        return again("league", [each.spec for each in self.strategies], options | setup_options(self.plan))


def plan_league(
    strategies: Sequence[str | Strategy],
    players: int | str = 2,
    games: float | str = 20_000,
    seed: int | str = 1,
    adaptive: bool = False,
    anchor: str | None = None,
    **options: Unpack[SetupOptions],
) -> LeagueTask:
    """Check the options of a league; nothing is compiled or played. Parameters as for `play_league`.

    Raises
    ------
    InputError
        If an option is not allowed.
    """
    given = [strategies] if isinstance(strategies, str) else list(strategies)
    if not FEWEST_STRATEGIES <= len(given) <= MOST_STRATEGIES:
        raise InputError(
            f"a league has {FEWEST_STRATEGIES} to {MOST_STRATEGIES} different strategies, not {len(given)}"
        )
    n_asked = whole_number("games", games, 1, MOST_GAMES)
    plans = [plan_run(n_asked, players, each, seed, rotate=True, **options) for each in given]
    in_order = sorted(range(len(given)), key=lambda number: _name(plans[number].lineup[0]))
    given, plans = [given[number] for number in in_order], [plans[number] for number in in_order]
    members = tuple(plan.lineup[0] for plan in plans)
    kinds = [(each.name, each.values, each.source) for each in members]
    for number, kind in enumerate(kinds):
        if kind in kinds[:number]:
            raise InputError(
                f"strategy {members[number].spec!r} is given twice: a league tells strategies apart by name and "
                "parameters; to try one against itself, copy its file"
            )
    task = LeagueTask(members, plans[0].n_players, n_asked, bool(adaptive), None, plans[0])
    if anchor is None:
        return task
    names = {label: number for number, label in enumerate(task.labels)}
    names |= {text.strip(): number for number, text in enumerate(given) if isinstance(text, str)}
    if anchor.strip() not in names:
        raise unknown("anchor", anchor, task.labels)
    return replace(task, anchor=names[anchor.strip()])


def _name(strategy: Strategy) -> tuple[str, ...]:
    """Return what a strategy is called, beginning with what is shown of it."""
    return strategy.label, strategy.spec
