"""salad-sim run: play many games and print who wins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from salad_sim.cli._options import (
    RUN_OPTIONS,
    GameOptions,
    cluster_option,
    format_option,
    game_options,
    quiet_option,
    workers_option,
)
from salad_sim.cli._page import page_option
from salad_sim.errors import InputError

if TYPE_CHECKING:
    from salad_sim.run.plan import Plan
    from salad_sim.storage.checkpoint import RunInFolder


@click.command()
@click.option("--games", "-g", metavar="N", help="How many, as 1e6 or 1_000_000.  [default: 100000]")
@click.option(
    "--deals", metavar="A:B,...", help="Play deals A to B - 1 instead of the first ones, as 0:5000,9000:9500."
)
@game_options(*RUN_OPTIONS)
@workers_option
@cluster_option
@click.option("--out", "-o", metavar="DIR", help="Save the run into this folder while it is played, and its tables.")
@click.option("--force", is_flag=True, help="Play from the start, over whatever --out and --save-games hold.")
@click.option(
    "--patience",
    metavar="SECONDS",
    help="Give up when a worker has not finished its games for so long: some strategy never ends.  [default: 600]",
)
@click.option(
    "--careful", is_flag=True, help="Look after each choice whether the strategy wrote to what lies on the table."
)
@click.option("--save-games", metavar="FILE.parquet|DIR", help="Also save single games as Parquet; see docs/data.md.")
@click.option("--level", metavar="games|moves", help="A row a game and seat, or a row a move.  [default: games]")
@click.option("--every", metavar="K", help="Save the games of every K-th deal only.  [default: 1]")
@format_option("table", "json", "csv")
@quiet_option
@page_option
def run(
    games: str | None,
    deals: str | None,
    options: GameOptions,
    workers: str | None,
    cluster: str | None,
    out: str | None,
    force: bool,
    patience: str | None,
    careful: bool,
    save_games: str | None,
    level: str | None,
    every: str | None,
    form: str,
    quiet: bool,
) -> int:
    """Play many games; print win shares, scores and habits by seat and by strategy, with 95 % intervals.

    The same options and seed give the same numbers, whatever the number of workers. With --out the run is saved every
    few seconds: after any kind of stop the same command, or salad-sim resume DIR, goes on.
    """
    from salad_sim.cli._running import Ways, check_ways, play_and_print
    from salad_sim.cli._saved_games import saved_games

    if games is not None and deals is not None:
        raise InputError("--games and --deals both say how many games there are: give one of them")
    if save_games is not None and cluster is not None:
        raise InputError("--save-games saves what is played on this machine: it cannot be given with --cluster")
    plan = options.plan("100000" if games is None else games, deals)
    check_ways(Ways(workers, form, quiet, patience, cluster=cluster, careful=careful))
    if save_games is not None and out is not None and Path(save_games).resolve() == Path(out).resolve():
        raise InputError(f"--out and --save-games need places of their own, not both {out!r}")
    with ExitStack() as stack:
        run_in_folder = None if out is None else stack.enter_context(_folder(plan, out, force))
        if save_games is not None and run_in_folder is not None and run_in_folder.ledger.games:
            raise InputError(
                f"--save-games saves the games that are played, and {out!r} holds {run_in_folder.ledger.games:,} "
                "games of this run already: --force plays them again, another --out begins anew"
            )
        saved = stack.enter_context(saved_games(plan, save_games, level, every, force, quiet))
        ways = Ways(workers, form, quiet, patience, saved=saved, cluster=cluster, careful=careful)
        return play_and_print(plan, run_in_folder, ways)


@contextmanager
def _folder(plan: Plan, out: str, force: bool) -> Iterator[RunInFolder]:
    """Yield the run in a folder, which is this program's own meanwhile."""
    from salad_sim.files.atomic import open_folder, sole_use
    from salad_sim.storage.checkpoint import begin

    folder = open_folder(out)
    with sole_use(folder):
        yield begin(plan, folder, force)
