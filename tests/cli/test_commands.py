"""The command line: what it prints where, its files, its errors, and Ctrl-C."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from salad_sim.cli import COMMANDS, main
from salad_sim.cli._progress import duration
from salad_sim.report.format import decimals
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import prepare
from support.terminal import PROGRAM, ctrl_c


@pytest.fixture(scope="module", autouse=True)
def compiled_before():
    """Have all code in the cache, so that no command says that it compiles."""
    for name in ("greedy", "random"):
        prepare(plan_run(1, 2, name))


def call(*words):
    """Run the command line in this process; returns the result with exit_code, stdout, stderr."""
    return CliRunner().invoke(main, list(words))


def good(*words):
    """Return what a command prints, which must succeed and say nothing on stderr."""
    result = call(*words)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


# ------------------------------------------------------------------------------------------ help


def test_help_names_every_command():
    text = good("--help")
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert good() == text
    for name in COMMANDS:
        assert "Usage:" in good(name, "--help")


def test_version():
    import salad_sim

    assert good("--version") == f"salad-sim, version {salad_sim.__version__}\n"


def test_help_needs_no_heavy_library():
    check = (
        "import sys; from salad_sim.cli import main\n"
        "try: main(['run', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'numba', 'pandas', 'scipy', 'rich', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-P", "-c", check], check=True, stdout=subprocess.DEVNULL)


# ------------------------------------------------------------------------------------------ run


def test_run_prints_a_table():
    text = good("run", "--games", "400", "--players", "3", "--strategy", "random")
    lines = text.splitlines()
    assert lines[0] == "3 players, random in every seat: 400 games, seed 1"
    assert "wins most often" in lines[1] and "A fair share is 33.33 %" in lines[1]
    rows = re.findall(r"^ +(\d)  random +([\d.]+)  \[", text, re.MULTILINE)
    assert [seat for seat, _ in rows] == ["1", "2", "3"]
    assert 99 < sum(float(share) for _, share in rows) < 101
    assert "tie-break: later" in text
    assert not re.search(r"^strategy ", text, re.MULTILINE)
    assert not any(line.endswith(" ") for line in lines)


def test_run_of_different_strategies_prints_them_too():
    text = good("run", "--games", "100", "-s", "greedy", "-s", "random")
    assert "greedy wins most often" in text and "--rotate" in text
    assert len(re.findall(r"^(?:strategy|greedy) +(?:seats|1) ", text, re.MULTILINE)) == 2
    assert "--rotate" not in good("run", "--games", "100", "-s", "greedy", "-s", "random", "--rotate")


def test_run_prints_json():
    data = json.loads(good("run", "--games", "1e2", "--format", "json", "-s", "greedy", "-s", "random", "--seed", "5"))
    assert (data["games"], data["players"], data["seed"]) == (100, 2, 5)
    assert data["games_per_second"] > 0 and data["turns"] > 10 and 0 <= data["tie_rate"] <= 1
    expected = {"strategy", "win_share", "win_share_low", "win_share_high", "mean_score", "mean_score_low"}
    expected |= {"mean_score_high", "sd_score", "cards_kept", "flips", "turns"}
    assert [row["seat"] for row in data["seats"]] == [1, 2]
    assert [row["strategy"] for row in data["strategies"]] == ["greedy", "random"]
    assert all(expected <= set(row) for row in data["seats"] + data["strategies"])


def test_run_prints_csv():
    text = good("run", "--games", "1_00", "--format", "csv", "-s", "greedy", "-s", "random")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["by"], row["seat"], row["strategy"]) for row in rows] == [
        ("seat", "1", "greedy"),
        ("seat", "2", "random"),
        ("strategy", "", "greedy"),
        ("strategy", "", "random"),
    ]
    assert rows[0]["win_share"] == rows[2]["win_share"]
    assert len(good("run", "--games", "100", "--format", "csv").splitlines()) == 3


def test_python_and_the_command_line_agree():
    from salad_sim import simulate

    result = simulate(150, 4, ["greedy", "random", "greedy", "random"], seed=12, tie_break="shared", rotate=True)
    words = "run --games 150 -p 4 -s greedy -s random -s greedy -s random --seed 12 --tie-break shared --rotate"
    told = call(*words.split(), "--format", "json")
    data, expected = json.loads(told.stdout), result.as_dict()
    del data["games_per_second"], expected["games_per_second"]
    assert data == expected
    assert "playing 38 deals, 152 games" in told.stderr
    assert call(*words.split(), "--quiet").stderr == ""


@pytest.mark.parametrize("form", ["table", "csv"])
def test_workers_do_not_change_a_byte(form):
    words = ["run", "--games", "3000", "-s", "random", "--format", form]
    assert good(*words, "--workers", "1") == good(*words, "--workers", "2")


def test_tie_breaks():
    shares = {
        rule: json.loads(good("run", "-g", "2000", "-s", "random", "--tie-break", rule, "--format", "json"))
        for rule in ("later", "earlier", "shared", "last-turn", "fewer-cards")
    }
    second = {rule: data["seats"][1]["win_share"] for rule, data in shares.items()}
    assert second["later"] > second["shared"] > second["earlier"]
    assert len({data["tie_rate"] for data in shares.values()}) == 1


def test_compiling_is_said_when_there_is_no_cached_code(tmp_path, monkeypatch):
    monkeypatch.setattr("salad_sim.run.runner.cache_folder", lambda: tmp_path)
    monkeypatch.setattr("salad_sim.run.runner._prepared", set())
    assert "compiling" in call("run", "--games", "10").stderr
    assert call("run", "--games", "10", "--quiet").stderr == ""
    monkeypatch.undo()
    assert good("run", "--games", "10")


# ------------------------------------------------------------------------------------------ --out


def test_out_writes_everything_and_always_the_same_bytes(tmp_path):
    words = ["run", "--games", "500", "-s", "greedy", "-s", "random", "--rotate", "--quiet", "--out"]
    first, second = tmp_path / "new" / "folder", tmp_path / "second"
    good(*words, str(first), "--workers", "1")
    good(*words, str(second), "--workers", "2")
    names = {"seats.csv", "strategies.csv", "win_share.png", "win_share.svg", "run.json", "tally.json"}
    assert {path.name for path in first.iterdir()} == names
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
    assert (first / "win_share.png").read_bytes().startswith(b"\x89PNG")
    assert b"</svg>" in (first / "win_share.svg").read_bytes()


def test_run_json_says_how_to_play_it_again(tmp_path):
    printed = good("run", "--games", "99", "-p", "2", "-s", "random", "--seed", "7", "-o", str(tmp_path))
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["options"]["seed"] == 7 and record["options"]["rules"]["tie_break"] == "later"
    assert record["versions"]["salad-sim"] and record["versions"]["numba"]
    assert len(record["strategies"][0]["sha256"]) == 64
    program, *words = record["again"].split()
    assert program == "salad-sim"
    assert good(*words) == printed


def test_tables_in_files_can_be_read(tmp_path):
    import pandas as pd

    from salad_sim import simulate

    good("run", "--games", "50", "-s", "greedy", "-s", "random", "-o", str(tmp_path))
    result = simulate(50, 2, ["greedy", "random"])
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "seats.csv"), result.seats)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "strategies.csv"), result.strategies)


# ------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run --games 0", "games must be a whole number from 1 to 1e15, not '0'"),
        ("run --games -5", "not '-5'"),
        ("run --games 2.5", "not '2.5'"),
        ("run --games many", "not 'many'"),
        ("run --games nan", "not 'nan'"),
        ("run --games inf", "not 'inf'"),
        ("run --games 1e400", "not '1e400'"),
        ("run --games 2e15", "not '2e15'"),
        ("run --players 1", "players must be a whole number from 2 to 6, not '1'"),
        ("run --players 7", "players must be a whole number from 2 to 6, not '7'"),
        ("run --players 3 -s greedy -s random", "2 strategies given for 3 players"),
        ("run -s gredy", "unknown strategy 'gredy' (did you mean 'greedy'?)"),
        ("run -s no/such.py", "there is no strategy file 'no/such.py'"),
        ("run --workers 0", "workers must be a whole number from 1 to 1024, not '0'"),
        ("run --workers two", "not 'two'"),
        ("run --seed -1", "seed must be a whole number from 0 to 9223372036854775807, not '-1'"),
        ("run --seed 9223372036854775808", "not '9223372036854775808'"),
        ("run --tie-break latest", "did you mean 'later'"),
        ("run --out /dev/null/x", "cannot write into '/dev/null/x'"),
        ("run --out /dev/null", "cannot write into '/dev/null'"),
        ("run --format xml", "'xml' is not one of 'table', 'json', 'csv'"),
        ("run --gams 5", "'--games'"),
        ("run --games", "requires an argument"),
        ("run 1000", "unexpected extra argument (1000)"),
        ("rum", "unknown command 'rum' (did you mean 'run'?)"),
        ("--vers", "--version"),
        ("replay --game -1", "game must be a whole number from 0 to"),
        ("replay --game 5 --players 9", "players must be"),
        ("replay -s nobody", "unknown strategy 'nobody'"),
        ("bench --workers 0", "workers must be"),
        ("bench --players 1", "players must be"),
        ("bench -s nobody", "unknown strategy 'nobody'"),
        ("cards --format xml", "'xml' is not one of"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(words, message, monkeypatch):
    def no_game(*_, **__):
        raise AssertionError("a game was played")

    monkeypatch.setattr("salad_sim.run.driver.play_on_threads", no_game)
    monkeypatch.setattr("salad_sim.run.runner.ShardPlayer.__call__", no_game)
    result = call(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("salad-sim: ") and result.stderr.count("\n") == 1
    assert message in result.stderr


def run_in_plain_c(*words, **more):
    """Run a program where the system says that all text is ASCII."""
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    return subprocess.run([*PROGRAM, *words], capture_output=True, env=plain, timeout=120, **more)


def test_where_text_is_ascii_the_output_is_utf_8():
    done = run_in_plain_c("run", "--games", "10", "--quiet")
    assert (done.returncode, done.stderr) == (0, b"") and "───" in done.stdout.decode()


def test_a_closed_output_is_no_error():
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *PROGRAM, "run", "--games", "10", "-q"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_arguments_that_are_no_text_are_refused():
    done = run_in_plain_c("run", "--games", "10", "--out", b"\xff")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"arguments are text in UTF-8, not '" in done.stderr and done.stderr.count(b"\n") == 1


def test_an_unwritable_folder_is_found_before_a_game_is_played(tmp_path, monkeypatch):
    monkeypatch.setattr("salad_sim.studies.simulate.result.play_plan", None)
    result = call("run", "--games", "10", "--out", str(Path(__file__)))
    assert result.exit_code == 2
    assert "that is a file" in result.stderr


def test_a_strategy_that_cheats_ends_in_one_line_and_exit_1(tmp_path):
    file = tmp_path / "cheat.py"
    file.write_text(
        "from salad_sim.strategy import strategy\n\n\n"
        "@strategy('cheat')\ndef choose(view, own, rng):\n    return 4096 * 64 + view.turn * 0\n"
    )
    result = call("run", "--games", "10", "-s", str(file))
    assert (result.exit_code, result.stdout) == (1, "")
    line = result.stderr.splitlines()[-1]
    assert line.startswith("salad-sim: strategy 'cheat' at seat 1, turn 1 of game 0 of seed 1")
    assert "there is no such card to flip" in line
    result = call("replay", "-s", f"{file}:cheat", "--quiet")
    assert result.exit_code == 1
    assert result.stdout.startswith("Game 0 of seed 1: 2 players")
    assert result.stderr.startswith("salad-sim: strategy 'cheat'") and result.stderr.count("\n") == 1


# ------------------------------------------------------------------------------------------ the other commands


def test_cards_csv_is_the_card_file():
    text = resources.files("salad_sim").joinpath("game/data/cards.csv").read_text(encoding="utf-8")
    assert call("cards", "--format", "csv").stdout_bytes.decode() == text  # line ends too
    data = json.loads(good("cards", "--format", "json"))
    assert len(data) == 108
    assert data[107]["card_id"] == 107
    table = good("cards")
    assert all(f"{row['text']} " in table for row in data)


def test_strategies_lists_what_there_is():
    text = good("strategies")
    data = json.loads(good("strategies", "--format", "json"))
    assert {"greedy", "random"} <= {row["name"] for row in data}
    assert all(row["name"] in text and row["about"][:20] in text for row in data)


def test_replay_prints_the_transcript():
    from salad_sim import replay

    words = "replay --seed 3 --game 12 --players 3 --strategy random --tie-break earlier --rotate"
    assert good(*words.split()) == replay(12, 3, "random", seed=3, tie_break="earlier", rotate=True)


def test_bench():
    words = "bench --seconds 0.01 --repeats 1 --players 2 --players 3 --strategy random"
    data = json.loads(good(*words.split(), "--format", "json"))
    assert [(row["strategy"], row["players"], row["workers"]) for row in data] == [
        ("random", 2, 1),
        ("random", 2, 2),
        ("random", 3, 1),
        ("random", 3, 2),
    ]
    assert all(row["games_per_second"] > 0 for row in data)
    assert len(good(*words.split(), "--workers", "1").splitlines()) == 4


# ------------------------------------------------------------------------------------------ processes


def test_a_pipe_gets_the_result_and_no_progress():
    ended = subprocess.run([*PROGRAM, "run", "--games", "2e5", "-s", "random"], capture_output=True, text=True)
    assert ended.returncode == 0
    assert ended.stderr == ""
    assert "\x1b" not in ended.stdout and "200,000 games" in ended.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_silent(unbuffered):
    words = [*PROGRAM, "cards", "--format", "csv"]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        process.stdout.close()
        assert process.stderr.read() == ""


def test_progress_on_a_terminal_and_ctrl_c_prints_what_was_counted():
    data, seen = ctrl_c("run", "--games", "1e12", "-s", "random")
    assert "games/s" in seen and "of 1,000,000,000,000 games" in seen
    assert data["interrupted"] and data["games"] > 0
    assert f"interrupted: {data['games']:,} of 1,000,000,000,000 games were played and counted" in seen


# ------------------------------------------------------------------------------------------ words and digits


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.2, "0 s"), (59.7, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (3600 * 76, "3 days 4 h")],
)
def test_durations(seconds, expected):
    assert duration(seconds) == expected


@pytest.mark.parametrize(
    ("half_width", "digits"), [(31, 0), (3.1, 0), (0.98, 1), (0.098, 2), (0.0098, 3), (0.0, 4), (1e-9, 4)]
)
def test_decimals_follow_the_uncertainty(half_width, digits):
    assert decimals(half_width) == digits
