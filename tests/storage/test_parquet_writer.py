"""Saving games of runs that do not end: failures, shards out of order, kills, Ctrl-C, and a full disk."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from salad_sim import InputError, StrategyError
from salad_sim.run.driver import play_plan
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.storage import parquet_writer as writer
from salad_sim.storage.parquet import save_games
from salad_sim.storage.parquet_files import Target
from salad_sim.strategy.registry import load_strategy
from support.game_files import metadata, save

# ----------------------------------------------------------------------------------------------- a strategy that fails


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


# ----------------------------------------------------------------------------------------------- parts, shard by shard


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


# ------------------------------------------------------------------------------------------------- a run that is ended


KILLED = """
import sys
from salad_sim.run.plan import plan_run
from salad_sim.run.driver import Session, play_plan
from salad_sim.storage import parquet as saving
from salad_sim.storage import parquet_writer as writer
writer.SAVE_SECONDS = 0.01
saving.PART_ROWS = 5000
with saving.save_games(plan_run(1e9, strategies="random"), sys.argv[1]) as saved:
    plan = plan_run(1e9, strategies="random")
    play_plan(plan, Session(2), players=saved.player, kernel=saved.kernel, shard_deals=300)
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
        play_plan(plan_run(10), players=saved.player, kernel=saved.kernel)
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
