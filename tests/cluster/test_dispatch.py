"""A run on a Dask cluster: a real scheduler and workers as processes, which are killed and replaced."""

from __future__ import annotations

import _thread
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from salad_sim.cluster import connection
from salad_sim.cluster.connection import connected
from salad_sim.cluster.dispatch import DaskCluster
from salad_sim.cluster.messages import pack_job, read_answer
from salad_sim.cluster.worker import play_range
from salad_sim.errors import IllegalMoveError, InputError, StrategyError
from salad_sim.run.deal_ledger import Ledger
from salad_sim.run.driver import Job, Observer, Session, play_plan
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import ShardPlayer
from salad_sim.storage.checkpoint_file import tally_dict
from support.cluster_machines import DEEP, HELPER, MINE, OTHER_VERSION, WAIT, Machines, make_machines
from support.commands import call, files_of
from support.strategy_files import HEAD, StrategyWriter


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    yield from make_machines(tmp_path_factory.mktemp("machines"), ("one", "two", "three"))


def at_first_shard(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> list[int]:
    """Do something as soon as the first shard of any run is counted, before a second one can be."""
    add, done = Ledger.add, []

    def add_and_do(self: Ledger, shard: Shard, part: object) -> None:
        add(self, shard, part)  # type: ignore[arg-type]
        if not done:
            done.append(self.games)
            do()

    monkeypatch.setattr(Ledger, "add", add_and_do)
    return done


def on(client: Any) -> Session:
    return Session(progress=Observer(elsewhere=DaskCluster(client)))


def counted_here(plan: Plan) -> dict[str, Any]:
    return tally_dict(play_plan(plan).tally)


# --------------------------------------------------------------------------------- on real processes


def test_a_worker_that_is_killed_in_mid_run_costs_nothing(machines, monkeypatch):
    plan = plan_run(30_000, 3, ["greedy", "random", "random"], rotate=True)

    def replace_one() -> None:
        machines.kill("two")
        machines.worker("two")

    done = at_first_shard(monkeypatch, replace_one)
    with connected(machines.address) as client:
        count = play_plan(plan, on(client))
    assert 0 < done[0] < plan.n_games
    assert (int(count.tally.games), count.interrupted) == (plan.n_games, False)
    monkeypatch.undo()
    assert tally_dict(count.tally) == counted_here(plan)


def test_a_strategy_travels_by_content(machines, write_strategy: StrategyWriter, tmp_path):
    write_strategy(HELPER, "helper.py", head="")
    write_strategy(DEEP, "pieces/deep.py", head="")
    write_strategy("NOTHING = 0\n", "pieces/__init__.py", head="")
    file = write_strategy(MINE)
    plan = plan_run(100, 2, [f"{file}", "random"])
    parcel = pack_job(Job((plan,), partial(ShardPlayer, plan), []))
    for each in ("mine.py", "helper.py", "pieces"):
        (tmp_path / each).rename(tmp_path / f"away-{each}")
    with connected(machines.address) as client:
        _, found = read_answer(client.submit(play_range, parcel, 0, 100, 60.0).result(timeout=WAIT))
    for each in ("mine.py", "helper.py", "pieces"):
        (tmp_path / f"away-{each}").rename(tmp_path / each)
    assert tally_dict(found[0][1]) == counted_here(plan)


def test_failures_of_a_strategy_are_reported_as_they_are_here(machines, write_strategy: StrategyWriter):
    head = f'{HEAD}@strategy("odd")\ndef choose(view, own, rng):\n'
    illegal = write_strategy("return -1", "odd.py", head=f"{head}    ")
    raises = write_strategy('if view.turn >= 0: raise ValueError("lost")\n    return 0', "odder.py", head=f"{head}    ")
    broken = write_strategy("return 1.5", "oddest.py", head=f"{head}    ")
    kinds = [(illegal, IllegalMoveError), (raises, StrategyError), (broken, InputError)]
    with connected(machines.address) as client:
        for file, kind in kinds:
            other = illegal if file == raises else raises
            # of two strategies of one name the message has the path: the one here, not the worker's
            plan = plan_run(1000, 2, [str(file), str(other)])
            with pytest.raises(kind) as here:
                play_plan(plan)
            with pytest.raises(kind) as there:
                play_plan(plan, on(client))
            assert str(there.value) == str(here.value)
            assert str(file) in str(here.value)


def test_ctrl_c_on_a_cluster_and_the_rest_is_played_here(machines, tmp_path, monkeypatch):
    options = ("--games", "200000", "--strategy", "random", "--seed", "5", "--quiet")
    whole = call("run", *options, "--out", tmp_path / "whole")
    assert whole.exit_code == 0
    at_first_shard(monkeypatch, _thread.interrupt_main)
    stopped = call("run", *options, "--out", tmp_path / "run", "--cluster", machines.address)
    monkeypatch.undo()
    assert stopped.exit_code == 130
    assert re.search(r"interrupted: [\d,]+ of 200,000 games were played", stopped.stderr)
    assert "Traceback" not in stopped.stderr
    resumed = call("resume", tmp_path / "run", "--quiet")
    assert (resumed.exit_code, resumed.stdout) == (0, whole.stdout)
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")


def test_a_run_begun_here_goes_on_on_a_cluster(machines, tmp_path, monkeypatch):
    options = ("--games", "50000", "--strategy", "random", "--rotate", "--quiet")
    whole = call("run", *options, "--out", tmp_path / "whole")
    at_first_shard(monkeypatch, _thread.interrupt_main)
    stopped = call("run", *options, "--out", tmp_path / "run", "--workers", "1")
    monkeypatch.undo()
    assert stopped.exit_code == 130
    resumed = call("resume", tmp_path / "run", "--quiet", "--cluster", machines.address)
    assert (resumed.exit_code, resumed.stderr, resumed.stdout) == (0, "", whole.stdout)
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")


def test_a_worker_with_another_version_refuses(machines, tmp_path):
    machines.worker("old", OTHER_VERSION)
    try:
        with connected(machines.address) as client:
            client.wait_for_workers(4, timeout=WAIT)
            workers = client.scheduler_info(n_workers=-1)["workers"]
            (address,) = [each for each, about in workers.items() if about["name"] == "old"]
        options = ("run", "--games", "300000", "--strategy", "random", "--quiet", "--cluster", machines.address)
        found = call(*options, "--out", tmp_path / "run")
    finally:
        machines.kill("old")
    assert found.exit_code == 1
    said = found.stderr.splitlines()[-1]
    assert said.startswith(f"salad-sim: the worker at {address} refuses the work: it would play by other code: ")
    assert re.search(r"salad-sim is 0\.0\.1 there and \S+ here$", said)


@pytest.mark.slow
def test_a_long_run_survives_many_kills(machines, monkeypatch):
    plan = plan_run(2_000_000, 2, "random", seed=9)
    add, kills = Ledger.add, []

    def add_and_kill(self: Ledger, shard: Shard, part: object) -> None:
        add(self, shard, part)  # type: ignore[arg-type]
        if self.games > len(kills) * plan.n_games // 6:
            name = ("one", "two", "three")[len(kills) % 3]
            kills.append(name)
            machines.kill(name)
            machines.worker(name)

    monkeypatch.setattr(Ledger, "add", add_and_kill)
    with connected(machines.address) as client:
        count = play_plan(plan, on(client))
    monkeypatch.undo()
    assert len(kills) == 6
    assert tally_dict(count.tally) == counted_here(plan)


def test_a_scheduler_that_is_gone_ends_the_run_and_finished_games_are_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 2.0)
    folder = tmp_path / "machines"
    folder.mkdir()
    made = Machines(folder)
    try:
        made.worker("one")
        with connected(made.address) as client:
            client.wait_for_workers(1, timeout=WAIT)
        done = at_first_shard(monkeypatch, lambda: made.kill("scheduler"))
        options = ("run", "--games", "300000", "--strategy", "random", "--cluster", made.address)
        found = call(*options, "--out", tmp_path / "run")
    finally:
        for name in list(made.processes):
            made.kill(name)
    assert found.exit_code == 1
    saved, last = found.stderr.splitlines()[-2:]
    assert last == "salad-sim: the scheduler of the cluster is gone and did not come back"
    assert int(re.sub(r"\D", "", saved.split(" games")[0])) >= done[0] > 0
    assert json.loads((tmp_path / "run" / "tally.json").read_text())["content"]["games"] >= done[0]


