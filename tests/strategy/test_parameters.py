"""Parameters: what is declared, what a user types, files of them, and what a run writes down to be played again."""

from __future__ import annotations

import json
import math
import shlex
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from salad_sim import simulate
from salad_sim.cli import main
from salad_sim.cli.strategies import strategies as list_strategies
from salad_sim.errors import InputError
from salad_sim.files.toml import LARGEST_FILE, read_toml, toml_text
from salad_sim.run.plan import plan_run
from salad_sim.storage.folder import strategy_records
from salad_sim.strategy.parameters import Parameter, choice, parameter_file_text, read_spec
from salad_sim.strategy.registry import Strategy, load_strategy
from salad_sim.studies.simulate.report import command_line
from salad_sim.tools.compliance import check_strategy
from support.playing import STEADY
from support.strategy_files import FIRST_LINE, StrategyWriter

pytestmark = pytest.mark.usefixtures("own_cache")

DECLARED = (
    "n=Parameter(40, 1, 10000, 'rollouts', whole=True), policy=choice('fast', ('slow', 'fast', 'x.y-2'), 'who'), "
    "mix=Parameter(0.5, -1.0, 1.0, 'mixture')"
)
CODE = """
@strategy({name!r}, {declared})
def choose_{name}(view, own, rng):
    '''Take a draft that the parameters say.'''
    list_drafts(view, own)
    return own.drafts[int(view.turn + own.params[0] + own.params[1] + own.params[2] * 3) % own.n_drafts]
"""
LIST = "parameters: n (whole, 1 to 10000), policy (slow|fast|x.y-2), mix (-1 to 1)"

Tuned = Callable[[str], Strategy]


def code(name: str = "tuned", declared: str = DECLARED) -> str:
    head = "from salad_sim.strategy import choice\n"
    return head + CODE.format(name=name, declared=declared)


@pytest.fixture
def file(write_strategy: StrategyWriter) -> Path:
    """A strategy file with parameters of every kind."""
    return write_strategy(code())


@pytest.fixture
def tuned(file: Path) -> Tuned:
    """Return a function that loads the strategy with what is typed behind its name."""
    return lambda rest: load_strategy(f"{file}:tuned{rest}")


def refusal(do: Callable[[], object]) -> str:
    """The one line of the refusal."""
    with pytest.raises(InputError) as caught:
        do()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ------------------------------------------------------------------------------------------ declarations


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ("p=Parameter(5, 0, 3, 'x')", "p: the default 5 is not within 0 to 3"),
        ("p=Parameter(1, 2, 0, 'x')", "p: the default 1 is not within 2 to 0"),
        ("p=Parameter(0.5, 0, 1, 'x', whole=True)", "p: default, low and high must be whole numbers, not 0.5"),
        ("p=Parameter(float('nan'), 0, 1, 'x')", "p: default, low and high must be numbers, not nan"),
        ("p=Parameter(0, 0, float('inf'), 'x')", "p: default, low and high must be numbers, not inf"),
        ("p=Parameter('1', 0, 2, 'x')", "p: default, low and high must be numbers, not '1'"),
        ("p=Parameter(True, 0, 2, 'x')", "p: default, low and high must be numbers, not True"),
        ("p=Parameter(1, 0, 2, 3)", "p: what it does is told in a text, not 3"),
        ("p=3.5", "p must be declared as a Parameter or choice, not 3.5"),
        ("**{'a b': Parameter(0, 0, 1, 'x')}", "a parameter's name is letters, digits and '_', not 'a b'"),
        ("p=choice('a', ('a', 'a'), 'x')", "p: choices are different names of letters, digits"),
        ("p=choice('a', ('a', 'b c'), 'x')", "p: choices are different names of letters, digits"),
        ("p=choice('a', ('a', 'b,c'), 'x')", "p: choices are different names of letters, digits"),
        ("p=Parameter(0, 0, 5, 'x', choices=('a', 'b'))", "p: choices are declared by choice(default, choices, about)"),
        ("p=choice('c', ('a', 'b'), 'x')", "ValueError: the default 'c' is not among the choices a, b"),
    ],
)
def test_a_declaration_that_makes_no_sense(declared: str, reason: str, write_strategy: StrategyWriter) -> None:
    file = write_strategy(code(declared=declared))
    message = refusal(lambda: load_strategy(str(file)))
    assert reason in message
    assert f"{file}, line {FIRST_LINE + (2 if 'ValueError' in reason else 3)}: " in message


