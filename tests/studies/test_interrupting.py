"""Ctrl-C in whatever is played: what was counted is told and marked, nothing more is played, the exit code says it."""

from __future__ import annotations

import json
import shlex
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from salad_sim.cli import INTERRUPTED, main
from salad_sim.run import driver
from support.interrupting import press_ctrl_c

COMMANDS = {
    "run -g 3000 -s random": 0,
    "match random random -g 3000": 1,
    "match random random -g 3000 -p 3": 2,
    "league random casual -g 400": 2,
    "profile random -a random -g 20 --endings 0": 0,
    "rules compare official bga -s random -g 500": 0,
}
"""Commands that print JSON, and how many of their jobs are played whole."""

EXPERIMENTS = {
    "rules -p 2 -s random -g 60": 3,
    "rules -p 2 -p 3 -s random -g 60": 0,
    "seat-order -p 2 -s random -s casual -g 100": 3,
    "tie-break -p 2 -s random -s casual -g 100": 1,
    "card-value -p 2 -p 3 -s random -g 300 --precision 90": 2,
    "NAIVE.py": 1,
}
"""Experiments, and likewise."""

NAIVE = """
    from salad_sim import Report, simulate
    from salad_sim.experiment import StudyOptions, experiment

    @experiment("naive", question="What does a study find that never asks whether it was interrupted?")
    def naive(options):
        rows = []
        for seed in range(5):
            found = simulate(2000, strategies="random", seed=seed, workers=options.workers, progress=options.progress)
            rows.append({"games": found.games})
        return Report("Naive", f"{rows}", [], {"rows": rows}, {}, {"again": ""})
"""


@pytest.fixture
def n_played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for every job that threads really play."""
    played: list[int] = []
    real = driver.play_on_threads

    def counted(*given, **more):  # type: ignore[no-untyped-def]
        played.append(len(played))
        return real(*given, **more)

    monkeypatch.setattr(driver, "play_on_threads", counted)
    return played


def half(job: driver.Job[object]) -> driver.Job[object]:
    """Return the first half of the deals of a job, by range."""
    from dataclasses import replace

    return replace(job, ranges=[(first, first + max((stop - first) // 2, 1)) for first, stop in job.ranges])


def call(words: str) -> Result:
    return CliRunner().invoke(main, shlex.split(words))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_what_was_counted(command: str, n_played: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    press_ctrl_c(monkeypatch, lambda n_jobs, _: n_jobs > COMMANDS[command], half)
    called = call(f"{command} --format json")
    assert called.exit_code == INTERRUPTED and called.stderr.count("interrupted: ") == 1
    assert json.loads(called.stdout)["interrupted"] is True
    assert len(n_played) == COMMANDS[command] + 1


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiment_reports_what_was_counted(
    experiment: str, cut: bool, n_played: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("NAIVE.py").write_text(textwrap.dedent(NAIVE))
    n_whole = EXPERIMENTS[experiment]
    press_ctrl_c(monkeypatch, lambda n_jobs, _: n_jobs > n_whole, half if cut else None)
    called = call(f"experiment {experiment} --out report")
    assert called.exit_code == INTERRUPTED and "interrupted" in called.stderr
    assert len(n_played) == n_whole + cut
    if n_whole + cut:
        assert called.stdout.count("The study was interrupted") == 1
        assert "was interrupted" in Path("report", "report.md").read_text()
    else:
        assert not called.stdout and not list(Path("report").glob("*"))


def test_a_tuning_says_where_it_stopped(n_played: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    press_ctrl_c(monkeypatch, lambda n_jobs, _: n_jobs > 3, half)
    called = call("tune casual -g 3000 --format json")
    assert called.exit_code == INTERRUPTED and "interrupted in the search" in called.stderr
    assert json.loads(called.stdout)["made"]["finished"] is False and len(n_played) == 4
