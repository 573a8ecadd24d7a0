"""Pictures of what a seat is worth: shares by seat in groups, and an advantage against strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
from matplotlib.figure import Figure

from salad_sim.report.figures import FAIR, SETTINGS, reach
from salad_sim.stats.intervals import Estimate
from salad_sim.studies.cards.family_figures import MARKERS, finish

COLOURS = ("#1b4332", "#d55e00", "#0072b2", "#cc79a7", "#e69f00", "#56b4e9", "#009e73", "#666666", "#8c564b", "#000000")
WIDTH = 0.7
"""How much of the space between two seats a group of points takes."""


def by_seat(groups: Mapping[str, Sequence[Estimate]], label: str, title: str) -> Figure:
    """Draw values by seat with their intervals, one colour and mark for each group, around a line at zero.

    Parameters
    ----------
    groups : mapping of str to sequence of Estimate
        By name one value for each seat, in percentage points.
    label : str
        What the values are, with their unit.
    title : str
    """
    n_seats = len(next(iter(groups.values())))
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.5, 4.2), layout="constrained")
        axes = figure.add_subplot()
        axes.axhline(0, color=FAIR, linewidth=1, linestyle="--")
        for number, (name, values) in enumerate(groups.items()):
            shift = WIDTH * ((number + 0.5) / len(groups) - 0.5)
            axes.errorbar(
                [seat + shift for seat in range(n_seats)],
                [each.value for each in values],
                yerr=reach(values),
                fmt=MARKERS[number % len(MARKERS)],
                markersize=4,
                color=COLOURS[number % len(COLOURS)],
                capsize=3,
                label=name,
            )
        axes.set_xticks(range(n_seats), [f"seat {seat + 1}" for seat in range(n_seats)])
        axes.set_ylabel(f"{label}\n(95 % intervals)", fontsize=9)
        finish(axes, title)
    return figure


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
