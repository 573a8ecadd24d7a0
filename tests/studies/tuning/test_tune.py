"""Tuning: finds known optima, calls nothing better that is not, and does the same however often it is stopped."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from salad_sim import tune
from salad_sim.files.atomic import sole_use
from salad_sim.run.driver import Session
from salad_sim.run.outcomes import play_outcomes
from salad_sim.strategy.registry import load_strategy
from salad_sim.studies.tuning import evaluator as arena_module
from salad_sim.studies.tuning.checkpoint import NAME
from salad_sim.studies.tuning.config import FIRST_DEALS, plan_tuning
from salad_sim.studies.tuning.evaluator import Arena
from salad_sim.studies.tuning.final_test import HeadToHead
from salad_sim.studies.tuning.report import as_dict, command, write_tuning
from support.commands import call, files_of
from support.interrupting import press_ctrl_c
from support.toy_strategies import toy

# What it finds


def test_mistakes_are_tuned_away(toys: Path, tmp_path: Path) -> None:
    """The optimum lies at a bound. At this seed 0.03 is three times what was found; the test decides at once."""
    found = tune(toy(toys, "noisy"), ["greedy"], 5000, seed=2, workers=1, out=tmp_path)
    assert found.tuned.settings["rate"] < 0.03
    assert found.passed and found.test.n_pairs < found.task.schedule.test_pairs
    file = write_tuning(found, tmp_path)
    assert load_strategy(f"{toys}:noisy:{file}") == found.tuned  # any command takes the file
    row = found.state.rows[0]
    assert row["opponents"] == "greedy" and row["win_share_difference_low"] > 0.1
    assert row["win_share_start"] < 0.35 and abs(row["win_share_tuned"] - 0.5) < 0.12


@pytest.mark.parametrize(("players", "objective"), [([2], "margin"), ([3], "both")])
def test_the_bottom_of_a_bowl_is_found(toys: Path, players: list[int], objective: str) -> None:
    """Two parameters, from a start where it mostly errs: within 0.7 of an optimum 4.5 away."""
    games = 4000 * players[0]
    found = tune(toy(toys, "bowl"), ["greedy"], games, players, objective=objective, seed=4, workers=1)
    a, b = found.tuned.settings["a"], found.tuned.settings["b"]
    assert np.hypot(a - 1, (b - 3) / 1.25) < 0.7
    assert found.tuned.settings["unused"] == 2  # whole numbers are left alone unless asked for
    assert found.passed and found.state.n_games(found.task) <= games
    assert [row["players"] for row in found.state.rows] == players


def test_a_whole_number_is_tuned_when_named(toys: Path) -> None:
    found = tune(toy(toys, "sized"), ["greedy"], 3000, only=["size"], seed=1, workers=1)
    assert found.tuned.settings["size"] == 9
    assert all(row["size"] == int(row["size"]) for row in found.history_rows)


# What it does not call better


def test_an_equal_strategy_passes_no_more_often_than_stated(toys: Path) -> None:
    """200 final tests between equals at 5 %: more than 18 passes has a probability of 0.7 % if the rate is 5 %."""
    decisions = []
    for seed in range(200):
        task = plan_tuning(toy(toys, "useless"), ["random"], 4000, elo=(0, 100), seed=seed)
        test = HeadToHead(task)
        arena = Arena(task, Session(1))
        while not test.finished:
            test.play_on(arena, task.with_tuned([0.6]))
        decisions.append(test.decision)
    assert decisions.count("accept H1") <= 18
    assert decisions.count("accept H0") > 150
    assert test.scores.keys() - {test.whole // 2}  # the games do differ


def test_a_parameter_without_any_effect_does_not_pass(toys: Path, tmp_path: Path) -> None:
    found = tune(toy(toys, "bowl"), ["greedy"], 3000, only=["unused"], workers=1, out=tmp_path)
    assert not found.passed and found.test.decision == "accept H0" and set(found.test.scores) == {found.test.whole // 2}
    made = tomllib.loads(write_tuning(found, tmp_path).read_text())["made"]
    assert made["passed"] is False and made["finished"] is True
    assert made["verdict"].startswith("not better")


def test_what_was_not_decided_is_not_called_better(toys: Path) -> None:
    words = (
        "tune",
        f"{toys}:useless",
        "--opponents",
        "random",
        "--games",
        "3000",
        "-w",
        "1",
        "--sprt",
        "0,1",
        "--seed",
        "3",
    )
    called = call(*words)
    assert called.exit_code == 0, called.stderr
    assert "Not shown to be better" in called.stdout and "go on" in called.stdout


# The same whatever happens


def test_workers_make_no_difference(toys: Path, tmp_path: Path) -> None:
    for workers in (1, 3):
        folder = tmp_path / str(workers)
        write_tuning(tune(toy(toys, "noisy"), ["greedy"], 2600, workers=workers, out=folder), folder)
    assert files_of(tmp_path / "1") == files_of(tmp_path / "3")


def test_a_tuning_that_is_stopped_and_continued_ends_in_the_same_bytes(toys: Path, tmp_path: Path) -> None:
    words = ["tune", f"{toys}:bowl", "--opponents", "greedy", "--games", "4000", "-w", "1", "--sprt", "0,5", "--out"]
    assert call(*words, tmp_path / "whole").exit_code == 0
    stages = []

    def stop_after(n_plays: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            press_ctrl_c(patch, lambda n_jobs, _: n_jobs > n_plays)
            called = call(*words, tmp_path / "parts")
        assert called.exit_code == 130, called.output
        assert "the same command continues" in called.stderr
        text = (tmp_path / "parts" / "parameters.toml").read_text()
        made = tomllib.loads(text)["made"]
        assert not made["passed"] and not made["finished"]
        stages.append(called.stderr.split("interrupted in the ")[1].split(";")[0])

    def n_left() -> int:
        """Evaluations to the end of the search: twelve candidates and the centre in each generation."""
        lengths = [
            len(json.loads((tmp_path / each / NAME).read_text())["content"]["generations"])
            for each in ("whole", "parts")
        ]
        return 13 * (lengths[0] - lengths[1])

    stop_after(0)
    stop_after(20)
    stop_after(n_left() + 5)
    stop_after(8 + 4 + 2 + 2 + 1)  # the validation, the report, the first look at the test
    assert stages == ["search", "search", "validation", "test"]
    assert call(*words, tmp_path / "parts").exit_code == 0
    assert files_of(tmp_path / "whole") == files_of(tmp_path / "parts")
    again = call(*words, tmp_path / "parts")  # nothing is left to do
    assert again.exit_code == 0 and files_of(tmp_path / "whole") == files_of(tmp_path / "parts")


def test_the_command_in_the_file_does_it_again(toys: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    words = ("tune", f"{toys}:bowl(a=2, b=1)", "--opponents", f"{toys}:bowl(a=1, b=4)", "--fix", "a", "-w", "1")
    called = call(*words, "--games", "2.6e3", "--rule", "flip=never", "--out", first, "--quiet")
    assert called.exit_code == 0, called.stderr
    again = tomllib.loads((first / "parameters.toml").read_text())["made"]["command"]
    assert call(*shlex.split(again)[1:], "--out", tmp_path / "again", "-q").exit_code == 0
    for folder in (first, tmp_path / "again"):
        (folder / "job.json").unlink()  # has the words that were typed
    assert files_of(first) == files_of(tmp_path / "again")


# The deals


def test_stages_share_no_deal(toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every deal that is played lies in the range that the file states for its stage; start and end are reached."""
    played: list[tuple[int, int]] = []

    def play(plan, first_deal, *given):
        played.append((first_deal, first_deal + plan.n_deals - 1))
        return play_outcomes(plan, first_deal, *given)

    monkeypatch.setattr(arena_module, "play_outcomes", play)
    found = tune(toy(toys, "useless"), ["random"], 6500, [2, 3], elo=(0, 1), workers=1)
    ranges = found.task.deal_ranges()
    assert list(ranges) == list(FIRST_DEALS)
    ends = sorted(ranges.values())
    assert all(before[1] < after[0] for before, after in pairwise(ends))
    for stage, (first, last) in ranges.items():
        mine = [each for each in played if first <= each[0] <= last]
        assert min(each[0] for each in mine) == first and max(each[1] for each in mine) == last, stage
        played = [each for each in played if each not in mine]
    assert not played


