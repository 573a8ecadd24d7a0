"""What is to be tuned: the options of a tuning, checked, and which deals and games each of its stages gets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

from salad_sim.errors import InputError, nearest, quote, unknown
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import SetupOptions, whole_number
from salad_sim.storage.folder import versions
from salad_sim.strategy.parameters import Parameter
from salad_sim.strategy.registry import Strategy, load_strategy
from salad_sim.strategy.variants import POINT_SALAD, find_game

OBJECTIVES = ("win-share", "margin", "both")
"""What a game is worth to a candidate: its win; its points less those of the best opponent; or a win as much as 60
points of margin."""

FIRST_DEALS = {"search": 10**12, "validation": 2 * 10**12, "test": 3 * 10**12}
"""Where each stage's deals begin. Runs count from deal 0, so no run plays a deal that the tuning has seen."""

SHARES = {"search": 0.60, "validation": 0.15, "test": 0.20, "report": 0.05}
"""What each stage may spend of all games; ``report`` is the part of the test that is played against the opponents."""

MOST_GAMES = 10**11
"""So that a stage never reaches the deals of the next."""

FEWEST_DEALS = 8
"""Deals of a line-up on which candidates are compared, at least."""

FEWEST_PAIRS = 50
"""Pairs of the final test, at least."""

TEST_LOOKS = 50
"""How often the final test asks at most whether it is decided."""

N_BEST = 6
"""How many of the best candidates of the search are validated, beside the centres of the search."""

DIGITS = 4
"""Tuned values are rounded to so many digits of their range: those that are tested are those that are written."""


class TuningOptions(SetupOptions, total=False):
    """What `tune` takes by keyword beside its opponents, games and players; see `TuningTask` and `SetupOptions`."""

    only: Sequence[str]
    fix: Sequence[str]
    objective: str
    sigma: float | str
    population: int | str | None
    seed: int | str
    elo: tuple[float, float]


@dataclass(frozen=True)
class Stages:
    """How many games each stage plays.

    Attributes
    ----------
    n_generations : int
        Of the search.
    search_deals : int
        Deals of each line-up in a generation.
    validation_deals : tuple of int
        Deals of each line-up in each round; a round halves the finalists.
    test_pairs : int
        Most pairs of the final test.
    look_pairs : int
        Pairs between two looks at it.
    report_deals : int
        Deals of each line-up that the start and the tuned values play against the opponents.
    """

    n_generations: int
    search_deals: int
    validation_deals: tuple[int, ...]
    test_pairs: int
    look_pairs: int
    report_deals: int


