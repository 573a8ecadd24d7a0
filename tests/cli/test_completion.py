"""What a shell is told to complete."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.shell_completion import BashComplete

from salad_sim.cli import main
from salad_sim.cli._completion import EXPERIMENTS, SHELLS, STRATEGIES, VARIABLE, declared
from salad_sim.experiment import find_experiments
from salad_sim.game.rule_profiles import profiles
from salad_sim.strategy.registry import find_strategies
from salad_sim.strategy.variants import GAMES
from support.commands import good, refused


def completed(*words: str) -> set[str]:
    shell = BashComplete(main, {}, "salad-sim", VARIABLE)
    return {item.value for item in shell.get_completions(list(words[:-1]), words[-1])}


def test_names_are_those_that_are_known() -> None:
    assert set(declared(*STRATEGIES)) == {name for game in GAMES for name in find_strategies(game)}
    assert set(declared(*EXPERIMENTS)) == set(find_experiments())


def test_each_place_has_its_own() -> None:
    assert completed("run", "--strategy", "gree") == {"greedy"}
    assert "planner" in completed("match", "greedy", "")
    assert completed("run", "--rules", "") == set(profiles())
    assert completed("run", "--rule", "flip") == {"flip=after", "flip=never"} | completed("run", "--rule", "flip=")
    assert completed("experiment", "seat") == {"seat-order"}
    assert completed("ru") == {"run", "rules"}
    assert "--tie-break" in completed("run", "--t")


def test_else_a_file() -> None:
    shell = BashComplete(main, {}, "salad-sim", VARIABLE)
    for words, given in ((["run", "--cards"], "mine"), (["check"], "my-own")):
        assert [(item.type, item.value) for item in shell.get_completions(words, given)] == [("file", given)]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell: str) -> None:
    assert VARIABLE in good("completion", shell).stdout
    assert "'bash', 'zsh', 'fish'" in refused("completion", "tcsh")


def test_the_package_is_the_program() -> None:
    said = subprocess.run([sys.executable, "-m", "salad_sim", "--help"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("Usage: salad-sim [OPTIONS]")
