"""A match -> the block to paste into an issue, and the files of its folder."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from salad_sim import __version__
from salad_sim.files.atomic import write_files
from salad_sim.report import figures as plots
from salad_sim.report.format import NOT_KNOWN, interval, percent
from salad_sim.report.table import Table, estimate_of
from salad_sim.storage.folder import csv_text, json_text
from salad_sim.studies.match.result import MatchResult


def table(result: MatchResult) -> Table:
    """Return a match as one row, the seats side by side; numbers that are not finite are empty."""
    data = result.as_dict()
    row: dict[str, Any] = {name: value for name, value in data.items() if not isinstance(value, (dict, list))}
    row |= {f"{name}_seat{seat['seat']}": each for seat in data["by_seat"] for name, each in seat.items()}
    row |= {f"pairs_won_{each['won']:g}": each["pairs"] for each in data["pair_results"]}
    row |= {f"sprt_{name}": value for name, value in (data["sprt"] or {}).items()}
    return Table((), [row])


def lines(result: MatchResult) -> Iterator[str]:
    """Yield the lines to paste into an issue, in plain ASCII but for the names of strategies."""
    plan = result.match.plan
    a, b = result.match.names
    rules = ", ".join(f"{name}={value}" for name, value in plan.rules.changed().items()) or "official"
    deals = f", deals from {result.match.first_deal}" if result.match.first_deal else ""
    cards = "" if plan.cards.is_official else f", cards {plan.cards.source}"
    intervals = "95 % intervals" + ("" if result.sprt is None else " that hold whenever one stops")
    certain = f", LOS {_chance(result.superiority)}" if result.sprt is None else ""
    known = math.isfinite(result.normalised_elo)
    normalised = f", normalised {result.normalised_elo:+.0f}" if known else ""
    yield (
        f"{a} against {b}: {plan.n_players} players, {result.games:,} games ({result.pairs:,} deals, "
        f"{_seating(a, plan.n_players)})"
    )
    yield f"salad-sim {__version__}, {plan.game.name}, rules {rules}{cards}, seed {plan.seed}{deals}; {intervals}"
    yield f"win share {percent(result.share, unit=' %')}, Elo {interval(*result.elo, 1, sign='+')}{normalised}{certain}"
    margin = interval(*result.margin, sign="+", unknown=NOT_KNOWN)
    yield f"margin {margin} points, equal totals {percent(result.tie_rate, unit=' %')}"
    yield _seats_line(result)
    yield _results_line(result)
    if result.sprt is not None:
        assert result.match.sprt is not None
        yield result.match.sprt.line(result.sprt)
    yield result.verdict
    if result.to_notice:
        yield result.to_notice
    yield result.match.again


def _seats_line(result: MatchResult) -> str:
    shares = [f"seat {row['seat']} {percent(estimate_of(row, 'win_share'), unit=' %')}" for row in result.seat_rows]
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


def _chance(value: float) -> str:
    """Return a probability in percent that never says certain."""
    if value > 0.9999:
        return "> 99.99 %"
    return "< 0.01 %" if value < 0.0001 else f"{100 * value:.2f} %"


def write_match(result: MatchResult, folder: Path) -> None:
    """Write everything of a match into a folder; the same match always writes the same bytes."""
    a, b = result.match.names
    title = f"{a} against {b}, {result.count.n_players} players, {result.games:,} games"
    files = {
        "match.json": json_text(result.as_dict()),
        "run.json": json_text(result.record),
        "match.csv": table(result).csv(),
        "by_seat.csv": csv_text(result.seat_rows),
        "pair_results.csv": csv_text(result.result_rows),
    }
    picture = plots.win_share(result.by_seat.assign(strategy=a), title)
    write_files(folder, files | plots.files("win_share", picture, order=("png", "svg")))
