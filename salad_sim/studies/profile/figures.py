"""Pictures of a profile: pandas -> matplotlib, nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from salad_sim.report.figures import FAIR, INK, SETTINGS, draw_rows, reach, set_title

if TYPE_CHECKING:
    import pandas as pd

LINES = (
    ("point_card", "takes a point card", INK, "o"),
    ("two_vegetables", "takes two vegetables", "#d68c45", "s"),
    ("one_vegetable", "takes one vegetable", "#7f5539", "^"),
    ("flip", "flips a card", "#457b9d", "v"),
)

RARE = 0.02
"""Turns that a smaller share of rounds had are not drawn: their intervals would fill the picture."""


def turns(frame: pd.DataFrame, title: str) -> Figure:
    """Draw what a strategy takes and how often it flips by its own turn, with 95 % intervals.

    Parameters
    ----------
    frame : DataFrame
        The table ``turns`` of a profile.
    title : str
    """
    shown = frame[frame.turns >= RARE * frame.turns.max()]
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for name, label, colour, mark in LINES:
            low, high = shown[f"{name}_low"], shown[f"{name}_high"]
            axes.fill_between(shown.turn, low, high, color=colour, alpha=0.2, linewidth=0)
            axes.plot(shown.turn, shown[name], marker=mark, markersize=4, color=colour, label=label)
        axes.set_ylim(-0.02, 1.02)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("own turn in the round")
        axes.set_ylabel("share of turns (95 % intervals)")
        set_title(axes, title)
        axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def preferences(frame: pd.DataFrame, title: str) -> Figure:
    """Draw how many times as often as by chance each family of cards is taken, with 95 % intervals.

    Parameters
    ----------
    frame : DataFrame
        The table ``families`` of a profile; families that were never on offer are left out.
    title : str
    """
    shown = frame[frame.preference.notna()].sort_values("preference", ascending=False, kind="stable")
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.0, 1.4 + 0.27 * len(shown)), layout="constrained")
        axes = figure.add_subplot()
        draw_rows(axes, shown[["preference", "preference_low", "preference_high"]], around=1)
        axes.set_yticks(range(len(shown)), list(shown.family), fontsize=9)
        axes.invert_yaxis()
        axes.set_xlim(left=-0.05)
        axes.set_xlabel("cards taken, in multiples of chance (95 % intervals)", fontsize=9)
        set_title(axes, title)
    return figure


def endings(frame: pd.DataFrame, title: str) -> Figure:
    """Draw the share of decisions in solved endings that lose nothing, by cards left, with 95 % intervals.

    Parameters
    ----------
    frame : DataFrame
        The table ``endings`` of a profile, without the rows for all numbers of cards.
    title : str
    """
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = figure.add_subplot()
        roles = (("profiled", INK, "o", -0.08), ("opponent", FAIR, "s", 0.08))
        for role, colour, mark, aside in roles:
            shown = frame[frame.who == role]
            if len(shown):
                errors = reach(shown[["perfect", "perfect_low", "perfect_high"]])
                label = f"{shown.strategy.iloc[0]} ({role})"
                left = shown.cards_left.astype(int) + aside
                axes.errorbar(left, shown.perfect, yerr=errors, fmt=mark, color=colour, capsize=3, label=label)
        axes.set_ylim(-0.02, 1.05)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.invert_xaxis()
        axes.set_xlabel("cards left before the decision")
        axes.set_ylabel("decisions without loss (95 % intervals)")
        set_title(axes, title)
        axes.legend(frameon=False, fontsize=9)
    return figure