@pytest.mark.slow
def test_a_scheduler_that_comes_back_gets_the_shards_again(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "CONNECT_SECONDS", WAIT)
    plan = plan_run(100_000, 2, "random", seed=3)
    made = Machines(tmp_path)

    def restart() -> None:
        made.kill("scheduler")
        made.kill("one")
        made.scheduler_again()
        made.worker("one")

    try:
        made.worker("one")
        at_first_shard(monkeypatch, restart)
        with connected(made.address) as client:
            count = play_plan(plan, on(client))
    finally:
        for name in list(made.processes):
            made.kill(name)
    monkeypatch.undo()
    assert tally_dict(count.tally) == counted_here(plan)


# --------------------------------------------------------------------------------- a cluster for one run


def test_a_local_cluster_gives_the_same_bytes_and_no_words(tmp_path):
    options = ("--games", "20000", "--strategy", "random", "--format", "csv")
    here = call("run", *options)
    program = [sys.executable, "-P", "-c", "from salad_sim.cli import main; main()"]
    there = subprocess.run(
        [*program, "run", *options, "--cluster", "local:2"], capture_output=True, text=True, timeout=WAIT, cwd=tmp_path
    )
    assert (there.returncode, there.stderr, there.stdout) == (0, "", here.stdout)
    assert not list(tmp_path.iterdir())


def ends(group: int) -> bool:
    """Whether the last process of a group ends in time."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_reaches_workers_too_and_finished_games_are_kept(tmp_path):
    words = ["run", "--games", "1e9", "--strategy", "random", "--cluster", "local:2", "--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", "from salad_sim.cli import main; main()", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    tally = tmp_path / "run" / "tally.json"
    end = time.monotonic() + WAIT
    while not (tally.exists() and json.loads(tally.read_text())["content"]["games"]):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=WAIT)
    assert process.returncode == 130
    assert all(line.startswith("salad-sim: ") for line in said.splitlines())
    assert re.search(r"interrupted: [\d,]+ of 1,000,000,000 games", said.splitlines()[-1])
    assert ends(process.pid)  # no process of the cluster is left


@pytest.mark.slow
def test_a_strategy_without_an_end_is_given_up(write_strategy: StrategyWriter):
    code = """
    @strategy("endless")
    def choose(view, own, rng):
        while view.turn >= 0:
            pass
        return 0
    """
    words = ("run", "--games", "1000", "--strategy", write_strategy(code), "--cluster", "local:2", "--patience", "2")
    found = call(*words, "--quiet")
    assert found.exit_code == 1
    assert re.fullmatch(
        r"salad-sim: strategy 'endless' at seat 1, turn 1 of game 0 of seed 1, 2 players, "
        r"does not come to an end: .* 2 seconds\n",
        found.stderr,
    )
