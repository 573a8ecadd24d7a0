"""Stopping when it is precise: fixed checkpoints, and intervals that keep their coverage although one looks often.

Intervals are looked at after fixed numbers of deals, and the first look at which all of them are narrow enough ends the
run. Each look may err with a part of the 5 % only, so that all looks together err with no more than that: alpha
spending. How much has been spent by a look depends on how precise the ordinary interval is by then, not on where it
lies, and most is kept for the looks that can end the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from statistics import NormalDist

import numpy as np

from salad_sim.errors import InputError
from salad_sim.jit.typing import Floats
from salad_sim.stats.intervals import LEVEL

FIRST = 1_000
"""Deals before the first look, by default."""

GROWTH = 1.25
"""Each checkpoint is this many times the one before."""

POWER = 18.0
"""How sharply the spending rises about the moment when the ordinary interval is narrow enough: what is spent on looks
before the last one is lost to it. Between 14 and 24 hardly matters."""

EARLIEST = 0.25
"""Before the squared precision is this part of the wanted one nothing is spent (it would be next to nothing)."""

MOST_AT_ONCE = 0.9
"""Part of what is left that a look may spend, but for the last: a width that was underestimated leaves no run stuck."""

WIDEST = 8.0
"""Quantile of looks that have nothing to spend: they find an error with probability 1e-15."""

POINTS = 257
"""Grid points of the numerical integration."""


@dataclass(frozen=True)
class Checkpoints:
    """The numbers of deals after which a run is looked at: fixed beforehand, whatever the results and the workers.

    Attributes
    ----------
    first : int
        Deals before the first look, at least 1.
    most : int
        Deals before the last look, at least ``first``; a smaller number moves the first look to it.
    """

    first: int
    most: int

    def __iter__(self) -> Iterator[int]:
        n_deals = min(self.first, self.most)
        while n_deals < self.most:
            yield n_deals
            n_deals = max(n_deals + 1, round(n_deals * GROWTH))
        yield self.most


def check_precision(given: float | str, of: str = "the widest interval", as_in: float = 0.001) -> float:
    """Return the half-width that is asked for as a number; ``of`` and ``as_in`` tell the user what it is.

    Raises
    ------
    InputError
        If it is not above 0 and below 0.5.
    """
    try:
        half_width = float(given)
    except (TypeError, ValueError):
        half_width = math.nan
    if not 0 < half_width < 0.5:
        raise InputError(f"precision is the half-width of {of}, above 0 and below 0.5 as in {as_in}, not {given!r}")
    return half_width


@dataclass(frozen=True)
class Look:
    """One look at a run.

    Attributes
    ----------
    n_deals : int
        Deals played so far.
    quantile : float
        Half-width in standard errors that intervals at this look must have.
    half_width : float
        The widest half-width with this quantile.
    precise : bool
        Whether that is narrow enough: the run ends.
    expected_deals : int
        How many deals will be needed, about.
    """

    n_deals: int
    quantile: float
    half_width: float
    precise: bool
    expected_deals: int


@dataclass
class PrecisionWatch:
    """Decides when all intervals of a run are narrow enough, with coverage kept.

    Let t = (precision / half-width of the ordinary interval) squared, which grows like the number of deals and is 1
    when the ordinary interval is narrow enough. By then alpha * t**18 / (1 + t**18) of the error has been spent, and at
    the last checkpoint all of it. The quantile of each look follows from the joint normal distribution of the looks, by
    numerical integration. A run ends at t between 1.07 and 1.36, as the checkpoints are a quarter apart, with a
    quantile of 1.02 to 1.13 times the ordinary one.

    A confidence sequence (`intervals.any_time_quantile`) would allow a look after every deal, at a quantile of at
    least 1.54 times the ordinary one, that is 2.4 times the deals; as the looks are fixed, that freedom is not needed.

    Attributes
    ----------
    precision : float
        Half-width that is asked for.
    most : int
        The last checkpoint.
    n_intervals : int
        Intervals that shall hold at once, by Bonferroni's inequality.

    Notes
    -----
    Spending by information is valid if the precision does not depend on the estimate, as holds for means of many deals.

    References
    ----------
    Lan and DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70 (1983) 659-663 (alpha spending);
    Kim and DeMets, Biometrika 74 (1987) 149-154 (power functions for it; the one here has no end); Armitage, McPherson
    and Rowe, Repeated significance tests on accumulating data, J. Royal Statistical Society A 132 (1969) 235-244 (the
    integration); Mehta and Tsiatis, Flexible sample size considerations using information-based interim monitoring,
    Drug Information J. 35 (2001) 1095-1112.
    """

    precision: float
    most: int
    n_intervals: int = 1
    _boundary: Boundary = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._boundary = Boundary((1 - LEVEL) / self.n_intervals)

    @property
    def ordinary(self) -> float:
        """The quantile that one look at a number of deals fixed beforehand would need."""
        return NormalDist().inv_cdf(1 - self._boundary.alpha / 2)

    def look(self, n_deals: int, widest: Callable[[float], float]) -> Look:
        """Look at the run, at each checkpoint in turn.

        Parameters
        ----------
        n_deals : int
            More than at the look before.
        widest : callable
            Returns the half-width of the widest interval of the deals so far for a quantile.
        """
        ordinary = widest(self.ordinary)
        time = (self.precision / ordinary) ** 2 if ordinary > 0 else math.inf
        quantile = self._boundary.next(n_deals, 1.0 if n_deals >= self.most else self._may_spend(time))
        half = widest(quantile)
        expected = self.most if time == 0 else min(self.most, math.ceil(1.3 * n_deals / time))
        precise = half <= self.precision
        return Look(n_deals, quantile, half, precise, n_deals if precise else max(expected, n_deals))

    def _may_spend(self, time: float) -> float:
        gone = self._boundary.spent / self._boundary.alpha
        return min(spent_share(time), gone + MOST_AT_ONCE * (1 - gone))


def half_width(low: float, high: float) -> float:
    """Return half the width of an interval."""
    return (high - low) / 2


def spent_share(time: float) -> float:
    """Return the part of the error that may have been spent when the squared precision is ``time`` of the wanted."""
    return 1 / (1 + time**-POWER) if time > EARLIEST else 0.0


class Boundary:
    """The quantiles of successive looks at a normal random walk that together err with probability ``alpha``.

    The walk is the sum of what n deals bring, of variance n; a look at n errs if the walk is beyond quantile * sqrt(n)
    to either side. Kept is the density of walks that no look so far has found beyond its bound.
    """

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.spent = 0.0
        self.n_deals = 0
        self.points: Floats = np.zeros(1)
        self.masses: Floats = np.ones(1)

    def next(self, n_deals: int, spent_share: float) -> float:
        """Return the quantile of a look after ``n_deals``, by which ``spent_share`` of alpha may have been spent.

        Raises
        ------
        ValueError
            If there are no more deals than at the look before.
        """
        if n_deals <= self.n_deals:
            raise ValueError(f"a look after {n_deals} deals follows one after {self.n_deals}: looks go forwards")
        if spent_share == 0:
            return WIDEST
        step = math.sqrt(n_deals - self.n_deals)
        root = math.sqrt(n_deals)
        allowed = self.alpha * spent_share - self.spent
        quantile = self._solve(step, root, allowed)
        self.spent += self._beyond(quantile * root, step)
        self._go_on(quantile * root, step)
        self.n_deals = n_deals
        return quantile

    def _beyond(self, bound: float, step: float) -> float:
        """Return the probability that a look finds the walk beyond its bound, and no look before did."""
        from scipy.special import ndtr

        upper, lower = ndtr((self.points - bound) / step), ndtr((-self.points - bound) / step)
        return float(self.masses @ (upper + lower))

    def _solve(self, step: float, root: float, allowed: float) -> float:
        from scipy.optimize import brentq

        def excess(quantile: float) -> float:
            return self._beyond(quantile * root, step) - allowed

        if excess(WIDEST) >= 0:
            return WIDEST
        return float(brentq(excess, 0.0, WIDEST, xtol=1e-14)) if excess(0.0) > 0 else 0.0

    def _go_on(self, bound: float, step: float) -> None:
        """Let the walk take its step and keep what stays within the bound (Gauss-Legendre integration)."""
        nodes, weights = _nodes()
        points, widths = nodes * bound, weights * bound
        kernel = np.exp(-0.5 * ((points[:, None] - self.points[None, :]) / step) ** 2) / (step * math.sqrt(2 * math.pi))
        self.masses = (kernel @ self.masses) * widths
        self.points = points


@cache
def _nodes() -> tuple[Floats, Floats]:
    """Return the points of Gauss-Legendre integration over [-1, 1] and their weights."""
    return np.polynomial.legendre.leggauss(POINTS)
