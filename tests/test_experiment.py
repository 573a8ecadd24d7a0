"""Experiments: the door, the report folder, and the committed studies played again."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from salad_sim import InputError
from salad_sim.cli import main
from salad_sim.experiment import find_experiments, load_experiment
from salad_sim.report.format import interval
from salad_sim.report.markdown import Report, Section, as_markdown, write_report
from support.places import ROOT

STUDY = '''
"""A study of one's own."""

from salad_sim import Report, Section, simulate
from salad_sim.experiment import StudyOptions, experiment


@experiment("mine", question="Who wins?")
def mine(options: StudyOptions) -> Report:
    result = simulate(int(options.games or 50), seed=int(options.seed), workers=options.workers)
    rows = result.seat_rows
    return Report(
        title="Who wins?",
        answer=f"Seat 1 wins {rows[0]['win_share']:.3f}.",
        sections=[Section("Seats", table=[["seat"], ["1"]])],
        tables={"seats": rows},
        pictures={},
        run={"again": "salad-sim experiment mine.py", "options": options.as_dict()},
    )
'''


def call(*words: str):
    return CliRunner().invoke(main, list(words))


def test_experiments_are_listed_with_their_questions() -> None:
    listed = call("experiment").stdout
    assert all(name in listed for name in find_experiments())
    assert "What does each disputed ruling move" in " ".join(listed.split())


def test_a_file_of_ones_own_runs(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(STUDY)
    called = call("experiment", str(file), "--games", "30", "--out", str(tmp_path / "out"), "-q")
    assert called.exit_code == 0 and called.stdout.startswith("# Who wins?")
    assert {each.name for each in (tmp_path / "out").iterdir()} == {"report.md", "seats.csv", "run.json", "job.json"}
    assert json.loads((tmp_path / "out" / "run.json").read_text())["options"] == {"games": "30", "seed": "1"}
    assert (tmp_path / "out" / "report.md").read_text() == called.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = (", "line 1"),
        ("1 / 0", "ZeroDivisionError"),
        ("x = 1", "must declare one experiment, not 0"),
        (
            "from salad_sim.experiment import experiment\n@experiment('a b', question='?')\ndef f(o): ...",
            "name is a letter",
        ),
    ],
)
def test_files_that_are_no_experiment_are_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        load_experiment(str(file))
    called = call("experiment", str(file))
    assert called.exit_code == 2 and called.stderr.count("\n") == 1


def test_unknown_experiments_are_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown experiment 'ruls' \(did you mean 'rules'\?\)"):
        load_experiment("ruls")
    with pytest.raises(InputError, match="there is no experiment file"):
        load_experiment("none.py")


def test_a_report_is_written_the_same_each_time(tmp_path: Path) -> None:
    report = Report(
        title="T",
        answer="A.",
        sections=[Section("S", "text", [["a", "b"], ["x|y", "1"]])],
        tables={"numbers": [{"a": 1, "b": float("nan")}]},
        pictures={},
        run={"again": "salad-sim experiment t"},
    )
    text = as_markdown(report)
    assert (
        "| x\\|y | 1 |" in text
        and "[numbers.csv](numbers.csv)" in text
        and text.endswith("`salad-sim experiment t`.\n")
    )
    write_report(report, tmp_path / "one")
    write_report(report, tmp_path / "two")
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    assert (tmp_path / "one" / "numbers.csv").read_text() == "a,b\n1,\n"


def test_differences_are_signed() -> None:
    assert interval(0.01234, 0.01, 0.02, scale=100, sign="+") == "+1.2 [+1.0, +2.0]"
    assert interval(-0.001, -0.3, 0.3) == "0.0 [-0.3, 0.3]"
    assert interval(float("nan"), 0, 0) == "" and interval(-1, float("nan"), 1, sign="+") == "-1.00"


def committed(name: str) -> tuple[dict, list[dict[str, str]]]:
    folder = ROOT / "reports" / name
    run = json.loads((folder / "run.json").read_text())
    with open(folder / "rulings.csv", newline="", encoding="utf-8") as file:
        return run, list(csv.DictReader(file))


def test_the_committed_rulings_are_found_again_by_fewer_games(tmp_path: Path) -> None:
    """A thinned study from the committed run.json agrees within sampling error (five standard errors of its own)."""
    run, rows = committed("rules")
    words = shlex.split(run["again"])[1:]
    called = call(*words, "--players", "2", "--games", "1500", "--seed", "77", "--out", str(tmp_path), "-q")
    assert called.exit_code == 0, called.stderr
    with open(tmp_path / "rulings.csv", newline="", encoding="utf-8") as file:
        again = {row["ruling"]: row for row in csv.DictReader(file)}
    large = {row["ruling"]: row for row in rows if row["players"] == "2"}
    assert set(again) == set(large)
    for ruling, row in again.items():
        width = (float(row["first_seat_difference_high"]) - float(row["first_seat_difference_low"])) / 2
        error = width / 3.0  # the simultaneous interval of seventeen is 2.98 standard errors wide
        difference = float(row["first_seat_difference"]) - float(large[ruling]["first_seat_difference"])
        assert abs(difference) <= 5 * error + 1e-9, ruling
        assert abs(float(row["turns_difference"]) - float(large[ruling]["turns_difference"])) < 0.15, ruling


def test_the_first_run_of_the_readme_is_found_again_exactly(tmp_path: Path) -> None:
    """The committed tables of a small run come out byte for byte."""
    run = json.loads((ROOT / "reports" / "small-run" / "run.json").read_text())
    called = call(*shlex.split(run["again"])[1:], "--out", str(tmp_path), "-q")
    assert called.exit_code == 0
    for name in ("seats.csv", "strategies.csv", "win_share.svg"):
        assert (tmp_path / name).read_bytes() == (ROOT / "reports" / "small-run" / name).read_bytes(), name


def test_a_folder_that_holds_another_study_is_refused(tmp_path: Path) -> None:
    words = ["experiment", "rules", "--games", "20", "-p", "2", "-s", "random", "--out", str(tmp_path), "-q"]
    assert call(*words).exit_code == 0
    assert call(*words).exit_code == 0  # the same one again
    other = call(*words, "--seed", "2")
    assert other.exit_code == 2 and "holds the results of salad-sim experiment rules" in other.stderr
    assert json.loads((tmp_path / "run.json").read_text())["options"]["seed"] == "1"
    assert call(*words, "--seed", "2", "--force").exit_code == 0
    (tmp_path / "run.json").write_text("not JSON")
    assert "holds results of something else" in call(*words).stderr
