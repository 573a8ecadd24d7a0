"""Commands with --out keep what they play: stopped in whatever way they go on, and end with the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from salad_sim.storage.journal import FILE
from support.commands import call, files_of, good, refused
from support.jobs import STUDY, KilledError, stop_at
from support.terminal import PROGRAM

COMMANDS = {
    "match": "match greedy random -g 1500 -w 1",
    "sprt": "match greedy random --sprt 0,10 -w 1",
    "three": "match greedy random -p 3 -g 1500 -w 1",
    "rules": "rules compare official friendly -g 1500 -s random -w 1",
    "profile": "profile random --against random -g 300 --endings 2 --no-timing -w 1",
    "experiment": "experiment rules -g 400 -s random -w 1",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_it_goes_on_and_ends_with_the_same_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = COMMANDS[name].split()
    whole = good(*words, "-q", "--out", tmp_path / "whole").stdout
    with monkeypatch.context() as patch:
        stop_at(patch, 1)
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


@pytest.mark.slow
def test_killed_again_and_again(tmp_path: Path) -> None:
    words: list[Any] = ["match", "greedy", "random", "-g", "200000", "-q", "-w", "2", "--out"]
    good(*words, tmp_path / "whole")
    folder = tmp_path / "killed"
    for number in range(10):
        size = (folder / FILE).stat().st_size if (folder / FILE).exists() else 0
        with subprocess.Popen([*PROGRAM, *words, str(folder)], stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 30
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1 + 0.03 * number)
                if (folder / FILE).exists() and (folder / FILE).stat().st_size > size:
                    break
            os.kill(process.pid, signal.SIGKILL)
    good(*words, folder)
    assert json.loads((folder / "job.json").read_text())["finished"]
    assert files_of(folder) == files_of(tmp_path / "whole")