def test_a_choice_is_read_as_its_index() -> None:
    policy = choice("fast", ("slow", "fast"), "who plays out")
    assert (policy.default, policy.low, policy.high, policy.whole) == (1.0, 0.0, 1.0, True)
    assert [policy.read("policy", each) for each in ("slow", " fast ")] == [0.0, 1.0]
    assert [policy.show(each) for each in (0.0, 1.0)] == ["slow", "fast"]
    assert Parameter(1, 0, 10**7, "large", whole=True).allowed == "whole, 0 to 10000000"


# ------------------------------------------------------------------------------------------ what is typed


def test_values_in_brackets(tuned: Tuned) -> None:
    assert tuned("").values == tuned("()").values == tuned(" ( ) ").values == (40.0, 1.0, 0.5)
    assert tuned("(n=100, policy=slow)").values == (100.0, 0.0, 0.5)
    assert tuned(" (  mix = -1e-3 ,n= 1e3)\n").values == (1000.0, 1.0, -0.001)
    assert tuned("(policy=x.y-2)").settings == {"n": 40, "policy": "x.y-2", "mix": 0.5}
    assert math.copysign(1, tuned("(mix=-0)").values[2]) == 1


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("(n=0)", "n must be a whole number from 1 to 10000, not '0'"),
        ("(n=10001)", "n must be a whole number from 1 to 10000, not '10001'"),
        ("(n=2.5)", "n must be a whole number from 1 to 10000, not '2.5'"),
        ("(n=many)", "n must be a whole number from 1 to 10000, not 'many'"),
        ("(mix=nan)", "mix must be a number from -1 to 1, not 'nan'"),
        ("(mix=inf)", "mix must be a number from -1 to 1, not 'inf'"),
        ("(mix=-1e999)", "mix must be a number from -1 to 1, not '-1e999'"),
        ("(mix=1.0000000001)", "mix must be a number from -1 to 1, not '1.0000000001'"),
        ("(policy=fats)", "policy must be one of slow, fast, x.y-2, not 'fats' (did you mean 'fast'?)"),
        ("(policy=1)", "policy must be one of slow, fast, x.y-2, not '1'"),
        ("(m=1)", "has no parameter 'm'"),
        ("(mixx=1)", "has no parameter 'mixx' (did you mean 'mix'?)"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_the_list(typed: str, reason: str, tuned: Tuned) -> None:
    message = refusal(lambda: tuned(typed))
    assert message.startswith("strategy 'tuned'") and reason in message and message.endswith(f"; {LIST}")


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("(n)", "a parameter is given as name=value, not 'n'"),
        ("(n=)", "a parameter is given as name=value, not 'n='"),
        ("(=3)", "a parameter is given as name=value, not '=3'"),
        ("(n=1,)", "a parameter is given as name=value, not ''"),
        ("(n=1, n=1)", "n is given twice, as 1 and as 1"),
        ("(n=1", "parameters are given as in 'name(first=1, second=2)'"),
        ("(n=(1))", "parameters are given as in"),
        ("(n=1)(mix=1)", "parameters are given as in"),
        ("(n=1)mix", "parameters are given as in"),
        ("n=1)", "parameters are given as in"),
    ],
)
def test_what_cannot_be_read(typed: str, reason: str, tuned: Tuned) -> None:
    assert reason in refusal(lambda: tuned(typed))


def test_a_strategy_without_parameters_says_so() -> None:
    assert refusal(lambda: load_strategy("random(n=3)")) == "strategy 'random' has no parameters, but 'n' was given"
    assert load_strategy(" random( )") == load_strategy("random")


def test_brackets_in_the_path_are_of_the_path(write_strategy: StrategyWriter) -> None:
    file = write_strategy(code(), "a (b)/c(d=1).py")
    for typed in (f"{file}(n=2)", f"{file}:tuned(n=2)", f"{file}:tuned ( n = 2 )"):
        assert load_strategy(typed).values[0] == 2.0
    values = file.parent / "v(1).toml"
    values.write_text("strategy = 'tuned'\n[parameters]\nn = 3\n", encoding="utf-8")
    assert load_strategy(f"{file}:{values}").values == load_strategy(f"{file}:tuned:{values}()").values
    assert load_strategy(load_strategy(f"{file}(n=2)").spec).values[0] == 2.0


