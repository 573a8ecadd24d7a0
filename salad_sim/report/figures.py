"""Pictures of the tables: pandas -> matplotlib, nothing else."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from salad_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    import pandas as pd

INK = "#1b4332"
FAIR = "#9a9a9a"
COLOURS = ("#1b4332", "#d55e00", "#0072b2", "#cc79a7", "#e69f00", "#56b4e9", "#009e73", "#8c564b", "#7b3fa0", "#000000")
MARKERS = "osD^vPX<>*"
WIDTH = 0.7
"""How much of the space between two seats a group of points takes."""

SETTINGS: Any = {
    "svg.hashsalt": "salad-sim",  # else the ids in the file are random
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "figure.dpi": 100,
    "savefig.dpi": 150,
}


def win_share(seats: pd.DataFrame, title: str) -> Figure:
    """Draw the win share of each seat with its 95 % interval, and the fair share as a line.

    Parameters
    ----------
    seats : DataFrame
        As `Result.seats`.
    title : str
    """
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = figure.add_subplot()
        bars = reach(seats[["win_share", "win_share_low", "win_share_high"]])
        axes.axhline(1 / len(seats), color=FAIR, linewidth=1, linestyle="--", label="fair share")
        axes.errorbar(seats.seat, seats.win_share, yerr=bars, fmt="o", color=INK, capsize=5, label="95 % interval")
        for seat, share in zip(seats.seat, seats.win_share, strict=True):
            axes.annotate(f"{100 * share:.2f} %", (seat, share), xytext=(9, 4), textcoords="offset points", color=INK)
        names = [f"seat {seat}\n{strategy}" for seat, strategy in zip(seats.seat, seats.strategy, strict=True)]
        axes.set_xticks(seats.seat, names)
        axes.set_xlim(0.5, len(seats) + 0.7)
        axes.margins(y=0.2)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_ylabel("win share")
        set_title(axes, title)
        axes.legend(frameon=False, fontsize=9)
    return figure


def differences(names: list[str], values: list[list[float]], label: str, title: str) -> Figure:
    """Draw differences with their intervals, one row each, around a line at zero.

    Parameters
    ----------
    names : list of str
    values : list of [difference, low, high]
    label : str
        What the differences are, with their unit.
    title : str
    """
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.0, 1.2 + 0.27 * len(names)), layout="constrained")
        axes = figure.add_subplot()
        draw_rows(axes, values, around=0)
        axes.set_yticks(range(len(names)), names, fontsize=9)
        axes.invert_yaxis()
        axes.set_xlabel(f"{label} (95 % intervals)", fontsize=9)
        set_title(axes, title)
    return figure


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


def set_title(axes: Axes, title: str) -> None:
    """Give a picture its title, and no frame where nothing is measured."""
    axes.set_title(title, fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def finish(axes: Axes, title: str) -> None:
    """Write the title, put the legend outside."""
    set_title(axes, title)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def reach(intervals: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return how far intervals reach below and above their values, as `Axes.errorbar` takes it.

    Parameters
    ----------
    intervals : array_like, shape [n, 3]
        Value, low and high of each.

    Returns
    -------
    ndarray of float64, shape [2, n]
    """
    values, low, high = _columns(intervals)
    return np.array([values - low, high - values])


def draw_rows(axes: Axes, intervals: npt.ArrayLike, around: float) -> None:
    """Draw values with their intervals, one row each as in `reach`, and a line at the value that means nothing."""
    values = _columns(intervals)[0]
    axes.axvline(around, color=FAIR, linewidth=1, linestyle="--")
    bars = reach(intervals)
    axes.errorbar(values, range(len(values)), xerr=bars, fmt="o", markersize=4, color=INK, capsize=3)


def _columns(intervals: npt.ArrayLike) -> npt.NDArray[np.float64]:
    return np.asarray(intervals, dtype=np.float64).reshape(-1, 3).T


def files(
    name: str, picture: Figure | Callable[[], Figure], order: Sequence[str] = ("svg", "png")
) -> dict[str, str | bytes]:
    """Return the files of a picture, or of what draws it, by name, drawn in this order: drawing moves last digits."""
    figure = picture() if callable(picture) else picture
    return {f"{name}.{kind}": as_svg(figure) if kind == "svg" else as_png(figure) for kind in order}


def as_png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file."""
    return _saved(figure, "png", {"Software": None})


def as_svg(figure: Figure) -> bytes:
    """Return a figure as the bytes of an SVG file, the same whenever it is drawn."""
    return _saved(figure, "svg", {"Date": None})


def _saved(figure: Figure, form: str, metadata: dict[str, None]) -> bytes:
    file = io.BytesIO()
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(file, format=form, metadata=metadata)
    return file.getvalue()
