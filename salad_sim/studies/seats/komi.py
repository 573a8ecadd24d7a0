"""Komi: how many points given to the later seats would make all seats win equally often.

Found from the scores of games that were played without: who would have won them with the points. Players who know of
the points may play otherwise; only games with the points in force can tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import numpy.typing as npt

from salad_sim.errors import InputError
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Floats, Ints
from salad_sim.stats.deal_sums import DealSums
from salad_sim.stats.intervals import Estimate, Z
from salad_sim.stats.shares import seat_shares
from salad_sim.stats.simultaneous import joint_quantile

NEWTON_STEPS = 30
SWEEPS = 200
"""Rounds over the seats where Newton's method finds no way."""

SMALLEST = 1e-10
"""Directions in which shares change by less than this part of the largest change are not told."""

CLOSE = 1e-9
"""How near to a fair share counts as equal."""


@dataclass(frozen=True)
class Komi:
    """Points that make seats equal.

    Attributes
    ----------
    points : list of Estimate
        By seat, the first having 0. Fractions are shares of games: 1.4 is 1 point in 60 % of the games and 2 in 40 %,
        drawn for each seat on its own. Bounds hold for all seats at once; they are infinite where games cannot tell.
    recommended : list of int
        By seat: the whole points near them that leave the best and the worst seat closest.
    shares : list of Estimate
        Win shares that the same games would have had with the recommended points; simultaneous intervals.
    without : list of Estimate
        Win shares without points.
    equal : bool
        Whether ``points`` equalise the shares of these games exactly. If not they come as near as was found: a few
        games may have no such points.
    """

    points: list[Estimate]
    recommended: list[int]
    shares: list[Estimate]
    without: list[Estimate]
    equal: bool


