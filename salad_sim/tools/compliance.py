"""The contract that every strategy keeps, played out for 2 to 6 players; behind ``salad-sim check``.

A few games are played with care (see `instrumented_game`), then many at full speed: by the official rules, in matches
of several rounds and under rules in which every switch stands otherwise. How many does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from time import perf_counter, time_ns
from typing import Any, TypeVar

import numba
import numpy as np

from salad_sim.errors import IllegalMoveError, StrategyError
from salad_sim.game.engine import WHY_ILLEGAL, why_illegal
from salad_sim.game.notation import move_in_words
from salad_sim.game.rules import CHOICES, OFFICIAL, SWITCHES, Rules
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.run.setup import MOST_SEED, real_number, whole_number
from salad_sim.strategy.registry import Strategy, load_strategy
from salad_sim.strategy.variants import POINT_SALAD
from salad_sim.tools.instrumented_game import (
    CannotGoOnError,
    CarefulGame,
    Faults,
    check_carefully,
    is_alone,
    where_at,
)

CHECKS = {
    "alive": "it lets the process go on",
    "legal": "every move is legal",
    "bounds": "every index is within its array",
    "again": "the same choice when asked again",
    "fresh": "no trace of earlier games",
    "hidden": "nothing hidden is read",
    "writes": "nothing but the own record is written",
    "time": "every move comes in time",
}
"""What is checked, in the order of the report."""

COMPANY = "random"
GAMES = 2000
MOST_GAMES = 10**7
CARE = 20
"""Of so many games at full speed one more is played with care, at least one of each line-up."""

TIMING = 0.1
PATIENCE = 60.0
LEAST_PATIENCE = 0.1
MOST_SECONDS = 86400.0
SLOW_MOVE = 0.01
MOST_DRAWN = 10**9

ROUNDS: dict[str, Any] = {"rounds": 3, "of_each": "6", "next_start": "random"}
"""A match of several rounds with decks that leave cards enough for it, however many play."""

NO_PROOF = "A check of games that were played is no proof: what a strategy does in one game of very many may go unseen."

Result = TypeVar("Result")


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check.

    Attributes
    ----------
    check : str
        A key of `CHECKS`.
    extent : str
        What was looked at.
    failure : str
        What failed and in which game, or empty.
    """

    check: str
    extent: str
    failure: str

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failure


@dataclass(frozen=True)
class ComplianceReport:
    """What `check_strategy` found.

    Attributes
    ----------
    label, source : str
        Of the strategy.
    seed : int
        Of all games.
    verdicts : tuple of Verdict
        One for each check that could be made.
    speeds : dict of int to float
        Games per second on one thread by number of players, the strategy in every seat.
    notes : tuple of str
        What is worth knowing and breaks nothing.
    """

    label: str
    source: str
    seed: int
    verdicts: tuple[Verdict, ...]
    speeds: dict[int, float]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, data: dict[str, Any]) -> ComplianceReport:
        """Return the report that `as_dict` gave."""
        verdicts = [Verdict(check, each["extent"], each["failure"]) for check, each in data["checks"].items()]
        speeds = {int(n_players): speed for n_players, speed in data["games_per_second"].items()}
        return cls(data["strategy"], data["source"], data["seed"], tuple(verdicts), speeds, tuple(data["notes"]))

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(verdict.passed for verdict in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "strategy": self.label,
            "source": self.source,
            "seed": self.seed,
            "passed": self.passed,
            "checks": {
                each.check: {"passed": each.passed, "extent": each.extent, "failure": each.failure}
                for each in self.verdicts
            },
            "games_per_second": {str(n_players): speed for n_players, speed in self.speeds.items()},
            "notes": list(self.notes),
        }

    def lines(self) -> Iterator[str]:
        """Yield the report in words, a line each."""
        yield f"{self.label} ({self.source}), seed {self.seed}"
        width = max(map(len, CHECKS.values()))
        for each in self.verdicts:
            yield f"{'pass' if each.passed else 'FAIL'}  {CHECKS[each.check]:{width}}  {each.extent}"
            if each.failure:
                yield f"      {each.failure}"
        if self.speeds:
            rates = ", ".join(f"{speed:,.0f} with {n_players}" for n_players, speed in self.speeds.items())
            yield f"Games per second on one thread, by number of players: {rates}."
        yield from self.notes
        yield "passed" if self.passed else "FAILED"


