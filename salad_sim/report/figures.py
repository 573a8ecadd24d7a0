"""Pictures of the tables: pandas -> matplotlib, nothing else."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
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


def tuning_history(history: pd.DataFrame, ranges: dict[str, tuple[float, float]], title: str) -> Figure:
    """Draw the search of a tuning: the value of the centre with its 95 % interval, and where the parameters were.

    Parameters
    ----------
    history : DataFrame
        As `Tuning.history_rows`.
    ranges : dict of str to (float, float)
        The range of each parameter, in which its trace is drawn.
    title : str
    """
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(8.0, 6.0), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        above.fill_between(history.generation, history.value_low, history.value_high, color=INK, alpha=0.2, linewidth=0)
        above.plot(history.generation, history.value, color=INK, label="centre of the search,\n95 % interval")
        above.set_ylabel("value of a game")
        above.set_title(title, fontsize=11)
        for number, (name, (low, high)) in enumerate(ranges.items()):
            place = (history[name] - low) / (high - low)
            style = ("-", "--", ":", "-.")[number // 10]  # there are ten colours
            below.plot(history.generation, place, style, label=f"{name} ({low:g} to {high:g})", linewidth=1)
        below.set_ylim(-0.03, 1.03)
        below.yaxis.set_major_formatter(PercentFormatter(1.0))
        below.set_ylabel("place in the range")
        below.set_xlabel("generation")
        for axes in (above, below):
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def rating_intervals(ratings: pd.DataFrame, anchor: str, title: str) -> Figure:
    """Draw the ratings of a league with their 95 % intervals, the best at the top.

    Parameters
    ----------
    ratings : DataFrame
        As `League.ratings`.
    anchor : str
        What has the rating 0, in words.
    title : str
    """
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.0, 1.4 + 0.32 * len(ratings)), layout="constrained")
        axes = figure.add_subplot()
        draw_rows(axes, ratings[["rating", "rating_low", "rating_high"]], around=0)
        for place, rating in enumerate(ratings.rating):
            axes.annotate(f"{rating:.0f}", (rating, place), xytext=(0, 5), textcoords="offset points", fontsize=8)
        names = [f"{row.rank}  {row.strategy}" for row in ratings.itertuples()]
        axes.set_yticks(range(len(ratings)), names, fontsize=9)
        axes.set_ylim(len(ratings) - 0.4, -0.7)
        axes.set_xlabel(f"Elo points above {anchor} (95 % intervals)", fontsize=9)
        set_title(axes, title)
    return figure


def cross_table(cross: pd.DataFrame, title: str) -> Figure:
    """Draw how often each strategy finished above each other one as a map of colours.

    Parameters
    ----------
    cross : DataFrame
        As `League.cross`; strategies are drawn in the order of its rows.
    title : str
    """
    names = list(dict.fromkeys(cross.strategy))
    shares = cross.pivot(index="strategy", columns="opponent", values="share").loc[names, names]
    with matplotlib.rc_context(SETTINGS):
        side = 2.4 + 0.55 * len(names)
        figure = Figure(figsize=(side + 1.2, side), layout="constrained")
        axes = figure.add_subplot()
        image = axes.imshow(shares, cmap="BrBG", vmin=0, vmax=1)
        for row, one in enumerate(names):
            for column, other in enumerate(names):
                share = shares.loc[one, other]
                if share == share:  # NaN where they did not meet
                    ink = "white" if abs(share - 0.5) > 0.3 else "black"
                    text = f"{100 * share:.0f}"
                    axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=8)
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=9)
        axes.set_yticks(range(len(names)), names, fontsize=9)
        axes.set_xlabel("this one", fontsize=9)
        axes.set_ylabel("share of games in which this one finished above", fontsize=9)
        axes.set_title(title, fontsize=11)
        bar = figure.colorbar(image, ax=axes, format=PercentFormatter(1.0), shrink=0.8)
        bar.set_label("of the games in which both sat", fontsize=9)
        bar.outline.set_visible(False)
    return figure


def set_title(axes: Axes, title: str) -> None:
    """Give a picture its title, and no frame where nothing is measured."""
    axes.set_title(title, fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


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
