"""Files of saved games: the same for any workers, what they say of themselves, who reads them, what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from salad_sim import InputError, Rules
from salad_sim.cli import main
from salad_sim.run.driver import play_plan
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run, with_deals
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.storage import parquet as saving
from salad_sim.storage.parquet import save_games
from salad_sim.storage.parquet_columns import LEVELS, columns_of
from salad_sim.storage.parquet_files import Target
from support.game_files import metadata, read, save
from support.places import ROOT
from support.processes import run_python

# ----------------------------------------------------------------------------------------------- files and workers


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("level", ["games", "moves"])
def test_the_same_bytes_for_any_number_of_workers(level: str, tmp_path: Path) -> None:
    plan = plan_run(3000 if level == "games" else 300, 2, ["greedy", "random"], rotate=True)
    for number, (workers, deals) in enumerate([(1, None), (2, 17), (3, 90)]):
        save(plan, tmp_path / f"{number}.parquet", level, workers=workers, shard_deals=deals)
        save(plan, tmp_path / f"{number}", level, workers=workers, shard_deals=deals)
    files = [(tmp_path / f"{number}.parquet").read_bytes() for number in range(3)]
    folders = [{part.name: part.read_bytes() for part in (tmp_path / f"{number}").iterdir()} for number in range(3)]
    assert files[0] == files[1] == files[2] and folders[0] == folders[1] == folders[2]
    assert len(folders[0]) == pq.ParquetFile(tmp_path / "0.parquet").num_row_groups > 4
    rows = pd.read_parquet(tmp_path / "0")
    assert rows.equals(pd.read_parquet(tmp_path / "0.parquet"))
    order = rows[["game", "seat" if level == "games" else "turn"]]
    assert order.equals(order.sort_values(list(order.columns)))
    assert not list(tmp_path.glob("*.parts"))


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("level", ["games", "moves"])
@pytest.mark.parametrize("every", [3, 50, 10**9])
def test_every_so_many_deals_with_all_their_rotations(level: str, every: int, tmp_path: Path) -> None:
    plan = plan_run(300, 2, ["greedy", "random"], rotate=True)
    save(plan, tmp_path / "all.parquet", level)
    save(plan, tmp_path / "some.parquet", level, every=every)
    rows, some = read(tmp_path / "all.parquet"), read(tmp_path / "some.parquet")
    assert some.equals(rows[rows["deal"] % every == 0].reset_index(drop=True))
    assert some["game"].nunique() == 2 * -(-plan.n_deals // every)


def test_chosen_deals_have_the_rows_that_they_have_in_the_run(tmp_path: Path) -> None:
    plan = plan_run(700, strategies="random")
    save(plan, tmp_path / "all.parquet")
    save(with_deals(plan, [(30, 200), (650, 700)]), tmp_path / "some.parquet", workers=3, shard_deals=9)
    rows, some = read(tmp_path / "all.parquet"), read(tmp_path / "some.parquet")
    chosen = [*range(30, 200), *range(650, 700)]
    assert some.equals(rows[rows["deal"].isin(chosen)].reset_index(drop=True))
    assert metadata(tmp_path / "some.parquet")["run"]["interrupted"] is False


def test_shards_are_longer_than_the_room_for_rows(tmp_path: Path) -> None:
    plan, shard = plan_run(9000, strategies="random"), Shard(0, 9000)
    with save_games(plan, tmp_path / "long.parquet") as saved:
        counted = saved.player(plan, prepare(plan, saved.kernel))(shard)
    assert counted == ShardPlayer(plan, prepare(plan))(shard)
    assert pd.read_parquet(tmp_path / "long.parquet")["game"].tolist() == [game for game in range(9000) for _ in "12"]


def test_metadata_say_what_was_played_and_what_the_columns_mean(tmp_path: Path) -> None:
    plan = plan_run(20, 2, ["greedy", "random"], seed=9, rules=Rules(zero="even"))
    for level in ("games", "moves"):
        with save_games(plan, tmp_path / f"{level}.parquet", level, 2, again="salad-sim run ...") as saved:
            play_plan(plan, players=saved.player, kernel=saved.kernel)
        said = metadata(tmp_path / f"{level}.parquet")
        assert said["seed"] == "9" and said["every"] == "2" and said["level"] == level
        assert said["rules"] == plan.rules.as_dict() and said["lineup"] == ["greedy", "random"]
        assert said["command"] == said["run"]["again"] == "salad-sim run ..."
        assert said["version"] == said["run"]["versions"]["salad-sim"]
        assert said["run"]["games_counted"] == 20 and said["run"]["interrupted"] is False
        assert [each["name"] for each in said["run"]["strategies"]] == ["greedy", "random"]
        schema = pq.read_schema(tmp_path / f"{level}.parquet")
        assert list(said["columns"]) == schema.names
        for field in schema:
            about = {key.decode(): value.decode() for key, value in field.metadata.items() if b"PARQUET" not in key}
            assert about == said["columns"][field.name] and about["description"]


def test_the_page_names_all_columns() -> None:
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    table = re.findall(
        r"^\| (`\w+`.*?) \| ([\w, ]+) \|", page.split("## Columns")[1].split("## Metadata")[0], flags=re.M
    )
    said: dict[str, str] = {}
    for names, types in table:
        first, *_, last = named = re.findall(r"`(\w+)`", names) * (1 if "`, `" in names or ".." in names else 2)
        if ".." in names:
            stem = first[:-1]
            named = [f"{stem}{number}" for number in range(int(first[-1]), int(last[-1]) + 1)]
        kinds = types.split(", ")
        said |= dict(zip(named, kinds * len(named), strict=False))
    columns = {column.name: column.type for level in LEVELS for column in columns_of(plan_run(1), level)}
    assert said == {name: kind for name, kind in columns.items() if not name.startswith("points_")}
    for name in re.findall(r"`(points_\w+)`|(points_\w+)\)", page):
        assert "".join(name) in columns


@pytest.mark.parametrize("name", ["saved.parquet", "saved"])
def test_other_programs_read_it(name: str, tmp_path: Path) -> None:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    plan = plan_run(500)
    for level in ("games", "moves"):
        path = tmp_path / level / name
        save(plan, path, level)
        files = str(path if path.is_file() else path / "*.parquet")
        rows = pd.read_parquet(path)
        assert polars.read_parquet(files).to_dicts() == pq.read_table(path).to_pylist()
        total = duckdb.sql(f"select count(*), count(distinct game), sum(seat) from '{files}'").fetchall()[0]
        assert total == (len(rows), 500, rows["seat"].sum())


# --------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--every", "3"], "--level and --every say which rows are saved: give --save-games FILE.parquet|DIR too"),
        (["--save-games", "x", "--cluster", "local:2"], "it cannot be given with --cluster"),
        (["--save-games", "x", "--out", "half"], "'half' holds 5 games of this run already"),
    ],
)
def test_options_that_do_not_go_together(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["run", "--games", "5", "--strategy", "random"]
    assert CliRunner().invoke(main, [*command, "--out", "half"]).exit_code == 0
    refused = CliRunner().invoke(main, [*command, *words])
    assert refused.exit_code == 2 and said in refused.output and not Path("x").exists()


def test_the_command_line_saves_games_beside_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["run", "--games", "60", "--strategy", "random", "--out", "a", "--save-games", "a/games", "--every", "2"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0 and "60 rows saved in 'a/games'" in done.output
    said = metadata(tmp_path / "a" / "games" / "part-000000000000.parquet")
    assert said["run"] == json.loads((tmp_path / "a" / "run.json").read_text())
    again = CliRunner().invoke(main, command)
    assert again.exit_code == 2 and "'a' holds 60 games" in again.output
    assert CliRunner().invoke(main, [*command, "--force"]).exit_code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"level": "turns"}, "unknown level 'turns'; allowed: games, moves"),
        ({"every": 0}, "every must be a whole number from 1 to 1e15, not 0"),
        ({"path": ""}, "cannot write into ''"),
    ],
)
def test_what_is_not_allowed(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=re.escape(said)),
        save_games(plan_run(1), **{"path": tmp_path / "x", **options}),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_the_other_game_is_refused(tmp_path: Path) -> None:
    plan = plan_run(1, game="hand-draft")
    with pytest.raises(InputError, match="only, not of hand-draft"), save_games(plan, tmp_path / "x"):
        pass


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'salad-sim\[data\]'"), save_games(plan_run(1), tmp_path / "x"):
        pass


@pytest.mark.usefixtures("small_parts")
def test_what_is_there_is_kept_unless_forced(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.parquet", tmp_path / "b"
    save(plan_run(3000), file)
    save(plan_run(3000), folder)
    before = file.read_bytes()
    for path in (file, folder):
        with pytest.raises(InputError, match="--force to replace it"), save_games(plan_run(5), path):
            pass
    assert file.read_bytes() == before and len(list(folder.iterdir())) > 4
    for path in (file, folder):
        with save_games(plan_run(5), path, force=True) as saved:
            play_plan(plan_run(5), players=saved.player, kernel=saved.kernel)
        assert len(pd.read_parquet(path)) == 10
    (folder / "thesis.txt").touch()
    with pytest.raises(InputError, match=r"'thesis.txt', which is no saved game"):
        Target(folder, force=True)
    with pytest.raises(InputError, match="Not a directory"):
        Target(file / "inside")


def test_two_programs_are_kept_apart(tmp_path: Path) -> None:
    with save_games(plan_run(5), tmp_path / "x") as saved:
        with pytest.raises(InputError, match="another salad-sim is at work"), save_games(plan_run(5), tmp_path / "x"):
            pass
        play_plan(plan_run(5), players=saved.player, kernel=saved.kernel)
    assert len(pd.read_parquet(tmp_path / "x")) == 10


@pytest.mark.slow
def test_a_plain_run_does_not_load_pyarrow() -> None:
    code = """
        import sys
        from salad_sim.cli import main
        sys.argv = ["salad-sim", "run", "--games", "10", "--strategy", "random"]
        try:
            main()
        except SystemExit as end:
            assert not end.code
        print("salad_sim.play.move_recorder" in sys.modules)
    """
    assert run_python(code).splitlines()[-1] == "False"
