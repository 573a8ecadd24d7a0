"""Who plays in a condition of a study: one strategy in every seat, or a mixed line-up in all its rotations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Unpack

from salad_sim.errors import InputError
from salad_sim.game.rules import OFFICIAL
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import SetupOptions, whole_number

MOST_PLAYERS = 6
OWN_GAMES = re.compile(r"(.+)@([0-9][0-9_]*(?:[eE][0-9]+)?)")
BETWEEN = re.compile(r"\+(?![^(]*\))")
"""A plus sign that stands in no brackets."""


@dataclass(frozen=True)
class Condition:
    """One line-up at one number of players.

    Attributes
    ----------
    name : str
        What it is called in tables: as it was typed, without a number of games.
    plan : Plan
        Rotated if the line-up is mixed.
    """

    name: str
    plan: Plan

    @property
    def is_mixed(self) -> bool:
        """Whether different strategies sit at the table."""
        return len(self.plan.labels) > 1

    @property
    def columns(self) -> dict[str, Any]:
        """What says in each row of a table which condition it is about."""
        return {"players": self.plan.n_players, "strategy": self.name}


def plan_conditions(
    players: tuple[str, ...],
    lineups: tuple[str, ...],
    games: str | int,
    seed: str | int = 1,
    **options: Unpack[SetupOptions],
) -> list[Condition]:
    """Check the options of a study and plan every line-up at every number of players.

    Parameters
    ----------
    players : tuple of str
        Numbers of players.
    lineups : tuple of str
        Each ``NAME``: a strategy in every seat; or ``A+B``: A in one seat and B in all others, ``A+B+C`` likewise with
        the last one in all seats that are left, and every deal in every rotation. A number of games of its own may
        follow: ``NAME@GAMES``.
    games : str or int
        Games of each condition that does not say how many.
    seed, **options
        As in `plan_run`.

    Raises
    ------
    InputError
        If an option is not allowed.
    """
    rounds = options.get("rules", OFFICIAL).rounds
    if rounds > 1:
        raise InputError(f"this study is about single games, not matches of {rounds} rounds: rounds=1 is allowed")
    return [
        _condition(lineup, number, games, seed, options)
        for number in dict.fromkeys(players)
        for lineup in dict.fromkeys(lineups)
    ]


def _condition(lineup: str, players: str, games: str | int, seed: str | int, options: SetupOptions) -> Condition:
    own = OWN_GAMES.fullmatch(lineup)
    name, number = (own[1], own[2]) if own else (lineup, games)
    names = BETWEEN.split(name)
    n_players = whole_number("players", players, 2, MOST_PLAYERS)
    if len(names) > n_players:
        raise InputError(f"line-up {name!r} has {len(names)} strategies for {n_players} players; no more than seats")
    places = [names[min(place, len(names) - 1)].strip() for place in range(n_players)]
    mixed = len(names) > 1
    return Condition(name, plan_run(number, players, places, seed, mixed, **options))
