"""Pictures of a league: pandas -> matplotlib, nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from salad_sim.report.figures import SETTINGS, draw_rows, set_title

if TYPE_CHECKING:
    import pandas as pd


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
        axes.set_xlabel(f"rating, points above {anchor} (95 % intervals)", fontsize=9)
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
