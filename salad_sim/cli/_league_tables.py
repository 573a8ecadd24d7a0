"""The tables of a league on screen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from salad_sim.cli._tables import LEFT, RIGHT, print_table
from salad_sim.stats.intervals import LEVEL
from salad_sim.studies.league import sentences

if TYPE_CHECKING:
    from salad_sim.jit.typing import Row
    from salad_sim.studies.league.result import League

MOST_CELLS = 10
"""With more columns than that the cross-table shows shares without their intervals."""


def print_league(league: League) -> None:
    """Print what a league says, the answer first."""
    print(sentences.played(league))
    print(sentences.answer(league))
    print()
    _print_ranking(league)
    print()
    _print_cross(league)
    print()
    _print_seats(league)
    print()
    print(sentences.undecided(league))
    for line in sentences.cycles(league):
        print(line)
    print(sentences.seats(league))
    zero = "the mean of all" if league.task.anchor is None else league.labels[league.task.anchor]
    print(f"Ratings: Elo points above {zero}; 400 more are odds of 10 to 1 to finish above. ± is half a 95 % interval.")


def _print_ranking(league: League) -> None:
    columns = [
        ("rank", RIGHT),
        ("strategy", LEFT),
        ("rating", RIGHT),
        ("95 %\nwithin", LEFT),
        ("ranks\npossible", LEFT),
        ("win\nshare %", RIGHT),
        ("95 %\nwithin", LEFT),
        ("mean\nscore", RIGHT),
        ("games", RIGHT),
        ("ahead of\nthe next", RIGHT),
        ("95 %\nwithin", LEFT),
        ("likely\nahead", RIGHT),
    ]
    print_table(columns, [_ranking_cells(row) for row in league.rating_rows])


def _ranking_cells(row: Row) -> list[str]:
    low, high = row["rank_low"], row["rank_high"]
    cells = [
        str(row["rank"]),
        row["strategy"],
        f"{row['rating']:+.0f}",
        f"[{row['rating_low']:+.0f}, {row['rating_high']:+.0f}]",
        f"{low}" if low == high else f"{low}–{high}",
        _known(100 * row["win_share"]),
        f"[{100 * row['win_share_low']:.1f}, {100 * row['win_share_high']:.1f}]" if row["games"] else "",
        _known(row["mean_score"]),
        f"{row['games']:,}",
    ]
    if not row["next"]:
        return [*cells, "", "", ""]
    decided = "" if row["p_holm"] <= 1 - LEVEL else " ?"
    return [
        *cells,
        f"{row['ahead']:+.0f}",
        f"[{row['ahead_low']:+.0f}, {row['ahead_high']:+.0f}]",
        f"{_likely(row['superiority'])}{decided}",
    ]


def _known(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1f}"


def _likely(chance: float) -> str:
    return "> 99.9 %" if chance > 0.9995 else f"{100 * chance:.1f} %"


def _cell(row: Row, name: str, with_interval: bool = True) -> str:
    """Return a share with half its interval; both ends are in the CSV files."""
    if math.isnan(row[name]):
        return ""
    half = 50 * (row[f"{name}_high"] - row[f"{name}_low"])
    return f"{100 * row[name]:.1f}" + (f" ±{half:.1f}" if with_interval else "")


def _print_cross(league: League) -> None:
    names = [row["strategy"] for row in league.rating_rows]
    cells = {
        (row["strategy"], row["opponent"]): _cell(row, "share", len(names) <= MOST_CELLS) for row in league.cross_rows
    }
    columns = [("% above", LEFT), *((str(rank), RIGHT) for rank in range(1, len(names) + 1))]
    rows = [
        [f"{rank} {name}", *(cells.get((name, other), "–") for other in names)]
        for rank, name in enumerate(names, start=1)
    ]
    print_table(columns, rows)


def _print_seats(league: League) -> None:
    n_seats = league.task.players
    columns = [("win share %", LEFT), *((f"seat {seat + 1}", RIGHT) for seat in range(n_seats))]
    cells = [_cell(row, "win_share") for row in league.seat_rows]
    rows = [
        [row["strategy"], *cells[index * n_seats : (index + 1) * n_seats]]
        for index, row in enumerate(league.rating_rows)
    ]
    print_table(columns, rows)
