"""The command that does a result again: every option of every command that has one is in it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from salad_sim.cli import main
from salad_sim.game.card_file import card_file_lines
from salad_sim.game.cards import official_set
from salad_sim.storage.command import IN_OTHER_WORDS, again, is_what_is_played, option_name
from salad_sim.storage.folder import study_record
from salad_sim.strategy import load_strategy
from salad_sim.strategy.parameters import parameter_file_text
from salad_sim.studies.learning.report import command as learning_command
from salad_sim.studies.profile.result import Profile
from salad_sim.studies.simulate.report import command_line
from salad_sim.studies.tuning.report import command as tuning_command
from support.places import ROOT

VALUES = ROOT / "strategies" / "expert_pair.npz"

ARGUMENTS = {
    "run": "",
    "match": "greedy random",
    "league": "greedy random planner",
    "profile": "casual",
    "tune": "planner",
    "learn": "",
    "experiment seat-order": "",
    "experiment card-value": "",
}
"""Commands that say how to do their results again, with what they need at least."""

OTHER = {
    "games": "300000",
    "deals": "5:9",
    "game": "hand-draft",
    "players": "3",
    "strategy": "random",
    "seed": "7",
    "rules": "bga",
    "rule": "flip=never",
    "tie-break": "earlier",
    "rounds": "2",
    "cards": "CARDS.csv",
    "rotate": None,
    "head-start": "0,3",
    "sprt": "-5,5",
    "alpha": "0.01",
    "beta": "0.02",
    "precision": "0.02",
    "first-deal": "9",
    "adaptive": None,
    "anchor": "planner",
    "against": "random",
    "endings": "3",
    "opponents": "random",
    "only": "reach,tilt",
    "fix": "tilt",
    "start": "START.toml",
    "objective": "margin",
    "sigma": "0.3",
    "population": "8",
    "margin": "0.01",
    "card": "2/carrot",
    "learn start": str(VALUES),
    "units": "16",
    "hidden": "32",
    "lambda": "0.5",
    "rate": "0.002",
    "explore": "0.1",
    "win-weight": "0.5",
    "batch": "16",
    "every": "5000",
    "looks": "300",
    "tests": "700",
}
"""A value of each option that is not the default; a flag has none. An option that stands in neither list is new."""

NEEDED = {
    "match alpha": "--sprt=0,10",
    "match beta": "--sprt=0,10",
    "run rotate": "--strategy greedy --strategy random",
}
"""What an option is given together with."""

REFUSED = ("experiment seat-order card", "experiment card-value margin", "profile game", "learn minutes")
"""Options that these refuse; of --minutes the games that they were are said."""


class CapturedError(Exception):
    """What a command would do, instead of which it ends."""


@pytest.fixture(autouse=True)
def captured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let commands end where they would begin to play, and say how they would do it again."""

    def capture(where: str, command: Callable[..., str]) -> None:
        def end(*given: Any, **_: Any) -> None:
            raise CapturedError(command(*given))

        monkeypatch.setattr(where, end)

    capture("salad_sim.cli._running.play_and_print", lambda plan, *_: command_line(plan))
    capture("salad_sim.studies.match.play.play_match", lambda match, *_: match.again)
    capture("salad_sim.studies.league.result.run_league", lambda task, *_: task.command())
    capture(
        "salad_sim.studies.profile.result.profile_plan",
        lambda plan, endings, *_: Profile(plan, None, endings).again,  # type: ignore[arg-type]
    )
    capture("salad_sim.studies.tuning.tune.carry_out", lambda task, *_: tuning_command(task))
    capture("salad_sim.studies.learning.learn.carry_out", lambda task, *_: learning_command(task, task.games))
    capture(
        "salad_sim.experiment.Experiment.run",
        lambda study, asked: study_record(study.name, asked.as_dict(), [])["again"],
    )
    monkeypatch.chdir(tmp_path)
    lines = card_file_lines(official_set())
    Path("CARDS.csv").write_text("\n".join(lines[:-1]) + "\n")
    start = load_strategy("planner(reach=0.25)")
    Path("START.toml").write_text(parameter_file_text(start, {}))


def said(words: list[str]) -> str:
    """Return how a command says that it is done again."""
    found = CliRunner().invoke(main, words)
    assert isinstance(found.exception, CapturedError), f"{shlex.join(words)}: {found.output}"
    return str(found.exception)


def command_of(command: str) -> click.Command:
    found = main.get_command(click.Context(main), command.split()[0])
    assert found is not None
    return found


def options_of(command: str) -> list[click.Parameter]:
    return [each for each in command_of(command).params if isinstance(each, click.Option)]


def begin(command: str) -> list[str]:
    return [*command.split(), *ARGUMENTS[command].split()]


CASES = [
    (command, option_name(param))
    for command in ARGUMENTS
    for param in options_of(command)
    if is_what_is_played(command_of(command), param) and f"{command} {option_name(param)}" not in REFUSED
]


@pytest.mark.parametrize(("command", "option"), CASES, ids=[" --".join(each) for each in CASES])
def test_an_option_is_in_the_command_that_does_it_again(command: str, option: str) -> None:
    value = OTHER[f"{command} {option}" if f"{command} {option}" in OTHER else option]
    words = [*begin(command), *shlex.split(NEEDED.get(f"{command} {option}", ""))]
    given = [f"--{option}" if value is None else f"--{option}={value}"]
    usual, other = said(words), said([*words, *given])
    assert other != usual
    if option not in IN_OTHER_WORDS:
        assert f"--{option}" in {word.split("=")[0] for word in shlex.split(other)}
    assert said(shlex.split(other)[1:]) == other, "what it does is the same"


@pytest.mark.parametrize("command", ARGUMENTS)
def test_an_option_that_somebody_adds_is_in_it_as_it_was_typed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = main.get_command(click.Context(main), command.split()[0])
    assert found is not None
    usual = found.callback
    assert usual is not None

    def as_before(**given: Any) -> Any:
        return usual(**{name: value for name, value in given.items() if name not in ("new", "newer", "old")})

    options = [click.Option(["--new", "-n"], multiple=True), click.Option(["--newer"], is_flag=True)]
    monkeypatch.setattr(found, "params", [*found.params, *options, click.Option(["--old"], default="x")])
    monkeypatch.setattr(found, "callback", as_before)
    before = said(begin(command))
    assert said([*begin(command), "--new=a b", "-n", "c", "--newer"]) == f"{before} --new 'a b' --new c --newer"


def test_what_python_plays_has_the_same_command() -> None:
    """Without a command at work nothing is taken from one; and of another command nothing either."""
    assert again("run", ["x"], {"games": 5, "rotate": False, "rule": ["a=1", "b=2"], "sprt=": "-1,2", "seed": "0"}) == (
        "salad-sim run x --games 5 --rule a=1 --rule b=2 --sprt=-1,2 --seed 0"
    )
    ctx = main.make_context("salad-sim", ["run", "--rotate"])
    with ctx, main.get_command(ctx, "run").make_context("run", ["--rotate"], parent=ctx):  # type: ignore[union-attr]
        assert again("match", [], {}) == "salad-sim match"
        assert again("run", [], {}) == "salad-sim run --rotate"
