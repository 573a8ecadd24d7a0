"""salad-sim run: play many games and print who wins."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from salad_sim.cli._options import (
    GameOptions,
    format_option,
    game_options,
    head_start_option,
    note,
    note_compiling,
    quiet_option,
)

if TYPE_CHECKING:
    from pathlib import Path

    from salad_sim.analysis.result import Result
    from salad_sim.plan import Plan

INTERRUPTED = 130


@click.command()
@click.option("--games", "-g", default="100000", show_default=True, metavar="N", help="How many, as 1e6 or 1_000_000.")
@game_options
@head_start_option
@click.option("--workers", "-w", metavar="N", help="Threads; by default one for each core.")
@click.option("--out", "-o", metavar="DIR", help="Also write tables, a plot and run.json into this folder.")
@format_option("table", "json", "csv")
@quiet_option
def run(
    games: str,
    options: GameOptions,
    head_start: str | None,
    workers: str | None,
    out: str | None,
    form: str,
    quiet: bool,
) -> int:
    """Play many games; print win shares, scores and habits by seat and by strategy, with 95 % intervals.

    The same options and seed give the same numbers, whatever the number of workers.
    """
    from salad_sim.analysis.result import run_plan
    from salad_sim.cli._progress import duration, progress_bar
    from salad_sim.runner import check_workers
    from salad_sim.store import open_folder

    plan = options.plan(games, head_start)
    n_workers = check_workers(workers)
    folder = None if out is None else open_folder(out)
    for text in plan.notes():
        note(text, quiet)
    note_compiling([plan], quiet)
    with progress_bar(quiet) as progress:
        result = run_plan(plan, n_workers, progress)
    _print(result, form)
    if folder is not None:
        write_result(result, folder)
    if result.interrupted:
        note(f"interrupted: {result.games:,} of {plan.n_games:,} games were played and counted")
        return INTERRUPTED
    if sys.stderr.isatty():
        note(f"played in {duration(result.seconds)}: {result.games_per_second:,.0f} games per second", quiet)
    return 0


def _print(result: Result, form: str) -> None:
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


def write_result(result: Result, folder: Path) -> None:
    """Write everything of a run into a folder; the same run always writes the same bytes."""
    from salad_sim import plots
    from salad_sim.store import csv_text, json_text, run_record, write_files

    plan = result.plan
    files: dict[str, str | bytes] = {
        "seats.csv": csv_text(result.seat_rows),
        "strategies.csv": csv_text(result.strategy_rows),
    }
    if result.round_rows:
        files["rounds.csv"] = csv_text(result.round_rows)
    if result.games:
        who = " against ".join(plan.labels)
        picture = plots.win_share(result.seats, f"{who}, {plan.n_players} players, {result.games:,} games")
        files |= {"win_share.png": plots.as_png(picture), "win_share.svg": plots.as_svg(picture)}
    record = run_record(plan, result.games, result.interrupted, command_line(plan))
    write_files(folder, {**files, "run.json": json_text(record)})


def command_line(plan: Plan) -> str:
    """Return the command that plays a plan again."""
    from salad_sim.games import POINT_SALAD

    options = plan.options()
    specs = options["strategies"]
    words = ["salad-sim", "run", "--games", str(plan.n_asked), "--players", str(plan.n_players)]
    for spec in specs[:1] if len(set(specs)) == 1 else specs:
        words += ["--strategy", spec]
    words += ["--seed", str(plan.seed)]
    if plan.game is not POINT_SALAD:
        words += ["--game", plan.game.name]
    if plan.head_start:
        words += ["--head-start", ",".join(map(str, plan.head_start))]
    for name, value in plan.rules.changed().items():
        words += ["--rule", f"{name}={value}"]
    if not plan.cards.is_official:
        words += ["--cards", plan.cards.source]
    return shlex.join([*words, "--rotate"] if plan.rotate else words)
