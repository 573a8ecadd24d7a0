"""Saved games: rows beside the naive twin, the same files for any workers, and files that outlive their run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from conftest import run_python
from reference import VEGETABLES, NaiveGame, NaiveRules, card_value, load_cards

from salad_sim import InputError, Rules, StrategyError
from salad_sim.analysis.result import as_result
from salad_sim.cli import main
from salad_sim.engine import apply_move, deal_next_round
from salad_sim.executors import Shard
from salad_sim.moves import N_PILES, draft_of, first_slot, flip_of, second_slot
from salad_sim.plan import Plan, plan_run, with_deals
from salad_sim.runner import Count, ShardPlayer, new_workspace, play_plan, prepare
from salad_sim.saved_games import saving, writer
from salad_sim.saved_games.columns import LEVELS, columns_of, family_names
from salad_sim.saved_games.files import Target
from salad_sim.saved_games.saving import save_games
from salad_sim.shard import begin_game, choose
from salad_sim.strategy import load_strategy

CARDS = load_cards()


def save(plan: Plan, path: Path, level: str = "games", every: int = 1, **options: Any) -> Count:
    """Play a plan and save its games."""
    with save_games(plan, path, level, every) as saved:
        return play_plan(plan, players=saved.player, **options)


def read(path: Path) -> pd.DataFrame:
    """Read rows, with None where there is no value."""
    return pq.read_table(path).to_pandas(types_mapper=None).astype(object).where(lambda frame: frame.notna(), None)


def metadata(path: Path) -> dict[str, Any]:
    """Read the metadata of a file, as text and as what JSON says."""
    texts = {key.decode(): value.decode() for key, value in pq.read_schema(path).metadata.items()}
    return {key: json.loads(text) if text.startswith(("{", "[")) else text for key, text in texts.items()}


# ------------------------------------------------------------------------------------------------- beside the twin


def naive_rounds(plan: Plan, deal: int, rotation: int, moves: list[dict[str, Any]]) -> list[NaiveGame]:
    """Play a game on the engine, and each of its rounds on a twin; note the moves as the twin has them."""
    rules = NaiveRules(**{field.name: getattr(plan.rules, field.name) for field in fields(NaiveRules)})
    _, choices = prepare(plan)
    work = new_workspace(plan)
    work.deal, work.rotation = deal, rotation
    begin_game(work)
    view, rounds = work.table.public, []
    for number in range(plan.rules.rounds):
        deck, n_cards, bonus = work.table.deck, int(view.n_cards), view.bonus[: plan.n_players].tolist()
        piles = [deck[pile * n_cards // 3 : (pile + 1) * n_cards // 3].tolist() for pile in range(N_PILES)]
        twin = NaiveGame(CARDS, piles, plan.n_players, rules, start=int(view.start), bonus=bonus)
        rounds.append(twin)
        while not twin.over:
            move = int(choose(work, *choices))
            moves.append(naive_move(plan, twin, move) | {"deal": deal, "rotation": rotation, "round": number + 1})
            apply_move(work.table, move)
            tables, seat = twin.tables(), moves[-1]["seat"] - 1
            moves[-1]["points"] = sum(card_value(twin.cards[card], tables, seat, rules) for card in twin.hands[seat])
            moves[-1]["strategy"] = plan.label_at(seat, rotation)
            moves[-1]["game"] = deal * plan.n_rotations + rotation
        if number + 1 < plan.rules.rounds:
            deal_next_round(work.table)
    return rounds


def naive_move(plan: Plan, twin: NaiveGame, move: int) -> dict[str, Any]:
    """Make a move on the twin and return what its row shall say."""
    draft, flip = int(draft_of(move)), int(flip_of(move))
    market, tops = list(twin.market), [pile[-1] if pile else None for pile in twin.piles]
    row = {
        "seat": twin.seat + 1,
        "turn": twin.turn + 1,
        "cards_left": sum(map(len, twin.piles)) + sum(card is not None for card in market),
        "draft": "point card" if draft < N_PILES else "vegetables",
        "point_card": tops[draft] if draft < N_PILES else None,
        "pile": draft + 1 if draft < N_PILES else None,
        "flip_card": flip if flip >= 0 else None,
        **{f"top_{pile + 1}": top for pile, top in enumerate(tops)},
        **{f"market_{slot + 1}": card for slot, card in enumerate(market)},
    }
    slots = [] if draft < N_PILES else list(dict.fromkeys((int(first_slot(draft)), int(second_slot(draft)))))
    for index in range(2):
        card = market[slots[index]] if index < len(slots) else None
        row[f"vegetable_{index + 1}"] = None if card is None else twin.cards[card]["back"]
        row[f"vegetable_{index + 1}_card"] = card
        row[f"vegetable_{index + 1}_slot"] = slots[index] + 1 if index < len(slots) else None
    twin.play(("pile", draft) if draft < N_PILES else ("market", tuple(slots)), flip if flip >= 0 else None)
    return row


def naive_rows(plan: Plan, deal: int, rotation: int, rounds: list[NaiveGame], ids: dict[str, set[int]]) -> list[Any]:
    """Return the rows of a game, from what the twins say."""
    last = rounds[-1]
    scores, shares = last.scores(), last.shares()
    rank = {
        "later": lambda seat: (seat - last.start) % plan.n_players,
        "earlier": lambda seat: -((seat - last.start) % plan.n_players),
        "last-turn": lambda seat: last.last_turn_of.get(seat, -1),
        "fewer-cards": lambda seat: (-len(last.hands[seat]), (seat - last.start) % plan.n_players),
        "shared": lambda seat: 0,
    }[plan.rules.tie_break]
    rows = []
    for seat in range(plan.n_players):
        cards = [(twin, card) for twin in rounds for card in twin.hands[seat]]
        worth = [(card, card_value(twin.cards[card], twin.tables(), seat, twin.rules)) for twin, card in cards]
        above = [other for other in range(plan.n_players) if (scores[other], rank(other)) > (scores[seat], rank(seat))]
        rows.append(
            {
                "deal": deal,
                "game": deal * plan.n_rotations + rotation,
                "rotation": rotation,
                "seat": seat + 1,
                "strategy": plan.label_at(seat, rotation),
                "score": scores[seat],
                "place": 1 + len(above),
                "win_share": float(shares[seat]),
                "point_cards": len(cards),
                **{name: sum(value for card, value in worth if card in members) for name, members in ids.items()},
            }
        )
    return rows


def card_ids_of_columns(path: Path) -> dict[str, set[int]]:
    """Return the cards of each family, as the file says."""
    said = {name: about["description"] for name, about in metadata(path)["columns"].items()}
    found = {name: re.search(r"\(card ids ([\d, and]+)\)", text) for name, text in said.items()}
    return {name: set(map(int, re.findall(r"\d+", match[1]))) for name, match in found.items() if match}


MATCHES = [
    (2, "greedy", Rules(), {}),
    (2, ["greedy", "random"], Rules(tie_break="shared"), {"rotate": True, "head_start": [0, 7]}),
    (3, ["random", "greedy", "random"], Rules(tie_break="fewer-cards", vegetables="up-to-two"), {"rotate": True}),
    (4, "random", Rules(tie_break="earlier", split="draw", sets="once"), {}),
    (6, "random", Rules(tie_break="last-turn", zero="even"), {}),
    (2, "random", Rules(rounds=3, next_start="last-placed", tie_break="last-turn"), {"head_start": [3, 0]}),
]


@pytest.mark.parametrize(("players", "strategies", "rules", "more"), MATCHES)
def test_rows_are_what_the_twin_says_of_whole_games(
    players: int, strategies: Any, rules: Rules, more: dict[str, Any], tmp_path: Path
) -> None:
    plan = plan_run(8 * players, players, strategies, seed=5, rules=rules, **more)
    save(plan, tmp_path / "games.parquet", shard_deals=3)
    save(plan, tmp_path / "moves.parquet", "moves", shard_deals=3)
    ids = card_ids_of_columns(tmp_path / "games.parquet")
    games: list[Any] = []
    moves: list[dict[str, Any]] = []
    for deal in range(plan.n_deals):
        for rotation in range(plan.n_rotations):
            rounds = naive_rounds(plan, deal, rotation, moves)
            games += naive_rows(plan, deal, rotation, rounds, ids)
    saved_games, saved_moves = read(tmp_path / "games.parquet"), read(tmp_path / "moves.parquet")
    said = pd.DataFrame(games, dtype=object)
    assert saved_games[list(said.columns)].to_dict("records") == said.to_dict("records")
    assert saved_moves.to_dict("records") == [{name: row[name] for name in saved_moves.columns} for row in moves]
    # the two columns that the twin's end does not tell
    by_seat = saved_moves.groupby(["game", "seat"])
    counted = pd.DataFrame({"turns": by_seat.size(), "flips": by_seat["flip_card"].count()}).stack().tolist()
    assert saved_games.set_index(["game", "seat"])[["turns", "flips"]].stack().tolist() == counted


def test_families_are_cards_of_one_kind(tmp_path: Path) -> None:
    save(plan_run(1), tmp_path / "games.parquet")
    ids = card_ids_of_columns(tmp_path / "games.parquet")
    assert sorted(card for members in ids.values() for card in members) == list(range(108))
    kinds = {}
    for name, members in ids.items():
        terms = [CARDS[card]["terms"][0] for card in members]
        kinds[name] = {(t["kind"], *sorted(t["weights"].values()), t["points"], t["even"], t["odd"]) for t in terms}
        assert len(kinds[name]) == 1 and re.fullmatch(r"points_[a-z0-9_]+", name)
    assert len(set(map(frozenset, kinds.values()))) == len(kinds) == 20


def test_families_whose_names_differ_in_signs_only_have_columns_of_their_own(tmp_path: Path) -> None:
    head = "back,kind," + ",".join(f"w_{veg}" for veg in VEGETABLES) + ",points,even_points,odd_points,copies\n"
    rows = [f"{veg},pair,{','.join(str(2 * (each == veg)) for each in VEGETABLES)},5,0,0,6\n" for veg in VEGETABLES]
    rows += ["onion,set,2,0,0,0,0,0,-5,0,0,1\n", "onion,per_veg,1,-2,0,0,0,0,0,0,0,1\n"]
    file = tmp_path / "cards.csv"
    file.write_text(head + "".join(rows))
    plan = plan_run(40, strategies="random", cards=str(file))
    names = family_names(plan)
    assert len(set(names)) == len(names) == 3
    save(plan, tmp_path / "games")
    rows_saved = pd.read_parquet(tmp_path / "games")
    assert (rows_saved[list(names)].sum(axis=1) == rows_saved["score"]).all()


# ------------------------------------------------------------------------------------------- beside the run's tables


@pytest.mark.parametrize("level", ["games", "moves"])
def test_the_run_counts_as_it_does_without_saving(level: str, tmp_path: Path) -> None:
    plan = plan_run(900, 3, ["greedy", "random", "random"], rotate=True, rules=Rules(rounds=2))
    counted = save(plan, tmp_path / "saved", level, every=7)
    assert counted.tally == play_plan(plan).tally


def test_sums_over_rows_are_the_tables_of_the_run(tmp_path: Path) -> None:
    plan = plan_run(6000, 3, ["greedy", "random", "random"], rotate=True)
    result = as_result(plan, save(plan, tmp_path / "games.parquet"))
    rows = pd.read_parquet(tmp_path / "games.parquet")
    names = {
        "win_share": "win_share",
        "score": "mean_score",
        "point_cards": "cards_kept",
        "turns": "turns",
        "flips": "flips",
    }
    for table, by in ((result.seats, "seat"), (result.strategies, "strategy")):
        means = rows.groupby(by, observed=True)[list(names)].mean().rename(columns=names)
        same = table.set_index(by).loc[means.index]
        for name in names.values():
            assert means[name].to_numpy() == pytest.approx(same[name].to_numpy(), rel=1e-12), name
    tally = result.tally
    for column in ("score", "turns", "point_cards", "flips"):
        field = {"turns": "seat_turns", "point_cards": "kept", "flips": "flipped"}.get(column, column)
        assert rows[column].sum() == tally[field].sum()
    assert (rows["score"].astype(int) ** 2).sum() == tally["score_squared"].sum()
    assert rows[[name for name in rows if name.startswith("points_")]].to_numpy().sum() == rows["score"].sum()


# ----------------------------------------------------------------------------------------------- files and workers


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parts be small, so that a short run has several."""
    monkeypatch.setattr(saving, "PART_ROWS", 1000)


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
        counted = saved.player(plan, prepare(plan))(shard)
    assert counted == ShardPlayer(plan, prepare(plan))(shard)
    assert pd.read_parquet(tmp_path / "long.parquet")["game"].tolist() == [game for game in range(9000) for _ in "12"]