@dataclass(frozen=True)
class TuningTask:
    """A tuning that can be carried out.

    Attributes
    ----------
    strategy : Strategy
        With the values to start from.
    names : tuple of str
        The parameters to tune.
    opponents : tuple of Strategy
    players : tuple of int
        Player counts; the value of a candidate is the mean over them.
    games : int
        Games to be played at most.
    objective : str
        One of `OBJECTIVES`.
    sigma : float
        Standard deviation of the first candidates, as a part of each parameter's range; (0, 1].
    population : int
        Candidates in a generation.
    seed : int
    elo : (float, float)
        Hypotheses of the final test: the tuned values are better by the first, or by the second.
    tables : tuple of Plan
        The line-ups to play: place 0 is the candidate's.
    """

    strategy: Strategy
    names: tuple[str, ...]
    opponents: tuple[Strategy, ...]
    players: tuple[int, ...]
    games: int
    objective: str
    sigma: float
    population: int
    seed: int
    elo: tuple[float, float]
    tables: tuple[Plan, ...]

    @property
    def ranges(self) -> list[Parameter]:
        """The declarations of the parameters to tune."""
        return [self.strategy.parameters[name] for name in self.names]

    @property
    def deal_games(self) -> int:
        """Games of one deal of every line-up."""
        return sum(plan.n_rotations for plan in self.tables)

    @property
    def pair_games(self) -> int:
        """Games of one pair of the final test."""
        return sum(n * (1 if n == 2 else 2) for n in self.players)

    @property
    def n_finalists(self) -> int:
        """Most candidates that are validated."""
        return N_BEST + 2

    def with_tuned(self, values: Sequence[float]) -> Strategy:
        """Return the strategy with some values of the parameters to tune."""
        by_name = dict(zip(self.strategy.parameters, self.strategy.values, strict=True))
        by_name |= dict(zip(self.names, values, strict=True))
        return replace(self.strategy, values=tuple(by_name.values()))

    @cached_property
    def schedule(self) -> Stages:
        """How many games each stage plays.

        Raises
        ------
        InputError
            If there are too few for one generation, saying how many are needed.
        """
        needed = self._fewest_games()
        if self.games < needed:
            raise InputError(
                f"{self.games:,} games are too few to tune {len(self.names)} parameter"
                f"{'s' * (len(self.names) > 1)} of {self.strategy.name!r} so: at least {needed:,} are needed for one "
                f"generation of {self.population} candidates, the validation and the final test"
            )
        spend = {stage: int(share * self.games) for stage, share in SHARES.items()}
        row = (self.population + 1) * self.deal_games  # the centre of the search is played along
        n_generations = min(20 + 10 * len(self.names), spend["search"] // (row * FEWEST_DEALS))
        n_rounds = _halvings(self.n_finalists)
        pairs = spend["test"] // self.pair_games
        return Stages(
            n_generations=n_generations,
            search_deals=spend["search"] // (row * n_generations),
            validation_deals=tuple(
                spend["validation"] // n_rounds // (-(-self.n_finalists // 2**each) * self.deal_games)
                for each in range(n_rounds)
            ),
            test_pairs=pairs,
            look_pairs=max(FEWEST_PAIRS, -(-pairs // TEST_LOOKS)),
            report_deals=spend["report"] // (2 * self.deal_games),
        )

    def _fewest_games(self) -> int:
        """Return the fewest games with which every stage can do its work."""
        least = {
            "search": (self.population + 1) * self.deal_games * FEWEST_DEALS,
            "validation": _halvings(self.n_finalists) * self.n_finalists * self.deal_games * FEWEST_DEALS,
            "test": FEWEST_PAIRS * self.pair_games,
            "report": 2 * self.deal_games * FEWEST_DEALS,
        }
        return max(math.ceil((games + 1) / SHARES[stage]) for stage, games in least.items())

    def deal_ranges(self) -> dict[str, list[int]]:
        """Return the first and the last deal that each stage may play, at any number of players."""
        plan, n_tables = self.schedule, len(self.tables)
        lengths = {
            "search": plan.n_generations * plan.search_deals * n_tables,
            "validation": sum(plan.validation_deals) * n_tables,
            "test": max(plan.test_pairs, plan.report_deals * n_tables),
        }
        return {stage: [first, first + lengths[stage] - 1] for stage, first in FIRST_DEALS.items()}

    def settings(self) -> dict[str, Any]:
        """Return all that determines the result, as plain data."""
        from importlib.metadata import version

        start = dict(zip(self.strategy.parameters, self.strategy.values, strict=True))
        plan = self.tables[0]
        strategies = [each for table in self.tables for each in table.members]
        return {
            "strategy": self.strategy.spec,
            "start": start,
            "tuned": list(self.names),
            "opponents": [each.spec for each in self.opponents],
            "players": list(self.players),
            "games": self.games,
            "objective": self.objective,
            "sigma": self.sigma,
            "population": self.population,
            "seed": self.seed,
            "elo": list(self.elo),
            "rules": plan.rules.as_dict(),
            **{name: value for name, value in plan.options().items() if name in ("game", "cards")},
            "files": sorted({f"{file} {sha}" for each in strategies for file, sha in each.hashes.items()}),
            "versions": {**versions(), "cmaes": version("cmaes")},
        }


def _halvings(n_finalists: int) -> int:
    """Return how many rounds of halving leave one of so many."""
    return max(1, math.ceil(math.log2(n_finalists)))


def plan_tuning(
    strategy: str | Strategy,
    opponents: Sequence[str | Strategy] = (),
    games: int | float | str = 1_000_000,
    players: int | str | Iterable[int | str] = 2,
    only: Sequence[str] = (),
    fix: Sequence[str] = (),
    objective: str = "win-share",
    sigma: float | str = 0.2,
    population: int | str | None = None,
    seed: int | str = 1,
    elo: tuple[float, float] = (0.0, 10.0),
    **options: Unpack[SetupOptions],
) -> TuningTask:
    """Check the options of a tuning; nothing is compiled or played.  Parameters as for `tune`.

    Raises
    ------
    InputError
        If an option is not allowed, or there are too few games.
    """
    game = options.get("game", POINT_SALAD.name)
    find_game(game)
    tuned = load_strategy(strategy, game) if isinstance(strategy, str) else strategy
    names = _names_to_tune(tuned, only, fix)
    against = tuple(load_strategy(each, game) if isinstance(each, str) else each for each in opponents or [tuned])
    if objective not in OBJECTIVES:
        raise unknown("objective", objective, OBJECTIVES)
    n_games = whole_number("games", games, 1, MOST_GAMES)
    counts = _player_counts(players, game)
    n_usual = 2 * (4 + math.floor(3 * math.log(len(names))))
    task = TuningTask(
        strategy=tuned,
        names=names,
        opponents=against,
        players=counts,
        games=n_games,
        objective=objective,
        sigma=_positive("sigma", sigma, 1.0),
        population=n_usual if population is None else whole_number("population", population, 4, 1000),
        seed=whole_number("seed", seed, 0, 2**63 - 1),
        elo=_check_elo(elo),
        tables=tuple(_line_ups(tuned, against, counts, seed, options)),
    )
    _ = task.schedule  # refuses too few games
    return task


def _player_counts(players: int | str | Iterable[int | str], game: str) -> tuple[int, ...]:
    """Return the numbers of players, each once."""
    asked = [players] if isinstance(players, (int, str)) else list(players)
    if not asked:
        raise InputError("no number of players given: at least one is needed")
    return tuple(dict.fromkeys(_player_count(each, game) for each in asked))


def _names_to_tune(strategy: Strategy, only: Sequence[str], fix: Sequence[str]) -> tuple[str, ...]:
    """Return the parameters to tune: those asked for, else all that are numbers, less the fixed ones.

    Whole numbers are mostly sizes, such as a number of rollouts, of which more is better and dearer: they are tuned
    only if asked for by name.
    """
    declared = strategy.parameters
    if not declared:
        raise InputError(f"strategy {strategy.name!r} has no parameters to tune")
    for name in (*only, *fix):
        if name not in declared:
            listed = ", ".join(declared)
            hint = nearest(name, declared)
            raise InputError(f"strategy {strategy.name!r} has no parameter {quote(name)}{hint}; it has {listed}")
    for name in only:
        if declared[name].choices:
            raise InputError(f"parameter {name!r} of {strategy.name!r} is a choice, not a number, and cannot be tuned")
        if declared[name].low == declared[name].high:
            raise InputError(f"parameter {name!r} of {strategy.name!r} can only be {declared[name].low:g}")
    tunable = [name for name, each in declared.items() if not each.whole and each.low < each.high]
    chosen = [name for name in (declared if only else tunable) if (not only or name in only) and name not in fix]
    if not chosen:
        raise InputError(
            f"no parameter of {strategy.name!r} is left to tune; it has {', '.join(declared)} (choices are never "
            "tuned, whole numbers only if named by --only)"
        )
    return tuple(chosen)


def _player_count(given: int | str, game: str) -> int:
    played = find_game(game)
    return whole_number("players", given, played.fewest, played.most)


def _positive(what: str, given: float | str, most: float) -> float:
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not 0 < value <= most:
        raise InputError(f"{what} must be a number above 0 and up to {most:g}, not {quote(given)}")
    return value


def _check_elo(elo: tuple[float, float]) -> tuple[float, float]:
    low, high = elo
    if not (-1000 <= low < high <= 1000):
        raise InputError(
            f"the final test needs two Elo differences, the smaller first, within ±1000, not {low}, {high}"
        )
    return float(low), float(high)


def _line_ups(
    strategy: Strategy,
    opponents: tuple[Strategy, ...],
    players: tuple[int, ...],
    seed: int | str,
    options: SetupOptions,
) -> Iterable[Plan]:
    """Yield the line-ups: as many for each number of players as there are opponents, which take turns in the places.

    At two players each line-up holds one opponent; at more, neighbours of the list sit together, and every opponent
    takes equally many places over all.
    """
    for n_players in players:
        for first in range(len(opponents)):
            others = [opponents[(first + place) % len(opponents)] for place in range(n_players - 1)]
            yield plan_run(n_players, n_players, [strategy, *others], seed, rotate=True, **options)
