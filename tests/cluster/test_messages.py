"""What travels between a run and the workers of its cluster: parcels of code, and answers that count once."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from salad_sim.cluster.connection import ClusterError
from salad_sim.cluster.dispatch import TRIES, _Dispatcher
from salad_sim.cluster.messages import ANSWER, PARCEL, pack, unpack
from salad_sim.errors import IllegalMoveError, InputError
from salad_sim.files.sealed import DamagedError, sealed, unsealed
from salad_sim.run.deal_ledger import Ledger
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.storage.checkpoint_file import tally_dict
from support.cluster_machines import DEEP, HELPER, MINE
from support.strategy_files import StrategyWriter

# ------------------------------------------------------------------------------------------- parcels


def changed(parcel: bytes, change: Callable[[dict], None]) -> bytes:
    data = unsealed(parcel, PARCEL, dict)
    change(data)
    return sealed(PARCEL, data)


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
    with pytest.raises(InputError, match=r"other code: greedy.py is \w{12}\.\.\. there and beef here$"):
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
    with pytest.raises(DamagedError, match="checksum"):
        unpack(parcel.replace(b'"games":10', b'"games":11'))


def test_a_file_that_is_no_text_cannot_be_sent(write_strategy: StrategyWriter, tmp_path):
    head = "# -*- coding: latin-1 -*-\n# caf\xe9\nfrom salad_sim.strategy import strategy\n"
    code = '@strategy("mine")\ndef choose(view, own, rng):\n    return 0\n'
    file = tmp_path / "mine.py"
    file.write_bytes((head + code).encode("latin-1"))
    with pytest.raises(InputError, match=r"mine\.py' cannot be sent to workers"):
        pack(plan_run(10, 2, str(file)))


# ------------------------------------------------------------------------------------------- answers


def dispatcher() -> tuple[_Dispatcher, Shard, dict]:
    """A dispatcher without a cluster, a shard of its plan, and the answer to it."""
    plan = plan_run(640, 2, "random")
    work = _Dispatcher(None, plan, Ledger.of(plan.ranges), 60.0)  # type: ignore[arg-type]
    shard = Shard(0, 5)
    tally = tally_dict(ShardPlayer(plan, prepare(plan))(shard))
    return work, shard, {"first": 0, "stop": 5, "worker": "tcp://w:1", "tally": tally, "seconds": 0.1}


def test_a_shard_cannot_count_twice():
    work, shard, answer = dispatcher()
    work._count(shard, sealed(ANSWER, answer))
    assert (work.ledger.games, work.tries) == (5, {})
    with pytest.raises(ValueError, match="are not missing"):
        work._count(shard, sealed(ANSWER, answer))
    assert work.ledger.games == 5


@pytest.mark.parametrize(
    "damage",
    [
        lambda answer: sealed(ANSWER, answer)[:-1],
        lambda answer: "nonsense",
        lambda answer: None,
        lambda answer: sealed(ANSWER, answer | {"first": 5, "stop": 10}),
        lambda answer: sealed(ANSWER, answer | {"tally": answer["tally"] | {"games": 6}}),
        lambda answer: sealed(ANSWER, answer | {"tally": {}}),
        lambda answer: sealed(ANSWER, answer | {"seconds": "long"}),
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
    work._count(Shard(5, 4), sealed(ANSWER, failed))
    assert not work._first_failure_is_known()
    work.again.clear()
    work._count(shard, sealed(ANSWER, answer))
    assert work._first_failure_is_known()
    assert (work.failures[0][0], type(work.failures[0][1])) == (5, IllegalMoveError)