@dataclass
class Scores:
    """Scores of games by seat, and who wins what with points added.

    Attributes
    ----------
    scores : ndarray of int64, shape [n_deals, n_games, n_seats]
    priority : ndarray of int64, broadcasts to that shape
        Of seats with equal totals, the higher wins; equal priorities share.
    counts : ndarray of int64, shape [n_deals]
        How often each deal occurred.
    """

    scores: Ints
    priority: Ints
    counts: Ints
    _cell: tuple[tuple[int, ...], Floats] | None = field(default=None, repr=False)

    @property
    def n_seats(self) -> int:
        """Seats."""
        return int(self.scores.shape[2])

    @property
    def n_deals(self) -> int:
        """Deals, each as often as it occurred."""
        return int(self.counts.sum())

    def wins(self, points: Sequence[int]) -> Ints:
        """Return wins by deal and seat with whole points added, in sixtieths, shape [n_deals, n_seats]."""
        spread = int(np.ptp(self.priority)) + 1
        keys = (self.scores + np.asarray(points, dtype=np.int64)) * spread + self.priority
        top = keys == keys.max(axis=2, keepdims=True)
        won: Ints = (top * (WHOLE_WIN // top.sum(axis=2, keepdims=True))).sum(axis=1)
        return won

    def sums(self, points: Sequence[int]) -> DealSums:
        """Return the sums of wins with whole points added."""
        won = self.wins(points)
        weighted = won * self.counts[:, None]
        return DealSums(self.n_deals, self.scores.shape[1], weighted.sum(axis=0), weighted.T @ won)

    def corners(self, floor: tuple[int, ...]) -> Floats:
        """Return mean shares by deal at the whole points around, shape [2, ..., 2, n_deals, n_seats].

        One axis for each seat but the first: its points rounded down or up. The last cell asked for is kept.
        """
        if self._cell is None or self._cell[0] != floor:
            ups = product((0, 1), repeat=self.n_seats - 1)
            found = np.array([self.wins([0, *(f + up for f, up in zip(floor, each, strict=True))]) for each in ups])
            shape = (2,) * (self.n_seats - 1) + found.shape[1:]
            self._cell = floor, found.reshape(shape) / (WHOLE_WIN * self.scores.shape[1])
        return self._cell[1]

    def at(self, points: Floats) -> tuple[Floats, Floats]:
        """Return shares by deal with fractional points, and how the mean shares change with the points.

        Parameters
        ----------
        points : ndarray of float64, shape [n_seats - 1]
            Of the seats but the first.

        Returns
        -------
        ndarray of float64, shape [n_deals, n_seats]
        ndarray of float64, shape [n_seats, n_seats - 1]
        """
        floor = np.floor(points)
        parts = points - floor
        corners = self.corners(tuple(floor.astype(int).tolist()))
        weights = self.counts / self.n_deals
        means = np.tensordot(corners, weights, axes=([self.n_seats - 1], [0]))  # [2, ..., 2, n_seats]
        slopes = []
        for seat in range(self.n_seats - 1):
            up, down = np.take(means, 1, axis=seat), np.take(means, 0, axis=seat)
            slopes.append(_mix(up - down, np.delete(parts, seat)))
        by_points: Floats = np.array(slopes).T
        return _mix(corners, parts), by_points

    def off_fair(self, points: Floats) -> tuple[Floats, Floats]:
        """Return how far the shares of the seats but the first are from fair, and the slopes of these."""
        shares, slopes = self.at(points)
        off: Floats = (self.counts @ shares / self.n_deals)[1:] - 1 / self.n_seats
        return off, slopes[1:]


def _mix(corners: Floats, parts: Floats) -> Floats:
    """Return the mean over corners if each seat is rounded up with the probability of its fraction."""
    for part in parts:
        corners = corners[0] * (1 - part) + corners[1] * part
    return corners


def priority_of(tie_break: str, n_seats: int) -> Ints:
    """Return the priorities of seats with equal totals for a tie-break that looks at seats only.

    Raises
    ------
    InputError
        If it is none of "later", "earlier" and "shared".
    """
    orders = {"later": np.arange(n_seats), "earlier": -np.arange(n_seats), "shared": np.zeros(n_seats, dtype=np.int64)}
    if tie_break not in orders:
        raise InputError(f"the order of seats with equal totals is one of {', '.join(orders)}, not {tie_break!r}")
    return orders[tie_break].astype(np.int64)


def komi_from_scores(scores: npt.ArrayLike, tie_break: str | Ints = "later") -> Komi:
    """Find the points that make all seats win equally often, from the scores of games.

    Parameters
    ----------
    scores : array of int, shape [n_deals, n_games, n_seats] or [n_games, n_seats]
        Points by seat; games of one deal stand together. A few ten thousand games suffice, and 2**n_seats times as many
        numbers are held in memory.
    tie_break : str or ndarray of int64
        As in `priority_of`, or the priority of each seat in each game, in the shape of ``scores``.

    Returns
    -------
    Komi
        With two seats the interval holds the points at which the interval of the first seat's share contains one half;
        with more, it comes from that of the shares by the delta method, deals being the clusters.
    """
    values = np.asarray(scores, dtype=np.int64)
    if values.ndim == 2:
        values = values[:, None, :]
    priority = priority_of(tie_break, values.shape[2]) if isinstance(tie_break, str) else tie_break
    if priority.ndim == 2:
        priority = priority[:, None, :]
    return _komi(Scores(values, priority, np.ones(len(values), dtype=np.int64)))


def _komi(games: Scores) -> Komi:
    points = _solve(games)
    equal = bool(np.abs(games.off_fair(points)[0]).max() <= CLOSE)
    estimates = _from_two_seats(games, points) if games.n_seats == 2 else _by_delta_method(games, points)
    around = [sorted({math.floor(each), math.ceil(each)}) for each in points]
    recommended = min(product([0], *around), key=lambda whole: (_gap(games, whole), sum(map(abs, whole))))
    return Komi(
        points=[Estimate(0.0, 0.0, 0.0), *estimates],
        recommended=list(recommended),
        shares=seat_shares(games.sums(recommended)),
        without=seat_shares(games.sums([0] * games.n_seats)),
        equal=equal,
    )


def _gap(games: Scores, points: Sequence[int]) -> int:
    total = games.sums(points).total
    return int(total.max() - total.min())


def _solve(games: Scores) -> Floats:
    """Return the points of the seats but the first, by Newton's method from the differences of the mean scores."""
    means = np.average(games.scores.mean(axis=1), axis=0, weights=games.counts)
    points: Floats = means[0] - means[1:]
    off, slopes = games.off_fair(points)
    for _ in range(NEWTON_STEPS):
        size = np.abs(off).max()
        if size <= CLOSE:
            return points
        if _is_singular(slopes):
            break
        step = np.linalg.solve(slopes, off)
        for _ in range(10):
            tried, tried_slopes = games.off_fair(points - step)
            if np.abs(tried).max() < size:
                break
            step = step / 2
        else:
            break
        points, off, slopes = points - step, tried, tried_slopes
    return _sweep(games, points)


def _is_singular(slopes: Floats) -> bool:
    """Return whether shares do not tell all points, whatever the scale of the scores."""
    sizes = np.linalg.svd(slopes, compute_uv=False)
    return not sizes[-1] > SMALLEST * sizes[0]


def _sweep(games: Scores, points: Floats) -> Floats:
    """Return the points, changing those of one seat at a time: its share only rises with them."""
    points = points.copy()
    reach = int(np.ptp(games.scores)) * games.n_seats + games.n_seats
    for _ in range(SWEEPS):
        for seat in range(len(points)):
            low, high = -reach, reach  # the share is at most fair at low, at least at high
            while high - low > 1:
                middle = (low + high) // 2
                points[seat] = middle
                low, high = (middle, high) if games.off_fair(points)[0][seat] <= 0 else (low, middle)
            points[seat] = low
            below = games.off_fair(points)[0][seat]
            points[seat] = high
            above = games.off_fair(points)[0][seat]
            points[seat] = low - below / (above - below) if above > below else low
        if np.abs(games.off_fair(points)[0]).max() <= CLOSE:
            break
    return points


def _from_two_seats(games: Scores, points: Floats) -> list[Estimate]:
    """Return the points of the second seat with those at which the first seat's interval contains one half."""
    value = float(points[0])
    bounds = []
    for way, which in ((-1, "low"), (1, "high")):
        inner = math.ceil(value) if way < 0 else math.floor(value)  # where the interval holds one half
        before = 0.0
        reach = int(np.ptp(games.scores)) * 2 + 2
        for distance in range(reach + 1):
            share = seat_shares(games.sums([0, inner + way * distance]))[0]
            beyond = getattr(share, which) - 0.5  # more points for the second seat lower the first seat's share
            if beyond * way < 0:
                gone = before / (before - beyond)
                edge = inner + way * (distance - 1 + gone)
                bounds.append(min(edge, value) if way < 0 else max(edge, value))
                break
            before = beyond
        else:
            bounds.append(way * math.inf)
    return [Estimate(value, bounds[0], bounds[1])]


def _by_delta_method(games: Scores, points: Floats) -> list[Estimate]:
    n = games.n_deals
    shares, slopes = games.at(points)
    if n == 1 or _is_singular(slopes[1:]):
        return [Estimate(float(each), -math.inf, math.inf) for each in points]
    off = shares[:, 1:] - games.counts @ shares[:, 1:] / n
    scatter = (off * games.counts[:, None]).T @ off
    # z**2 deals of the worst case, one seat wins all games of a deal, as in `shares.seats_equal`
    worst = np.eye(games.n_seats - 1) / games.n_seats - 1 / games.n_seats**2
    between = (scatter * n / (n - 1) + Z * Z * worst) / (n + Z * Z)
    inverse = np.linalg.inv(slopes[1:])
    covariance = inverse @ between @ inverse.T / n
    halves = joint_quantile(covariance, n - 1) * np.sqrt(np.diag(covariance))
    return [
        Estimate(float(each), float(each - half), float(each + half)) for each, half in zip(points, halves, strict=True)
    ]
