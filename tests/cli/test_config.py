"""--config: options of any command from a file; what is typed wins."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from salad_sim.cli import COMMANDS, main
from support.commands import call, good, refused

STUDY = """
seed = 3
[run]
games = 2_000
players = 3
strategy = ["greedy", "random", "random"]
rotate = true
[match]
games = 1e2
[rules.compare]
games = 60
strategy = "random"
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


def leaves(command: click.Command, ctx: click.Context) -> list[click.Command]:
    if not isinstance(command, click.Group):
        return [command]
    within = [command.get_command(ctx, name) for name in command.list_commands(ctx)]
    return [*within, *(leaf for each in within if isinstance(each, click.Group) for leaf in leaves(each, ctx))]


def test_every_command_takes_one() -> None:
    found = leaves(main, click.Context(main))
    assert len(found) > len(COMMANDS)
    assert all(any(param.name == "config" for param in command.params) for command in found)


def test_it_says_what_is_typed(study: Path) -> None:
    typed = "run --games 2000 --players 3 -s greedy -s random -s random --rotate --seed 3 -q --format csv"
    assert good("run", "--config", study, "-q", "--format", "csv").stdout == good(*typed.split()).stdout
    assert "100 games" in good("match", "random", "random", "--config", study, "-q").stdout
    assert "seed 3" in good("rules", "compare", "official", "bga", "--config", study, "-q").stdout


def test_the_command_line_wins(study: Path) -> None:
    one, other = (good("run", "--config", study, *more, "-q", "--format", "json").stdout for more in ((), ("-g", 300)))
    assert '"games": 2001,' in one and '"games": 300,' in other


@pytest.mark.parametrize("words", ["run --games 60 -p 4 --rule flip=never", "match greedy random --games 60 --seed 9"])
def test_what_was_saved_is_such_a_file(words: str, tmp_path: Path) -> None:
    first = good(*words.split(), "-q", "--out", tmp_path).stdout
    name = words.split()[0]
    file = next(each for each in sorted(tmp_path.glob("*.json")) if '"again"' in each.read_text())
    assert good(name, "--config", file, "-q").stdout == first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gmaes = 3", "unknown option of salad-sim run 'gmaes' (did you mean 'games'?)"),
        ("games = [1, 2]", "games takes one value, not [1, 2]"),
        ("games = true", "games takes a text or a number, not True"),
        ("games = 1979-05-27", "games takes a text or a number, not datetime.date(1979, 5, 27)"),
        ("rotate = 1", "rotate is true or false, not 1"),
        ("[ruun]\ngames = 1", "[ruun] is no command of salad-sim"),
        ("[run.deep]\ngames = 1", "[deep] is no command of salad-sim"),
        ("games = nan", "games"),
        ("games =", "study.toml"),
    ],
)
def test_whatever_else_is_refused_in_one_line(text: str, said: str, study: Path) -> None:
    study.write_text(text)
    assert said in refused("run", "--config", study)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"again": 3}', '{"again": "salad-sim match a b"}', "[" * 10**5])
def test_what_is_no_saved_run_of_the_command(text: str, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(text)
    said = refused("run", "--config", file)
    assert "is no run.json" in said or "is of 'salad-sim match', not of 'salad-sim run'" in said


def test_a_file_that_is_not_there() -> None:
    assert call("run", "--config", "none.toml").exit_code == 2
