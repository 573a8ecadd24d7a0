"""The picture of a learning: how the strength grew with the games, against each opponent."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from salad_sim.jit.typing import Row
from salad_sim.report.figures import COLOURS, FAIR, MARKERS, SETTINGS, finish, reach
from salad_sim.report.table import estimate_of


def strength_curve(rows: Sequence[Row], title: str) -> Figure:
    """Draw what the learner won at each look, with 95 % intervals; a line for each number of players and opponent."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(8.0, 4.5), layout="constrained")
        axes = figure.add_subplot()
        for fair in sorted({row["fair"] for row in rows}):
            axes.axhline(fair, color=FAIR, linewidth=1, linestyle="--")
        lines = dict.fromkeys((row["players"], row["opponents"]) for row in rows)
        for number, (players, opponents) in enumerate(lines):
            own = [row for row in rows if (row["players"], row["opponents"]) == (players, opponents)]
            shares = [estimate_of(row, "win_share") for row in own]
            axes.errorbar(
                [row["games"] for row in own],
                [each.value for each in shares],
                yerr=reach(shares),
                fmt=MARKERS[number % len(MARKERS)] + "-",
                markersize=3,
                linewidth=1,
                color=COLOURS[number % len(COLOURS)],
                capsize=2,
                label=f"{players} players, {opponents}",
            )
        axes.set_xlabel("games learned from")
        axes.set_ylabel("win share of the learner among these")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        finish(axes, title)
    return figure
