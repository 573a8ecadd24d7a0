"""The picture of what a seat is worth against the strength of the players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
from matplotlib.figure import Figure

from salad_sim.report.figures import COLOURS, FAIR, MARKERS, SETTINGS, finish, reach
from salad_sim.stats.intervals import Estimate


def against_strength(
    lines: Mapping[int, Sequence[tuple[str, Estimate, Estimate]]], label: str, anchor: str, title: str
) -> Figure:
    """Draw a value against the strength of the players, one line for each number of players.

    Parameters
    ----------
    lines : mapping of int to sequence of (str, Estimate, Estimate)
        By number of players: the strategy, its strength in Elo points, and the value with its interval.
    label : str
        What the values are, with their unit.
    anchor : str
        The strategy whose strength is 0.
    title : str
    """
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.5, 4.6), layout="constrained")
        axes = figure.add_subplot()
        axes.axhline(0, color=FAIR, linewidth=1, linestyle="--")
        names: dict[str, float] = {}
        for number, (players, points) in enumerate(lines.items()):
            ordered = sorted(points, key=lambda point: point[1].value)
            names |= {name: strength.value for name, strength, _ in ordered}
            axes.errorbar(
                [strength.value for _, strength, _ in ordered],
                [each.value for _, _, each in ordered],
                xerr=reach([strength for _, strength, _ in ordered]),
                yerr=reach([each for _, _, each in ordered]),
                fmt=f"{MARKERS[number % len(MARKERS)]}-",
                markersize=4,
                linewidth=1,
                color=COLOURS[number % len(COLOURS)],
                capsize=3,
                label=f"{players} players",
            )
        above = axes.secondary_xaxis("top")
        above.set_xticks(list(names.values()), list(names), rotation=30, ha="left", fontsize=8)
        above.spines["top"].set_visible(False)
        axes.set_xlabel(f"strength of all players, Elo points above {anchor} (95 % intervals)", fontsize=9)
        axes.set_ylabel(f"{label}\n(95 % intervals)", fontsize=9)
        finish(axes, title)
    return figure