def test_metadata_say_what_was_played_and_what_the_columns_mean(tmp_path: Path) -> None:
    plan = plan_run(20, 2, ["greedy", "random"], seed=9, rules=Rules(zero="even"))
    for level in ("games", "moves"):
        with save_games(plan, tmp_path / f"{level}.parquet", level, 2, again="salad-sim run ...") as saved:
            play_plan(plan, players=saved.player)
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
    page = (Path(__file__).parent.parent / "docs" / "data.md").read_text(encoding="utf-8")
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
            play_plan(plan_run(5), players=saved.player)
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
        play_plan(plan_run(5), players=saved.player)
    assert len(pd.read_parquet(tmp_path / "x")) == 10


# ------------------------------------------------------------------------------------------------- runs that do not end

FAILS = """
@strategy("fails")
def fails(view, own, rng):
    '''Lose its temper in some games.'''
    if view.turn == 0 and view.top[0] == 77 and view.top[1] % 16 == 5:
        raise ValueError("no")
    list_drafts(view, own)
    return make_move(own.drafts[0], NO_FLIP)
"""


@pytest.mark.usefixtures("small_parts", "own_cache")
def test_a_strategy_that_fails_leaves_the_shards_before(
    tmp_path: Path, write_strategy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MOST_HELD", 0)  # all wait for the one that fails
    plan = plan_run(20_000, strategies=load_strategy(str(write_strategy(FAILS))))
    for workers in (1, 3):
        file = tmp_path / f"{workers}.parquet"
        with pytest.raises(StrategyError) as failure:
            save(plan, file, workers=workers, shard_deals=50, patience=20)
        failed = re.search(r"game ([\d,]+) of", str(failure.value))
        n_whole = int(failed[1].replace(",", "")) // 50 * 50 if failed else 0
        run = metadata(file)["run"]
        # shards do not cross the borders of blocks, so a few are shorter than 50 deals
        assert n_whole - 50 <= run["games_counted"] <= n_whole + 50 and run["interrupted"] is True
        assert run["games_counted"] >= 500
        assert pd.read_parquet(file)["game"].drop_duplicates().tolist() == list(range(run["games_counted"]))
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "3.parquet").read_bytes()


