"""salad-sim league: rate strategies by games of all against all, and say how sure the ranking is."""

from __future__ import annotations

from typing import Any

import click

from salad_sim.cli import _completion
from salad_sim.cli._keeping import kept
from salad_sim.cli._options import (
    STRATEGY,
    WITH_PARAMETERS,
    GameOptions,
    anywhere,
    format_option,
    game_option,
    game_options,
    interrupted,
    note,
    out_folder,
    quiet_option,
)
from salad_sim.cli._page import is_kept, page_option


@click.command(
    help=f"""Play all against all; print ratings, the cross-table, seats and cycles, with 95 % intervals.

STRATEGIES are two or more of {STRATEGY}. {WITH_PARAMETERS}

The same options and seed give the same league, whatever the number of workers. With --out every game is kept as it is
played: after Ctrl-C or a crash the same command goes on.
"""
)
@click.argument("strategies", nargs=-1, required=True, metavar="A B [C ...]", shell_complete=_completion.strategies)
@click.option("--games", "-g", default="20000", show_default=True, metavar="N", help="Of the whole league.")
@game_option("players")
@click.option("--adaptive", is_flag=True, help="Half of the games go to neighbours in the ranking still undecided.")
@click.option("--anchor", metavar="STRATEGY", help="Whose rating is 0.  [default: the mean of all is]")
@game_options(
    *("kind", "seed", "profile", "switches", "tie_break", "cards"),
    kind={"default": "point-salad", "show_default": True, "help": "point-salad or hand-draft."},
    seed={"help": "Same seed, same league."},
    tie_break={"help": "Which seat wins when totals are equal.  [default: later]"},
)
@anywhere
@click.option("--out", "-o", metavar="DIR", help="Keep the games here, and write tables, plots and league.md.")
@click.option("--force", is_flag=True, help="Play from the start, over whatever --out holds.")
@format_option("table", "json", "csv")
@quiet_option
@kept
@page_option
def league(
    options: GameOptions, workers: str | None, out: str | None, force: bool, form: str, quiet: bool, **given: Any
) -> int:
    """Play a league."""
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_found
    from salad_sim.run.driver import Session
    from salad_sim.run.runner import check_workers
    from salad_sim.studies.league import report
    from salad_sim.studies.league.config import plan_league
    from salad_sim.studies.league.result import run_league
    from salad_sim.studies.league.schedule import Schedule

    task = plan_league(options.strategies, options.players, seed=options.seed, **given, **options.setup)
    n_workers = check_workers(workers)
    folder = out_folder(out, "league")
    schedule = Schedule(task)
    for text in schedule.notes():
        note(text, quiet)
    with watching(quiet) as observer:
        found = run_league(task, Session(n_workers, observer), folder, force)
    if folder is not None:
        report.write_league(found, folder)
    print_found(form, report.lines(found), found.as_dict, report.ranking_table(found))
    if found.interrupted:
        more = "; the same command goes on" if is_kept(folder) else ""
        return interrupted(f": {found.games:,} of {found.n_planned:,} games were played and counted{more}")
    return 0
