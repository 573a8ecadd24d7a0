"""Every command that plays many games plays them on a cluster too, with the same bytes in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from salad_sim.cluster.dispatch import _Dispatcher
from salad_sim.run import driver
from support.cluster_machines import Machines, make_machines
from support.commands import call, files_of, good, refused
from support.jobs import STUDY, KilledError, stop_at
from support.strategy_files import StrategyWriter

MINE = """
@strategy("mine", hurry=Parameter(0.4, 0.0, 1.0, "above half: the first draft"), more=Parameter(0.1, 0.0, 1.0, "no"))
def choose(view, own, rng):
    list_drafts(view, own)
    return make_move(own.drafts[0 if own.params[0] > 0.5 else own.n_drafts - 1], NO_FLIP)
"""
COMMANDS = {
    "match": "match greedy random -g 3000",
    "league": "league greedy random casual -g 1200",
    "mine": "experiment ./study.py",
}
MORE = {
    "strategy": "match ./mine.py random -p 3 -g 900",
    "profile": "profile random --against random -g 300 --endings 2 --no-timing",
    "tune": "tune ./mine.py --opponents random -g 6000 --population 4",
    "rules": "rules compare official friendly -g 900 -s random",
    "experiment": "experiment rules -g 400 -s random",
    "cards": "experiment card-value -g 3000 -p 2 -s random",
}
SLOW = [pytest.param(words, id=name, marks=pytest.mark.slow) for name, words in MORE.items()]


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    yield from make_machines(tmp_path_factory.mktemp("machines"), ("one", "two"))


@pytest.fixture
def at_home(tmp_path: Path, write_strategy: StrategyWriter, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a strategy and a study of a user."""
    write_strategy(MINE)
    (tmp_path / "study.py").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def no_threads(*_: Any, **__: Any) -> bool:
    raise AssertionError("it is played here")


@pytest.mark.parametrize("command", [*COMMANDS.values(), *SLOW])
def test_the_same_bytes_wherever_it_is_played(
    command: str, at_home: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*command.split(), "-q", "--out"]
    here = good(*words, "here").stdout
    monkeypatch.setattr(driver, "play_on_threads", no_threads)
    assert good(*words, "there", "--cluster", machines.address).stdout == here
    assert files_of(at_home / "there") == files_of(at_home / "here")


@pytest.mark.slow
@pytest.mark.parametrize("words", ["match greedy random -g 60000", "league greedy random casual -g 30000"])
def test_a_worker_that_is_killed_in_mid_job_costs_nothing(
    words: str, at_home: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = good(*words.split(), "-q", "--out", "whole").stdout
    count, n_counted = _Dispatcher._count, []

    def count_and_kill(self: _Dispatcher, shard: Any, message: Any) -> None:
        count(self, shard, message)
        n_counted.append(shard)
        if len(n_counted) == 3:
            machines.kill("two")
            machines.worker("two")

    monkeypatch.setattr(_Dispatcher, "_count", count_and_kill)
    monkeypatch.setattr(driver, "play_on_threads", no_threads)
    found = good(*words.split(), "-q", "--out", "killed", "--cluster", machines.address).stdout
    assert len(n_counted) > 5 and found == whole
    assert files_of(at_home / "killed") == files_of(at_home / "whole")


def test_a_job_goes_on_elsewhere(at_home: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["match", "greedy", "random", "-g", "1500", "-q", "--out"]
    whole = good(*words, "whole", "-w", 1).stdout
    with monkeypatch.context() as patch:
        stop_at(patch, 1)
        assert isinstance(call(*words, "run", "-w", 1).exception, KilledError)
    assert good("resume", "run", "-q", "--cluster", machines.address).stdout == whole
    assert files_of(at_home / "run") == files_of(at_home / "whole")


@pytest.mark.parametrize("words", ["match greedy random", "league greedy random", "experiment rules", "tune planner"])
def test_threads_here_are_not_those_there(words: str) -> None:
    assert "leave --workers out" in refused(*words.split(), "-w", 2, "--cluster", "local:2")
    assert "--cluster is the address" in refused(*words.split(), "--cluster", "nowhere")
