"""What travels between a run and the workers of its cluster: parcels of code, and answers that count once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import pytest

from salad_sim.cluster.connection import ClusterError
from salad_sim.cluster.dispatch import TRIES, _Dispatcher
from salad_sim.cluster.messages import PARCEL, answer_of, pack, pack_job, unpack, unpack_job
from salad_sim.errors import IllegalMoveError, InputError
from salad_sim.files.sealed import DamagedError, sealed, unsealed
from salad_sim.play.trace import KEPT
from salad_sim.run.deal_ledger import Ledger
from salad_sim.run.driver import Job
from salad_sim.run.executors import Shard
from salad_sim.run.outcomes import _RowPlayer
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.storage.plain_parts import Writer
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


def answer_to(shard: Shard, found: list[tuple[Shard, object]], **about: object) -> bytes:
    writer = Writer()
    plain = [(each, writer.plain(part)) for each, part in found]
    more = {"first": shard.first_deal, "stop": shard.first_deal + shard.n_deals, "worker": "tcp://w:1", "seconds": 0.1}
    return answer_of(more | about, plain, writer)


def dispatcher() -> tuple[_Dispatcher, Ledger, Shard, bytes]:
    """A dispatcher without a cluster, where it counts, a shard of its plan, and the answer to it."""
    plan = plan_run(640, 2, "random")
    ledger, job = Ledger.of(plan.ranges), Job((plan,), partial(ShardPlayer, plan), plan.ranges)
    work = _Dispatcher(None, job, pack_job(job), ledger.add, 60.0)  # type: ignore[arg-type]
    shard = Shard(0, 5)
    return work, ledger, shard, answer_to(shard, [(shard, ShardPlayer(plan, prepare(plan))(shard))])


def test_a_job_is_the_same_on_a_worker():
    plan = plan_run(40, 2, ["greedy", "random"], rotate=True)
    job = Job((plan,), partial(_RowPlayer, plan, KEPT), [(3, 9)], most=1000)
    there = unpack_job(pack_job(job)).job
    found = [each.worker(prepare(each.plans[0]))(Shard(3, 6)) for each in (job, there)]
    assert found[0]["scores"].tolist() == found[1]["scores"].tolist()
    assert (there.most, there.fixed, there.kernel, there.ranges) == (1000, None, None, [])


def test_a_job_of_code_without_a_name_is_not_sent():
    plan = plan_run(40, 2, "random")
    assert pack_job(Job((plan,), lambda kernels: ShardPlayer(plan, kernels), [(0, 40)])) is None


def test_a_job_names_nothing_but_the_program(monkeypatch):
    plan = plan_run(40, 2, "random")
    job = Job((plan,), partial(ShardPlayer, plan), [])
    monkeypatch.setattr(Writer, "_named", lambda *_: ["os", "system"])
    with pytest.raises(InputError, match=r"os\.system is nothing of this program"):
        unpack_job(pack_job(job))


def test_a_shard_cannot_count_twice():
    work, ledger, shard, answer = dispatcher()
    work._count(shard, answer)
    assert (ledger.games, work.n_left, work.tries) == (5, 635, {})
    with pytest.raises(ValueError, match="are not missing"):
        work._count(shard, answer)
    assert ledger.games == 5


@pytest.mark.parametrize(
    "damage",
    [
        lambda answer: answer[:-1],
        lambda answer: "nonsense",
        lambda answer: None,
        lambda answer: answer_to(Shard(0, 5), [(Shard(5, 5), {})]),
        lambda answer: answer_to(Shard(0, 5), [(Shard(0, 3), {}), (Shard(2, 3), {})]),
        lambda answer: answer_to(Shard(0, 5), []),
        lambda answer: answer_to(Shard(0, 5), [(Shard(0, 5), {})], seconds="long"),
    ],
)
def test_a_damaged_answer_is_asked_for_again_and_then_given_up(damage):
    work, ledger, shard, answer = dispatcher()
    for _ in range(TRIES - 1):
        work._count(shard, damage(answer))
        assert work.again.pop() == shard
    with pytest.raises(ClusterError, match=rf"deals 0\.\.4 were handed out {TRIES} times: what comes back is damaged"):
        work._count(shard, damage(answer))
    assert ledger.games == 0


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

    work, _, shard, _ = dispatcher()
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
    work, _, shard, _ = dispatcher()
    with pytest.raises(ClusterError, match=said) as raised:
        work._see_why(shard, Failed(error))  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_the_first_failure_is_reported_when_all_before_it_is_played():
    work, _, shard, answer = dispatcher()
    work.again.append(shard)
    work._count(Shard(5, 4), answer_to(Shard(5, 4), [], failed="IllegalMoveError", text="wrong"))
    assert not work._first_failure_is_known()
    work.again.clear()
    work._count(shard, answer)
    assert work._first_failure_is_known()
    assert (work.failures[0][0], type(work.failures[0][1])) == (5, IllegalMoveError)