@settings(STEADY, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters() | st.sampled_from("()=,:.n \t123-"), max_size=30), st.booleans())
@example("(" * 5000, True)
@example("(n=" + "9" * 5000 + ")", True)
@example("(n=1" + ",n=1" * 5000 + ")", True)
@example(":\0.toml", True)
@example(":\ud800.toml", True)
@example(":/.toml", False)
@example("~nobody/x.toml", False)
@example("random:.toml", False)
def test_whatever_is_typed_is_understood_or_refused(file: Path, text: str, after: bool) -> None:
    typed = f"{file}:tuned{text}" if after else text
    try:
        found = load_strategy(typed)
    except InputError as error:
        assert str(error).isprintable() or "\ud800" in typed
    else:
        assert found.name in ("tuned", "random", "greedy")


# ------------------------------------------------------------------------------------------ from Python


def test_with_values_returns_a_checked_copy(tuned: Tuned) -> None:
    plain = tuned("")
    changed = plain.with_values(n=np.int64(7), policy="slow", mix=Fraction(1, 4))
    assert changed.values == (7.0, 0.0, 0.25) and plain.values == (40.0, 1.0, 0.5)
    assert {type(value) for value in changed.values} == {float}
    assert changed.with_values() == changed and changed.with_values(n=40).values == (40.0, 0.0, 0.25)
    for wrong in ({"n": True}, {"n": None}, {"n": 10**400}, {"mix": math.nan}, {"mix": 1j}, {"policy": 1}, {"self": 1}):
        assert refusal(lambda wrong=wrong: plain.with_values(**wrong)).endswith(LIST)  # type: ignore[misc]


def test_simulate_takes_parameters_and_kernels_read_them(file: Path) -> None:
    result = simulate(games=20, strategies=[f"{file}(n=3)", f"{file}(n=4)"], seed=5)
    assert list(result.strategies["strategy"]) == ["tuned(n=3)", "tuned(n=4)"]
    again = simulate(games=20, strategies=[load_strategy(str(file)).with_values(n=each) for each in (3, 4)], seed=5)
    assert again.strategies.equals(result.strategies)
    other = simulate(games=20, strategies=[f"{file}(n=3)", f"{file}(n=5)"], seed=5)
    assert not other.strategies["mean_score"].equals(result.strategies["mean_score"])


# ------------------------------------------------------------------------------------------ names


def test_labels_show_what_is_changed(tuned: Tuned) -> None:
    assert tuned("(mix=0.5, n=40)").label == "tuned"
    assert tuned("(n=10000, policy=slow, mix=0.12345678)").label == "tuned(n=10000, policy=slow, mix=0.123457)"


def test_no_two_strategies_of_a_plan_have_one_label(file: Path, write_strategy: StrategyWriter) -> None:
    other = write_strategy(code(), "other.py")
    alike = [f"{file}(mix=0.1234567)", f"{file}(mix=0.1234568)"]
    lineup = [*alike, str(file), str(other), f"{other}(n=2)", f"{file}(n=3)"]
    plan = plan_run(6, 6, lineup)
    assert plan.labels == (
        f"{file}:tuned(mix=0.1234567)",
        f"{file}:tuned(mix=0.1234568)",
        f"tuned ({file})",
        f"tuned ({other})",
        "tuned(n=2)",
        "tuned(n=3)",
    )
    assert plan_run(2, 2, [f"{file}(n=3)", f"{file}(n=3.0, mix=0.5)"]).groups == (0, 0)
    assert len(strategy_records([plan_run(1, 2, each) for each in alike])) == 2


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "n": st.integers(1, 10000),
        "policy": st.sampled_from(["slow", "fast", "x.y-2"]),
        "mix": st.floats(-1, 1),
    },
)


@settings(STEADY, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES)
@example({"mix": 5e-324, "n": 10000})
@example({"mix": 0.1 + 0.2})
@example({"mix": -0.0})
def test_a_spec_gives_the_same_strategy_again(file: Path, values: dict[str, Any]) -> None:
    found = load_strategy(str(file)).with_values(**values)
    assert load_strategy(found.spec) == found
    plan = plan_run(3, 2, [found, "random"], seed=3, rotate=True)
    words = shlex.split(command_line(plan))
    again = [words[index + 1] for index, word in enumerate(words) if word == "--strategy"]
    assert again == plan.options()["strategies"]
    assert plan_run(3, 2, again, seed=3, rotate=True) == plan
    text = parameter_file_text(found, {"command": "salad-sim tune"})
    (file.parent / "values.toml").write_text(text, encoding="utf-8")
    assert load_strategy(f"{file}:{file.parent / 'values.toml'}") == found


