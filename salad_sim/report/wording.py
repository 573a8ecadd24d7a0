"""Numbers of a report in words: shares in per cent, differences in percentage points, chances."""

from __future__ import annotations

import math

from salad_sim.analysis.statistics import Estimate
from salad_sim.report.markdown import signed

POINTS = 100
"""Percentage points in a whole."""


def percent(share: Estimate, digits: int = 2) -> str:
    """Return a share with its interval in per cent, as ``51.02 [50.80, 51.24]``."""
    return number(Estimate(*(POINTS * bound for bound in share)), digits)


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
