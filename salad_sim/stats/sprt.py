"""The generalised sequential probability ratio test over pairs of games: stop as soon as the results allow.

Two hypotheses about the Elo difference, H0: at most elo0, and H1: at least elo1, are weighed by the likelihood ratio of
the best distribution of pair results with the one mean and with the other. Nothing else is assumed about the
distribution: a pair (both seat orders of a deal) is the unit, so what its two games have in common is accounted for.

The ratio is looked at only after fixed numbers of pairs, taken in the order of the deals. Where the test stops does
therefore not depend on who played which deal first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salad_sim.errors import InputError
from salad_sim.stats.deal_sums import WHOLE
from salad_sim.stats.elo import share_of_elo

WHOLE_PAIR = 2 * WHOLE
"""What A has won of a pair of which it won both games."""

ACCEPT_H0 = "accept H0"
ACCEPT_H1 = "accept H1"
GO_ON = "go on"

FEWEST_PAIRS = 20
"""Pairs before the first look and between looks; later looks are a fiftieth of the pairs apart."""

LOOKS_PER_DOUBLING = 50
MOST_ELO = 1000.0
EDGE = 1e-15
"""Part of a range that is left out at its ends, where a slope may be infinite; and how exact a root is."""


@dataclass(frozen=True)
class SprtState:
    """Where a test stands.

    Attributes
    ----------
    llr : float
        Logarithm of the generalised likelihood ratio of H1 to H0.
    lower, upper : float
        At or below ``lower`` H0 is accepted, at or above ``upper`` H1.
    decision : {"accept H0", "accept H1", "go on"}
    """

    llr: float
    lower: float
    upper: float
    decision: str


@dataclass(frozen=True)
class Sprt:
    """A test of H0: the Elo difference is at most ``elo0`` against H1: it is at least ``elo1``.

    Attributes
    ----------
    elo0, elo1 : float
        -1000 <= elo0 < elo1 <= 1000, on the logistic scale.
    alpha, beta : float
        The rates of wrongly accepting H1 (at elo0) and H0 (at elo1), in [0.0001, 0.4999].

    Raises
    ------
    InputError
        If a number is out of range.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise InputError(
                "SPRT: the first Elo difference must be below the second, both from -1000 to 1000, "
                f"not {self.elo0:g} and {self.elo1:g}"
            )
        for name in ("alpha", "beta"):
            if not 0.0001 <= getattr(self, name) <= 0.4999:
                raise InputError(f"SPRT: {name} must be from 0.0001 to 0.4999, not {getattr(self, name):g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log likelihood ratio, lower and upper.

        References
        ----------
        Wald, Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16 (1945) 117-186.
        """
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def state(self, counts: npt.ArrayLike) -> SprtState:
        """Return where the test stands.

        Parameters
        ----------
        counts : array_like of int, shape [121]
            How many pairs A won 0, 1, ... 120 sixtieths of.
        """
        of_each = np.asarray(counts)
        found = np.flatnonzero(of_each)
        results = [(int(each) / WHOLE_PAIR, int(of_each[each])) for each in found]
        llr = log_likelihood_ratio(results, share_of_elo(self.elo0), share_of_elo(self.elo1))
        lower, upper = self.bounds
        decision = ACCEPT_H1 if llr >= upper else ACCEPT_H0 if llr <= lower else GO_ON
        return SprtState(llr, lower, upper, decision)

    def line(self, state: SprtState) -> str:
        """Return the test and where it stands in the short form that chess programs use."""
        return (
            f"SPRT [{self.elo0:g}, {self.elo1:g}] Elo, alpha {self.alpha:g}, beta {self.beta:g}: "
            f"LLR {state.llr:+.2f} ({state.lower:.2f}, {state.upper:.2f}), {state.decision}"
        )


def sprt(wins_of_pairs: npt.ArrayLike, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> SprtState:
    """Return where a sequential test stands after some pairs.

    The error rates hold if the test ends at its first decision, not if one looks on.

    Parameters
    ----------
    wins_of_pairs : array_like of int, shape [n_pairs]
        What A won of each pair, in sixtieths of a game: 0..120.
    elo0, elo1, alpha, beta : float
        As in `Sprt`.

    Raises
    ------
    InputError
        If a number is out of range.
    """
    return Sprt(elo0, elo1, alpha, beta).state(count_results(wins_of_pairs))


def looks(n_pairs: int) -> Iterator[int]:
    """Yield the numbers of pairs after which a sequential method looks at the results; the last is ``n_pairs``."""
    look = 0
    while look < n_pairs:
        look = min(look + max(FEWEST_PAIRS, look // LOOKS_PER_DOUBLING), n_pairs)
        yield look


def count_results(wins_of_pairs: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return how many pairs A won 0, 1, ... 120 sixtieths of; shape [121].

    Raises
    ------
    ValueError
        If a number is not an integer from 0 to 120.
    """
    wins = np.asarray(wins_of_pairs)
    if wins.size == 0:
        return np.zeros(WHOLE_PAIR + 1, dtype=np.int64)
    if not np.issubdtype(wins.dtype, np.integer) or wins.min() < 0 or wins.max() > WHOLE_PAIR:
        raise ValueError(f"what A won of a pair is an integer from 0 to {WHOLE_PAIR}, in sixtieths of a game")
    return np.bincount(wins, minlength=WHOLE_PAIR + 1)


def log_likelihood_ratio(results: Iterable[tuple[float, int]], share0: float, share1: float) -> float:
    """Return the log of the largest likelihood with mean ``share1`` over that with mean ``share0``.

    Parameters
    ----------
    results : iterable of (float, int)
        Different results of pairs, from 0 to 1, and how often each was seen.
    share0, share1 : float
        In (0, 1).

    References
    ----------
    Van den Bergh, The generalized maximum likelihood ratio for the expectation value of a distribution (2019),
    https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf, proposition 1.1; used for pairs of chess games on the
    testing framework of Stockfish. Li, Liu and Ying, Generalized sequential probability ratio test for separate
    families of hypotheses, Sequential Analysis 33 (2014) 539-563: error rates and optimality when they are small.
    """
    seen = list(results)
    return deficit(seen, share0) - deficit(seen, share1)


def deficit(results: list[tuple[float, int]], share: float) -> float:
    """Return how much log likelihood is lost if the mean must be ``share``.

    The best distribution on [0, 1] with that mean gives result a, seen n times, the weight n / (1 + x (a - share)),
    where x makes the weights add up; the loss is the maximum over x of the sum of n log(1 + x (a - share)). At the ends
    of the range of x the best distribution also puts weight on 0 or on 1 although that result was never seen: so the
    loss is finite when all results lie on one side of ``share``, and no invented pairs are needed.

    References
    ----------
    Owen, Empirical Likelihood (2001) (the dual); Honda and Takemura, An asymptotically optimal bandit algorithm for
    bounded support models, COLT 2010 (results bounded to [0, 1]).
    """
    terms = [(result - share, count) for result, count in results if result != share]
    low, high = -1 / (1 - share), 1 / share

    def slope(x: float) -> float:
        return sum(count * gap / (1 + x * gap) for gap, count in terms)

    # the sum is concave in x and 0 at x = 0, so its slope falls; at the ends of the range it may be infinite
    edge = EDGE * (high - low)
    if not terms or slope(low + edge) <= 0:
        best = low
    elif slope(high - edge) >= 0:
        best = high
    else:
        from scipy.optimize import brentq

        best = float(brentq(slope, low + edge, high - edge, xtol=EDGE, rtol=EDGE))
    return math.fsum(count * math.log1p(best * gap) for gap, count in terms)