def _mixes() -> list[Rules]:
    """Return the rules to check under: the official ones, several rounds, and each value of each switch once."""
    switches = {name: values for name, values in CHOICES.items() if POINT_SALAD.name in SWITCHES[name].games}
    longest = max(map(len, switches.values()))
    mixes: list[dict[str, Any]] = [
        {name: values[number % len(values)] for name, values in switches.items()} for number in range(1, longest)
    ]
    return [OFFICIAL, Rules(**ROUNDS), *(Rules(**mix) for mix in mixes)]


def _plans(subject: Strategy, seed: int) -> Iterator[Plan]:
    """Yield the line-ups: the subject alone by the official rules and by others; then each seat of it in company."""
    mixes = _mixes()
    counts = range(2, MAX_PLAYERS + 1)
    alone = [(OFFICIAL, n_players) for n_players in counts]
    alone += [
        (rules, counts[(2 * number + more) % len(counts)]) for number, rules in enumerate(mixes) for more in (0, 1)
    ]
    for rules, n_players in dict.fromkeys(alone):
        yield plan_run(1, n_players, subject, seed, rules=rules)
    company = load_strategy(COMPANY)
    places = [(n_players, seat) for n_players in counts for seat in range(n_players)]
    for number, (n_players, seat) in enumerate(places):
        line_up = [subject if each == seat else company for each in range(n_players)]
        yield plan_run(1, n_players, line_up, seed, rules=mixes[number % len(mixes)])


def _play_fast(plan: Plan, player: ShardPlayer, findings: Faults, n_deals: int) -> None:
    """Play deals at full speed; measure the speed where the subject plays in every seat by the official rules."""
    start = perf_counter()
    n_turns = int(player(Shard(0, n_deals)).turns)
    findings.n_games += n_deals
    if not is_alone(plan) or plan.rules != OFFICIAL:
        return
    n_played = n_deals
    while perf_counter() - start < TIMING:  # more of them, for nothing but the clock
        n_turns += int(player(Shard(0, n_played)).turns)
        n_played *= 2
    elapsed = perf_counter() - start
    findings.speeds[plan.n_players] = n_played / elapsed
    findings.move_seconds[plan.n_players] = elapsed / max(n_turns, 1)


def _where(plan: Plan, work: np.record) -> str:
    return where_at(plan, work.table.public, int(work.deal))


