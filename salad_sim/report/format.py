"""Numbers of a report in words: shares in per cent, differences in percentage points, chances."""

from __future__ import annotations

import math

from salad_sim.report.markdown import signed
from salad_sim.stats.intervals import Estimate

POINTS = 100
"""Percentage points in a whole."""


LOOKS = (
    "It was looked at after fixed numbers of deals, and all intervals are as wide as keeps their coverage in spite of "
    "the looks (alpha spending, Lan and DeMets 1983)"
)
"""What is to be known of intervals that end a study once they are narrow."""


def ended_early(what: str, interrupted: bool) -> str:
    """Return what is added to an answer if Ctrl-C ended the games."""
    return f"\n\n{what} was interrupted; this is what was played until then." if interrupted else ""


def in_points(difference: Estimate) -> Estimate:
    """Return a difference of shares in percentage points."""
    return Estimate(*(POINTS * bound for bound in difference))


def percent(share: Estimate, digits: int = 2) -> str:
    """Return a share with its interval in per cent, as ``51.02 [50.80, 51.24]``."""
    return number(in_points(share), digits)


def number(value: Estimate, digits: int = 2) -> str:
    """Return a number with its interval; empty if it is not known."""
    if math.isnan(value.value):
        return ""
    if math.isnan(value.low):
        return f"{value.value:.{digits}f}"
    return f"{value.value:.{digits}f} [{value.low:.{digits}f}, {value.high:.{digits}f}]"


def points(difference: Estimate, digits: int = 2) -> str:
    """Return a difference of shares in percentage points with its interval and sign."""
    return signed(*difference, scale=POINTS, digits=digits)


def chance(p_value: float) -> str:
    """Return a p-value as people read it."""
    if math.isnan(p_value):
        return ""
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def factor_in_words(value: float, low: float, high: float) -> str:
    """Return a factor with its interval; without bounds where they are not known."""
    if math.isinf(value):
        return "without limit"
    if low == 0 or math.isinf(high):
        return f"{value:.2f}"
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"
