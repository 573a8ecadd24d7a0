"""Sums over deals -> rates and means of parts that vary from deal to deal, with intervals by the routines of the house.

How many turns, offers or flips a deal has is chance, too. The spread of a ratio y / x is therefore that of the deals'
residuals, y less the ratio times x, which take the place of the deviations from the mean (linearisation). With as many
in every deal it is the same as for any other rate.

Source: Cochran, Sampling Techniques (3rd ed., 1977), sections 2.11 and 3.12 (ratios, proportions over clusters).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from salad_sim.jit.typing import Ints
from salad_sim.stats.intervals import UNKNOWN, Estimate, columns, mean, proportion

__all__ = ["UNKNOWN", "average", "columns", "rate"]


@dataclass
class Ratios:
    """Rates or means y / x, one in each cell, as sums over deals.

    Attributes
    ----------
    x, y, xx, xy, yy : ndarray of int64, shape [n_cells]
        Sums over deals of the deal's x and y, of their squares and of their product.
    deals : ndarray of int64, shape [n_cells]
        Deals in which x is not zero.
    """

    x: Ints
    y: Ints
    xx: Ints
    xy: Ints
    yy: Ints
    deals: Ints

    @classmethod
    def of_deals(cls, x: Ints, y: Ints) -> Ratios:
        """Return the sums of x and y, both of shape [n_deals, n_cells]; an x of one cell serves for all."""
        x = np.broadcast_to(x, y.shape)
        return cls(x.sum(0), y.sum(0), (x * x).sum(0), (x * y).sum(0), (y * y).sum(0), (x != 0).sum(0))

    def __add__(self, other: Ratios) -> Ratios:
        """Return the sums over the deals of both, which must be different ones."""
        return Ratios(*(mine + theirs for mine, theirs in zip(self.parts, other.parts, strict=True)))

    @property
    def parts(self) -> tuple[Ints, ...]:
        """All sums."""
        return self.x, self.y, self.xx, self.xy, self.yy, self.deals


def rate(ratios: Ratios, cell: int = 0, unit: int = 1) -> Estimate:
    """Return y / x of a cell as a proportion with Wilson's interval for an effective number of cases.

    Parameters
    ----------
    ratios : Ratios
    cell : int
    unit : int
        What a whole case counts in y.

    Returns
    -------
    Estimate
        In [0, 1], 95 %; NaN if x is zero.
    """
    total, squares, n_deals, n_cases = _sums(ratios, cell)
    return proportion(total, squares, n_deals, n_cases, unit) if n_cases else UNKNOWN


def average(ratios: Ratios, cell: int = 0, least: float = -math.inf) -> Estimate:
    """Return y / x of a cell as a mean with Student's interval.

    Parameters
    ----------
    ratios : Ratios
    cell : int
    least : float
        What y / x cannot be below; the interval ends there.

    Returns
    -------
    Estimate
        95 %; NaN if x is zero, the bounds NaN if only one deal has any, or if y is zero in all: how seldom it is not
        zero cannot be told from cases in which it is.
    """
    total, squares, n_deals, n_cases = _sums(ratios, cell)
    if not n_cases:
        return UNKNOWN
    found = mean(total, squares, n_deals, n_cases)
    if not total and not squares:
        return Estimate(found.value, math.nan, math.nan)
    return Estimate(found.value, max(found.low, least), found.high)


def _sums(ratios: Ratios, cell: int) -> tuple[int, Any, int, int]:
    """Return y, the sum of squares that its deviations would have if they were the residuals, the deals, and x.

    Exact, as integers and a fraction: differences of large squares lose no digit.
    """
    x, y, xx, xy, yy, n_deals = (int(part[cell]) for part in ratios.parts)
    if not x:
        return 0, 0, 0, 0
    residuals = Fraction(x * x * yy - 2 * x * y * xy + y * y * xx, x * x)
    return y, residuals + Fraction(y * y, n_deals), n_deals, x
