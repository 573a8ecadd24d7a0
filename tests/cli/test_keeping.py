"""Commands with --out keep what they play: stopped in whatever way they go on, and end with the same bytes."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from salad_sim.run import driver, executors
from salad_sim.storage import journal
from salad_sim.storage.journal import FILE
from salad_sim.studies.league import checkpoint
from salad_sim.studies.learning import learn
from salad_sim.studies.learning.checkpoint import NAME
from support.commands import call, files_of, good, refused
from support.jobs import STUDY, KilledError, stop_at

COMMANDS = {
    "match": "match greedy random -g 1500 -w 1",
    "sprt": "match greedy random --sprt 0,10 -w 1",
    "three": "match greedy random -p 3 -g 1500 -w 1",
    "rules": "rules compare official friendly -g 1500 -s random -w 1",
    "profile": "profile random --against random -g 300 --endings 2 --no-timing -w 1",
    "experiment": "experiment rules -g 400 -s random -w 1",
    "league": "league greedy random casual -g 1200 -w 1",
    "adaptive": "league greedy random casual -g 1200 --adaptive -w 1",
    "tune": "tune planner --only tilt,spread --opponents random -g 2600 --population 4 -w 1",
}
LONG = {
    "match": "match greedy random -g 60000 -w 1",
    "sprt": "match greedy random --sprt 0,10 -g 60000 -w 1",
    "rules": "rules compare official friendly -g 30000 -s random -w 1",
    "profile": "profile random --against random -g 20000 --endings 2 --no-timing -w 1",
    "experiment": "experiment rules -g 6000 -s random -w 1",
    "league": "league greedy random casual -g 40000 -w 1",
    "tune": "tune planner --only tilt,spread --opponents random -g 20000 -w 1",
    "learn": "learn -g 600 --every 200 --looks 100 --tests 100 -w 1",
}
"""What is killed."""


@pytest.mark.parametrize("name", COMMANDS)
def test_it_goes_on_and_ends_with_the_same_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = COMMANDS[name].split()
    whole = good(*words, "-q", "--out", tmp_path / "whole").stdout
    with monkeypatch.context() as patch:
        stop_at(patch, 4 if name == "tune" else 1)
        assert isinstance(call(*words, "-q", "--out", tmp_path / "killed").exception, KilledError)
    assert (tmp_path / "killed" / FILE).stat().st_size > 100
    assert "stopped" in good("status", tmp_path / "killed").stdout
    assert "not finished" in refused("verify", tmp_path / "killed")
    assert good("resume", tmp_path / "killed", "-q").stdout == whole
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole")
    assert "complete" in good("status", tmp_path / "killed").stdout


def test_a_study_of_a_user_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    good("experiment", "mine.py", "-q", "-o", tmp_path / "whole")
    with monkeypatch.context() as patch:
        stop_at(patch, 3)
        call("experiment", "mine.py", "-q", "-o", tmp_path / "killed")
    monkeypatch.chdir("/")
    good("resume", tmp_path / "killed", "-q")
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole")


def test_another_job_is_refused_until_this_one_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        stop_at(patch, 1)
        call("match", "greedy", "random", "-g", 900, "-q", "--out", tmp_path)
    said = refused("match", "greedy", "random", "-g", 900, "--seed", 2, "-q", "--out", tmp_path)
    assert "not finished: salad-sim match greedy random --games 900; end it with salad-sim resume" in said


def test_a_finished_job_is_verified(tmp_path: Path) -> None:
    good("match", "greedy", "random", "-g", 200, "-q", "--out", tmp_path)
    assert "every number is reproduced" in good("verify", tmp_path, "-q").stdout
    table = tmp_path / "by_seat.csv"
    table.write_text(table.read_text().replace("1", "2"))
    found = call("verify", tmp_path, "-q")
    assert found.exit_code == 1 and "NOT reproduced: by_seat.csv" in found.stdout


@pytest.mark.parametrize("text", ["", "[", '{"words": 3}', '{"words": [1], "from": "/"}', "[" * 10**5])
def test_whatever_stands_in_the_file_of_a_job(text: str, tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text(text)
    for command in ("status", "resume", "verify"):
        assert "holds no run" in refused(command, tmp_path)


def in_child(words: list[Any], seconds: float | None = None) -> bool:
    """Do a command in a process that saves all the time; kill it after so many seconds, and say whether it was."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        for each in (journal, checkpoint, learn):
            each.SAVE_SECONDS = each.SHARE_OF_TIME = 0.0
        executors.TARGET_SECONDS = 0.004
        driver.play_on_threads = partial(executors.play_on_threads, every=0.005)
        os._exit(call(*words).exit_code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)  # a process that has ended is there until it is waited for
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_killed_again_and_again(name: str, tmp_path: Path) -> None:
    """Ten times at random, or as often as it takes until it is done."""
    words = [*LONG[name].split(), "-q", "--out"]
    good(*words, tmp_path / "whole")
    begin = time.monotonic()
    assert not in_child([*words, tmp_path / "killed"])
    seconds = time.monotonic() - begin
    shutil.rmtree(tmp_path / "killed")
    chance, n_kills = random.Random(name), 0
    while n_kills < 10 and in_child([*words, tmp_path / "killed"], chance.uniform(0.02, 0.12) * seconds):
        n_kills += 1
    good(*words, tmp_path / "killed")
    assert n_kills >= 3
    assert json.loads((tmp_path / "killed" / "job.json").read_text())["finished"]
    found, whole = files_of(tmp_path / "killed"), files_of(tmp_path / "whole")
    found.pop(NAME, None), whole.pop(NAME, None)  # says how long it took
    assert found == whole


@pytest.mark.slow
def test_a_learning_is_told_resumed_and_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["learn", "-g", "96", "--every", "32", "--looks", "20", "--tests", "20", "-q", "--out"]
    whole = good(*words, tmp_path / "whole").stdout
    with monkeypatch.context() as patch:
        stop_at(patch, 8)
        assert isinstance(call(*words, tmp_path / "killed").exception, KilledError)
    assert "stopped" in good("status", tmp_path / "killed").stdout
    assert good("resume", tmp_path / "killed", "-q").stdout == whole
    assert "every number is reproduced" in good("verify", tmp_path / "killed").stdout


def test_a_league_is_verified_and_made_longer(tmp_path: Path) -> None:
    good("league", "greedy", "random", "-g", 200, "-q", "--out", tmp_path)
    assert "every number is reproduced" in good("verify", tmp_path, "-q").stdout
    good("league", "greedy", "random", "-g", 400, "-q", "--out", tmp_path, "--force")
    assert "--games 400" in good("status", tmp_path).stdout
    assert "holds another league" in refused("league", "greedy", "random", "-g", 400, "--seed", 2, "--out", tmp_path)
    assert "--games 400: complete" in good("status", tmp_path).stdout
