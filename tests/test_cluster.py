"""A run on a Dask cluster: a real scheduler and workers as processes, which are killed and replaced; its refusals."""

from __future__ import annotations

import _thread
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result
from conftest import HEAD, StrategyWriter

from salad_sim.cli import main
from salad_sim.cluster import connection
from salad_sim.cluster.connection import ClusterError, connected
from salad_sim.cluster.dispatch import TRIES, _Dispatcher, play_on_cluster
from salad_sim.cluster.parcel import pack, sealed, unpack, unsealed
from salad_sim.cluster.worker import play_range
from salad_sim.errors import IllegalMoveError, InputError, StrategyError
from salad_sim.executors import Shard
from salad_sim.ledger import Ledger
from salad_sim.plan import Plan, plan_run
from salad_sim.runner import ShardPlayer, play_plan, prepare
from salad_sim.saved_run.tally_file import tally_dict, tally_digest

WAIT = 120.0
"""Seconds that a process may take to start on a machine with other work."""

DASK = "import sys; from dask.cli import run_cli; sys.argv[0] = 'dask'; run_cli()"
OTHER_VERSION = f"import salad_sim; salad_sim.__version__ = '0.0.1'; {DASK}"

# Takes the first vegetables of the market, or the first card, by way of a file beside it and one in a folder beside it.
MINE = """\
from helper import first
from pieces.deep import ZERO

@strategy("mine")
def choose(view, own, rng):
    list_drafts(view, own)
    return make_move(own.drafts[first(own.n_drafts) + ZERO], NO_FLIP)
"""
HELPER = """\
from salad_sim.strategy import kernel

@kernel
def first(n):
    return n - n
"""

DEEP = "from pieces import NOTHING\nZERO = NOTHING\n"
"""Only what is in the package's own file makes it work, and no import statement of the strategy names that."""