def test_a_name_is_enough_for_a_strategy_known_by_name() -> None:
    assert load_strategy("greedy").spec == "greedy"


# ------------------------------------------------------------------------------------------ files


def write(folder: Path, text: str) -> Path:
    path = folder / "values.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_parameter_file(file: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "strategy = 'tuned'\n[parameters]\nn = 7\npolicy = 'slow'\n[made]\nby = 'hand'\n[other]\n")
    assert load_strategy(f"{file}:tuned:{path}").values == (7.0, 0.0, 0.5)
    assert load_strategy(f"{file}:{path}") == load_strategy(f"{file} : {path}")
    assert load_strategy(f"{file}:tuned:{path}(mix=0, n=8)").values == (8.0, 0.0, 0.0), "what is typed wins"
    assert load_strategy(f"{file}:{path}").spec == f"{file}:tuned(n=7, policy=slow)"


def test_a_parameter_file_holds_all_values_and_how_they_were_made(tuned: Tuned, tmp_path: Path) -> None:
    made = {"command": 'say "x"\\\n\x7f', "games": 10**20, "rate": 1e-7, "ok": True, "of": ["a", {"b": 1}], "no": None}
    table = tomllib.loads(parameter_file_text(tuned("(mix=0.30000000000000004)"), made))
    assert table["parameters"] == {"n": 40, "policy": "fast", "mix": 0.30000000000000004}
    assert table["strategy"] == "tuned"
    assert table["made"] == {key: value for key, value in made.items() if value is not None}
    assert "made" not in tomllib.loads(parameter_file_text(tuned(""), {}))


