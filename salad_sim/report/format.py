"""Numbers in words: the one place that writes a value with its interval; chances, sentences that recur."""

from __future__ import annotations

import math

from salad_sim.stats.intervals import Estimate

POINTS = 100
"""Percentage points in a whole."""

LOOKS = (
    "It was looked at after fixed numbers of deals, and all intervals are as wide as keeps their coverage in spite of "
    "the looks (alpha spending, Lan and DeMets 1983)"
)
"""What is to be known of intervals that end a study once they are narrow."""

NOT_KNOWN = "[not known]"
"""What stands for an interval that the games cannot tell, where something has to."""


def ended_early(what: str, interrupted: bool) -> str:
    """Return what is added to an answer if Ctrl-C ended the games."""
    return f"\n\n{what} was interrupted; this is what was played until then." if interrupted else ""


def interval(
    value: float,
    low: float,
    high: float,
    digits: int = 2,
    scale: float = 1,
    sign: str = "",
    unit: str = "",
    unknown: str = "",
    least: int = 0,
) -> str:
    """Return a value with its interval, as ``51.02 % [50.80, 51.24]``; empty if the value is not known.

    Of one without an end, such as the Elo difference of a clean sweep, the end that is known is told: ``above +166.2``.

    Parameters
    ----------
    value, low, high : float
    digits : int
        Decimals at most; there are no more than the interval is good for, see `decimals`.
    scale : float
        What all three are multiplied by.
    sign : {"", "+"}
        "+" writes the sign of a positive number too.
    unit : str
        Stands behind the value.
    unknown : str
        Stands for an interval that is not known.
    least : int
        Decimals at least, where people expect them.
    """
    if math.isnan(value):
        return ""
    if math.isinf(value):
        side, end = ("above", low) if value > 0 else ("below", high)
        return f"{side} {scale * end:{sign}.{digits}f}{unit}" if math.isfinite(end) else unknown
    digits = max(least, decimals(scale * (high - low) / 2, digits))
    bounds = bracket(low, high, digits, scale, sign, least) or unknown
    return f"{rounded(scale * value, digits):{sign}.{digits}f}{unit} {bounds}".rstrip()


def bracket(low: float, high: float, digits: int = 2, scale: float = 1, sign: str = "", least: int = 0) -> str:
    """Return an interval alone, as ``[50.80, 51.24]``; empty if it is not known."""
    if math.isnan(low):
        return ""
    digits = max(least, decimals(scale * (high - low) / 2, digits))
    low, high = rounded(scale * low, digits), rounded(scale * high, digits)
    return f"[{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"


def rounded(value: float, digits: int) -> float:
    """Return a number with so many decimals; what comes to nothing has no minus."""
    return round(value, digits) + 0.0


def number(value: Estimate, digits: int = 2) -> str:
    """Return a number with its interval."""
    return interval(*value, digits)


def percent(share: Estimate, digits: int = 2, unit: str = "") -> str:
    """Return a share with its interval in per cent."""
    return interval(*share, digits, POINTS, unit=unit)


def points(difference: Estimate, digits: int = 2) -> str:
    """Return a difference of shares in percentage points with its interval and sign, as ``+1.20 [+0.80, +1.60]``."""
    return signed(*difference, POINTS, digits)


def signed(value: float, low: float, high: float, scale: float = 1.0, digits: int = 2) -> str:
    """Return a difference with its interval, as ``+1.20 [+0.80, +1.60]``."""
    return interval(value, low, high, digits, scale, "+")


def in_points(difference: Estimate) -> Estimate:
    """Return a difference of shares in percentage points."""
    return Estimate(*(POINTS * bound for bound in difference))


def decimals(half_width: float, most: int = 4) -> int:
    """Return how many decimals an interval is good for: the last one is the first digit of its half-width.

    This is the one rule of all tables and sentences. Where nothing varies or nothing is known, as many as there may be.
    """
    if not half_width > 0 or math.isinf(half_width):
        return most
    return max(0, min(most, math.floor(-math.log10(half_width)) + 1))


def chance(p_value: float) -> str:
    """Return a p-value as people read it."""
    if math.isnan(p_value):
        return ""
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"
