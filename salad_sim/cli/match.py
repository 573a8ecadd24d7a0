"""salad-sim match: two strategies on paired deals, which is better and how sure that is."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from salad_sim.cli._options import (
    GameOptions,
    format_option,
    interrupted,
    note,
    note_compiling,
    quiet_option,
    seated_options,
    workers_option,
)
from salad_sim.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from salad_sim.stats.intervals import Estimate
    from salad_sim.stats.sprt import Sprt
    from salad_sim.studies.match.result import MatchPlan, MatchResult


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--games", "-g", metavar="N", help="How many; with a stopping rule the most.  [default: 20000, or at most 1e6]"
)
@seated_options
@click.option(
    "--sprt", metavar="ELO0,ELO1", help="Stop once it is clear whether A is ELO0 (H0) or ELO1 (H1) above B, as 0,10."
)
@click.option("--alpha", metavar="P", help="With --sprt: error rate of saying above ELO0.  [default: 0.05]")
@click.option("--beta", metavar="P", help="With --sprt: error rate of saying below ELO1.  [default: 0.05]")
@click.option("--precision", metavar="P", help="Stop once the win share is known to within P, as 0.01 for one point.")
@click.option("--first-deal", default="0", show_default=True, metavar="N", help="Number of the first deal.")
@workers_option
@click.option("--out", "-o", metavar="DIR", help="Also write match.json, tables and a plot into this folder.")
@format_option("text", "json", "csv")
@quiet_option
def match(
    a: str, b: str, options: GameOptions, workers: str | None, out: str | None, form: str, quiet: bool, **given: str
) -> int:
    """Play strategy A against strategy B, every deal in both seat orders, and say which is better.

    Prints a block to paste into an issue: win share, Elo difference, margin and win share by seat with 95 % intervals
    whose unit is the pair of games of a deal, the likelihood that A is better (LOS), and the command to repeat it.
    """
    from salad_sim.cli._progress import progress_bar
    from salad_sim.run.runner import check_workers
    from salad_sim.storage.folder import open_folder, refuse_another_kind
    from salad_sim.studies.match.play import play_match

    planned = _plan(a, b, options, **given)
    n_workers = check_workers(workers)
    folder = None if out is None else open_folder(out)
    if folder is not None:
        refuse_another_kind(folder, "match")
    if planned.is_null:
        note(f"A and B are the same strategy, {planned.names[0]}: both games of a pair will be the same game", quiet)
    note_compiling(planned.plans, quiet)
    with progress_bar(quiet) as progress:
        result = play_match(planned, n_workers, progress)
    sys.stdout.write(_printed(result, form))
    if folder is not None:
        write_match(result, folder)
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


def _printed(result: MatchResult, form: str) -> str:
    from salad_sim.storage.folder import csv_text, json_text

    if form == "text":
        return "\n".join(text_block(result)) + "\n"
    return json_text(result.as_dict()) if form == "json" else csv_text([_csv_row(result)])


def _csv_row(result: MatchResult) -> dict[str, Any]:
    """Return a match as one row, the seats side by side; numbers that are not finite are empty."""
    data = result.as_dict()
    row = {name: value for name, value in data.items() if not isinstance(value, (dict, list))}
    row |= {f"{name}_seat{seat['seat']}": each for seat in data["by_seat"] for name, each in seat.items()}
    row |= {f"pairs_won_{each['won']:g}": each["pairs"] for each in data["pair_results"]}
    row |= {f"sprt_{name}": value for name, value in (data["sprt"] or {}).items()}
    return row


def text_block(result: MatchResult) -> list[str]:
    """Return the lines to paste into an issue, in plain ASCII but for the names of strategies."""
    from salad_sim import __version__

    plan = result.match.plan
    a, b = result.match.names
    rules = ", ".join(f"{name}={value}" for name, value in plan.rules.changed().items()) or "official"
    deals = f", deals from {result.match.first_deal}" if result.match.first_deal else ""
    cards = "" if plan.cards.is_official else f", cards {plan.cards.source}"
    intervals = "95 % intervals" + ("" if result.sprt is None else " that hold whenever one stops")
    certain = f", LOS {_chance(result.superiority)}" if result.sprt is None else ""
    lines = [
        f"{a} against {b}: {plan.n_players} players, {result.games:,} games ({result.pairs:,} deals, "
        f"{_seating(a, plan.n_players)})",
        f"salad-sim {__version__}, {plan.game.name}, rules {rules}{cards}, seed {plan.seed}{deals}; {intervals}",
        f"win share {_percent(result.share)}, Elo {_elo(result.elo)}{certain}",
        f"margin {_points(result.margin)} points, equal totals {_percent(result.count.tie_rate)}",
        _seats_line(result),
        _results_line(result),
    ]
    if result.sprt is not None:
        lines.append(_sprt_line(result))
    return [*lines, result.verdict, result.match.again]


def _seats_line(result: MatchResult) -> str:
    shares = [
        f"seat {row['seat']} {_percent((row['win_share'], row['win_share_low'], row['win_share_high']))}"
        for row in result.seat_rows
    ]
    n_players = result.count.n_players
    fair = f" (fair: {100 / n_players:.2f} %)" if n_players > 2 else ""
    return f"{result.match.names[0]} at {', '.join(shares)}{fair}"


def _seating(a: str, n_players: int) -> str:
    """Say who sits where in the two games of a pair."""
    if n_players == 2:
        return "both seat orders"
    odd, even = (" and ".join(str(seat) for seat in range(first, n_players + 1, 2)) for first in (1, 2))
    return f"each twice, {a} at seats {odd}, then at {even}"


def _results_line(result: MatchResult) -> str:
    counts = ", ".join(f"{row['won']:.3g}: {row['pairs']:,}" for row in result.result_rows)
    gain = result.count.pairing_gain
    worth = "" if math.isnan(gain) else f"; pairing is worth {gain:.2f} x the games"
    return f"pairs by games won {{{counts}}}{worth}"


def _sprt_line(result: MatchResult) -> str:
    test, state = result.match.sprt, result.sprt
    assert test is not None and state is not None
    return (
        f"SPRT [{test.elo0:g}, {test.elo1:g}] Elo, alpha {test.alpha:g}, beta {test.beta:g}: "
        f"LLR {state.llr:+.2f} ({state.lower:.2f}, {state.upper:.2f}), {state.decision}"
    )


def _percent(estimate: Estimate | tuple[float, float, float]) -> str:
    value, low, high = (100 * each for each in estimate)
    return f"{value:.2f} % [{low:.2f}, {high:.2f}]"


def _elo(estimate: Estimate) -> str:
    value, low, high = estimate
    return f"{value:+.1f} [{low:+.1f}, {high:+.1f}]"


def _points(estimate: Estimate) -> str:
    value, low, high = estimate
    return f"{value:+.2f} [not known]" if math.isnan(low) else f"{value:+.2f} [{low:+.2f}, {high:+.2f}]"


def _chance(value: float) -> str:
    """Return a probability in percent that never says certain."""
    if value > 0.9999:
        return "> 99.99 %"
    return "< 0.01 %" if value < 0.0001 else f"{100 * value:.2f} %"


def write_match(result: MatchResult, folder: Path) -> None:
    """Write everything of a match into a folder; the same match always writes the same bytes."""
    from salad_sim.report import figures as plots
    from salad_sim.storage.folder import csv_text, json_text, write_files

    a, b = result.match.names
    seats = result.by_seat.assign(strategy=a)
    title = f"{a} against {b}, {result.count.n_players} players, {result.games:,} games"
    picture = plots.win_share(seats, title)
    write_files(
        folder,
        {
            "match.json": json_text(result.as_dict()),
            "run.json": json_text(result.record),
            "match.csv": csv_text([_csv_row(result)]),
            "by_seat.csv": csv_text(result.seat_rows),
            "pair_results.csv": csv_text(result.result_rows),
            "win_share.png": plots.as_png(picture),
            "win_share.svg": plots.as_svg(picture),
        },
    )