def test_nothing_is_left_of_a_run_that_did_not_begin(tmp_path: Path) -> None:
    with pytest.raises(KeyError), save_games(plan_run(5), tmp_path / "x.parquet"):
        raise KeyError
    assert not list(tmp_path.iterdir())


def a_writer(folder: Path, n_deals: int = 30) -> writer.PartWriter:
    """A writer of one column, ten deals in each part."""
    schema = pa.schema([("deal", pa.int64()), ("game", pa.int64())], metadata={"a": "b"})
    target = Target(folder)
    return writer.PartWriter(target, schema, {}, [(0, n_deals)], 1)


def a_shard(schema: pa.Schema, first: int, n_deals: int = 10) -> tuple[Shard, list[tuple[int, pa.RecordBatch]]]:
    deals = pa.array(range(first, first + n_deals), pa.int64())
    return Shard(first, n_deals), [(first // 10, pa.record_batch([deals, deals], schema=schema))]


def test_shards_are_put_in_order_and_few_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MOST_HELD", 200)  # one shard of ten deals has 160 bytes
    taker = a_writer(tmp_path / "x")
    threads = [threading.Thread(target=taker.put, args=a_shard(taker.schema, first)) for first in (20, 10)]
    threads[0].start()
    threads[0].join(10)
    assert not threads[0].is_alive()  # it may wait in memory
    threads[1].start()
    threads[1].join(0.2)
    assert threads[1].is_alive()  # there is no room for a second one
    taker.put(*a_shard(taker.schema, 0))
    threads[1].join(10)
    taker.close()
    assert pd.read_parquet(tmp_path / "x")["deal"].tolist() == list(range(30)) and taker.is_complete


def test_nobody_waits_for_a_shard_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MOST_HELD", 0)
    taker = a_writer(tmp_path / "x")
    taker.put(*a_shard(taker.schema, 0))
    waits = threading.Thread(target=taker.put, args=a_shard(taker.schema, 20))
    waits.start()
    taker.give_up(Shard(10, 10))
    waits.join(10)
    assert not waits.is_alive()
    taker.close()
    assert pd.read_parquet(tmp_path / "x")["deal"].tolist() == list(range(10)) and not taker.is_complete


def test_deals_with_gaps_are_put_in_order(tmp_path: Path) -> None:
    taker = a_writer(tmp_path / "x")
    taker = writer.PartWriter(taker.target, taker.schema, {}, [(0, 10), (40, 50), (70, 75)], 1)
    for first, n_deals in ((70, 5), (40, 10), (0, 10)):
        taker.put(*a_shard(taker.schema, first, n_deals))
    taker.close()
    assert pd.read_parquet(tmp_path / "x")["deal"].tolist() == [*range(10), *range(40, 50), *range(70, 75)]
    assert taker.is_complete


def test_a_part_is_saved_before_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SAVE_SECONDS", 0.0)
    taker = a_writer(tmp_path / "x.parquet")
    for first in (0, 5, 10):
        taker.put(*a_shard(taker.schema, first, 5))
        assert pd.read_parquet(tmp_path / "x.parquet.parts")["deal"].tolist() == list(range(first + 5))
    taker.close()
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


KILLED = """
import sys
from salad_sim.plan import plan_run
from salad_sim.runner import play_plan
from salad_sim.saved_games import saving, writer
writer.SAVE_SECONDS = 0.01
saving.PART_ROWS = 5000
with saving.save_games(plan_run(1e9, strategies="random"), sys.argv[1]) as saved:
    play_plan(plan_run(1e9, strategies="random"), 2, players=saved.player, shard_deals=300)
"""


@pytest.mark.parametrize("name", ["x.parquet", pytest.param("x", marks=pytest.mark.slow)])
def test_what_a_killed_run_has_saved_can_be_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    parts = path if name == "x" else tmp_path / "x.parquet.parts"
    program = subprocess.Popen([sys.executable, "-P", "-c", KILLED, str(path)])
    try:
        wait_for(lambda: len(list(parts.glob("part-*"))) > 3, program)
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()
    rows = pd.read_parquet(parts)
    n_games = rows["game"].nunique()
    save(plan_run(n_games, strategies="random"), tmp_path / "whole.parquet")
    assert n_games > 3 * 2500 and rows.equals(pd.read_parquet(tmp_path / "whole.parquet"))
    with pytest.raises(InputError, match="--force to replace it"):
        Target(path)
    with save_games(plan_run(10), path, force=True) as saved:
        play_plan(plan_run(10), players=saved.player)
    assert len(pd.read_parquet(path)) == 20 and len(list(tmp_path.iterdir())) == 2


def wait_for(what: Any, program: subprocess.Popen[bytes], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert program.poll() is None and time.monotonic() < end
        time.sleep(0.02)


COMMAND = "import sys; from salad_sim.cli import main; sys.argv[0] = 'salad-sim'; main()"


def test_ctrl_c_closes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    words = ["run", "--games", "1e9", "--strategy", "random", "--quiet", "--save-games", str(path)]
    program = subprocess.Popen(
        [sys.executable, "-P", "-c", COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: list((tmp_path / "x.parquet.parts").glob("part-*")), program)  # type: ignore[arg-type]
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=120)
    assert program.returncode == 130, said
    rows, run = pd.read_parquet(path), metadata(path)["run"]
    assert rows["game"].drop_duplicates().tolist() == list(range(run["games_counted"]))
    assert run["interrupted"] is True and f"{run['games_counted']:,} of 1,000,000,000 games" in said
    assert not list(tmp_path.glob("*.parts"))


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    words = ["run", "--games", "3e5", "--strategy", "random", "--quiet", "--save-games", str(tmp_path / "x.parquet")]
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMAND, *words],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert re.search(r"cannot write '.*': File too large", done.stderr)
    assert not list(tmp_path.rglob("*.unfinished"))


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
        print("salad_sim.saved_games.kernels" in sys.modules)
    """
    assert run_python(code).splitlines()[-1] == "False"
