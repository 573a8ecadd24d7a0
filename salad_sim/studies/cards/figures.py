"""Pictures of what cards are worth: ranked, against other numbers, by phase, in pairs, and how stable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from salad_sim.jit.typing import Floats
from salad_sim.report.figures import FAIR, INK, finish
from salad_sim.studies.cards.family_figures import (
    DRAWING,
    LEADER,
    families_by_value,
    name_points,
    scatter,
    short,
    spread,
    style,
)

MARKED = "#d55e00"
MEAN = "#52b788"
BAND = "#f1f4f2"
GRID = "#dddddd"
MISSING = "#a6a6a6"
NOT_MEASURED = "not measured"
ROW = 0.16
"""Inches that a card takes in the ranking."""

NAMED = 4
"""Cards named at most on each side of the line where two numbers rank the cards alike."""

NAMES_THAT_FIT = 60
"""Families named along a side of the map of pairs, at most."""


def ranked_values(
    families: Sequence[str],
    labels: Sequence[str],
    values: ArrayLike,
    lows: ArrayLike,
    highs: ArrayLike,
    unit: str,
    title: str,
    mark: Sequence[int] = (),
    mark_label: str = "marked card",
) -> Figure:
    """Draw the value of every card with its 95 % interval: the best family first, in it the best card first.

    Parameters
    ----------
    families : sequence of str, [n_cards]
        The family of each card; of families with several cards, the mean of their values is drawn too.
    labels : sequence of str, [n_cards]
        What each card says.
    values, lows, highs : float64[n_cards]
        NaN where not known: cards without a value stand at the bottom, points without an interval are hollow.
    unit : str
    title : str
    mark : sequence of int
        Places of the cards, in the order given, that get another colour.
    mark_label : str
        What those cards are, for the legend.
    """
    value, low, high = (np.asarray(each, dtype=float) for each in (values, lows, highs))
    groups, unknown = families_by_value(families, value)
    n_rows = sum(len(members) + (len(members) > 1) for members in groups.values()) + len(unknown) + bool(unknown)
    with matplotlib.rc_context(DRAWING):
        figure = Figure(figsize=(7.5, 1.7 + ROW * n_rows), layout="constrained")
        axes = figure.add_subplot()
        row_of = _draw_families(axes, groups, unknown, value)
        place = np.array([row_of[card] for card in range(len(value))])
        marked = np.isin(np.arange(len(value)), list(mark))
        for which, colour, label in ((~marked, INK, "card"), (marked, MARKED, mark_label)):
            _draw_cards(axes, place[which], [each[which] for each in (value, low, high)], colour, label)
        axes.set_ylim(n_rows - 0.5, -0.5)
        if axes.get_xlim()[0] <= 0 <= axes.get_xlim()[1]:
            axes.axvline(0, color=FAIR, linewidth=1, linestyle="--", zorder=1.5)
        axes.set_yticks(list(row_of.values()), [short(labels[card]) for card in row_of], fontsize=8)
        for text, card in zip(axes.get_yticklabels(), row_of, strict=True):
            text.set(color=MARKED if marked[card] else "black", weight="bold" if marked[card] else "normal")
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", top=True, labeltop=True, labelsize=8)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel(f"value, {unit} (95 % intervals)", fontsize=9)
        axes.spines[["left", "right"]].set_visible(False)
        # the title is that of the legend, which would cover one of the axes
        legend: dict[str, Any] = {"title": title, "title_fontsize": 11, "fontsize": 8, "ncols": 4, "frameon": False}
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", **legend)
    return figure


def _draw_families(axes: Any, groups: dict[str, list[int]], unknown: list[int], value: Floats) -> dict[int, int]:
    """Draw headings, means and bands of the families; return the row of each card, from the top."""
    row_of: dict[int, int] = {}
    row = 0
    for number, (name, members) in enumerate([*groups.items(), *([(NOT_MEASURED, unknown)] if unknown else [])]):
        top = row
        if len(members) > 1 or members == unknown:
            beside = axes.get_yaxis_transform()
            axes.text(0.005, row, short(name), transform=beside, va="center", fontsize=8, weight="bold")
            row += 1
        row_of |= {card: row + place for place, card in enumerate(members)}
        if len(members) > 1 and members != unknown:
            label = "" if axes.lines else "mean of the family"
            ends = [row - 0.5, row + len(members) - 0.5]
            axes.plot([value[members].mean()] * 2, ends, color=MEAN, linewidth=1.2, label=label)
        row += len(members)
        if number % 2 == 0:
            axes.axhspan(top - 0.5, row - 0.5, color=BAND, linewidth=0, zorder=0)
    return row_of


def _draw_cards(axes: Any, place: Any, estimates: list[Floats], colour: str, label: str) -> None:
    """Draw the points of cards, full where the interval is known, and their intervals."""
    value, low, high = estimates
    known = np.isfinite(low) & np.isfinite(high)
    looks = ((known, colour, label), (~known, "white", f"{label}, interval not known"))
    for shown, fill, words in looks:
        shown = shown & np.isfinite(value)
        if shown.any():
            look = {"markersize": 4, "color": colour, "markerfacecolor": fill, "label": words}
            axes.plot(value[shown], place[shown], "o", **look)
    shown = known & np.isfinite(value)
    axes.hlines(place[shown], low[shown], high[shown], color=colour, linewidth=1.3)


def against_take(
    shown: ArrayLike,
    values: ArrayLike,
    families: Sequence[str],
    labels: Sequence[str],
    axis: str,
    title: str,
    mark: Sequence[int] = (),
    shares: bool = False,
) -> Figure:
    """Draw another number of each card against what it is worth to take, and name those that stand out.

    A line shows where a card would stand if both ranked all cards alike; named are the cards whose two ranks are
    farthest apart, one of a family.

    Parameters
    ----------
    shown, values : float64[n_cards] or float64[n_cards, 3]
        The other number and what taking is worth, alone or with low and high end of its 95 % interval; NaN where not
        known.
    families, labels : sequence of str, [n_cards]
    axis : str
        What the other number is.
    title : str
    mark : sequence of int
        Cards that are named in any case.
    shares : bool
        Whether the other number is a share 0..1.
    """
    known, rates, values = _known(shown, values, len(families))
    rate, value = rates[:, 0], values[:, 0]
    with matplotlib.rc_context(DRAWING):
        figure = Figure(figsize=(10.0, 6.4), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(np.sort(value), np.sort(rate), color=FAIR, linewidth=1, label="same rank in both", zorder=1)
        axes.axvline(0, color=FAIR, linewidth=1, linestyle="--", zorder=0.8)
        _draw_crosses(axes, values, rates)
        scatter(axes, [families[card] for card in known], value, rate)
        axes.margins(0.06)
        if shares:
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_xlabel(_across(len(families) - len(known), values, rates), fontsize=9)
        axes.set_ylabel(axis, fontsize=9)
        finish(axes, title)
        apart = rankdata(rate) - rankdata(value)
        of = [families[card] for card in known]
        marked = [known.index(card) for card in mark if card in known]
        chosen = dict.fromkeys([*marked, *_farthest(apart, of), *_farthest(-apart, of)])
        name_points(axes, list(chosen), value, rate, [short(labels[card]) for card in known])
    return figure


def _farthest(apart: Floats, families: Sequence[str]) -> list[int]:
    """Return the cards that are farthest apart, the farthest first and one of a family at most."""
    best: dict[str, int] = {}
    for card in np.argsort(-apart, kind="stable").tolist():
        if apart[card] > 0:
            best.setdefault(families[card], card)
    return list(best.values())[:NAMED]


def _draw_crosses(axes: Any, across: Floats, up: Floats) -> None:
    """Draw the intervals of points as thin lines, of those that have them."""
    cross: dict[str, Any] = {"color": "#8a8a8a", "linewidth": 0.6, "zorder": 0.9}
    if across.shape[1] == 3:
        axes.hlines(up[:, 0], across[:, 1], across[:, 2], **cross)
    if up.shape[1] == 3:
        axes.vlines(across[:, 0], up[:, 1], up[:, 2], **cross)


def _known(one: ArrayLike, other: ArrayLike, n_cards: int) -> tuple[list[int], Floats, Floats]:
    """Return the cards of which both values are known, and these with the ends of their intervals, if they have any."""
    both = [np.asarray(each, dtype=float).reshape(n_cards, -1) for each in (one, other)]
    known = np.flatnonzero(np.isfinite(both[0][:, 0]) & np.isfinite(both[1][:, 0])).tolist()
    return known, both[0][known], both[1][known]


def _across(left_out: int, *estimates: Floats) -> str:
    """Return what the axis of take values says."""
    intervals = " (thin lines: 95 % intervals)" if any(each.shape[1] == 3 for each in estimates) else ""
    return f"worth if taken, points of margin over the best other move{intervals}" + (
        f"\n(cards without both values, not drawn: {left_out})" if left_out else ""
    )


def value_by_phase(
    phases: Sequence[str],
    series: Mapping[str, ArrayLike],
    title: str,
    right: Mapping[str, ArrayLike],
) -> Figure:
    """Draw what it is worth to take a card by phase of the game, for up to about six cards, and how often it is right.

    Parameters
    ----------
    phases : sequence of str, [n_phases]
    series : mapping of str to float64[n_phases, 3]
        By card: value, low and high end of its 95 % interval in each phase; NaN where not known.
    title : str
    right : mapping of str to float64[n_phases, 3]
        By card: the share 0..1 of the tables at which taking it came out better.
    """
    styles = {label: style(number) for number, label in enumerate(series)}
    with matplotlib.rc_context(DRAWING):
        figure = Figure(figsize=(8.4, 6.8), layout="constrained")
        rows = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
        for axes, lines, middle in zip(rows, (series, right), (0.0, 0.5), strict=True):
            axes.axhline(middle, color=FAIR, linewidth=1, linestyle="--")
            for label, values in lines.items():
                _draw_line(axes, range(len(phases)), np.asarray(values, dtype=float), short(label), styles[label])
            axes.spines[["top", "right"]].set_visible(False)
        rows[0].set_ylabel("worth if taken, points of margin\n(95 % intervals)", fontsize=9)
        rows[1].set_ylabel("taking came out better\n(95 % intervals)", fontsize=9)
        rows[1].yaxis.set_major_formatter(PercentFormatter(1.0))
        rows[1].set_xticks(range(len(phases)), phases)
        rows[1].set_xlabel("own turn in the round", fontsize=9)
        finish(rows[0], title)
    return figure


def _draw_line(axes: Any, x: Sequence[int], values: Floats, label: str, look: tuple[str, str]) -> None:
    """Draw values by x, with the band of their intervals if they have them."""
    colour, marker = look
    columns = values.reshape(len(x), -1).T
    if len(columns) == 3:
        axes.fill_between(x, columns[1], columns[2], color=colour, alpha=0.15, linewidth=0)
    axes.plot(x, columns[0], marker=marker, markersize=4, linewidth=1.4, color=colour, label=label)


def synergy_map(
    matrix: ArrayLike, order: Sequence[int], boundaries: Sequence[int], names: Sequence[str], unit: str, title: str
) -> Figure:
    """Draw what each pair of cards is worth beyond the sum of both, as a map of colours around zero.

    Parameters
    ----------
    matrix : float64[n_cards, n_cards]
        Symmetric; NaN where not known is grey. Colours end at the 99th percentile of the absolute values drawn.
    order : sequence of int, [n_shown]
        The cards along both sides, families together.
    boundaries : sequence of int, [n_families + 1]
        Family f has the places ``boundaries[f]`` up to, not with, ``boundaries[f + 1]`` in `order`: from 0 to n_shown.
    names : sequence of str, [n_families]
        Of so many that they do not fit, the largest families are named.
    unit : str
    title : str
    """
    pairs = np.asarray(matrix, dtype=float)[np.ix_(list(order), list(order))]
    sizes = np.abs(pairs[np.isfinite(pairs)])
    most = np.percentile(sizes, 99) or sizes.max() if sizes.any() else 1.0
    with matplotlib.rc_context(DRAWING):
        figure = Figure(figsize=(10.0, 9.0), layout="constrained")
        axes = figure.add_subplot()
        colours = matplotlib.colormaps["RdBu"].with_extremes(bad=MISSING)
        image = axes.imshow(pairs, cmap=colours, vmin=-most, vmax=most, interpolation="nearest")
        line: dict[str, Any] = {"color": "black", "linewidth": 0.4 * min(1, NAMES_THAT_FIT / len(names))}
        for boundary in boundaries[1:-1]:
            axes.axhline(boundary - 0.5, **line)
            axes.axvline(boundary - 0.5, **line)
        _name_blocks(axes, boundaries, names)
        axes.set_title(title, fontsize=11)
        bar = figure.colorbar(image, ax=axes, shrink=0.7, extend="both" if (sizes > most).any() else "neither")
        bar.set_label(f"worth of a pair beyond the sum of both, {unit} (grey: not known)", fontsize=9)
        bar.outline.set_visible(False)
    return figure


def _name_blocks(axes: Any, boundaries: Sequence[int], names: Sequence[str]) -> None:
    """Write the names of families at the left and below, moved apart where families are small.

    Where there are too many, the largest families are named and none that is too close to one of these.
    """
    blocks = sorted(zip(names, pairwise(boundaries), strict=True), key=lambda block: block[1][0] - block[1][1])
    gap = boundaries[-1] / NAMES_THAT_FIT
    named: dict[float, str] = {}
    for name, (start, end) in blocks:
        middle = (start + end - 1) / 2
        if len(names) <= NAMES_THAT_FIT or all(abs(middle - other) >= gap for other in named):
            named[middle] = short(name, 36)
    places = spread(list(named), gap, -0.5, boundaries[-1] - 0.5)
    left, below = axes.get_yaxis_transform(), axes.get_xaxis_transform()
    for (middle, name), place in zip(named.items(), places, strict=True):
        at = {"xycoords": left, "textcoords": left, "ha": "right", "va": "center"}
        line = {**LEADER, "relpos": (1.0, 0.5)}
        axes.annotate(name, (0, middle), xytext=(-0.03, place), fontsize=7.5, arrowprops=line, **at)
        at = {"xycoords": below, "textcoords": below, "ha": "center", "va": "top", "rotation": 90}
        line = {**LEADER, "relpos": (0.5, 1.0)}
        axes.annotate(name, (middle, 0), xytext=(place, -0.03), fontsize=7.5, arrowprops=line, **at)
    axes.set_xticks([])
    axes.set_yticks([])


def stability(values: ArrayLike, conditions: Sequence[str], names: Sequence[str], title: str, unit: str) -> Figure:
    """Draw the mean value of each family under several conditions, one line a family.

    Parameters
    ----------
    values : float64[n_families, n_conditions] or float64[n_families, n_conditions, 3]
        With or without low and high end of their 95 % intervals; NaN where not known.
    conditions : sequence of str, [n_conditions]
        Such as ``2 players\\ngreedy``.
    names : sequence of str, [n_families]
    title, unit : str
    """
    estimates = np.asarray(values, dtype=float).reshape(len(names), len(conditions), -1)
    given = estimates[:, :, 0]
    known = [number for number in range(len(names)) if np.isfinite(given[number]).any()]
    ends = [int(np.flatnonzero(np.isfinite(given[number]))[-1]) for number in known]
    height = max(4.0, 1.2 + 0.19 * len(known))
    with matplotlib.rc_context(DRAWING):
        figure = Figure(figsize=(4.2 + 1.1 * len(conditions), height), layout="constrained")
        axes = figure.add_subplot()
        for number in known:
            colour, marker = style(number)
            axes.plot(range(len(conditions)), given[number], marker=marker, markersize=4, linewidth=1.2, color=colour)
            if estimates.shape[2] == 3:
                axes.vlines(range(len(conditions)), estimates[number, :, 1], estimates[number, :, 2], color=colour)
        axes.set_xlim(-0.2, len(conditions) - 0.8)
        axes.margins(y=0.03)
        bottom, top = axes.get_ylim()
        last = [given[number, end] for number, end in zip(known, ends, strict=True)]
        places = spread(last, 0.165 * (top - bottom) / (height - 1.0), bottom, top)
        aside = axes.get_yaxis_transform()
        for number, end, place in zip(known, ends, places, strict=True):
            colour, _ = style(number)
            look: dict[str, Any] = {"color": colour, "va": "center", "fontsize": 8, "textcoords": aside}
            look["arrowprops"] = {**LEADER, "color": colour, "relpos": (0.0, 0.5)}
            axes.annotate(short(names[number]), (end, given[number, end]), xytext=(1.03, place), **look)
        axes.set_xticks(range(len(conditions)), conditions, fontsize=8)
        axes.grid(axis="x", color=GRID, linewidth=0.8)
        intervals = " (bars: 95 % intervals)" if estimates.shape[2] == 3 else ""
        axes.set_ylabel(f"mean value, {unit}{intervals}", fontsize=9)
        axes.set_title(title, fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
    return figure
