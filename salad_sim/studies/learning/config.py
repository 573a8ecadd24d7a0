"""What is to be learned: the options of a learning, checked, and which deals its parts play."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Unpack

from salad_sim.errors import InputError, quote
from salad_sim.game.value_file import read_values, sizes_of
from salad_sim.game.value_layout import HIDDEN_UNITS, UNITS
from salad_sim.play.self_play import GIVEN, LEARNER, PAST
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import SetupOptions, whole_number
from salad_sim.storage.folder import versions
from salad_sim.strategy.registry import Strategy, load_strategy
from salad_sim.strategy.variants import POINT_SALAD

FIRST_DEALS = {"learning": 4 * 10**12, "curve": 5 * 10**12, "test": 6 * 10**12}
"""Where the deals of each part begin. Runs count from deal 0, and tunings have those below."""

MOST_GAMES = 10**11
SIZES = (16, 32, 48, 64, 96, 128)
SELF, PAST_SELF = "self", "past"
ROLES = {SELF: LEARNER, PAST_SELF: PAST}
STAND_IN = "random"
"""What the line-up says where the learner or its past sits: it is never asked for a move."""

LEARNED = "learned"
"""What the learner is called."""

TESTED_AGAINST = ("greedy", "planner")


class LearningOptions(SetupOptions, total=False):
    """What `learn` takes by keyword beside its games, minutes and players; see `LearningTask` and `SetupOptions`."""

    opponents: Sequence[str | Strategy]
    start: str | Path | None
    units: int | str
    hidden: int | str
    lambda_: float | str
    rate: float | str
    explore: float | str
    win_weight: float | str
    batch: int | str
    every: int | float | str
    looks: int | float | str
    tests: int | float | str
    seed: int | str


@dataclass(frozen=True)
class Opponents:
    """Who sits with the learner at a table, in learning or in tests.

    Attributes
    ----------
    name : str
        As the user calls them.
    plan : Plan
        Place 0 is the learner's.
    roles : tuple of int
        Who sits at each place, `GIVEN`, `LEARNER` or `PAST`.
    """

    name: str
    plan: Plan
    roles: tuple[int, ...]


@dataclass(frozen=True)
class LearningTask:
    """A learning that can be carried out.

    Attributes
    ----------
    players : tuple of int
        Numbers of players that the value is learned for; batches take them in turn.
    games : int
        Games to learn from, at most.
    minutes : float
        Minutes to learn, at most; the games of tests are not counted.
    opponents : tuple of str
        Names; batches take them in turn.
    start : path, optional
        A file of values to start from.
    units, hidden : int
        Units of the layer of a vegetable, and of that of the table.
    lambda_ : float
        How much the result counts against the values on the way to it, 0..1.
    rate : float
        Size of the first steps; it falls with the root of the games.
    explore : float
        Chance of a draft at random.
    win_weight : float
        Part of the win in what is learned; the rest is the margin's.
    batch : int
        Games between two steps.
    every : int
        Games between two looks at the strength.
    looks, tests : int
        Games against each opponent at a look and in the final test.
    seed : int
    tables : tuple of Opponents
        What is played in turn.
    curve : tuple of Opponents
        What its strength is measured against.
    """

    players: tuple[int, ...]
    games: int
    minutes: float
    opponents: tuple[str, ...]
    start: str | None
    units: int
    hidden: int
    lambda_: float
    rate: float
    explore: float
    win_weight: float
    batch: int
    every: int
    looks: int
    tests: int
    seed: int
    tables: tuple[Opponents, ...]
    curve: tuple[Opponents, ...]

    @cached_property
    def capacity(self) -> int:
        """Cards that the records have room for at any of the tables."""
        return max(each.plan.capacity for each in self.tables)

    def settings(self) -> dict[str, Any]:
        """Return all that determines what is learned, as plain data."""
        plan = self.tables[0].plan
        names = ("players", "opponents", "start", "units", "hidden", "lambda_", "rate", "explore", "win_weight")
        given = [each for table in (*self.tables, *self.curve) for each in table.plan.members]
        return {
            **{name: getattr(self, name) for name in (*names, "batch", "every", "looks", "seed")},
            "rules": plan.rules.as_dict(),
            **{name: value for name, value in plan.options().items() if name == "cards"},
            "files": sorted({f"{file} {sha}" for each in given for file, sha in each.hashes.items()}),
            "versions": versions(),
        }


WHOLE: dict[str, tuple[int, int, int]] = {
    "units": (UNITS, 1, max(SIZES)),
    "hidden": (HIDDEN_UNITS, 1, max(SIZES)),
    "batch": (8, 1, 100_000),
    "every": (100_000, 1, MOST_GAMES),
    "looks": (1_000, 2, 10**7),
    "tests": (10_000, 2, 10**9),
    "seed": (1, 0, 2**63 - 1),
}
"""Options that are whole numbers: default, least, most."""

SHARES: dict[str, tuple[float, float, float]] = {
    "lambda_": (0.7, 0.0, 1.0),
    "rate": (0.001, 1e-6, 1.0),
    "explore": (0.06, 0.0, 1.0),
    "win_weight": (0.6, 0.0, 1.0),
}
"""Other numbers: default, least, most."""


def plan_learning(
    games: int | float | str | None = None,
    players: int | str | Iterable[int | str] = 2,
    minutes: float | str | None = None,
    **options: Unpack[LearningOptions],
) -> LearningTask:
    """Check the options of a learning; nothing is compiled or played.  Parameters as for `learn`.

    Raises
    ------
    InputError
        If an option is not allowed.
    """
    given: dict[str, Any] = dict(options)
    if given.get("game", POINT_SALAD.name) != POINT_SALAD.name:
        raise InputError(f"a value can be learned for the game {POINT_SALAD.name} only, not {given['game']}")
    asked = [players] if isinstance(players, (int, str)) else list(players)
    counts = tuple(dict.fromkeys(whole_number("players", each, POINT_SALAD.fewest, POINT_SALAD.most) for each in asked))
    if not counts:
        raise InputError("no number of players given: at least one is needed")
    names = [each if isinstance(each, str) else each.spec for each in given.pop("opponents", None) or (SELF,)]
    whole: dict[str, Any] = {
        name: whole_number(name, given.pop(name, usual), *ends) for name, (usual, *ends) in WHOLE.items()
    }
    shares: dict[str, Any] = {
        name: _number(name, given.pop(name, usual), *ends) for name, (usual, *ends) in SHARES.items()
    }
    start = given.pop("start", None)
    if start is not None:
        whole |= dict(zip(("units", "hidden"), sizes_of(read_values(start)[0]), strict=True))
    _check_sizes(whole["units"], whole["hidden"])
    budget = MOST_GAMES if games is None and minutes is not None else 1_000_000 if games is None else games
    seat = partial(_opponents, seed=whole["seed"], options=given)
    return LearningTask(
        players=counts,
        games=whole_number("games", budget, 1, MOST_GAMES),
        minutes=math.inf if minutes is None else _number("minutes", minutes, 0.0, 1e6),
        opponents=tuple(names),
        start=None if start is None else str(start),
        tables=tuple(seat(name, n) for n in counts for name in names),
        curve=tuple(seat(name, n) for n in counts for name in (*TESTED_AGAINST, PAST_SELF)),
        **whole,
        **shares,
    )


def _opponents(name: str, n_players: int, seed: int, options: Any) -> Opponents:
    """Return the table of the learner among such opponents."""
    role = ROLES.get(name, GIVEN)
    stand_in = load_strategy(STAND_IN)
    learner = replace(stand_in, name=LEARNED)
    other = load_strategy(name) if role == GIVEN else learner if role == LEARNER else replace(stand_in, name=name)
    plan = plan_run(n_players, n_players, [learner, *[other] * (n_players - 1)], seed, True, **options)
    return Opponents(name, plan, (LEARNER, *[role] * (n_players - 1)))


def _check_sizes(*sizes: int) -> None:
    for size in sizes:
        if size not in SIZES:
            raise InputError(f"units and hidden must be of {', '.join(map(str, SIZES))}, not {size}")


def _number(what: str, given: float | str, low: float, high: float) -> float:
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise InputError(
            f"{what.strip('_').replace('_', ' ')} must be a number from {low:g} to {high:g}, not {quote(given)}"
        )
    return value
