"""Saves the games of a run while it is played: `save_games` gives the workers that keep rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from salad_sim import __version__
from salad_sim.errors import InputError, unknown
from salad_sim.files.atomic import sole_use
from salad_sim.game.notation import plural
from salad_sim.play.move_recorder import (
    GAME_ROW,
    GAME_ROWS,
    GAMES,
    MOVES,
    move_room,
    play_saved,
    point_room,
    saving_dtype,
    saving_player,
)
from salad_sim.play.tally import add_tally, new_tally
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.run.runner import Kernels, ShardKernel, ShardPlayer
from salad_sim.run.setup import MOST_GAMES, whole_number
from salad_sim.storage.folder import run_record
from salad_sim.storage.parquet_columns import LEVELS, FileColumn, Rows, batch_of, columns_of, family_names
from salad_sim.storage.parquet_files import Target
from salad_sim.storage.parquet_writer import PartWriter
from salad_sim.strategy.variants import POINT_SALAD

if TYPE_CHECKING:
    import pyarrow as pa

SAVING = ShardKernel(play_saved, saving_player)

PART_ROWS = 1 << 17
"""Rows of a part and row group, at most (all rows of one deal at least)."""


class SavingPlayer(ShardPlayer):
    """One worker that keeps rows; called with a shard, it returns the tally as every other worker does."""

    def __init__(self, plan: Plan, kernels: Kernels, saved: SavedGames) -> None:
        super().__init__(plan, kernels, saving_dtype(plan.capacity))
        self.saved = saved
        self.work.level = saved.level
        self.work.every = saved.every
        self.work.n_families = len(saved.families)
        for index, family in enumerate(saved.families.values()):
            self.work["family"][list(family.members)] = index
        self.total = new_tally()

    def __call__(self, shard: Shard) -> np.record:
        """Play a shard piece by piece, as its rows have room, and hand them over.

        Raises
        ------
        IllegalMoveError, StrategyError
            At the first game that cannot be played to its end; the rows of the shard are then lost.
        InputError
            If the rows cannot be written.
        """
        batches: list[tuple[int, pa.RecordBatch]] = []
        self.total = new_tally()
        try:
            for part, piece in self.saved.pieces(shard):
                add_tally(self.total, super().__call__(piece))
                if self.work.n_rows:
                    batches.append((part, self.saved.batch(self._rows())))
        except BaseException:
            self.saved.writer.give_up(shard)
            raise
        self.saved.writer.put(shard, batches)
        return self.total

    def _rows(self) -> Rows:
        work, n_rows = self.work, int(self.work.n_rows)
        if self.saved.level == MOVES:
            return work["moves"][:n_rows]  # type: ignore[no-any-return]
        n_families = int(work.n_families)
        points = work["points"][: n_rows * n_families].reshape(n_rows, n_families)
        return {"points": points, **{name: work["games"][name][:n_rows] for name in GAME_ROW.names or ()}}


class SavedGames:
    """What the workers of a run share that saves its games."""

    kernel = SAVING

    def __init__(self, plan: Plan, target: Target, level: str, every: int, again: str) -> None:
        import pyarrow as pa

        self.started = False
        self.level = LEVELS.index(level)
        self.every = every
        self.families = family_names(plan)
        self.columns = columns_of(plan, level)
        record = _record(plan, again)
        self.schema = pa.schema(
            [column.field for column in self.columns], metadata=_metadata(plan, record, self.columns, level, every)
        )
        self.writer = PartWriter(target, self.schema, record, plan.ranges, plan.n_rotations)
        rows_per_deal = plan.n_rotations * (
            plan.n_players if self.level == GAMES else sum(plan.drawn) * plan.rules.rounds
        )
        room = move_room(plan.capacity)
        if self.level == GAMES:
            room = min(GAME_ROWS, point_room(plan.capacity) // len(self.families))
        self.piece_deals = room // rows_per_deal * every
        self.part_deals = max(PART_ROWS // rows_per_deal, 1) * every

    def pieces(self, shard: Shard) -> Iterator[tuple[int, Shard]]:
        """Cut a shard into pieces whose rows have room and that belong to one part; yield them with its number."""
        deal, stop = shard.first_deal, shard.first_deal + shard.n_deals
        while deal < stop:
            part = deal // self.part_deals
            n_deals = min(self.piece_deals, stop - deal, (part + 1) * self.part_deals - deal)
            yield part, Shard(deal, n_deals)
            deal += n_deals

    def batch(self, rows: Rows) -> pa.RecordBatch:
        """Return rows of a kernel as columns."""
        return batch_of(self.columns, self.schema, rows)

    def summary(self) -> str:
        """Say what was saved, and where."""
        writer = self.writer
        return f"{plural(writer.n_rows, 'row')} saved in {str(writer.target.path)!r}"

    def start(self) -> None:
        """Remove what is replaced: not before all is compiled, so that nothing is lost for a run that never begins."""
        if not self.started:
            self.writer.target.clear()
            self.started = True

    def player(self, plan: Plan, kernels: Kernels) -> SavingPlayer:
        """Return a worker."""
        self.start()
        return SavingPlayer(plan, kernels, self)


@contextmanager
def save_games(
    plan: Plan,
    path: str | Path,
    level: str = "games",
    every: int | str = 1,
    force: bool = False,
    again: str = "",
) -> Iterator[SavedGames]:
    """Save the games of a plan that is played inside the block, with ``players=saved.player, kernel=SAVING``.

    Whatever ends the block, the file is closed with the rows of all shards up to the first that was not finished.

    Parameters
    ----------
    plan : Plan
    path : str or Path
        A file if the name ends with .parquet or .pq, else a folder that gets a file for each part.
    level : {"games", "moves"}
        A row for each game and seat, or for each move.
    every : int or str
        Save every so many deals, those whose number it divides, each with all its rotations; 1..1e15.
    force : bool
        Replace what is there.
    again : str
        The command that plays the plan, for the metadata.

    Yields
    ------
    SavedGames
        Its ``player`` makes workers for `driver.play_plan`.

    Raises
    ------
    InputError
        If an option is not allowed, pyarrow is not installed, or the files cannot be written.
    """
    if level not in LEVELS:
        raise unknown("level", level, LEVELS)
    if plan.game is not POINT_SALAD:
        raise InputError(f"games are saved of the game point-salad only, not of {plan.game.name}")
    n_every = whole_number("every", every, 1, MOST_GAMES)
    if find_spec("pyarrow") is None:
        raise InputError("to save games pyarrow is needed: pip install 'salad-sim[data]'")
    target = Target(path, force)
    try:
        with sole_use(target.folder):
            saved = SavedGames(plan, target, level, n_every, again)
            try:
                yield saved
            except BaseException:
                if saved.writer.n_deals:
                    saved.writer.close()
                raise
            saved.start()
            saved.writer.close()
    finally:
        target.tidy()


def _record(plan: Plan, again: str) -> dict[str, Any]:
    """Return what run.json says of a plan, without what is only known at the end."""
    record = run_record(plan, 0, False, again)
    return {name: value for name, value in record.items() if name not in ("games_counted", "interrupted")}


def _metadata(plan: Plan, record: dict[str, Any], columns: list[FileColumn], level: str, every: int) -> dict[str, str]:
    """Return the metadata of all parts: what was played, and what the columns mean, as JSON where it is not text."""
    said = {column.name: {"unit": column.unit, "description": column.about} for column in columns}
    facts: dict[str, Any] = {
        "seed": plan.seed,
        "rules": plan.rules.as_dict(),
        "lineup": [each.spec for each in plan.lineup],
        "version": __version__,
        "command": record["again"],
        "level": level,
        "every": every,
        "sorted_by": ["game", "seat"] if level == "games" else ["game", "turn"],
        "columns": said,
        "run": record,
    }
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in facts.items()
    }
