"""The contract that every strategy keeps, played out for 2 to 6 players; behind ``salad-sim check``.

A few games are played with care (see `careful`), then many at full speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from salad_sim.errors import IllegalMoveError, StrategyError
from salad_sim.game.engine import WHY_ILLEGAL, why_illegal
from salad_sim.game.notation import move_in_words
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.run.setup import real_number
from salad_sim.strategy.registry import Strategy, load_strategy
from salad_sim.tools.instrumented_game import (
    CannotGoOnError,
    CarefulGame,
    Findings,
    check_carefully,
    is_alone,
    where_at,
)

CHECKS = {
    "legal": "every move is legal",
    "again": "the same choice when asked again",
    "fresh": "no trace of earlier games",
    "hidden": "nothing hidden is read",
    "writes": "nothing but the own record is written",
    "time": "every move comes in time",
}
"""What is checked, in the order of the report."""

COMPANY = "random"
SEED = 1
CAREFUL_DEALS = 3
DEALS = 400
SECONDS = 20.0
TIMING = 0.1
PATIENCE = 60.0
LEAST_PATIENCE = 0.1
MOST_SECONDS = 86400.0
SLOW_MOVE = 0.01

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
class Report:
    """What `check_strategy` found.

    Attributes
    ----------
    strategy : Strategy
    verdicts : tuple of Verdict
        One for each check that could be made.
    speeds : dict of int to float
        Games per second on one thread by number of players, the strategy in every seat.
    notes : tuple of str
        What is worth knowing and breaks nothing.
    """

    strategy: Strategy
    verdicts: tuple[Verdict, ...]
    speeds: dict[int, float]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(verdict.passed for verdict in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "strategy": self.strategy.label,
            "source": str(self.strategy.source),
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
        yield f"{self.strategy.label} ({self.strategy.source})"
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


def _plans(subject: Strategy) -> Iterator[Plan]:
    """Yield the line-ups: the subject alone, for each number of players; then each seat of it in company."""
    for n_players in range(2, MAX_PLAYERS + 1):
        yield plan_run(1, n_players, subject, SEED)
    company = load_strategy(COMPANY)
    for n_players in range(2, MAX_PLAYERS + 1):
        for seat in range(n_players):
            line_up = [subject if each == seat else company for each in range(n_players)]
            yield plan_run(1, n_players, line_up, SEED)


def _play_fast(plan: Plan, player: ShardPlayer, findings: Findings, seconds: float) -> None:
    """Play many deals at full speed; measure the speed where the subject plays in every seat."""
    alone = is_alone(plan)
    n_deals, n_played, n_turns, start = 1, 0, 0, perf_counter()
    while n_played < DEALS or (alone and perf_counter() - start < TIMING):
        tally = player(Shard(n_played, n_deals))
        n_played += n_deals
        n_turns += int(tally.turns)
        elapsed = perf_counter() - start
        if elapsed > seconds:
            break
        n_deals = min(n_played, DEALS)
    findings.n_games += n_played
    if alone:
        findings.speeds[plan.n_players] = n_played / elapsed
        findings.move_seconds[plan.n_players] = elapsed / n_turns


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

    def __init__(self, subject: Strategy, seconds: float) -> None:
        self.subject = subject
        self.seconds = seconds
        self.findings = Findings()
        self.plans = list(_plans(subject))
        self.kernels = [prepare(plan) for plan in self.plans]
        self.games = [CarefulGame(plan, subject, self.findings) for plan in self.plans]
        self.work: np.record = self.games[0].work
        self.where: Callable[[], str] = self.games[0].where

    def pulse(self) -> tuple[int, ...]:
        """Return numbers that change while games go on."""
        work, found = self.work, self.findings
        return id(work), int(work.deal), int(work.table.public.turn), found.n_turns, found.n_games

    def hold(self) -> None:
        """Hold it: with care first, for a strategy that writes where it must not could do anything."""
        self._with_care()
        if not {"legal", "writes"} & set(self.findings.failures):
            self._at_speed()

    def _with_care(self) -> None:
        start = perf_counter()
        for deal in range(CAREFUL_DEALS):
            for game in self.games:
                if perf_counter() - start > self.seconds and (deal or not is_alone(game.plan)):
                    return
                self.work, self.where = game.work, game.where
                try:
                    check_carefully(game, deal)
                except CannotGoOnError:
                    return

    def _at_speed(self) -> None:
        start = perf_counter()
        for plan, kernels in zip(self.plans, self.kernels, strict=True):
            left = self.seconds - (perf_counter() - start)
            if left < 0 and not is_alone(plan):
                return
            player = ShardPlayer(plan, kernels)
            self.work, self.where = player.work, partial(_where, plan, player.work)
            try:
                _play_fast(plan, player, self.findings, left / len(self.plans))
            except IllegalMoveError:
                view, move = player.work.table.public, int(player.work.move)
                said = f"{move_in_words(view, plan.cards, move)}. Why not: {WHY_ILLEGAL[why_illegal(view, move)]}"
                self.findings.fail("legal", f"{self.where()}: {said}")
                return
            except StrategyError as error:
                cause = error.__cause__
                self.findings.fail("legal", f"{self.where()}: it raised {type(cause).__name__}: {cause}")
                return

    def report(self, patience: float) -> Report:
        """Say what was found."""
        found = self.findings
        extents = {
            "legal": f"{found.n_games:,} games of 2 to 6 players, alone and among {COMPANY} players",
            "fresh": f"{found.n_careful:,} games, each played again after another one",
            "time": f"within {patience:g} seconds",
        }
        turns = f"{found.n_turns:,} turns"
        verdicts = [Verdict(check, extents.get(check, turns), found.failures.get(check, "")) for check in CHECKS]
        return Report(self.subject, tuple(verdicts), found.speeds, tuple(self._notes()))

    def _notes(self) -> Iterator[str]:
        slowest = max(self.findings.move_seconds.values(), default=0.0)
        if slowest > SLOW_MOVE:
            hours = 1e5 / min(self.findings.speeds.values()) / 3600
            yield f"Slow: up to {slowest:.2g} seconds a move; 100,000 games would take up to {hours:,.0f} hours."


def check_strategy(given: str | Path, seconds: float | str = SECONDS, patience: float | str = PATIENCE) -> Report:
    """Play the contract for 2 to 6 players, the strategy alone and in every seat among random players.

    Every move must be legal and come in time. The same choice must come out when it is asked for again, when another
    game was played before, and when all hidden cards are others. Nothing but memory and scratch of the own record, and
    the stream, may be written to.

    Parameters
    ----------
    given : str or pathlib.Path
        A name, or ``path/to/file.py[:name]``.
    seconds : float
        About how long the careful games may take, and again the many; every number of players is played at least once.
    patience : float
        Seconds that a move may take. A strategy that takes longer keeps its thread until the process ends.

    Raises
    ------
    InputError
        If there is no such strategy, it does not compile, or a number is not allowed.
    """
    time_for_all = real_number("seconds", seconds, 0, MOST_SECONDS)
    time_for_move = real_number("patience", patience, LEAST_PATIENCE, MOST_SECONDS)
    examination = _Examination(load_strategy(str(given)), time_for_all)
    try:
        _watched(examination.hold, examination.pulse, time_for_move)
    except TimeoutError:
        examination.findings.fail("time", f"{examination.where()}: no move within {time_for_move:g} seconds")
    return examination.report(time_for_move)
