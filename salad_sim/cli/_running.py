"""Plays a run, in a folder or not, prints what it found and says how it ended."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salad_sim.cli._options import check_place, interrupted, note
from salad_sim.cli._page import is_kept
from salad_sim.errors import InputError, SaladError

if TYPE_CHECKING:
    from salad_sim.run.deal_ledger import Ledger
    from salad_sim.run.plan import Plan
    from salad_sim.storage.checkpoint import RunInFolder, RunSaver
    from salad_sim.storage.parquet import SavedGames
    from salad_sim.studies.simulate.result import Result

MOST_PATIENCE = 10**6


@dataclass(frozen=True)
class Ways:
    """How a run is played and shown; nothing of it changes a number."""

    workers: str | None
    form: str
    quiet: bool
    patience: str | None = None
    saved: SavedGames | None = None
    cluster: str | None = None
    careful: bool = False

    @property
    def kernel(self) -> Any:
        """What plays the shards; None for what the game does."""
        return None if self.saved is None else self.saved.kernel

    @property
    def is_here(self) -> bool:
        """Whether it is played on this machine, where everything can be compiled once before."""
        return self.cluster is None or self.cluster.startswith("local:")


def check_patience(given: str | None) -> float:
    """Return the patience in seconds.

    Raises
    ------
    InputError
    """
    from salad_sim.run.runner import PATIENCE
    from salad_sim.run.setup import whole_number

    return PATIENCE if given is None else float(whole_number("patience", given, 1, MOST_PATIENCE))


def check_ways(ways: Ways) -> None:
    """Refuse options that are not allowed, before anything is written.

    Raises
    ------
    InputError
    """
    from salad_sim.run.runner import check_workers

    check_workers(ways.workers)
    check_patience(ways.patience)
    check_place(ways.cluster, ways.workers)
    if ways.cluster is not None and ways.careful:
        raise InputError("--careful looks at games that are played on this machine: it cannot be given with --cluster")


def play_and_print(plan: Plan, run: RunInFolder | None, ways: Ways) -> int:
    """Play what is left of a run, save it meanwhile if it has a folder, print the result; return the exit code.

    Raises
    ------
    SaladError
        If a strategy fails; what was finished before is then saved.
    """
    from salad_sim.cli._progress import watching
    from salad_sim.run.deal_ledger import Ledger
    from salad_sim.run.driver import Session, play_plan
    from salad_sim.run.runner import ShardPlayer
    from salad_sim.studies.simulate.result import as_result

    check_ways(ways)
    ledger = Ledger.of(plan.ranges) if run is None else run.ledger
    for text in [*([] if run is None else [*run.notes, run.standing]), *plan.notes()]:
        if text:
            note(text, ways.quiet)
    saver = None
    end = ", without a result" if run is None else ", what is finished is saved"
    try:
        with watching(ways.quiet, lambda: estimate(plan, ledger), end, ways.cluster) as observer:
            session = Session(ways.workers, observer, plan.n_games, check_patience(ways.patience), careful=ways.careful)
            session.done = ledger.games
            if not ledger.is_complete:
                if ways.is_here:
                    session.prepare(plan, ways.kernel)  # a strategy that does not compile begins no folder
                if run is not None:
                    from salad_sim.storage.checkpoint import RunSaver

                    _begin_folder(plan, run)
                    session.save = saver = RunSaver(run, note)
            players = ways.saved.player if ways.saved else ShardPlayer
            count = play_plan(plan, session, ledger=ledger, players=players, kernel=ways.kernel)
    except (SaladError, KeyboardInterrupt):
        if saver is not None:
            _keep(saver)
        raise
    return _end(as_result(plan, count), run, ways)


def _end(result: Result, run: RunInFolder | None, ways: Ways) -> int:
    """Write and print a result, say how the run ended; return the exit code."""
    from salad_sim.cli._progress import duration

    failure = None if run is None else _end_folder(run, result)  # before it is printed: whoever reads may go away
    print_run(result, ways.form)
    if failure is not None:
        raise failure
    if result.interrupted:
        more = f"; salad-sim resume {run.folder} goes on" if run is not None and is_kept(run.folder) else ""
        return interrupted(f": {result.games:,} of {result.plan.n_games:,} games were played and counted{more}")
    if sys.stderr.isatty() and result.seconds > 0:
        note(f"played in {duration(result.seconds)}: {result.games_per_second:,.0f} games per second", ways.quiet)
    return 0


def _begin_folder(plan: Plan, run: RunInFolder) -> None:
    """Write down what is being played before any game is."""
    from salad_sim.files.atomic import remove_files, write_files
    from salad_sim.storage.folder import json_text, run_record
    from salad_sim.studies.simulate.report import RUN_FILES, command_line

    # first what tells whose folder it is: with run.json alone it would pass for somebody else's
    run.start()
    if not run.ledger.games:
        remove_files(run.folder, RUN_FILES)  # of a run that --force replaces
    record = run_record(plan, run.ledger.games, True, command_line(plan))
    write_files(run.folder, {"run.json": json_text(record)})


def _keep(saver: RunSaver) -> None:
    """Save what was finished before a strategy failed; that it failed is still what the user hears last."""
    run = saver.run
    if run.ledger.games:
        try:
            run.save(saver.seconds)
            note(f"{run.ledger.games:,} games that were finished are saved in {run.folder}")
        except InputError as error:
            note(f"games since the last save are lost: {error}")


def _end_folder(run: RunInFolder, result: Result) -> InputError | None:
    """Write the results; return what went wrong, for the result must be printed all the same."""
    from salad_sim.files.atomic import remove_files, write_files
    from salad_sim.studies.simulate.report import RUN_FILES, run_files

    try:
        # first what was counted: from that everything else can be made again
        run.save(result.seconds)
        files = run_files(result)
        write_files(run.folder, files)
        remove_files(run.folder, [name for name in RUN_FILES if name not in files])  # of a run that this one replaces
    except InputError as error:
        return InputError(f"{error}; the same command, or salad-sim resume, goes on from the last save")
    return None


def estimate(plan: Plan, ledger: Ledger) -> str:
    """Return the answer so far to the main question of a run: who wins most often; empty before the first game."""
    from salad_sim.report.format import percent
    from salad_sim.report.table import estimate_of
    from salad_sim.studies.simulate.estimate import seat_rows, strategy_rows

    tally = ledger.total
    if not int(tally.games):
        return ""
    if len(plan.labels) == 1:
        rows, name = seat_rows(plan, tally), "seat"
    else:
        rows, name = strategy_rows(plan, tally), "strategy"
    best = rows[0]
    who = f"seat {best['seat']}" if name == "seat" else str(best["strategy"])
    return f"{who} wins {percent(estimate_of(best, 'win_share'), unit=' %')}"


def print_run(result: Result, form: str) -> None:
    """Print a result as a table, JSON or CSV."""
    from salad_sim.storage.folder import json_text

    if form == "table":
        from salad_sim.cli._tables import print_lines
        from salad_sim.studies.simulate.report import lines

        print_lines(lines(result))
    else:
        sys.stdout.write(json_text(result.as_dict()) if form == "json" else _csv(result))


def _csv(result: Result) -> str:
    """Return both tables as one: rows by seat, then by strategy where strategies differ."""
    from salad_sim.storage.folder import csv_text

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
    from salad_sim.files.atomic import find_folder, sole_use

    folder = find_folder(path)
    with sole_use(folder):
        return work(folder)
