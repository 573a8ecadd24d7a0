"""Ctrl-C at a moment that a test chooses: at one of the jobs that a command or a function of the library plays."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from salad_sim.run.driver import Job, Session

At = Callable[[int, Job[Any]], bool]
"""Number of a job, from 1, and the job -> whether Ctrl-C comes at it."""

Cut = Callable[[Job[Any]], Job[Any]]
"""A job -> the part of it that is played before Ctrl-C."""


def press_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, at: At, cut: Callable[[Job[Any]], Job[Any]] | None = None
) -> list[int]:
    """Let Ctrl-C come at a job, before its first shard, or after the part of it that ``cut`` returns.

    Returns
    -------
    list of int
        Gets the number of every job that anybody asked for, as it does.
    """
    drive = Session.drive
    asked: list[int] = []

    def interrupted(session: Session, job: Job[Any], collect: Callable[..., None]) -> None:
        asked.append(len(asked) + 1)
        if at(len(asked), job):
            if cut is not None:
                drive(session, cut(job), collect)
            session.observer.interrupted = True
        drive(session, job, collect)

    monkeypatch.setattr(Session, "drive", interrupted)
    return asked


def two_thirds(job: Job[Any]) -> Job[Any]:
    """Return the first two thirds of the deals of a job of one range."""
    ((first, stop),) = job.ranges
    return replace(job, ranges=[(first, first + 2 * (stop - first) // 3)])


def first_half(job: Job[Any]) -> Job[Any]:
    """Return the first half of the ranges of a job."""
    return replace(job, ranges=job.ranges[: len(job.ranges) // 2])
