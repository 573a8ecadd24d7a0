"""The picture of a tuning: pandas -> matplotlib, nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from salad_sim.report.figures import INK, SETTINGS

if TYPE_CHECKING:
    import pandas as pd


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
