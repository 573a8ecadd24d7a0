"""salad-sim profile: what a strategy does in its games against another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from salad_sim.cli import _completion
from salad_sim.cli._keeping import kept
from salad_sim.cli._options import (
    SEATED_OPTIONS,
    GameOptions,
    anywhere,
    format_option,
    game_options,
    interrupted,
    note,
    out_folder,
    quiet_option,
)
from salad_sim.cli._page import page_option

if TYPE_CHECKING:
    from salad_sim.run.plan import Plan


@click.command()
@click.argument("a", shell_complete=_completion.strategies)
@click.option("--against", "-a", default="greedy", show_default=True, metavar="B", help="Who sits in all other seats.")
@click.option("--games", "-g", default="2000", show_default=True, metavar="N", help="How many.")
@game_options(*SEATED_OPTIONS)
@click.option("--endings", default="200", show_default=True, metavar="N", help="Deals whose endings are solved.")
@click.option("--timing/--no-timing", default=True, show_default=True, help="Measure the time that a decision takes.")
@anywhere
@click.option("--out", "-o", metavar="DIR", help="Also write report.md, tables and plots into this folder.")
@format_option("table", "json", "csv")
@quiet_option
@kept
@page_option
def profile(
    a: str,
    against: str,
    games: str,
    options: GameOptions,
    endings: str,
    timing: bool,
    workers: str | None,
    out: str | None,
    form: str,
    quiet: bool,
) -> int:
    """Watch strategy A play against B and say what it does: what it takes, flips, keeps and denies, and its mistakes.

    Every deal is played once with A in each seat. docs/profile.md says what each number means. The same options and
    seed give the same numbers, the time of a decision excepted.
    """
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_found
    from salad_sim.report.table import Table
    from salad_sim.run.driver import Session
    from salad_sim.run.runner import check_workers
    from salad_sim.studies.profile import report
    from salad_sim.studies.profile.result import check_profile, profile_plan

    plan = _plan(a, against, games, options)
    ending_deals = check_profile(plan, endings)
    n_workers = check_workers(workers)
    folder = out_folder(out, "profile")
    if plan.n_games != plan.n_asked:
        note(f"{plan.n_deals:,} whole deals are {plan.n_games:,} games", quiet)
    with watching(quiet) as observer:
        found = profile_plan(plan, ending_deals, Session(n_workers, observer), timing)
    print_found(form, report.lines(found), found.as_dict, Table((), found.summary_rows))
    if folder is not None:
        report.write_profile(found, folder)
    if found.interrupted:
        return interrupted(f": {found.games:,} of {plan.n_games:,} games were played and counted")
    return 0


def _plan(a: str, against: str, games: str, options: GameOptions) -> Plan:
    """Check the options that determine the games."""
    from salad_sim.studies.profile.result import check_game, line_up

    check_game(options.kind)
    lineup = tuple(map(str, line_up(a, against, options.players)))
    return replace(options, strategies=lineup, rotate=True).plan(games)
