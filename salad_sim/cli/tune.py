"""salad-sim tune: better values for a strategy's parameters, and whether they are really better."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from salad_sim.cli import _completion
from salad_sim.cli._keeping import kept
from salad_sim.cli._options import (
    GameOptions,
    anywhere,
    format_option,
    game_option,
    game_options,
    interrupted,
    note,
    quiet_option,
)
from salad_sim.cli._page import is_kept, page_option
from salad_sim.errors import InputError

if TYPE_CHECKING:
    from salad_sim.studies.tuning.config import TuningTask
    from salad_sim.studies.tuning.tune import TuningStanding


@click.command()
@click.argument("strategy", shell_complete=_completion.strategies)
@click.option("--games", "-g", default="1e6", show_default=True, metavar="N", help="Games at most, all stages.")
@click.option(
    "--opponents",
    multiple=True,
    metavar="A,B,...",
    help="Whom to play against; may be repeated.  [default: STRATEGY as it starts]",
)
@game_option("players", multiple=True, default=["2"], help="May be repeated: averaged.")
@click.option("--only", multiple=True, metavar="NAMES", help="Tune these parameters only.")
@click.option("--fix", multiple=True, metavar="NAMES", help="Leave these parameters as they are.")
@click.option("--start", metavar="FILE.toml", help="Start from these values; the same as STRATEGY:FILE.toml.")
@click.option(
    "--objective",
    default="win-share",
    show_default=True,
    metavar="win-share|margin|both",
    help="What a game is worth: the win, the margin, or a win as much as 60 points of margin.",
)
@click.option("--sigma", default="0.2", show_default=True, metavar="X", help="First step, as a part of each range.")
@click.option("--population", metavar="N", help="Candidates in a generation.  [default: by number of parameters]")
@click.option("--sprt", default="0,10", show_default=True, metavar="ELO0,ELO1", help="Hypotheses of the final test.")
@game_options(
    *("seed", "kind", "profile", "switches", "cards"),
    seed={"help": "Same seed, same result."},
    kind={"default": "point-salad", "show_default": True, "help": "Or hand-draft."},
)
@anywhere
@click.option("--out", "-o", metavar="DIR", help="Save every step here, and continue from it; writes parameters.toml.")
@click.option("--force", is_flag=True, help="Begin anew, whatever is in DIR.")
@format_option("table", "json")
@quiet_option
@kept
@page_option
def tune(
    strategy: str,
    options: GameOptions,
    opponents: tuple[str, ...],
    only: tuple[str, ...],
    fix: tuple[str, ...],
    start: str | None,
    sprt: str,
    workers: str | None,
    out: str | None,
    force: bool,
    form: str,
    quiet: bool,
    **given: Any,
) -> int:
    """Search for better parameters of STRATEGY, validate them, and test on fresh deals whether they are better.

    Needs the package cmaes (pip install 'salad-sim[tune]'). See docs/tuning.md.
    """
    from salad_sim.studies.tuning.config import plan_tuning

    task = plan_tuning(
        strategy if start is None else _with_file(strategy, start),
        _listed("opponents", opponents),
        players=options.players,
        only=_listed("only", only),
        fix=_listed("fix", fix),
        seed=options.seed,
        elo=read_elo(sprt),
        **given,
        **options.setup,
    )
    return _carry_out(task, workers, out, force, form, quiet)


def _carry_out(task: TuningTask, workers: str | None, out: str | None, force: bool, form: str, quiet: bool) -> int:
    """Tune, print and write."""
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_found
    from salad_sim.files.atomic import open_folder
    from salad_sim.run.driver import Session
    from salad_sim.run.runner import check_workers
    from salad_sim.studies.tuning.checkpoint import load_state
    from salad_sim.studies.tuning.report import as_dict, lines, value_table, write_tuning
    from salad_sim.studies.tuning.search import check_library
    from salad_sim.studies.tuning.tune import carry_out

    check_library()
    n_workers = check_workers(workers)
    if out is not None and not force:
        load_state(task, open_folder(out))  # refuses another tuning before anything is compiled
    with watching(quiet) as observer:
        session = Session(n_workers, observer)
        found = carry_out(task, session, None if out is None else Path(out), force, None if quiet else _Generations())
    print_found(form, lines(found), partial(as_dict, found), value_table(found))
    if out is not None:
        file = write_tuning(found, out)
    if is_kept(out):
        doubt = "" if found.passed else ", not shown to be better,"
        note(f"the values{doubt} are in {file}: play them with --strategy {found.plain_spec}:{file}", quiet)
    if found.interrupted:
        more = "; the same command continues" if is_kept(out) else ""
        return interrupted(f" in the {found.stage}{more}")
    return 0


def _listed(option: str, given: Sequence[str]) -> list[str]:
    """Return the items of lists with commas; commas in brackets do not separate.

    Raises
    ------
    InputError
        If an item is empty.
    """
    items = [item.strip() for text in given for item in re.split(r",(?![^()]*\))", text)]
    if not all(items):
        raise InputError(f"--{option} takes names with commas between them, not {', '.join(map(repr, given))}")
    return items


def _with_file(strategy: str, file: str) -> str:
    """Return the strategy with the values of a parameter file."""
    if strategy.endswith((")", ".toml")):
        raise InputError(f"--start gives the values to start from, but {strategy!r} has values already")
    if not file.endswith(".toml"):
        raise InputError(f"--start needs a parameter file that ends in .toml, not {file!r}")
    return f"{strategy}:{file}"


def read_elo(text: str) -> tuple[float, float]:
    """Return the two numbers of ``elo0,elo1``.

    Raises
    ------
    InputError
        If they are not two numbers.
    """
    try:
        low, high = (float(each) for each in text.split(","))
    except ValueError:
        raise InputError(f"--sprt needs two Elo differences, as in 0,10, not {text!r}") from None
    return low, high


class _Generations:
    """Writes a line about each generation when it is done."""

    def __init__(self) -> None:
        self.shown = 0

    def __call__(self, standing: TuningStanding) -> None:
        """Take note of where a tuning stands."""
        from salad_sim.report.format import interval

        each = standing.generation
        if each is not None and standing.number > self.shown:
            self.shown = standing.number
            note(
                f"generation {standing.number}: mean {interval(each.value, each.low, each.high, 4)}, "
                f"best {max(each.values):.4f}, spread {each.spread:.3f} of the ranges"
            )
