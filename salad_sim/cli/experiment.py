"""salad-sim experiment: studies that answer a question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from salad_sim.cli import _completion
from salad_sim.cli._keeping import kept
from salad_sim.cli._options import (
    WITH_PARAMETERS,
    GameOptions,
    anywhere,
    game_option,
    game_options,
    interrupted,
    note,
    quiet_option,
)
from salad_sim.cli._page import is_kept, page_option

if TYPE_CHECKING:
    from salad_sim.experiment import Experiment, StudyOptions


@click.command()
@click.argument("name", required=False, shell_complete=_completion.experiments)
@game_option(
    "players", multiple=True, default=None, show_default=None, help="A number of players to study; may be repeated."
)
@game_option("strategies", default=None, show_default=None, help=f"Who plays. {WITH_PARAMETERS}")
@click.option("--games", "-g", metavar="N", help="Games or deals of each part of the study.")
@game_options("seed", "profile", "switches", "cards")
@click.option(
    "--precision",
    metavar="H",
    help="End when every interval is at most H to each side: of a win share, as 0.001, or of what a card is worth, in "
    "points, as 0.15. --games is then the most.",
)
@click.option("--margin", metavar="M", help="Judge whether every seat is within M of a fair share, as 0.002.")
@click.option("--card", multiple=True, metavar="CARD", help="Show the page of a card, as 2/carrot; may be repeated.")
@anywhere
@click.option("--out", "-o", metavar="DIR", help="Write the report, its tables and pictures into this folder.")
@click.option("--force", is_flag=True, help="Write over another study that --out holds.")
@quiet_option
@kept
@page_option
def experiment(
    name: str | None,
    options: GameOptions,
    out: str | None,
    force: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Run a study and print its report; without NAME, list the studies and the question each answers.

    NAME is one of those listed, or a file of your own: path/to/study.py.
    """
    from salad_sim.experiment import StudyOptions, load_experiment
    from salad_sim.files.atomic import open_folder
    from salad_sim.storage.folder import refuse_another_kind, refuse_another_study

    if name is None:
        _list()
        return 0
    study = load_experiment(name)
    asked = StudyOptions(
        players=options.players,
        strategies=options.strategies,
        seed=options.seed,
        rules=options.setup["rules"],
        cards=options.cards,
        **given,
    )
    if out is not None:
        folder = open_folder(out)
        refuse_another_kind(folder, "experiment")
        if not force:
            refuse_another_study(folder, study.name, asked.as_dict())
    return _carry_out(study, asked, out, quiet)


def _carry_out(study: Experiment, asked: StudyOptions, out: str | None, quiet: bool) -> int:
    """Run a study, write its report and print it; return the exit code."""
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_report
    from salad_sim.report.format import ended_early
    from salad_sim.report.markdown import write_report

    with watching(quiet) as observer:
        report = study.run(replace(asked, progress=observer))
        if observer.interrupted and not report.interrupted:  # whoever wrote the study did not ask
            answer = report.answer + ended_early("The study", True)
            report = replace(report, answer=answer, interrupted=True)
        folder = None if out is None else write_report(report, out)
    print_report(report, has_files=is_kept(out))
    if is_kept(out):
        note(f"report, tables and pictures are in {folder}", quiet)
    if report.interrupted:
        return interrupted(": the report is about the games that were played until then")
    return 0


def _list() -> None:
    from salad_sim.cli._tables import print_table
    from salad_sim.experiment import find_experiments
    from salad_sim.report.table import Table

    rows = [(each.name, each.question) for each in find_experiments().values()]
    print_table(Table.of([("experiment", "question it answers"), *rows]))
