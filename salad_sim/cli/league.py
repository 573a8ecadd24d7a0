"""salad-sim league: rate strategies by games of all against all, and say how sure the ranking is."""

from __future__ import annotations

from typing import Any

import click

from salad_sim.cli._options import (
    STRATEGY,
    WITH_PARAMETERS,
    cards_option,
    check_tie_break,
    format_option,
    interrupted,
    note,
    note_compiling,
    out_folder,
    players_option,
    quiet_option,
    rule_option,
    rules_option,
    workers_option,
)
from salad_sim.game.rules import CHOICES


@click.command(
    help=f"""Play all against all; print ratings, the cross-table, seats and cycles, with 95 % intervals.

STRATEGIES are two or more of {STRATEGY}. {WITH_PARAMETERS}

The same options and seed give the same league, whatever the number of workers. With --out every game is kept as it is
played: after Ctrl-C or a crash the same command goes on.
"""
)
@click.argument("strategies", nargs=-1, required=True, metavar="A B [C ...]")
@click.option("--games", "-g", default="20000", show_default=True, metavar="N", help="Of the whole league.")
@players_option
@click.option("--adaptive", is_flag=True, help="Half of the games go to neighbours in the ranking still undecided.")
@click.option("--anchor", metavar="STRATEGY", help="Whose rating is 0.  [default: the mean of all is]")
@click.option("--game", metavar="GAME", default="point-salad", show_default=True, help="point-salad or hand-draft.")
@click.option("--seed", default="1", show_default=True, metavar="N", help="Same seed, same league.")
@rules_option
@rule_option
@click.option(
    "--tie-break",
    metavar="|".join(CHOICES["tie_break"]),
    help="Which seat wins when totals are equal.  [default: later]",
)
@cards_option
@workers_option
@click.option("--out", "-o", metavar="DIR", help="Keep the games here, and write tables, plots and league.md.")
@click.option("--force", is_flag=True, help="Play from the start, over whatever --out holds.")
@format_option("table", "json", "csv")
@quiet_option
def league(workers: str | None, out: str | None, force: bool, form: str, quiet: bool, **given: Any) -> int:
    """Play a league."""
    from salad_sim.cli._progress import progress_bar
    from salad_sim.cli._tables import print_found
    from salad_sim.game.rule_profiles import read_rules
    from salad_sim.run.runner import check_workers
    from salad_sim.studies.league import report
    from salad_sim.studies.league.config import plan_league
    from salad_sim.studies.league.result import run_league
    from salad_sim.studies.league.schedule import Schedule

    check_tie_break(given["game"], given["tie_break"])
    rules = read_rules(given.pop("profile"), given.pop("switches"), tie_break=given.pop("tie_break"))
    task = plan_league(rules=rules, **given)
    n_workers = check_workers(workers)
    folder = out_folder(out, "league")
    schedule = Schedule(task)
    for text in schedule.notes():
        note(text, quiet)
    note_compiling(task.tables_of_each(), quiet)
    with progress_bar(quiet) as progress:
        found = run_league(task, n_workers, progress, folder, force)
    if folder is not None:
        report.write_league(found, folder)
    print_found(form, report.lines(found), found.as_dict, report.ranking_table(found))
    if found.interrupted:
        more = "; the same command goes on" if folder is not None else ""
        return interrupted(f": {found.games:,} of {found.n_planned:,} games were played and counted{more}")
    return 0