class Machines:
    """A scheduler and workers, each a process, in a folder that has nothing of the run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        file = folder / "scheduler.json"
        self.start("scheduler", DASK, "scheduler", "--scheduler-file", str(file), "--port", "0")
        self.wait(lambda: file.exists() and file.stat().st_size > 0, "scheduler")
        self.address = str(json.loads(file.read_text())["address"])

    def scheduler_again(self) -> None:
        """Start the scheduler at the address where it was."""
        self.start("scheduler", DASK, "scheduler", "--port", self.address.rpartition(":")[2])

    def start(self, name: str, code: str, *words: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-P", "-c", code, *words, "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"],
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )

    def worker(self, name: str, code: str = DASK) -> None:
        words = ["--nthreads", "1", "--no-nanny", "--name", name, "--memory-limit", "0"]
        self.start(name, code, "worker", self.address, *words, "--local-directory", str(self.folder))

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait(WAIT)

    def wait(self, so: Callable[[], bool], name: str) -> None:
        end = time.monotonic() + WAIT
        while not so():
            assert self.processes[name].poll() is None, (self.folder / f"{name}.log").read_text()
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    made = Machines(tmp_path_factory.mktemp("machines"))
    try:
        for name in ("one", "two", "three"):
            made.worker(name)
        with connected(made.address) as client:
            client.wait_for_workers(3, timeout=WAIT)
        yield made
    finally:
        for name in list(made.processes):
            made.kill(name)


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


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


def digest_here(plan: Plan) -> str:
    return tally_digest(play_plan(plan).tally)


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# --------------------------------------------------------------------------------- on real processes


def test_a_worker_that_is_killed_in_mid_run_costs_nothing(machines, monkeypatch):
    plan = plan_run(30_000, 3, ["greedy", "random", "random"], rotate=True)

    def replace_one() -> None:
        machines.kill("two")
        machines.worker("two")

    done = at_first_shard(monkeypatch, replace_one)
    with connected(machines.address) as client:
        count = play_on_cluster(plan, client)
    assert 0 < done[0] < plan.n_games
    assert (int(count.tally.games), count.interrupted) == (plan.n_games, False)
    monkeypatch.undo()
    assert tally_digest(count.tally) == digest_here(plan)


def test_a_strategy_travels_by_content(machines, write_strategy: StrategyWriter, tmp_path):
    write_strategy(HELPER, "helper.py", head="")
    write_strategy(DEEP, "pieces/deep.py", head="")
    write_strategy("NOTHING = 0\n", "pieces/__init__.py", head="")
    file = write_strategy(MINE)
    plan = plan_run(100, 2, [f"{file}", "random"])
    parcel = pack(plan)
    for each in ("mine.py", "helper.py", "pieces"):
        (tmp_path / each).rename(tmp_path / f"away-{each}")
    with connected(machines.address) as client:
        answer = unsealed(client.submit(play_range, parcel, 0, 100, 60.0).result(timeout=WAIT))
    for each in ("mine.py", "helper.py", "pieces"):
        (tmp_path / f"away-{each}").rename(tmp_path / each)
    assert answer["tally"] == tally_dict(play_plan(plan).tally)


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
                play_on_cluster(plan, client)
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
        count = play_on_cluster(plan, client)
    monkeypatch.undo()
    assert len(kills) == 6
    assert tally_digest(count.tally) == digest_here(plan)


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
            count = play_on_cluster(plan, client)
    finally:
        for name in list(made.processes):
            made.kill(name)
    monkeypatch.undo()
    assert tally_digest(count.tally) == digest_here(plan)


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


# --------------------------------------------------------------------------------- what is refused at the start


@pytest.mark.parametrize("given", ["", "foo", "local", "local:0", "local:1e9", "tcp://host", "tcp://host:99999", "h:1"])
def test_what_is_no_cluster_is_refused(given):
    found = call("run", "--games", "10", "--cluster", given)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith("salad-sim: ") and found.stderr.count("\n") == 1
    assert "local:N" in found.stderr and repr(given.removeprefix("local:")) in found.stderr


def test_a_place_where_no_scheduler_answers_is_refused_and_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes calls and says nothing
        port = silent.getsockname()[1]
        found = call("run", "--games", "10", "--cluster", f"tcp://127.0.0.1:{port}", "--out", tmp_path / "run")
    assert found.exit_code == 2
    assert re.fullmatch(
        rf"salad-sim: no Dask scheduler answers at tcp://127\.0\.0\.1:{port} within 0.5 seconds; .*\n", found.stderr
    )
    assert not list((tmp_path / "run").iterdir())


def test_a_scheduler_without_workers_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "WORKERS_SECONDS", 0.3)
    made = Machines(tmp_path)
    try:
        with (
            pytest.raises(InputError, match=r"has no workers, after 0\.3 seconds; .* dask worker tcp://"),
            connected(made.address),
        ):
            pass
    finally:
        made.kill("scheduler")


def test_processes_that_cannot_be_started_are_a_line(monkeypatch):
    import distributed

    def fail(**_: object) -> None:
        raise RuntimeError("Cluster failed to start:\n no more processes")

    monkeypatch.setattr(distributed, "LocalCluster", fail)
    found = call("run", "--games", "10", "--strategy", "random", "--cluster", "local:2")
    assert found.exit_code == 1
    assert found.stderr == (
        "salad-sim: 2 processes could not be started on this machine: Cluster failed to start: no more processes\n"
    )


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = call("run", "--games", "10", "--cluster", "local:2")
    assert found.exit_code == 2
    assert found.stderr.endswith("to install it: pip install 'salad-sim[cluster]'\n")


def test_threads_are_the_workers_own_business():
    found = call("run", "--games", "10", "--cluster", "local:2", "--workers", "3")
    assert found.exit_code == 2
    assert "leave --workers out" in found.stderr


# --------------------------------------------------------------------------------- parcels and answers


def changed(parcel: str, change: Callable[[dict], None]) -> str:
    data = unsealed(parcel)
    change(data)
    return sealed(data)


def test_a_parcel_makes_the_same_plan_again(write_strategy: StrategyWriter):
    write_strategy(HELPER, "helper.py", head="")
    write_strategy(DEEP, "pieces/deep.py", head="")
    files = [write_strategy(MINE)]
    write_strategy(HELPER, "b/helper.py", head="")
    write_strategy(DEEP, "b/pieces/deep.py", head="")
    for folder in ("", "b/"):
        write_strategy("NOTHING = 0\n", f"{folder}pieces/__init__.py", head="")
    files.append(write_strategy(MINE, "b/mine.py"))
    plan = plan_run("1e12", 3, [str(files[0]), str(files[1]), "random"], seed=7, tie_break="shared")
    unpacked = unpack(pack(plan))
    assert unpacked.plan.groups == plan.groups == (0, 1, 2)  # two files of one text are two strategies
    assert tuple(map(unpacked.in_words_of_sender, unpacked.plan.labels)) == plan.labels
    assert (unpacked.plan.n_deals, unpacked.plan.seed, unpacked.plan.rules) == (plan.n_deals, 7, plan.rules)
    assert {each.source.parent.parent.name for each in unpacked.plan.lineup[:2]} == {"sent"}


def test_other_code_is_refused_with_what_differs():
    parcel = pack(plan_run(10, 2, "greedy"))
    with pytest.raises(InputError, match=r"other code: numba is \S+ there and 0\.1 here$"):
        unpack(changed(parcel, lambda data: data["run"]["versions"].update(numba="0.1")))
    with pytest.raises(InputError, match=r"other code: code is \w{16} there and feed here$"):
        unpack(changed(parcel, lambda data: data["run"]["versions"].update(code="feed")))
    with pytest.raises(InputError, match=r"other code: greedy.py is \w{64} there and beef here$"):
        unpack(changed(parcel, lambda data: data["files"][0].update({"greedy.py": "beef"})))
    with pytest.raises(InputError, match="unknown strategy 'greddy'"):
        unpack(changed(parcel, lambda data: data["run"]["options"].update(strategies=["greddy", "greddy"])))


@pytest.mark.parametrize("name", ["../evil.py", "/tmp/evil.py", ""])
def test_files_are_written_into_their_folder_only(name, write_strategy: StrategyWriter):
    file = write_strategy('@strategy("mine")\ndef choose(view, own, rng):\n    return 0\n')
    parcel = pack(plan_run(10, 2, str(file)))
    with pytest.raises(InputError, match="may not be called"):
        unpack(changed(parcel, lambda data: data["sent"][str(file)].update({name: "x = 1"})))


def test_a_changed_parcel_is_noticed():
    parcel = pack(plan_run(10, 2, "greedy"))
    with pytest.raises(ValueError, match="changed on its way"):
        unpack(parcel.replace('"games": 10', '"games": 11'))


def test_a_file_that_is_no_text_cannot_be_sent(write_strategy: StrategyWriter, tmp_path):
    head = "# -*- coding: latin-1 -*-\n# caf\xe9\nfrom salad_sim.strategy import strategy\n"
    code = '@strategy("mine")\ndef choose(view, own, rng):\n    return 0\n'
    file = tmp_path / "mine.py"
    file.write_bytes((head + code).encode("latin-1"))
    with pytest.raises(InputError, match=r"mine\.py' cannot be sent to workers"):
        pack(plan_run(10, 2, str(file)))


def dispatcher() -> tuple[_Dispatcher, Shard, dict]:
    """A dispatcher without a cluster, a shard of its plan, and the answer to it."""
    plan = plan_run(640, 2, "random")
    work = _Dispatcher(None, plan, Ledger.of(plan.ranges), 60.0)  # type: ignore[arg-type]
    shard = Shard(0, 5)
    tally = tally_dict(ShardPlayer(plan, prepare(plan))(shard))
    return work, shard, {"first": 0, "stop": 5, "worker": "tcp://w:1", "tally": tally, "seconds": 0.1}


def test_a_shard_cannot_count_twice():
    work, shard, answer = dispatcher()
    work._count(shard, sealed(answer))
    assert (work.ledger.games, work.tries) == (5, {})
    with pytest.raises(ValueError, match="are not missing"):
        work._count(shard, sealed(answer))
    assert work.ledger.games == 5


@pytest.mark.parametrize(
    "damage",
    [
        lambda answer: sealed(answer)[:-1],
        lambda answer: "nonsense",
        lambda answer: None,
        lambda answer: sealed(answer | {"first": 5, "stop": 10}),
        lambda answer: sealed(answer | {"tally": answer["tally"] | {"games": 6}}),
        lambda answer: sealed(answer | {"tally": {}}),
        lambda answer: sealed(answer | {"seconds": "long"}),
    ],
)
def test_a_damaged_answer_is_asked_for_again_and_then_given_up(damage):
    work, shard, answer = dispatcher()
    for _ in range(TRIES - 1):
        work._count(shard, damage(answer))
        assert work.again.pop() == shard
    with pytest.raises(ClusterError, match=rf"deals 0\.\.4 were handed out {TRIES} times: what comes back is damaged"):
        work._count(shard, damage(answer))
    assert work.ledger.games == 0


class Failed:
    """A task that ended in an error which was not foreseen."""

    status = "error"
    key = "k"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def exception(self, timeout: float) -> Exception:
        return self.error


def test_a_shard_that_takes_workers_down_is_given_up_in_the_end():
    from distributed.scheduler import KilledWorker

    work, shard, _ = dispatcher()
    future = Failed(KilledWorker("task", SimpleNamespace(address="tcp://w:1"), 4))  # type: ignore[arg-type]
    for _ in range(TRIES - 1):
        work.handed_out["k"] = future, shard  # type: ignore[assignment]
        work._take(future)  # type: ignore[arg-type]
        assert work.again.pop() == shard
    work.handed_out["k"] = future, shard  # type: ignore[assignment]
    with pytest.raises(
        ClusterError, match=rf"deals 0\.\.4 were handed out {TRIES} times: the workers that play them die"
    ):
        work._take(future)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModuleNotFoundError("No module named 'salad_sim'"), "cannot load this version of salad-sim; install the same"),
        (RuntimeError("Error during deserialization of\nthe graph"), "cannot load this version of salad-sim"),
        (MemoryError("no\nroom"), "a worker of the cluster failed: MemoryError: no room$"),
    ],
)
def test_what_a_cluster_cannot_do_is_said_in_a_line(error, said):
    work, shard, _ = dispatcher()
    with pytest.raises(ClusterError, match=said) as raised:
        work._see_why(shard, Failed(error))  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_the_first_failure_is_reported_when_all_before_it_is_played():
    work, shard, answer = dispatcher()
    failed = {"first": 5, "stop": 9, "worker": "tcp://w:1", "failed": "IllegalMoveError", "text": "wrong"}
    work.again.append(shard)
    work._count(Shard(5, 4), sealed(failed))
    assert not work._first_failure_is_known()
    work.again.clear()
    work._count(shard, sealed(answer))
    assert work._first_failure_is_known()
    assert (work.failures[0][0], type(work.failures[0][1])) == (5, IllegalMoveError)
