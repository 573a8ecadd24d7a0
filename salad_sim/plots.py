"""Pictures of the tables: pandas -> matplotlib, nothing else."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

if TYPE_CHECKING:
    import pandas as pd

INK = "#1b4332"
FAIR = "#9a9a9a"
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
        below = seats.win_share - seats.win_share_low
        above = seats.win_share_high - seats.win_share
        axes.axhline(1 / len(seats), color=FAIR, linewidth=1, linestyle="--", label="fair share")
        axes.errorbar(
            seats.seat, seats.win_share, yerr=[below, above], fmt="o", color=INK, capsize=5, label="95 % interval"
        )
        for seat, share in zip(seats.seat, seats.win_share, strict=True):
            axes.annotate(f"{100 * share:.2f} %", (seat, share), xytext=(9, 4), textcoords="offset points", color=INK)
        names = [f"seat {seat}\n{strategy}" for seat, strategy in zip(seats.seat, seats.strategy, strict=True)]
        axes.set_xticks(seats.seat, names)
        axes.set_xlim(0.5, len(seats) + 0.7)
        axes.margins(y=0.2)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_ylabel("win share")
        axes.set_title(title, fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
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
        places = list(range(len(names)))
        middle = [value for value, _, _ in values]
        axes.axvline(0, color=FAIR, linewidth=1, linestyle="--")
        axes.errorbar(
            middle,
            places,
            xerr=[[value - low for value, low, _ in values], [high - value for value, _, high in values]],
            fmt="o",
            markersize=4,
            color=INK,
            capsize=3,
        )
        axes.set_yticks(places, names, fontsize=9)
        axes.invert_yaxis()
        axes.set_xlabel(f"{label} (95 % intervals)", fontsize=9)
        axes.set_title(title, fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


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