DAMAGED = {
    "not TOML": ("strategy = ", "is not TOML"),
    "another strategy": ("strategy = 'greedy'\n[parameters]\n", "is for the strategy 'greedy', not 'tuned'"),
    "a number for a name": ("strategy = 3\n[parameters]\n", "is for the strategy 3, not 'tuned'"),
    "no strategy": ("[parameters]\nn = 3\n", "it needs strategy = 'tuned'"),
    "no parameters": ("strategy = 'tuned'\n", "has no table [parameters]"),
    "parameters that are no table": ("strategy = 'tuned'\nparameters = 3\n", "has no table [parameters]"),
    "a value outside the table": ("strategy = 'tuned'\nn = 3\n[parameters]\n", "unknown key 'n'; values stand under"),
    "out of range": ("strategy = 'tuned'\n[parameters]\nn = 0\n", "n must be a whole number from 1 to 10000, not 0"),
    "not a number": ("strategy = 'tuned'\n[parameters]\nmix = nan\n", "mix must be a number from -1 to 1, not nan"),
    "infinite": ("strategy = 'tuned'\n[parameters]\nmix = -inf\n", "mix must be a number from -1 to 1, not -inf"),
    "a truth": ("strategy = 'tuned'\n[parameters]\nmix = true\n", "mix must be a number from -1 to 1, not True"),
    "a list": ("strategy = 'tuned'\n[parameters]\nmix = [1]\n", "mix must be a number from -1 to 1, not [1]"),
    "a date": ("strategy = 'tuned'\n[parameters]\nmix = 2024-01-01\n", "mix must be a number from -1 to 1, not "),
    "a table": ("strategy = 'tuned'\n[parameters.mix]\nx = 1\n", "mix must be a number from -1 to 1, not {'x': 1}"),
    "a wrong choice": (
        "strategy = 'tuned'\n[parameters]\npolicy = 0\n",
        "policy must be one of slow, fast, x.y-2, not 0",
    ),
    "an unknown name": ("strategy = 'tuned'\n[parameters]\nmax = 1\n", "has no parameter 'max' (did you mean 'mix'?)"),
    "twice": ("strategy = 'tuned'\n[parameters]\nn = 1\nn = 2\n", "is not TOML"),
    "a huge number": (f"strategy = 'tuned'\n[parameters]\nn = {'9' * 5000}\n", "is not TOML"),
    "deep": (f"a = {'[' * 100000}", "is not TOML"),
    "large": ("#" * LARGEST_FILE + "#", "is larger than 1 MiB"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_parameter_file_gives_one_clear_line(damage: str, tuned: Tuned, tmp_path: Path) -> None:
    text, reason = DAMAGED[damage]
    path = write(tmp_path, text)
    message = refusal(lambda: tuned(f":{path}"))
    assert message.startswith(f"parameter file '{path}'") and reason in message and len(message) < 600


def test_no_such_parameter_file(tuned: Tuned, tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refusal(lambda: tuned(f":{tmp_path}/none.toml"))
    (tmp_path / "folder.toml").mkdir()
    assert "cannot be read: it is a folder" in refusal(lambda: tuned(f":{tmp_path}/folder.toml"))
    assert "say whose parameters" in refusal(lambda: load_strategy("weights.toml"))
    assert "unknown strategy 'planer'" in refusal(lambda: load_strategy("planer:weights.toml"))
    (tmp_path / "latin.toml").write_bytes(b"strategy = '\xe9'")
    assert "is not TOML" in refusal(lambda: tuned(f":{tmp_path}/latin.toml"))


@pytest.mark.parametrize("typed", ["planner:w.toml", " planner : w.toml ", "planner:w.toml( )"])
def test_a_spec_taken_apart(typed: str) -> None:
    spec = read_spec(typed)
    assert (spec.strategy, spec.file, spec.changes) == ("planner", "w.toml", {})


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
PLAIN = st.one_of(TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False))


@STEADY
@given(st.dictionaries(TEXTS, PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(TEXTS, PLAIN, max_size=3)))
def test_toml_is_written_as_it_is_read(table: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text(table)) == table


def test_what_toml_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="not TOML serializable"):
        toml_text({"x": {1}})
    path = write(tmp_path, toml_text({"odd": "\udc80"}))
    assert read_toml(str(path), "file") == {"odd": "?"}


# ------------------------------------------------------------------------------------------ commands


def test_a_run_is_played_again_by_the_command_it_writes_down(file: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "strategy = 'tuned'\n[parameters]\nmix = 0.1\n")
    words = ["run", "-q", "--games", "40", "--rotate", "-s", f"{file}:{path}(n=3)", "-s", f"{file}( policy = slow )"]
    first = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "first")])
    assert first.exit_code == 0 and "tuned(n=3, mix=0.1)" in first.stdout and "tuned(policy=slow)" in first.stdout
    record = json.loads((tmp_path / "first" / "run.json").read_text(encoding="utf-8"))
    assert [each["parameters"] for each in record["strategies"]] == [
        {"n": 3, "policy": "fast", "mix": 0.1},
        {"n": 40, "policy": "slow", "mix": 0.5},
    ]
    path.unlink()
    program, *again = shlex.split(record["again"])
    assert program == "salad-sim"
    assert CliRunner().invoke(main, [*again, "-q"]).stdout == first.stdout


@pytest.mark.parametrize("command", [["run", "--games", "10", "-s"], ["check", "-q"], ["replay", "--game", "0", "-s"]])
def test_commands_refuse_a_wrong_parameter_before_a_game(command: list[str], file: Path) -> None:
    result = CliRunner().invoke(main, [*command, f"{file}(n=0.5)"])
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.splitlines() == [
        f"salad-sim: strategy 'tuned': n must be a whole number from 1 to 10000, not '0.5'; {LIST}"
    ]


def test_check_takes_parameters(file: Path) -> None:
    report = check_strategy(f"{file}(n=7)", games=1, seed=1)
    assert report.passed and next(iter(report.lines())) == f"tuned(n=7) ({file}), seed 1"


# ------------------------------------------------------------------------------------------ the list


def test_parameters_are_listed(file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"tuned": load_strategy(str(file))}
    monkeypatch.setattr(
        "salad_sim.strategy.registry.find_strategies", lambda game: found if game == "point-salad" else {}
    )
    list_strategies.main([], standalone_mode=False)
    lines = capsys.readouterr().out
    for line in (
        "n = 40 (whole, 1 to 10000): rollouts",
        "policy = fast (slow|fast|x.y-2): who",
        "mix = 0.5 (-1 to 1): mixture",
    ):
        assert line in lines
    list_strategies.main(["--format", "json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)[0]["parameters"] == {
        "n": {"default": 40, "low": 1, "high": 10000, "whole": True, "about": "rollouts"},
        "policy": {"default": "fast", "choices": ["slow", "fast", "x.y-2"], "about": "who"},
        "mix": {"default": 0.5, "low": -1.0, "high": 1.0, "whole": False, "about": "mixture"},
    }
