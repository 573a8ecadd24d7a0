"""Plays a run, in a folder or not, prints what it found and says how it ended."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salad_sim.cli._options import note, note_compiling
from salad_sim.errors import InputError

if TYPE_CHECKING:
    from salad_sim.analysis.result import Result
    from salad_sim.ledger import Ledger
    from salad_sim.plan import Plan
    from salad_sim.saved_run.work import RunInFolder

INTERRUPTED = 130
MOST_PATIENCE = 10**6


@dataclass(frozen=True)
class Ways:
    """How a run is played and shown; nothing of it changes a number."""

    workers: str | None
    form: str
    quiet: bool
    patience: str | None = None
    players: Any = None


def check_patience(given: str | None) -> float:
    """Return the patience in seconds.

    Raises
    ------
    InputError
    """
    from salad_sim.plan import whole_number
    from salad_sim.runner import PATIENCE

    return PATIENCE if given is None else float(whole_number("patience", given, 1, MOST_PATIENCE))


def play_and_print(plan: Plan, run: RunInFolder | None, ways: Ways) -> int:
    """Play what is left of a run, save it meanwhile if it has a folder, print the result; return the exit code.

    Raises
    ------
    SaladError
        If a strategy fails; what was finished before is then saved.
    """
    from salad_sim.analysis.result import as_result
    from salad_sim.cli._progress import duration, progress_bar
    from salad_sim.errors import SaladError
    from salad_sim.ledger import Ledger
    from salad_sim.runner import ShardPlayer, check_workers, play_plan
    from salad_sim.saved_run.work import Saver

    n_workers, patience = check_workers(ways.workers), check_patience(ways.patience)
    ledger = Ledger.of(plan.ranges) if run is None else run.ledger
    saver = None
    if run is not None:
        for text in run.notes:
            note(text, ways.quiet)
        if not ledger.is_complete:
            _begin_folder(plan, run)
            saver = Saver(run, note)
    for text in plan.notes():
        note(text, ways.quiet)
    if not ledger.is_complete:
        note_compiling([plan], ways.quiet)
    players = ways.players or ShardPlayer
    try:
        with progress_bar(ways.quiet, estimate=lambda: estimate(plan, ledger)) as progress:
            count = play_plan(plan, n_workers, progress, ledger=ledger, watch=saver, players=players, patience=patience)
    except SaladError:
        if run is not None and ledger.games:
            run.save()
            note(f"{ledger.games:,} games that were finished are saved in {run.folder}")
        raise
    result = as_result(plan, count)
    if run is not None:
        _end_folder(run, result)  # before it is printed: whoever reads may go away
    print_run(result, ways.form)
    if result.interrupted:
        more = f"; salad-sim resume {run.folder} goes on" if run is not None else ""
        note(f"interrupted: {result.games:,} of {plan.n_games:,} games were played and counted{more}")
        return INTERRUPTED
    if sys.stderr.isatty() and count.seconds > 0:
        note(f"played in {duration(result.seconds)}: {result.games_per_second:,.0f} games per second", ways.quiet)
    return 0


def _begin_folder(plan: Plan, run: RunInFolder) -> None:
    """Write down what is being played before any game is."""
    from salad_sim.report.run_folder import command_line
    from salad_sim.store import json_text, run_record, write_files

    record = run_record(plan, run.ledger.games, True, command_line(plan))
    write_files(run.folder, {"run.json": json_text(record)})
    run.save()


def _end_folder(run: RunInFolder, result: Result) -> None:
    from salad_sim.report.run_folder import run_files
    from salad_sim.store import write_files

    # first what was counted: from that everything else can be made again
    run.save(result.seconds)
    write_files(run.folder, run_files(result))


def estimate(plan: Plan, ledger: Ledger) -> str:
    """Return the answer so far to the main question of a run: who wins most often; empty before the first game."""
    from salad_sim.analysis.seats import seat_rows, strategy_rows

    tally = ledger.total
    if not int(tally.games):
        return ""
    if len(plan.labels) == 1:
        rows, name = seat_rows(plan, tally), "seat"
    else:
        rows, name = strategy_rows(plan, tally), "strategy"
    best = rows[0]
    low, high = best["win_share_low"], best["win_share_high"]
    who = f"seat {best['seat']}" if name == "seat" else str(best["strategy"])
    return f"{who} wins {100 * best['win_share']:.2f} % [{100 * low:.2f}, {100 * high:.2f}]"


def print_run(result: Result, form: str) -> None:
    """Print a result as a table, JSON or CSV."""
    from salad_sim.store import json_text

    if form == "table":
        from salad_sim.cli._tables import print_result

        print_result(result)
    else:
        sys.stdout.write(json_text(result.as_dict()) if form == "json" else _csv(result))


def _csv(result: Result) -> str:
    """Return both tables as one: rows by seat, then by strategy where strategies differ."""
    from salad_sim.store import csv_text

    rows = [{"by": "seat", **row} for row in result.seat_rows]
    if len(result.strategy_rows) > 1:
        rows += [{"by": "strategy", "seat": "", **row} for row in result.strategy_rows]
    columns = list(rows[0]) if rows else []
    return csv_text([{name: row[name] for name in columns} for row in rows], columns)


def in_folder(path: str, work: Callable[[Path], int]) -> int:
    """Do something with a folder that is there, while no other program may.

    Raises
    ------
    InputError
        If there is no such folder, or another program is at work in it.
    """
    from salad_sim.store import sole_use

    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise InputError(f"{path!r} is no folder; a folder is needed that salad-sim run --out made")
    with sole_use(folder):
        return work(folder)
