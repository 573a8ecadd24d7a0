"""The program with a card file: run, replay and cards, in its words and labels, and a bad file in one line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from salad_sim import replay as read_replay
from salad_sim import simulate
from salad_sim.cli import main
from salad_sim.game.card_file import as_card_set
from salad_sim.game.state import CAPACITY
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, is_cold, prepare
from support import playing
from support.card_sets import OTHER_CAPACITY, any_set

FILE = """\
# label cabbage = olive
card_id,back,kind,text,w_olive,w_carrot,w_lettuce,w_onion,w_pepper,w_tomato,points,even_points,odd_points,copies
1,olive,set,,0,2,0,0,0,1,9,0,0,6
2,carrot,type_at_least_4,,0,0,0,0,0,0,6,0,0,6
3,lettuce,most,,0,0,0,1,0,0,10,0,0,6
3,,fewest,,0,0,0,0,1,0,4,0,0,
4,onion,per_veg,,3,-1,1,0,0,0,0,0,0,6
5,pepper,even_odd,"odd one out",0,0,0,0,0,1,0,-3,8,6
6,tomato,missing_type,,0,0,0,0,0,0,5,0,0,6
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my.csv").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("greedy", "random"):
        prepare(plan_run(1, 2, name))
    return "my.csv"


def good(*words: str) -> str:
    """What a command prints, which must succeed and say nothing on stderr."""
    result = CliRunner().invoke(main, list(words))
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_run_takes_a_card_file_and_agrees_with_python(file: str) -> None:
    told = json.loads(good("run", "--games", "200", "--cards", file, "--format", "json"))
    result = simulate(200, cards=file)
    assert told["cards"] == file
    assert told["seats"] == result.seat_rows == simulate(200, cards=as_card_set(file)).seat_rows
    assert told["seats"] != simulate(200).seat_rows
    assert simulate(10).as_dict()["cards"] == "official"


def test_run_json_holds_the_cards(file: str, tmp_path: Path) -> None:
    good("run", "--games", "50", "--cards", file, "--out", "first", "--quiet")
    record = json.loads((tmp_path / "first" / "run.json").read_text())
    assert record["again"].endswith("--cards my.csv")
    assert record["options"]["cards"]["source"] == file
    again = tmp_path / "again.csv"
    again.write_text("\n".join(record["options"]["cards"]["file"]), encoding="utf-8")
    assert as_card_set(again) == as_card_set(file)
    words = record["again"].replace("my.csv", "again.csv").split()[1:]
    good(*words, "--out", "second", "--quiet")
    for name in ("seats.csv", "strategies.csv"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    good("run", "--games", "50", "--out", "official", "--quiet")
    record = json.loads((tmp_path / "official" / "run.json").read_text())
    assert "cards" not in record["options"]
    assert "--cards" not in record["again"]


def test_a_copy_of_the_official_file_is_the_official_game(tmp_path: Path) -> None:
    file = tmp_path / "copy.csv"
    file.write_text(good("cards", "--format", "csv"), encoding="utf-8")
    assert simulate(100, cards=file).seat_rows == simulate(100).seat_rows
    assert "cards" not in plan_run(1, cards=file).options()


def test_cards_lists_the_set(file: str, tmp_path: Path) -> None:
    table = good("cards", "--cards", file)
    assert "carrot + carrot + tomato = 9" in table and "most + fewest" in table
    assert table.splitlines()[-1] == "36 cards: 6 olive, 6 carrot, 6 lettuce, 6 onion, 6 pepper, 6 tomato on the back"
    assert good("cards").splitlines()[-1].startswith("108 cards: 18 cabbage, ")
    rows = json.loads(good("cards", "--cards", file, "--format", "json"))
    assert len(rows) == 42
    assert (rows[0]["back"], rows[0]["w_cabbage"], rows[24]["text"]) == ("olive", 0, "3/olive, 1/lettuce, -1/carrot")
    text = good("cards", "--cards", file, "--format", "csv")
    (tmp_path / "same.csv").write_text(text, encoding="utf-8")
    assert as_card_set(tmp_path / "same.csv") == as_card_set(file)
    assert good("cards", "--cards", "same.csv", "--format", "csv") == text
    assert len(list(csv.DictReader(text.splitlines()[1:]))) == 42


def test_replay_plays_with_the_cards(file: str) -> None:
    text = good("replay", "--cards", file, "--game", "3")
    assert '"odd one out" (card ' in text
    assert '"most onion = 10; fewest pepper = 4" (card ' in text
    assert f"Rules: cards of {file}; " in text
    assert " olive" in text and "cabbage" not in text
    assert text == read_replay(3, cards=file)
    hand_draft = good("replay", "--game", "hand-draft", "--cards", file, "-s", "random", "--quiet")
    assert " olive" in hand_draft and "cabbage" not in hand_draft


@pytest.mark.parametrize("command", ["run", "replay", "cards"])
def test_a_bad_file_ends_in_one_line_and_exit_2(file: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(FILE.replace("type_at_least_4", "type_at_lest_4"), encoding="utf-8")
    result = CliRunner().invoke(main, [command, "--cards", "bad.csv"])
    assert (result.exit_code, result.stdout) == (2, "")
    start = "salad-sim: bad.csv, line 4, column kind: unknown kind 'type_at_lest_4' (did you mean 'type_at_least_4'?)"
    assert result.stderr.startswith(start)
    assert result.stderr.count("\n") == 1
    missing = CliRunner().invoke(main, [command, "--cards", "none.csv"])
    assert (missing.exit_code, missing.stderr) == (
        2,
        "salad-sim: card file 'none.csv' cannot be read: No such file or directory\n",
    )


def test_other_records_are_said_to_be_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of the compiler's cache is there from the official records; that is not enough."""
    small = plan_run(1, 2)
    prepare(small)
    assert not is_cold(small)
    large = plan_run(1, 2, cards=any_set("large", 40, copies=3))
    assert large.capacity == OTHER_CAPACITY
    monkeypatch.setattr("salad_sim.run.runner._fresh_indexes", lambda folder, function: [tmp_path / "engine.nbi"])
    assert is_cold(small) and is_cold(large)
    (tmp_path / f"engine.{CAPACITY}").touch()
    assert not is_cold(small)
    assert is_cold(large)
    (tmp_path / f"engine.{OTHER_CAPACITY}").touch()
    assert not is_cold(large)


def test_moves_are_told_with_the_labels(file: str) -> None:
    from salad_sim.game.notation import move_in_words, vegetables

    plan = plan_run(1, 2, cards=file)
    player = ShardPlayer(plan, prepare(plan))
    player(Shard(0, 1))
    view = player.work.table.public
    view.market[:] = [0, 1, 2, 3, 4, 5]
    said = move_in_words(view, plan.cards, int(playing.make_move(playing.pair_draft(0, 1), 0)))
    assert said == (
        "take the olive (column 1, upper row) and the carrot (column 2, upper row), "
        'then flip "carrot + carrot + tomato = 9" (card 0) to its olive'
    )
    assert vegetables([2, 0, 0, 1, 0, 0], plan.cards.labels) == "2 olive, 1 onion"
