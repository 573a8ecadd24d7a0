"""Learning: targets by hand, known values are learned, the same bytes for any number of workers and interruptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from salad_sim.errors import InputError
from salad_sim.game.card_file import card_file_lines
from salad_sim.jit.records import new_record
from salad_sim.play import self_play
from salad_sim.play.self_play import lesson_dtype
from salad_sim.strategy.registry import load_strategy
from salad_sim.studies.learning.checkpoint import NAME, load_state
from salad_sim.studies.learning.config import plan_learning
from salad_sim.studies.learning.learn import Learned, learn
from salad_sim.studies.learning.report import command, verdict, write_learning
from support.card_sets import card_set
from support.commands import call
from support.interrupting import press_ctrl_c

QUICK: dict[str, Any] = {"every": 64, "looks": 20, "tests": 20, "batch": 16}


def test_targets_are_those_of_the_lambda_return() -> None:
    """Three moves of one seat, the second made at random: what came before looks through it."""
    lesson = new_record(lesson_dtype(108, 48, 64))
    lesson.lambda_ = 0.8
    lesson.carry[1] = 0.9
    lesson.carry[0] = 0.1
    for sample, (seat, best, explored) in zip(
        lesson.samples, [(1, 0.5, 0), (0, 0.3, 0), (1, 0.6, 1), (1, 0.7, 0)], strict=False
    ):
        sample.seat, sample.best, sample.explored = seat, best, explored
    lesson.n_samples = 4
    self_play.set_targets(lesson)
    after = 0.2 * 0.7 + 0.8 * 0.9
    assert lesson.samples["target"][:4].tolist() == pytest.approx([0.6, 0.1, after, 0.9])


def test_steps_are_those_of_adam() -> None:
    """Two steps beside the formulas of the paper."""
    weights, slope = np.array([[0.5, -0.5]], dtype=np.float32), np.array([[0.1, -2.0]], dtype=np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    plain, m, v = weights.astype(float), np.zeros((1, 2)), np.zeros((1, 2))
    for step in (1, 2):
        self_play.step_weights(weights, slope, first, second, (0.01, float(step)))
        m, v = 0.9 * m + 0.1 * slope, 0.999 * v + 0.001 * slope**2
        plain -= 0.01 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        assert weights == pytest.approx(plain, abs=1e-5)


def bytes_of(found: Learned) -> list[bytes]:
    return [net.tobytes() for net in found.state.nets.values()]


@pytest.mark.slow
def test_any_number_of_workers_and_any_stop_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = learn(128, [2, 3], workers=1, opponents=["self", "past", "greedy"], **QUICK)
    three = learn(128, [2, 3], workers=3, opponents=["self", "past", "greedy"], **QUICK)
    assert bytes_of(one) == bytes_of(three)
    assert (one.state.curve[0] | {"seconds": 0}) == (three.state.curve[0] | {"seconds": 0})
    assert one.state.test == three.state.test
    for stop in (3, 12):
        with monkeypatch.context() as patch:
            press_ctrl_c(patch, lambda n_jobs, _, stop=stop: n_jobs == stop)
            stopped = learn(128, [2, 3], workers=2, opponents=["self", "past", "greedy"], out=tmp_path, **QUICK)
        assert stopped.interrupted and verdict(stopped).startswith("not tested")
    whole = learn(128, [2, 3], workers=2, opponents=["self", "past", "greedy"], out=tmp_path, **QUICK)
    assert bytes_of(whole) == bytes_of(one) and whole.state.test == one.state.test


@pytest.mark.slow
def test_the_known_value_of_a_toy_is_learned(tmp_path: Path) -> None:
    """Cards that score nothing: every total ties, the later seat wins, and the margin is none.

    So a table is worth 0.6 of a win to the second seat and 0.4 of an even margin to both, whatever is done.
    """
    rows = [
        {"card_id": 6 * copy + veg, "back": back, "kind": "most_total", "points": 0, "copies": 1}
        for copy in range(6)
        for veg, back in enumerate(("cabbage", "carrot", "lettuce", "onion", "pepper", "tomato"))
    ]
    file = tmp_path / "toy.csv"
    file.write_text("\n".join(card_file_lines(card_set(rows))), encoding="utf-8")
    found = learn(1600, cards=file, workers=2, rate=0.005, **(QUICK | {"every": 800}))
    first, last = found.state.curve[0]["error"], found.state.curve[-1]["error"]
    assert last < 0.03 < 0.05 < first  # a value that knows nothing is off by 0.3


@pytest.mark.slow
def test_a_learning_writes_a_strategy_that_plays(tmp_path: Path) -> None:
    done = call("learn", "--games", 64, "--every", 32, "--looks", 20, "--tests", 20, "--out", tmp_path, "-q")
    assert done.exit_code == 0, done.stderr
    learned = load_strategy(f"{tmp_path / 'learned.py'}")
    assert learned.name == "learned"
    again = call("match", tmp_path / "learned.py", "random", "--games", 40)
    assert "learned against random" in again.output
    assert "--games 64" in (tmp_path / "run.json").read_text()
    more = call("learn", "--games", 96, "--every", 32, "--looks", 20, "--tests", 20, "--out", tmp_path, "-q")
    assert more.exit_code == 0 and "96 games" in more.output
    before = (tmp_path / "report.md").read_bytes()
    assert write_learning(Learned(*_task_and_state(tmp_path)), tmp_path) == tmp_path / "learned.py"
    assert (tmp_path / "report.md").read_bytes() == before


def _task_and_state(folder: Path) -> Any:
    task = plan_learning(96, every=32, looks=20, tests=20)
    return task, load_state(task, folder)


def test_options_that_make_no_sense_are_refused() -> None:
    for options, why in (
        ({"units": 50}, "units and hidden must be of 16, 32"),
        ({"lambda_": 1.5}, "lambda must be a number from 0 to 1"),
        ({"opponents": ["nobody"]}, "nobody"),
        ({"players": 7}, "players must be a whole number"),
        ({"game": "hand-draft"}, "point-salad only"),
        ({"start": "no.npz"}, "no.npz"),
    ):
        with pytest.raises(InputError, match=why):
            plan_learning(**options)


def test_another_learning_in_the_folder_is_refused(tmp_path: Path) -> None:
    task = plan_learning(100)
    load_state(task, tmp_path).save(task, tmp_path)
    assert load_state(task, tmp_path).n_games == 0
    with pytest.raises(InputError, match=r"lambda_ 0\.7 and not 0\.5"):
        load_state(plan_learning(100, lambda_=0.5), tmp_path)
    (tmp_path / NAME).write_bytes((tmp_path / NAME).read_bytes()[:-9])
    with pytest.raises(InputError, match="damaged"):
        load_state(task, tmp_path)


def test_the_command_says_all_that_matters() -> None:
    task = plan_learning(100, [2, 4], opponents=["past"], explore=0.1)
    assert "--players 2 --players 4" in command(task, 100) and "--explore 0.1" in command(task, 100)
    assert "--opponents past" in command(task, 100)
