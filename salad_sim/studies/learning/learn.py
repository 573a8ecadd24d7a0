"""Learns a value by self-play: batches, looks at the strength, a final test; saved, and continued where it stopped."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Unpack

import numpy as np

from salad_sim.files.atomic import open_folder, sole_use
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Row
from salad_sim.play.self_play import step_weights
from salad_sim.run.driver import Session
from salad_sim.stats.intervals import columns, mean, proportion
from salad_sim.studies.learning.checkpoint import LearningState, load_state
from salad_sim.studies.learning.config import (
    FIRST_DEALS,
    PAST_SELF,
    LearningOptions,
    LearningTask,
    Opponents,
    plan_learning,
)
from salad_sim.studies.learning.play import Classroom, copy_net

HALF = 100_000
"""Games after which steps have become smaller by the root of two."""

RECENT = 20
"""The average counts about the last of so many parts of all steps."""

LEAST_WEIGHT = 0.0001
"""Of a step in the average, at least."""

SAVE_SECONDS = 5.0
SHARE_OF_TIME = 20
"""Saving takes no more than one second in so many."""


@dataclass(frozen=True)
class LearningStanding:
    """Where a learning stands, for those who watch it.

    Attributes
    ----------
    n_games : int
        Games learned from.
    rows : list of dict
        The rows of the last look; empty before the first one.
    """

    n_games: int
    rows: list[Row]


Watch = Callable[[LearningStanding], None]


@dataclass(frozen=True)
class Learned:
    """The result of a learning, or as much of it as there was time for.

    Attributes
    ----------
    task : Task
    state : State
    """

    task: LearningTask
    state: LearningState

    @property
    def net(self) -> np.record:
        """The weights to play by: the running average."""
        return self.state.nets["average"]

    @property
    def interrupted(self) -> bool:
        """Whether something was left undone."""
        return not self.state.test

    @property
    def passed(self) -> bool:
        """Whether what was learned may be called better than every strategy that it was tested against."""
        return bool(self.state.test) and all(row["win_share_low"] > row["fair"] for row in self.state.test)


def learn(
    games: int | float | str | None = None,
    players: int | str | Iterable[int | str] = 2,
    minutes: float | str | None = None,
    *,
    workers: int | str | None = None,
    out: str | Path | None = None,
    force: bool = False,
    watch: Watch | None = None,
    **options: Unpack[LearningOptions],
) -> Learned:
    """Learn what tables are worth by self-play and test it on fresh deals; Ctrl-C ends it early.

    With a budget of games the result does not depend on the number of workers, nor on how often it was stopped and
    continued.

    Parameters
    ----------
    games, players, minutes
        See `LearningTask`; by default a million games, or as many as the minutes allow.
    workers
        As for `simulate`.
    out : path, optional
        A folder to save in, and to continue from; `report.write_learning` adds the results.
    force : bool
        Begin anew whatever is in the folder.
    watch : callable
        Told after each look at the strength.
    **options
        See `LearningTask` and `SetupOptions`.

    Raises
    ------
    InputError
        If an option is not allowed, or the folder holds another learning.
    """
    task = plan_learning(games, players, minutes, **options)
    return carry_out(task, Session(workers), None if out is None else Path(out), force, watch)


def carry_out(
    task: LearningTask, session: Session, out: Path | None = None, force: bool = False, watch: Watch | None = None
) -> Learned:
    """Carry out a task; parameters and errors as for `learn`. Ctrl-C returns what there is."""
    folder = None if out is None else open_folder(out)
    with sole_use(None if session.is_kept_in(folder) else folder):
        state = LearningState.fresh(task) if folder is None or force else load_state(task, folder)
        with suppress(KeyboardInterrupt):
            _Teacher(task, state, folder, session, watch).run()
        state.save(task, folder)
    return Learned(task, state)


class _Teacher:
    """Carries out what is left of a task."""

    def __init__(
        self, task: LearningTask, state: LearningState, folder: Path | None, session: Session, watch: Watch | None
    ) -> None:
        self.task, self.state, self.folder = task, state, folder
        self.session, self.watch = session, watch
        self.room = Classroom(task, session)
        self.saved, self.cost = monotonic(), 0.0

    @property
    def is_done(self) -> bool:
        """Whether the budget is used up."""
        return self.state.n_games >= self.task.games or self.state.seconds >= 60.0 * self.task.minutes

    def run(self) -> None:
        """Learn, look, test."""
        task, state = self.task, self.state
        state.save(task, self.folder)
        while not self.is_done:
            state.test = []  # of a smaller budget
            self.batch()
            if state.n_games // task.every > (state.n_games - task.batch) // task.every or self.is_done:
                self.look()
            if (begin := monotonic()) - self.saved > max(SAVE_SECONDS, SHARE_OF_TIME * self.cost):
                state.save(task, self.folder)
                self.saved = monotonic()
                self.cost = self.saved - begin
        if not state.test:
            nets = (state.nets["average"], state.nets["past"])
            state.test = self.strength(FIRST_DEALS["test"], task.tests, nets, PAST_SELF)

    def batch(self) -> None:
        """Play one batch and make one step."""
        task, state = self.task, self.state
        self.session.done, self.session.planned = state.n_games, task.games
        begin = monotonic()
        first_deal = FIRST_DEALS["learning"] + state.n_games
        nets = (state.nets["net"], state.nets["past"])
        number = state.n_batches % len(task.tables)
        gradient, n_samples, squared_error = self.room.gradient(number, first_deal, task.batch, nets)
        state.n_batches += 1
        state.n_games += task.batch
        self.step(gradient)
        state.errors = [state.errors[0] + n_samples, state.errors[1] + squared_error]
        state.seconds += monotonic() - begin

    def step(self, gradient: np.record) -> None:
        """Move the weights against the gradient, and their average after them."""
        nets, number = self.state.nets, self.state.n_batches
        rate = self.task.rate / math.sqrt(1.0 + self.state.n_games / HALF)
        for part in gradient.dtype.names or ():
            flat = [np.atleast_2d(each[part]) for each in (nets["net"], gradient, nets["first"], nets["second"])]
            step_weights(*flat, (rate, float(number)))
        weight = np.float32(max(RECENT / (number + RECENT), LEAST_WEIGHT))
        for part in gradient.dtype.names or ():
            nets["average"][part][...] += weight * (nets["net"][part] - nets["average"][part])

    def look(self) -> None:
        """Measure the strength, always on the same deals, and make the learner of today the past."""
        task, state = self.task, self.state
        nets = (state.nets["average"], state.nets["past"])
        rows = self.strength(FIRST_DEALS["curve"], task.looks, nets)
        error = math.sqrt(state.errors[1] / max(state.errors[0], 1.0))
        state.curve += [
            {"games": state.n_games, "seconds": round(state.seconds, 1), "error": error, **row} for row in rows
        ]
        state.errors = [0.0, 0.0]
        copy_net(state.nets["average"], state.nets["past"])
        if self.watch is not None:
            self.watch(LearningStanding(state.n_games, rows))

    def strength(self, first_deal: int, games: int, nets: tuple[np.record, np.record], without: str = "") -> list[Row]:
        """Return one row for each opponent: what the learner wins of so many games, alone among them."""
        rows = []
        for table in self.task.curve:
            if table.name != without:
                n_deals = -(-games // table.plan.n_players)
                rows.append(_row(table, n_deals, self.room.test(table, first_deal, n_deals, nets)))
        return rows


def _row(table: Opponents, n_deals: int, tally: Any) -> Row:
    """Return what place 0 won and by how much it scored more than the mean of the others, the unit being the deal."""
    n_players = table.plan.n_players
    n_games = n_deals * n_players
    share = proportion(int(tally.wins[0].sum()), int(tally.deal_wins_squared_by_group[0]), n_deals, n_games, WHOLE_WIN)
    score = mean(int(tally.score[0].sum()), int(tally.deal_score_squared_by_group[0]), n_deals, n_games)
    row: Row = {"players": n_players, "opponents": table.name, "deals": n_deals, "fair": 1.0 / n_players}
    return row | columns("win_share", share) | columns("score", score)
