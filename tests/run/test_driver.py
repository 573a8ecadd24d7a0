"""One driver of games: what is compiled is said, whatever plays; who watches is told; jobs add up."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from salad_sim.cli import main
from salad_sim.run import runner
from salad_sim.run.driver import COMPILING, COMPILING_STRATEGIES, Job, Observer, Session
from salad_sim.run.executors import SecondInterrupt, Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import Kernels, ShardKernel, ShardPlayer, kernel_of
from salad_sim.storage.parquet import SAVING
from salad_sim.studies.cards.play import COUNTING, TRYING
from salad_sim.studies.profile.play import WATCHING

PLAN = plan_run(40, 2, "random")
KERNELS = {"counting": COUNTING, "trials": TRYING, "profile": WATCHING, "saving": SAVING, "game": kernel_of(PLAN)}


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing is compiled yet."""
    monkeypatch.setattr(runner, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(runner, "_prepared", set())
    return tmp_path


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_compiled_is_said_once(name: str, cold: Path) -> None:
    kernel = KERNELS[name]._replace(ready=lambda capacity: None)
    told: list[str] = []
    observer = Observer(tell=told.append)
    for _ in range(2):
        Session(progress=observer).prepare(PLAN, kernel)
    assert told == [COMPILING]
    there = Path(kernel.function.py_func.__code__.co_filename).stem
    index = cold / f"{there}.{kernel.function.py_func.__qualname__}-1.py311.nbi"
    index.touch()
    index.with_suffix(f".{PLAN.capacity}").touch()
    runner._prepared.clear()
    Session(progress=observer).prepare(PLAN, kernel)
    assert told == [COMPILING, COMPILING_STRATEGIES]


@pytest.mark.parametrize(
    ("words", "kernels"),
    [
        ("run -g 20", {None}),
        ("run -g 20 --save-games x.parquet", {SAVING}),
        ("profile random -a random -g 4 --endings 0 --no-timing", {WATCHING}),
        ("experiment card-value -s random -g 200 --precision 90", {COUNTING, TRYING}),
        ("experiment tie-break -s random -p 2 -g 20", {None}),
        ("league random greedy -g 20", {None}),
    ],
)
def test_commands_ask_for_all_that_they_compile(
    words: str, kernels: set[ShardKernel | None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: set[ShardKernel | None] = set()
    real = Session.prepare

    def prepare(session: Session, plan: Plan, kernel: ShardKernel | None = None) -> Kernels:
        asked.add(kernel)
        return real(session, plan, kernel)

    monkeypatch.setattr(Session, "prepare", prepare)
    monkeypatch.chdir(tmp_path)
    called = CliRunner().invoke(main, [*shlex.split(words), "-q"])
    assert called.exit_code == 0, called.output
    assert asked == kernels


def job(ranges: list[tuple[int, int]]) -> Job[Any]:
    return Job((PLAN,), lambda kernels: ShardPlayer(PLAN, kernels), ranges)


def test_a_session_counts_the_games_of_all_its_jobs() -> None:
    seen: list[tuple[int, int]] = []
    session = Session(2, lambda done, planned: seen.append((done, planned)), planned=50)
    deals: list[int] = []
    for ranges in ([(0, 10), (20, 30)], [(100, 130)], []):
        session.drive(
            job(ranges), lambda shard, _: deals.extend(range(shard.first_deal, shard.first_deal + shard.n_deals))
        )
    assert sorted(deals) == [*range(10), *range(20, 30), *range(100, 130)]
    assert session.done == 50 and seen[-1] == (50, 50) and not session.interrupted


def test_what_one_observer_ends_is_ended_for_all_that_he_watches() -> None:
    def press(done: int, planned: int) -> None:
        raise KeyboardInterrupt

    observer = Observer(press)
    first, second, other = Session(1, observer), Session(1, observer), Session(1)
    played: list[Shard] = []
    for session in (first, second, other):
        session.drive(job([(0, 4)]), lambda shard, _: played.append(shard))
    assert first.interrupted and second.interrupted and not other.interrupted
    assert other.done == 4 and second.done == 0


def test_ctrl_c_between_two_jobs_is_heard_and_a_second_one_ends_all() -> None:
    session = Session(1)
    with session.hearing():
        raise KeyboardInterrupt
    assert session.interrupted
    with pytest.raises(SecondInterrupt), session.hearing():
        raise SecondInterrupt


def test_saving_points_come_while_it_is_played_and_at_its_end() -> None:
    total: list[int] = []
    saved: list[int] = []
    session = Session(1, save=lambda: saved.append(sum(total)))
    session.drive(job([(0, 7)]), lambda shard, _: total.append(shard.n_deals))
    assert saved[-1] == 7 == sum(total)