def _watched(work: Callable[[], Result], pulse: Callable[[], object], patience: float) -> Result:
    """Do ``work`` on another thread; give up when ``pulse`` has not changed for ``patience`` seconds.

    Raises
    ------
    TimeoutError
        If it gives up; the thread is left behind and ends with the process.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def do() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)  # raised again on the thread that waits

    thread = Thread(target=do, daemon=True)
    thread.start()
    last, since = pulse(), perf_counter()
    while thread.is_alive():
        thread.join(0.02)
        now = pulse()
        if now != last:
            last, since = now, perf_counter()
        elif perf_counter() - since > patience:
            raise TimeoutError
    if errors:
        raise errors[0]
    return results[0]


class _Examination:
    """All checks of one strategy, and where they stand."""

    def __init__(self, subject: Strategy, games: int, seed: int, at_speed: bool) -> None:
        self.subject = subject
        self.seed = seed
        self.at_speed = at_speed
        self.findings = Faults()
        self.plans = list(_plans(subject, seed))
        self.n_deals = -(-games // len(self.plans))
        self.work: np.record | None = None
        self.where: Callable[[], str] = lambda: "before the first game"

    def pulse(self) -> tuple[int, ...]:
        """Return numbers that change while games go on."""
        work, found = self.work, self.findings
        at = (0, 0) if work is None else (int(work.deal), int(work.table.public.turn))
        return id(work), *at, found.n_turns, found.n_games

    def hold(self) -> None:
        """Hold it: with care first, for a strategy that writes where it must not could do anything."""
        self._with_care()
        if self.at_speed and not {"legal", "writes", "bounds"} & set(self.findings.failures):
            self._at_speed()

    def _with_care(self) -> None:
        for plan in self.plans:
            game = CarefulGame(plan, self.subject, self.findings)
            self.work, self.where = game.work, game.where
            for deal in range(-(-self.n_deals // CARE)):
                try:
                    check_carefully(game, deal)
                except CannotGoOnError:
                    return

    def _at_speed(self) -> None:
        for plan in self.plans:
            player = ShardPlayer(plan, prepare(plan))
            self.work, self.where = player.work, partial(_where, plan, player.work)
            try:
                _play_fast(plan, player, self.findings, self.n_deals)
            except IllegalMoveError:
                view, move = player.work.table.public, int(player.work.move)
                said = f"{move_in_words(view, plan.cards, move)}. Why not: {WHY_ILLEGAL[why_illegal(view, move)]}"
                self.findings.fail("legal", f"{self.where()}: {said}")
                return
            except StrategyError as error:
                cause = error.__cause__
                what = "writes" if cause is None else "legal"
                said = str(error) if cause is None else f"{self.where()}: it raised {type(cause).__name__}: {cause}"
                self.findings.fail(what, said)
                return

    def report(self, patience: float) -> ComplianceReport:
        """Say what was found."""
        found = self.findings
        rules = f"under {len(_mixes())} sets of rules"
        extents = {
            "legal": f"{found.n_games:,} games of 2 to 6 players, alone and among {COMPANY} players, {rules}",
            "fresh": f"{found.n_careful:,} games, each played again after another one",
            "time": f"within {patience:g} seconds",
        }
        turns = f"{found.n_turns:,} turns"
        looked_at = [check for check in CHECKS if check != "bounds" or numba.config.BOUNDSCHECK]
        verdicts = [Verdict(check, extents.get(check, turns), found.failures.get(check, "")) for check in looked_at]
        return ComplianceReport(
            self.subject.label,
            str(self.subject.source),
            self.seed,
            tuple(verdicts),
            found.speeds,
            (*self._notes(), NO_PROOF),
        )

    def _notes(self) -> Iterator[str]:
        slowest = max(self.findings.move_seconds.values(), default=0.0)
        if slowest > SLOW_MOVE:
            hours = 1e5 / min(self.findings.speeds.values()) / 3600
            yield f"Slow: up to {slowest:.2g} seconds a move; 100,000 games would take up to {hours:,.0f} hours."


def check_strategy(
    given: str | Path,
    games: float | str = GAMES,
    patience: float | str = PATIENCE,
    seed: int | str | None = None,
    at_speed: bool = True,
) -> ComplianceReport:
    """Play the contract for 2 to 6 players, the strategy alone and in every seat among random players.

    Every move must be legal and come in time. The same choice must come out when it is asked for again, when another
    game was played before, and when all hidden cards are others. Nothing but memory and scratch of the own record, and
    the stream, may be written to.

    Parameters
    ----------
    given : str or pathlib.Path
        A name, or ``path/to/file.py[:name]``.
    games : int, float or str
        About how many to play at full speed, at least one of each line-up; one in twenty more with care.
    patience : float or str
        Seconds that a move may take. A strategy that takes longer keeps its thread until the process ends.
    seed : int or str, optional
        By default another one each time.
    at_speed : bool
        Whether games are played at full speed too.

    Raises
    ------
    InputError
        If there is no such strategy, it does not compile, or a number is not allowed.
    """
    n_games = whole_number("games", games, 1, MOST_GAMES)
    time_for_move = real_number("patience", patience, LEAST_PATIENCE, MOST_SECONDS)
    examination = _Examination(load_strategy(str(given)), n_games, seed_of(seed), at_speed)
    _compile_before(examination)
    try:
        _watched(examination.hold, examination.pulse, time_for_move)
    except TimeoutError:
        examination.findings.fail("time", f"{examination.where()}: no move within {time_for_move:g} seconds")
    return examination.report(time_for_move)


def _compile_before(examination: _Examination) -> None:
    """Compile all that will be needed, which is no move, and may take longer than one."""
    examination.subject.ready()
    company = load_strategy(COMPANY)
    check_carefully(CarefulGame(plan_run(1, 2, company, rules=Rules(**ROUNDS)), company, Faults()), 0)
    if examination.at_speed:
        prepare(examination.plans[0])


def seed_of(given: int | str | None) -> int:
    """Return the seed of a check: another one each time, unless it is given."""
    return time_ns() % MOST_DRAWN if given is None else whole_number("seed", given, 0, MOST_SEED)
