"""Tables on screen."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from salad_sim.game.notation import plural

if TYPE_CHECKING:
    from salad_sim.jit.typing import Row
    from salad_sim.studies.simulate import Result

WIDE = 200
"""Columns to use where no terminal limits them."""

NARROW = 100
"""Below so many columns tables get narrower gaps."""

LEFT = "left"
RIGHT = "right"


def print_table(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout.

    Parameters
    ----------
    columns : sequence of (str, str)
        Heading, and LEFT or RIGHT.
    rows : iterable of sequences of str
    """
    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, width=None if terminal else WIDE, highlight=False)
    gap = 0 if console.width < NARROW else 1
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    for heading, side in columns:
        table.add_column(Text(heading), justify="left" if side == LEFT else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    with console.capture() as capture:
        console.print(table)
    lines = capture.get().splitlines()
    sys.stdout.write("\n".join(line if terminal else line.rstrip() for line in lines) + "\n")


def print_result(result: Result) -> None:
    """Print what a run says, the answer first."""
    plan = result.plan
    mixed = len(plan.labels) > 1
    who = "" if mixed else f", {plan.labels[0]} in every seat"
    turned = f" ({plural(result.deals, 'deal')}, each in every rotation)" if plan.rotate else ""
    print(f"{plan.n_players} players{who}: {plural(result.games, 'game')}{turned}, seed {plan.seed}")
    if not result.games:
        return
    print(_headline(result, mixed))
    print()
    if mixed:
        _print_measures("strategy", result.strategy_rows, plan.game.habits)
        print()
    _print_measures("seat", result.seat_rows, plan.game.habits)
    print()
    if result.round_rows:
        _print_rounds(result.round_rows)
        print()
    tie = result.tie_estimate
    print(
        f"Totals tie for the top in {_share(*tie)} (tie-break: {result.rules.tie_break}). "
        f"A game takes {result.turns:.2f} turns."
    )
    print(f"vs fair: percentage points above or below a fair share of {_fair(result)}.")
    if mixed and not plan.rotate:
        print("Each strategy kept its seats, so part of its result is theirs; --rotate tells the two apart.")


def _headline(result: Result, mixed: bool) -> str:
    rows = result.strategy_rows if mixed else result.seat_rows
    best = max(rows, key=lambda row: row["win_share"])
    who = best["strategy"] if mixed else f"Seat {best['seat']}"
    each = " from each of its seats" if mixed and best["places"] > 1 else ""
    share = _share(best["win_share"], best["win_share_low"], best["win_share_high"])
    return f"{who} wins most often{each}: {share}. A fair share is {_fair(result)}."


def _share(value: float, low: float, high: float) -> str:
    digits = _digits(50 * (high - low))
    return f"{100 * value:.{digits}f} % of games, 95 % interval {_percents(low, high, digits)}"


def _fair(result: Result) -> str:
    return f"{100 / result.players:.4g} %"


def _print_measures(first: str, rows: list[Row], habits: tuple[str, str]) -> None:
    """Print win shares, scores and habits, one row for each seat or strategy."""
    share_digits = _digits(max(50 * (row["win_share_high"] - row["win_share_low"]) for row in rows))
    score_digits = _digits(max((row["mean_score_high"] - row["mean_score_low"]) / 2 for row in rows))
    columns = [
        (first, RIGHT if first == "seat" else LEFT),
        *([("strategy", LEFT)] if first == "seat" else [("seats", RIGHT)]),
        ("win\nshare %", RIGHT),
        ("95 %\nwithin", LEFT),
        ("vs\nfair", RIGHT),
        ("mean\nscore", RIGHT),
        ("95 %\nwithin", LEFT),
        *((heading, RIGHT) for heading in habits),
        ("turns", RIGHT),
    ]
    print_table(columns, [_cells(first, row, share_digits, score_digits) for row in rows])


def _cells(first: str, row: Row, share_digits: int, score_digits: int) -> list[str]:
    return [
        str(row[first]),
        row["strategy"] if first == "seat" else str(row["places"]),
        f"{100 * row['win_share']:.{share_digits}f}",
        _percents(row["win_share_low"], row["win_share_high"], share_digits),
        f"{100 * row['difference']:+.{share_digits}f}",
        f"{row['mean_score']:.{score_digits}f}",
        _bracket(row["mean_score_low"], row["mean_score_high"], score_digits),
        f"{row['cards_kept']:.2f}",
        f"{row['flips']:.2f}",
        f"{row['turns']:.2f}",
    ]


def _print_rounds(rows: list[Row]) -> None:
    """Print what each seat did in each round of a match."""
    share_digits = _digits(max(50 * (row["win_share_high"] - row["win_share_low"]) for row in rows))
    score_digits = _digits(max((row["mean_score_high"] - row["mean_score_low"]) / 2 for row in rows))
    columns = [
        ("round", RIGHT),
        ("seat", RIGHT),
        ("starts\n%", RIGHT),
        ("wins the\nround %", RIGHT),
        ("95 %\nwithin", LEFT),
        ("mean\nscore", RIGHT),
        ("95 %\nwithin", LEFT),
        ("turns", RIGHT),
    ]
    cells = [
        [
            str(row["round"]),
            str(row["seat"]),
            f"{100 * row['starts']:.1f}",
            f"{100 * row['win_share']:.{share_digits}f}",
            _percents(row["win_share_low"], row["win_share_high"], share_digits),
            f"{row['mean_score']:.{score_digits}f}",
            _bracket(row["mean_score_low"], row["mean_score_high"], score_digits),
            f"{row['turns']:.2f}",
        ]
        for row in rows
    ]
    print_table(columns, cells)


def _percents(low: float, high: float, digits: int) -> str:
    return _bracket(100 * low, 100 * high, digits)


def _bracket(low: float, high: float, digits: int) -> str:
    if math.isnan(low):
        return "[not known]"
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def _digits(half_width: float) -> int:
    """Return how many decimals to show, 1 to 4: the last one is the first digit of the half-width."""
    if not half_width > 0:
        return 2
    return max(1, min(4, math.floor(-math.log10(half_width)) + 1))
