"""salad-sim match: two strategies on paired deals, which is better and how sure that is."""

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
from salad_sim.errors import InputError

if TYPE_CHECKING:
    from salad_sim.stats.sprt import Sprt
    from salad_sim.studies.match.result import MatchPlan


@click.command()
@click.argument("a", shell_complete=_completion.strategies)
@click.argument("b", shell_complete=_completion.strategies)
@click.option(
    "--games", "-g", metavar="N", help="How many; with a stopping rule the most.  [default: 20000, or at most 1e6]"
)
@game_options(*SEATED_OPTIONS)
@click.option(
    "--sprt",
    metavar="ELO0,ELO1",
    help="Stop once A is known to be more than ELO0 above B (H1), or less than ELO1 above B (H0), as 0,10.",
)
@click.option("--alpha", metavar="P", help="With --sprt: error rate of saying above ELO0.  [default: 0.05]")
@click.option("--beta", metavar="P", help="With --sprt: error rate of saying below ELO1.  [default: 0.05]")
@click.option("--precision", metavar="P", help="Stop once the win share is known to within P, as 0.01 for one point.")
@click.option("--first-deal", default="0", show_default=True, metavar="N", help="Number of the first deal.")
@anywhere
@click.option("--out", "-o", metavar="DIR", help="Also write match.json, tables and a plot into this folder.")
@format_option("text", "json", "csv")
@quiet_option
@kept
@page_option
def match(
    a: str, b: str, options: GameOptions, workers: str | None, out: str | None, form: str, quiet: bool, **given: str
) -> int:
    """Play strategy A against strategy B, every deal in both seat orders, and say which is better.

    Prints a block to paste into an issue: win share, Elo difference, margin and win share by seat with 95 % intervals
    whose unit is the pair of games of a deal, the likelihood that A is better (LOS), and the command to repeat it.
    """
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_found
    from salad_sim.run.driver import Session, counted
    from salad_sim.run.runner import check_workers
    from salad_sim.studies.match import report
    from salad_sim.studies.match.play import play_match

    planned = _plan(a, b, options, **given)
    n_workers = check_workers(workers)
    folder = out_folder(out, "match")
    if planned.is_null:
        note(f"A and B are the same strategy, {planned.names[0]}: both games of a pair will be the same game", quiet)
    with watching(quiet) as observer:
        result = counted(play_match(planned, Session(n_workers, observer)))
    print_found(form, report.lines(result), result.as_dict, report.table(result))
    if folder is not None:
        report.write_match(result, folder)
    if result.interrupted:
        return interrupted(f": {result.pairs:,} of {planned.n_pairs:,} pairs were played and counted")
    return 0


def _plan(
    a: str,
    b: str,
    options: GameOptions,
    games: str | None,
    sprt: str | None,
    alpha: str | None,
    beta: str | None,
    precision: str | None,
    first_deal: str,
) -> MatchPlan:
    """Check the options of a match."""
    from salad_sim.studies.match.play import GAMES, MOST_WITH_RULE, line_up, plan_match

    rates = {name: rate for name, rate in (("alpha", alpha), ("beta", beta)) if rate is not None}
    if rates and sprt is None:
        raise InputError(f"--{' and --'.join(rates)}: error rates of a test, which needs --sprt ELO0,ELO1")
    test = None if sprt is None else read_sprt(sprt, **rates)
    most = GAMES if test is None and precision is None else MOST_WITH_RULE
    lineup = tuple(line_up(a, b, options.players))
    seated = replace(options, strategies=lineup, rotate=False)
    return plan_match(seated.plan(most if games is None else games), first_deal, test, precision)


def read_sprt(bounds: str, alpha: str = "0.05", beta: str = "0.05") -> Sprt:
    """Return the test that ``elo0,elo1`` and two error rates name.

    Raises
    ------
    InputError
        If these are no numbers or out of range.
    """
    from salad_sim.stats.sprt import Sprt

    try:
        elo0, elo1 = map(float, bounds.split(","))
    except ValueError:
        raise InputError(f"--sprt takes two Elo differences, as 0,10, not {bounds!r}") from None
    try:
        rates = float(alpha), float(beta)
    except ValueError:
        raise InputError(f"--alpha and --beta take numbers, as 0.05, not {alpha!r} and {beta!r}") from None
    return Sprt(elo0, elo1, *rates)
