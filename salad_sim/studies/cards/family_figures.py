"""What pictures of many cards share: the order, colours and marks of families, and names that do not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import patheffects
from matplotlib.textpath import TextPath
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from salad_sim.report.figures import COLOURS, FAIR, MARKERS, SETTINGS

DRAWING: Any = {**SETTINGS, "text.parse_math": False}  # the text of a designer's card may hold dollar signs
LARGER = {"*": 1.9, "P": 1.4, "X": 1.4, "^": 1.2, "v": 1.2, "<": 1.2, ">": 1.2}
"""Marks that need more room to look as large as the others."""

MOST_FAMILIES = 20
"""Families with a colour and mark of their own; in a picture of more, the small ones share a grey."""

LONGEST = 44
"""Characters of a text that are shown, at most."""

LEADER = {"arrowstyle": "-", "linewidth": 0.6, "color": "#555555", "shrinkA": 0, "shrinkB": 0}
"""The line from a name to what it names."""

NAME_SIZE = 8.0
FREE = 4.5
"""Height of a name at a point, and what is left free around it: half of a mark and some more, in typographic points."""

ASIDE = (8, 16, 28, 44, 64)
ABOVE = (0, 10, 20, 32, 46, 62)
"""How far a name may be from its point, in typographic points."""

Floats = NDArray[np.float64]


def families_by_value(families: Sequence[str], values: Floats) -> tuple[dict[str, list[int]], list[int]]:
    """Put cards in order of their families and, within these, of their values.

    Parameters
    ----------
    families : sequence of str, [n_cards]
    values : float64[n_cards]
        NaN where not known.

    Returns
    -------
    groups : dict of str to list of int
        The families by the mean value of their cards, the highest first, and by family its cards, the highest first.
    unknown : list of int
        The cards without a value.
    """
    order = [int(card) for card in np.argsort(-values, kind="stable")]
    members: dict[str, list[int]] = {}
    for card in order:
        if np.isfinite(values[card]):
            members.setdefault(families[card], []).append(card)
    groups = sorted(members.items(), key=lambda group: -values[group[1]].mean())
    return dict(groups), [card for card in order if not np.isfinite(values[card])]


def scatter(axes: Any, families: Sequence[str], x: Floats, y: Floats) -> None:
    """Draw one point for each card, with a colour and mark for each family, the highest family by x first."""
    groups, _ = families_by_value(families, x)
    room = MOST_FAMILIES if len(groups) <= MOST_FAMILIES else MOST_FAMILIES - 1
    own = set(sorted(groups, key=lambda name: -len(groups[name]))[:room])
    rest = [card for name, members in groups.items() if name not in own for card in members]
    if rest:
        axes.scatter(x[rest], y[rest], s=14, color=FAIR)
    for number, name in enumerate(name for name in groups if name in own):
        colour, marker = style(number)
        look = {"s": 38 * LARGER.get(marker, 1.0), "color": colour, "marker": marker, "edgecolor": "white"}
        axes.scatter(x[groups[name]], y[groups[name]], linewidth=0.4, zorder=2, label=short(name), **look)
    if rest:
        axes.scatter([], [], s=14, color=FAIR, label="other families")  # the last one in the legend


def style(number: int) -> tuple[str, str]:
    """Return colour and mark number 0, 1, ...; the first twenty differ."""
    return COLOURS[number % len(COLOURS)], MARKERS[(number + 5 * (number // len(COLOURS))) % len(MARKERS)]


def short(text: str, longest: int = LONGEST) -> str:
    """Return a text, cut off if it is longer."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def name_points(axes: Any, chosen: Sequence[int], x: Floats, y: Floats, names: Sequence[str]) -> None:
    """Name some points; each name stands where it covers the fewest points and names, and near its own.

    The axes must be complete, for what is added later may move them under the names.

    Parameters
    ----------
    axes : matplotlib Axes
    chosen : sequence of int
        The points that are named, the most important first.
    x, y : float64[n_points]
        All points, in units of the axes.
    names : sequence of str, [n_points]
    """
    if not chosen:
        return
    axes.figure.draw_without_rendering()  # only now it is known where the axes are
    scale = 72 / axes.figure.dpi
    points = axes.transData.transform(np.column_stack([x, y])) * scale
    frame = axes.get_window_extent()
    low, high = np.array([frame.x0, frame.y0]) * scale, np.array([frame.x1, frame.y1]) * scale
    steps = [(side * aside, up * above) for aside in ASIDE for above in ABOVE for side in (1, -1) for up in (1, -1)]
    taken: list[tuple[Floats, Floats]] = []
    for number in chosen:
        width = TextPath((0, 0), names[number], size=NAME_SIZE).get_extents().width
        best: tuple[float, tuple[int, int], tuple[Floats, Floats]] | None = None
        for step in steps:
            left = points[number, 0] + step[0] - (width if step[0] < 0 else 0)
            start = np.array([left - FREE, points[number, 1] + step[1] - NAME_SIZE / 2 - FREE])
            end = start + np.array([width + 2 * FREE, NAME_SIZE + 2 * FREE])
            covered = int(((points > start) & (points < end)).all(axis=1).sum())
            clashes = sum(bool((start < other[1]).all() and (end > other[0]).all()) for other in taken)
            outside = bool((start < low).any() or (end > high).any())
            cost = 100 * outside + 10 * clashes + covered + 0.01 * float(np.hypot(*step))
            if best is None or cost < best[0]:
                best = cost, step, (start, end)
        assert best is not None
        _, step, box = best
        taken.append(box)
        name = axes.annotate(
            names[number],
            (x[number], y[number]),
            xytext=step,
            textcoords="offset points",
            ha="left" if step[0] > 0 else "right",
            va="center",
            fontsize=NAME_SIZE,
            arrowprops={**LEADER, "relpos": (0.0 if step[0] > 0 else 1.0, 0.5)},
            path_effects=[patheffects.withStroke(linewidth=2.5, foreground="white")],
        )
        name.set_in_layout(False)


def spread(places: ArrayLike, gap: float, low: float, high: float) -> Floats:
    """Move places as little as possible (least squares) so that each is at least a gap from the next.

    It is an isotonic regression (Barlow, Bartholomew, Bremner and Brunk 1972): places that are too close form a pile
    that stands around its mean.

    Parameters
    ----------
    places : float64[n]
    gap : float
    low, high : float
        The results stay within these as long as there is room.
    """
    given = np.asarray(places, dtype=float)
    order = np.argsort(given, kind="stable")
    steps = np.arange(len(given)) * gap
    level = isotonic_regression(given[order] - steps).x if len(given) else given
    moved = np.empty(len(given))
    moved[order] = np.clip(level, low, max(low, high - (len(given) - 1) * gap)) + steps
    return moved
