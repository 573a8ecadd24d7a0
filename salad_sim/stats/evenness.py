"""How even the seats are under several rules, on the same games: which is the most even one, and is that certain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salad_sim.jit.typing import Floats
from salad_sim.stats.deal_sums import DealSums
from salad_sim.stats.intervals import Estimate
from salad_sim.stats.simultaneous import bonferroni_quantile


@dataclass(frozen=True)
class Evenness:
    """How far the seats' win shares are from fair under each rule, and whether one rule is more even than another.

    Attributes
    ----------
    rules : tuple of str
    deviations : list of float
        By rule: root mean square of the shares' distances from fair, what chance adds to it taken off.
    best : str
        The rule with the smallest.
    excess : dict of str to Estimate
        By rule other than the best: its mean squared distance less that of the best, paired on the same games. The
        intervals hold for all pairs of rules at once, whichever came out best: above 0 means less even for certain.
    """

    rules: tuple[str, ...]
    deviations: list[float]
    best: str
    excess: dict[str, Estimate]

    @property
    def surpassed(self) -> list[str]:
        """Rules that are less even than the best one for certain."""
        return [rule for rule, each in self.excess.items() if each.low > 0]

    @property
    def open(self) -> list[str]:
        """Rules that may be as even as the best one, or more."""
        return [rule for rule in self.excess if rule not in self.surpassed]


def evenness(sums: DealSums, rules: Sequence[str], whole: int, quantile: float | None = None) -> Evenness:
    """Compare rules by how even they leave the seats.

    The variance of the squared distance follows from that of the shares (delta method). Where two rules are both about
    fair its intervals are too wide rather than too narrow: rather undecided than wrong.

    Parameters
    ----------
    sums : DealSums
        Wins by seat under the first rule, under the second, ...
    rules : sequence of str
    whole : int
        What a whole win counts.
    quantile : float, optional
        Half-width in standard errors; by default that of Bonferroni's inequality for all pairs of rules.

    References
    ----------
    Lehmann and Casella, Theory of Point Estimation (1998), section 1.8 (delta method); Hsu, Multiple Comparisons
    (1996), chapter 4 (why all pairs: the best one is chosen by the same games).
    """
    n_rules = len(rules)
    n_seats = len(sums) // n_rules
    distances = (sums.means / whole - 1 / n_seats).reshape(n_rules, n_seats)
    covariance = (sums.covariance() / whole**2).reshape(n_rules, n_seats, n_rules, n_seats)
    noise = np.array([np.trace(covariance[rule, :, rule]) for rule in range(n_rules)])
    squared = ((distances**2).sum(axis=1) - noise) / n_seats
    chosen = bonferroni_quantile(n_rules * (n_rules - 1) // 2) if quantile is None else quantile
    best = int(squared.argmin())
    excess = {}
    for rule in range(n_rules):
        if rule != best:
            value = float(squared[rule] - squared[best])
            half = chosen * math.sqrt(max(_variance(covariance, distances, rule, best), 0.0)) / n_seats
            excess[rules[rule]] = Estimate(value, value - half, value + half)
    deviations = [math.sqrt(max(float(each), 0.0)) for each in squared]
    return Evenness(tuple(rules), deviations, rules[best], excess)


def _variance(covariance: Floats, distances: Floats, one: int, other: int) -> float:
    """Return the variance of the difference of two sums of squared distances."""
    found = 0.0
    for sign, (a, b) in ((1, (one, one)), (1, (other, other)), (-1, (one, other)), (-1, (other, one))):
        found += sign * 4 * float(distances[a] @ covariance[a, :, b] @ distances[b])
    return found
