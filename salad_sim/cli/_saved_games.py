"""Saves the games of a run for the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from salad_sim.cli._options import note
from salad_sim.errors import InputError, SaladError

if TYPE_CHECKING:
    from salad_sim.run.plan import Plan
    from salad_sim.storage.parquet import SavedGames


@contextmanager
def saved_games(
    plan: Plan, path: str | None, level: str | None, every: str | None, force: bool, quiet: bool
) -> Iterator[SavedGames | None]:
    """Yield what keeps the games of a run, or None where they are not saved; say at the end what was.

    Raises
    ------
    InputError
        If an option is not allowed or the games cannot be written.
    """
    if path is None:
        if level is not None or every is not None:
            raise InputError("--level and --every say which rows are saved: give --save-games FILE.parquet|DIR too")
        yield None
        return
    from salad_sim.storage.parquet import save_games
    from salad_sim.storage.parquet_columns import LEVELS
    from salad_sim.studies.simulate.report import command_line

    rows = LEVELS[0] if level is None else level, 1 if every is None else every
    try:
        with save_games(plan, path, *rows, force, command_line(plan)) as saved:
            yield saved
    except InputError:
        raise
    except SaladError:
        if saved.writer.n_deals:
            note(saved.summary())
        raise
    note(saved.summary(), quiet)