def test_candidates_of_a_generation_play_the_same_deals_and_generations_fresh_ones(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[int] = []

    def play(plan, first_deal, *given):
        played.append(first_deal)
        return play_outcomes(plan, first_deal, *given)

    monkeypatch.setattr(arena_module, "play_outcomes", play)
    found = tune(toy(toys, "noisy"), ["greedy"], 3000, workers=1)
    plan, row = found.task.schedule, found.task.population + 1
    search = played[: plan.n_generations * row]
    expected = [FIRST_DEALS["search"] + each * plan.search_deals for each in range(plan.n_generations)]
    assert search == [deal for deal in expected for _ in range(row)]


# Its parts


def test_a_pair_scores_the_same_from_both_sides(toys: Path) -> None:
    """At two players it is the share of the two games; at three, one minus the score of the others."""
    task = plan_tuning(toy(toys, "noisy"), ["greedy"], 50_000, [3])
    better = task.with_tuned([0.0])
    back = replace(task, strategy=better)
    forth, other = HeadToHead(task), HeadToHead(back)
    forth.play_on(Arena(task), better)
    other.play_on(Arena(back), task.strategy)
    assert forth.whole == other.whole == 360
    assert forth.scores == {360 - score: count for score, count in other.scores.items()}
    assert forth.score.value > 0.6

    two = plan_tuning(toy(toys, "noisy"), ["greedy"], 50_000, [2])
    test = HeadToHead(two)
    test.play_on(Arena(two), better)
    plan = replace(two.tables[0], lineup=(better, two.strategy), n_deals=two.schedule.look_pairs)
    won = play_outcomes(plan, FIRST_DEALS["test"]).wins[:, :, 0].sum(axis=1)
    assert test.score.value == pytest.approx(won.mean() / 120)


# Its files


def test_another_tuning_in_the_folder_is_refused_unless_forced(toys: Path, tmp_path: Path) -> None:
    words = ("tune", f"{toys}:noisy", "--opponents", "random", "--games", "2600", "-w", "1", "--out", tmp_path, "-q")
    assert call(*words).exit_code == 0
    before = files_of(tmp_path)
    refused = call(*words, "--seed", "7")
    assert refused.exit_code == 2 and "holds another tuning, with seed 1 and not 7" in refused.stderr
    assert files_of(tmp_path) == before
    (tmp_path / NAME).write_text("{")
    assert call(*words, "--force").exit_code == 0
    assert files_of(tmp_path) == before


def test_a_damaged_file_of_a_tuning_is_refused(toys: Path, tmp_path: Path) -> None:
    words = ("tune", f"{toys}:noisy", "--opponents", "random", "--games", "2600", "-w", "1", "--out", tmp_path, "-q")
    assert call(*words).exit_code == 0
    file = tmp_path / NAME
    whole = file.read_text()
    digit = re.search(r'"values":\[\d\.(\d)', whole)
    assert digit is not None
    edited = whole[: digit.start(1)] + str((int(digit[1]) + 1) % 10) + whole[digit.end(1) :]
    unsigned = re.sub(r',\n"sha256".*', "\n}\n", whole, flags=re.DOTALL)
    for damaged in ("", "{", "[]", whole[: len(whole) // 2], edited, unsigned, '{"settings": []}'):
        file.write_text(damaged)
        before = files_of(tmp_path)
        refused = call(*words)
        assert refused.exit_code == 2 and "is no file of a tuning, or damaged (" in refused.stderr
        assert refused.stderr.count("\n") == 1 and files_of(tmp_path) == before


def test_no_two_programs_tune_in_one_folder(toys: Path, tmp_path: Path) -> None:
    words = ("tune", f"{toys}:noisy", "--opponents", "random", "--games", "2600", "-w", "1", "--out", tmp_path)
    with sole_use(tmp_path):
        refused = call(*words)
    assert refused.exit_code == 2 and "another salad-sim is at work in" in refused.stderr and not files_of(tmp_path)
    assert call(*words).exit_code == 0


def test_a_start_file_gives_the_start(toys: Path, tmp_path: Path) -> None:
    file = tmp_path / "start.toml"
    file.write_text('strategy = "noisy"\n[parameters]\nrate = 0.25\n')
    words = ("--opponents", "random", "--games", "2600", "-w", "1", "--format", "json", "-q")
    called = call("tune", f"{toys}:noisy", "--start", file, *words)
    made = json.loads(called.stdout)["made"]
    assert made["start"] == {"rate": 0.25} and made["passed"] in (True, False)
    assert called.stdout == call("tune", f"{toys}:noisy:{file}", *words).stdout


def test_the_result_is_plain_data(toys: Path) -> None:
    found = tune(toy(toys, "noisy"), ["random"], 2600, workers=1)
    data = json.loads(json.dumps(as_dict(found), allow_nan=False))
    assert data["parameters"] == found.tuned.settings
    assert data["made"]["command"] == command(found.task)
    assert data["made"]["deals"] == found.task.deal_ranges()
