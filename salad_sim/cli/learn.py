"""salad-sim learn: a value of tables by self-play, and a strategy that plays by it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from salad_sim.cli._keeping import kept
from salad_sim.cli._options import (
    GameOptions,
    format_option,
    game_option,
    game_options,
    interrupted,
    note,
    out_folder,
    quiet_option,
    workers_option,
)
from salad_sim.cli._page import is_kept, page_option

if TYPE_CHECKING:
    from salad_sim.studies.learning.config import LearningTask
    from salad_sim.studies.learning.learn import LearningStanding


@click.command()
@click.option(
    "--games", "-g", metavar="N", help="Games to learn from, at most.  [default: 1e6, or what --minutes allow]"
)
@click.option("--minutes", metavar="X", help="Minutes to learn, at most; tests are not counted.")
@game_option("players", multiple=True, default=["2"], help="May be repeated: one value for all of them.")
@click.option(
    "--opponents",
    multiple=True,
    metavar="self|past|STRATEGY",
    help="Who sits with the learner; may be repeated: batches take turns.  [default: self]",
)
@click.option("--start", metavar="FILE.npz", help="Start from these values.")
@click.option("--units", default="48", show_default=True, metavar="N", help="Units of the layer of each vegetable.")
@click.option("--hidden", default="64", show_default=True, metavar="N", help="Units of the layer of the table.")
@click.option(
    "--lambda",
    "lambda_",
    default="0.7",
    show_default=True,
    metavar="X",
    help="How much the result counts against the values on the way to it.",
)
@click.option("--rate", default="0.001", show_default=True, metavar="X", help="Size of the first steps.")
@click.option("--explore", default="0.06", show_default=True, metavar="X", help="Chance of a draft at random.")
@click.option(
    "--win-weight",
    default="0.6",
    show_default=True,
    metavar="X",
    help="Part of the win in what is learned; the rest is the margin's: 1 for the win alone, 0 for the margin.",
)
@click.option("--batch", default="8", show_default=True, metavar="N", help="Games between two steps.")
@click.option("--every", default="1e5", show_default=True, metavar="N", help="Games between two looks at the strength.")
@click.option("--looks", default="1000", show_default=True, metavar="N", help="Games against each opponent at a look.")
@click.option("--tests", default="1e4", show_default=True, metavar="N", help="The same in the final test.")
@game_options(*("seed", "profile", "switches", "cards"), seed={"help": "Same seed, same result."})
@workers_option
@click.option("--out", "-o", metavar="DIR", help="Save here, and continue from it; writes learned.py, a strategy.")
@click.option("--force", is_flag=True, help="Begin anew, whatever is in DIR.")
@format_option("table", "json")
@quiet_option
@kept
@page_option
def learn(
    options: GameOptions,
    workers: str | None,
    out: str | None,
    force: bool,
    form: str,
    quiet: bool,
    **given: Any,
) -> int:
    """Learn by self-play what tables are worth, and test on fresh deals how strong that is.

    See docs/learning.md.
    """
    from salad_sim.studies.learning.config import plan_learning

    task = plan_learning(players=options.players, seed=options.seed, **given, **options.setup)
    return _carry_out(task, workers, out, force, form, quiet)


def _carry_out(task: LearningTask, workers: str | None, out: str | None, force: bool, form: str, quiet: bool) -> int:
    """Learn, print and write."""
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_found
    from salad_sim.run.driver import Session
    from salad_sim.run.runner import check_workers
    from salad_sim.studies.learning.checkpoint import load_state
    from salad_sim.studies.learning.learn import carry_out
    from salad_sim.studies.learning.report import as_dict, lines, test_table, write_learning

    n_workers = check_workers(workers)
    folder = out_folder(out, "learn")
    if folder is not None and not force:
        load_state(task, folder)  # refuses another learning before anything is compiled
    with watching(quiet) as observer:
        found = carry_out(task, Session(n_workers, observer), folder, force, partial(_tell, quiet))
    print_found(form, lines(found), partial(as_dict, found), test_table(found))
    if folder is not None:
        file = write_learning(found, folder)
    if is_kept(folder):
        note(f"play by it with --strategy {Path(file)}", quiet)
    if found.interrupted:
        more = "; the same command continues" if is_kept(out) else ""
        return interrupted(f" after {found.state.n_games:,} games{more}")
    return 0


def _tell(quiet: bool, standing: LearningStanding) -> None:
    """Write a line about a look at the strength."""
    from salad_sim.report.format import percent
    from salad_sim.report.table import estimate_of

    shares = [
        f"{percent(estimate_of(row, 'win_share'), 1)} against {row['opponents']} at {row['players']}"
        for row in standing.rows
    ]
    note(f"{standing.n_games:,} games: wins {', '.join(shares)} players", quiet)
