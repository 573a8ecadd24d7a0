"""Tunes a strategy: search, validation and final test, each saved when it is done and continued where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

from salad_sim.files.atomic import open_folder, sole_use
from salad_sim.run.driver import Session
from salad_sim.stats.intervals import Estimate
from salad_sim.stats.sprt import ACCEPT_H1
from salad_sim.strategy.registry import Strategy
from salad_sim.studies.tuning.checkpoint import TuningState, load_state
from salad_sim.studies.tuning.config import FIRST_DEALS, TuningOptions, TuningTask, plan_tuning
from salad_sim.studies.tuning.evaluator import Arena
from salad_sim.studies.tuning.final_test import HeadToHead, report_rows
from salad_sim.studies.tuning.search import Generation, Search, check_library, history_rows, values_at
from salad_sim.studies.tuning.validation import finalists, validate


@dataclass(frozen=True)
class TuningStanding:
    """Where a tuning stands, for those who watch it.

    Attributes
    ----------
    stage : str
        search, validation or test.
    n_games, planned : int
        Games counted, those of earlier calls included, and the most that will be.
    generation : Generation, optional
        The last one.
    number : int
        How many generations are done.
    """

    stage: str
    n_games: int
    planned: int
    generation: Generation | None
    number: int


Watch = Callable[[TuningStanding], None]


@dataclass(frozen=True)
class Tuning:
    """The result of a tuning, or as much of it as there was time for.

    Attributes
    ----------
    task : Task
    state : State
        What was found.
    centre : list of float
        The mean of the search's distribution at the end.
    """

    task: TuningTask
    state: TuningState
    centre: list[float]

    @property
    def stage(self) -> str:
        """What was not finished: search, validation or test; else done."""
        if len(self.state.generations) < self.task.schedule.n_generations:
            return "search"
        if not self.state.finalists:
            return "validation"
        return "done" if self.state.rows and self.test.finished else "test"

    @property
    def interrupted(self) -> bool:
        """Whether something was left undone."""
        return self.stage != "done"

    @cached_property
    def tuned(self) -> Strategy:
        """The strategy with the tuned values: the winner of the validation, or the centre of the search until then."""
        if self.state.finalists:
            return self.task.with_tuned(self.state.finalists[0].values)
        return self.task.with_tuned(values_at(self.task, self.centre)) if self.state.generations else self.task.strategy

    @property
    def plain_spec(self) -> str:
        """What a user types to get the strategy with its default values."""
        defaults = tuple(float(each.default) for each in self.tuned.parameters.values())
        return replace(self.tuned, values=defaults).spec

    @property
    def test(self) -> HeadToHead:
        """The tuned values against those of the start."""
        return HeadToHead(self.task, self.state.scores)

    @property
    def passed(self) -> bool:
        """Whether the tuned values may be called better: the final test is done and says so."""
        return not self.interrupted and self.test.decision == ACCEPT_H1

    @property
    def history_rows(self) -> list[dict[str, Any]]:
        """One row a generation; see `search.history_rows`."""
        return history_rows(self.task, self.state.generations)


def tune(
    strategy: str | Strategy,
    opponents: Sequence[str | Strategy] = (),
    games: int | float | str = 1_000_000,
    players: int | str | Iterable[int | str] = 2,
    *,
    workers: int | str | None = None,
    out: str | Path | None = None,
    force: bool = False,
    watch: Watch | None = None,
    **options: Unpack[TuningOptions],
) -> Tuning:
    """Search for better values of a strategy's parameters, validate what was found and test it; Ctrl-C ends it early.

    The result does not depend on the number of workers, nor on how often it was stopped and continued.

    Parameters
    ----------
    strategy : str or Strategy
        With the values to start from, as in ``planner(pace=2)`` or ``planner:weights.toml``.
    opponents : sequence of str or Strategy
        By default the strategy with its start values.
    games, players
        See `TuningTask`; of several numbers of ``players`` the mean counts.
    workers
        As for `simulate`.
    out : path, optional
        A folder to save each step in, and to continue from; `report.write_tuning` adds the results.
    force : bool
        Begin anew whatever is in the folder.
    watch : callable
        Told about ten times a second where it stands.
    **options
        ``only``, ``fix``, ``objective``, ``sigma``, ``population``, ``seed``, ``elo``: see `TuningTask`. By default all
        parameters are tuned but choices and whole numbers, and a generation is twice as large as usual, for the values
        are noisy. The others as for `simulate`.

    Raises
    ------
    InputError
        If an option is not allowed, there are too few games, the folder holds another tuning, or the package cmaes is
        missing.
    """
    task = plan_tuning(strategy, opponents, games, players, **options)
    return carry_out(task, Session(workers), None if out is None else Path(out), force, watch)


def carry_out(
    task: TuningTask,
    session: Session,
    out: Path | None = None,
    force: bool = False,
    watch: Watch | None = None,
) -> Tuning:
    """Carry out a task; parameters and errors as for `tune`. Ctrl-C returns what there is."""
    check_library()
    folder = None if out is None else open_folder(out)
    with sole_use(None if session.is_kept_in(folder) else folder):
        state = TuningState() if folder is None or force else load_state(task, folder)
        found = _Tuner(task, state, folder, session, watch)
        with suppress(KeyboardInterrupt):
            found.run()
    return Tuning(task, state, found.search.centre)


class _Tuner:
    """Carries out the stages of a task, beginning with the first that is not done."""

    def __init__(
        self, task: TuningTask, state: TuningState, folder: Path | None, session: Session, watch: Watch | None
    ) -> None:
        self.task = task
        self.state = state
        self.folder = folder
        self.watch = watch
        self.stage = "search"
        self.arena = Arena(task, session)
        self.search = Search(task)
        for each in state.generations:
            self.search.repeat(each)
        session.done, session.planned = state.n_games(task), task.games
        session.save = self._tell

    def _tell(self) -> None:
        if self.watch is not None:
            done, n_games = self.state.generations, self.arena.session.done
            self.watch(TuningStanding(self.stage, n_games, self.task.games, done[-1] if done else None, len(done)))

    def _save(self) -> None:
        """Save what is done; the games that it took need not be kept any longer."""
        self.state.save(self.task, self.folder)
        self.arena.session.forget(self.folder)

    def run(self) -> None:
        """Carry out what is left to do."""
        task, state = self.task, self.state
        state.save(task, self.folder)
        while len(state.generations) < task.schedule.n_generations:
            self._generation()
            self._save()
        self.stage = "validation"
        if not state.finalists:
            field = finalists(task, state.generations, self.search.centre)
            state.finalists = validate(task, self.arena, field)
            self._save()
        self.stage = "test"
        tuned = task.with_tuned(state.finalists[0].values)
        if not state.rows:
            state.rows = report_rows(task, self.arena, tuned)
            self._save()
        test = HeadToHead(task, state.scores)
        while not test.finished:
            test.play_on(self.arena, tuned)
            self._save()

    def _generation(self) -> None:
        """Play one generation and learn from it."""
        task, n_deals = self.task, self.task.schedule.search_deals
        first_deal = FIRST_DEALS["search"] + len(self.state.generations) * n_deals * len(task.tables)
        centre, points = self.search.centre, self.search.ask()

        def play(point: list[float]) -> Estimate:
            candidate = task.with_tuned(values_at(task, point))
            return self.arena.estimate(self.arena.values(candidate, first_deal, n_deals))

        value = play(centre)
        values = [play(point).value for point in points]
        generation = Generation(points, values, centre, *value)
        self.search.tell(generation)
        self.state.generations.append(generation)
