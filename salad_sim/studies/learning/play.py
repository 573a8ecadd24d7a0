"""Plays the games of a learning on all workers: to learn from a batch of them, or to count what the learner wins.

A batch is cut into shards of a few deals. Each worker adds up the gradient of its shard by itself; those of the shards
are then added in the order of their deals. So no byte depends on how many workers there are.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from salad_sim.game.value_layout import net_dtype
from salad_sim.jit.records import new_record
from salad_sim.play.self_play import lesson_dtype, lesson_player, play_lessons
from salad_sim.run.driver import Job, Session, play_plan
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, with_deals
from salad_sim.run.runner import Kernels, ShardKernel, ShardPlayer
from salad_sim.studies.learning.config import LearningTask, Opponents

SHARD_DEALS = 4
"""Deals of a shard whose gradient is added up by one worker."""


def kernel_of(task: LearningTask) -> ShardKernel:
    """Return what plays the shards of a learning."""
    return ShardKernel(play_lessons, partial(lesson_player, units=task.units, hidden=task.hidden))


class Pupil(ShardPlayer):
    """One worker: a workspace, and what is needed to learn beside it."""

    def __init__(self, task: LearningTask, table: Opponents, plan: Plan, kernels: Kernels) -> None:
        play, choices = kernels
        self.lesson = new_record(lesson_dtype(plan.capacity, task.units, task.hidden))
        super().__init__(plan, (partial(_play, play, self.lesson), choices))
        self.lesson.role[: plan.n_players] = table.roles
        self.lesson.explore = task.explore
        self.lesson.lambda_ = task.lambda_
        self.lesson.win_weight = task.win_weight

    def set(self, net: np.record, past: np.record, learns: bool) -> None:
        """Say by which weights it plays, and what for."""
        copy_net(net, self.lesson["net"])
        copy_net(past, self.lesson["past"])
        self.lesson.learns = learns


class Learning(Pupil):
    """A worker that returns the gradient of each shard, the samples in it and their squared error."""

    def __call__(self, shard: Shard) -> tuple[Any, int, float]:
        """Play a shard and learn from it."""
        lesson = self.lesson
        clear_net(lesson["gradient"])
        lesson.total = 0
        lesson.squared_error = 0.0
        super().__call__(shard)
        return lesson["gradient"].copy(), int(lesson.total), float(lesson.squared_error)


def _play(play: Any, lesson: np.record, work: np.record, *choices: Any) -> Any:
    return play(work, lesson, *choices)


def copy_net(net: Any, into: Any) -> None:
    """Copy weights."""
    for name in net.dtype.names:
        into[name][...] = net[name]


def clear_net(net: Any) -> None:
    """Set weights to zero."""
    for name in net.dtype.names:
        net[name][...] = 0


class Classroom:
    """Plays batches and tests of a learning; its workers stay from one to the next."""

    def __init__(self, task: LearningTask, session: Session) -> None:
        self.task = task
        self.session = session
        self.kernel = kernel_of(task)
        self._pupils: dict[int, list[Learning]] = {}

    def gradient(self, number: int, first_deal: int, n_deals: int, nets: tuple[np.record, np.record]) -> Any:
        """Play a batch at table ``number`` by ``nets`` = (now, past).

        Returns
        -------
        gradient : record `net_dtype`
            The mean over the samples.
        n_samples : int
        squared_error : float
            The sum over the samples.

        Raises
        ------
        KeyboardInterrupt
            If it is stopped before all are played.
        """
        table = self.task.tables[number]
        spare = list(self._pupils.setdefault(number, []))

        def worker(kernels: Kernels) -> Learning:
            pupil = spare.pop() if spare else Learning(self.task, table, table.plan, kernels)
            if pupil not in self._pupils[number]:
                self._pupils[number].append(pupil)
            pupil.set(*nets, True)
            return pupil

        parts: dict[int, tuple[Any, int, float]] = {}
        ranges = [(first_deal, first_deal + n_deals)]
        job = Job((table.plan,), worker, ranges, self.kernel, fixed=SHARD_DEALS, n_games=lambda _: 0)
        self.session.drive(job, lambda shard, part: parts.update({shard.first_deal: part}))
        if self.session.interrupted:
            raise KeyboardInterrupt
        return _mean_of([parts[deal] for deal in sorted(parts)], self.task)

    def test(self, table: Opponents, first_deal: int, n_deals: int, nets: tuple[np.record, np.record]) -> Any:
        """Play deals in all rotations, the learner at place 0, and return the tally; its group is 0.

        Raises
        ------
        KeyboardInterrupt
            If it is stopped before all are played.
        """
        plan = with_deals(table.plan, [(first_deal, first_deal + n_deals)])

        def player(plan: Plan, kernels: Kernels) -> Pupil:
            pupil = Pupil(self.task, table, plan, kernels)
            pupil.set(*nets, False)
            return pupil

        count = play_plan(plan, self.session, players=player, kernel=self.kernel)
        if count.interrupted:
            raise KeyboardInterrupt
        return count.tally


def _mean_of(parts: list[tuple[Any, int, float]], task: LearningTask) -> tuple[np.record, int, float]:
    total = new_record(net_dtype(task.units, task.hidden))
    n_samples = sum(n for _, n, _ in parts)
    for gradient, _, _ in parts:
        for name in total.dtype.names or ():
            total[name] += gradient[name]
    for name in total.dtype.names or ():
        total[name] *= np.float32(1.0 / max(n_samples, 1))
    return total, n_samples, sum(error for _, _, error in parts)
