"""Exact p-values for counts that somebody brings: of games won, and of pairs of games."""

from __future__ import annotations

import numpy as np
from scipy import stats

from salad_sim.jit.typing import Floats


def binomial_p(won: int, played: int, share: float = 0.5) -> float:
    """Return how likely independent games are to come out as far from ``share`` as these, or further: two-sided.

    Parameters
    ----------
    won, played : int
        0 <= won <= played, played at least 1.
    share : float
        What is expected of each game, in (0, 1).

    References
    ----------
    Clopper and Pearson, Biometrika 26 (1934) 404-413; two-sided by the method of small likelihoods, as in scipy.
    """
    return float(stats.binomtest(won, played, share).pvalue)


def swapped_pairs_p(counts: tuple[int, int, int, int, int]) -> float:
    """Return the exact two-sided p-value of pairs of games, if it is open which of the two players is called A.

    Among equals a pair of which A won 1.5 games is as likely as one of which A won 0.5, and so 2 and 0. Given how many
    pairs were decided by one game and by half a game, what A won above one half is then a sum of two binomials.

    Parameters
    ----------
    counts : tuple of five int
        Pairs of which A won 0, 1/2, 1, 3/2 and 2 games.
    """
    lost, less, _, more, won = counts
    n_whole, n_half = lost + won, less + more
    # in half games, A less B: whole pairs count 2, half pairs 1; both sums start at their lowest
    whole = np.zeros(2 * n_whole + 1)
    whole[::2] = _coins(n_whole)
    chances = np.convolve(whole, _coins(n_half))
    # index k of `chances` stands for 2 k - (2 n_whole + n_half)
    seen = abs(2 * (won - lost) + (more - less))
    sizes = np.abs(2 * np.arange(len(chances)) - (2 * n_whole + n_half))
    return float(min(1.0, chances[sizes >= seen].sum()))


def _coins(n: int) -> Floats:
    """Return the chances of 0..n heads of n coins."""
    found: Floats = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    return found


def games_to_tell(share: float, power: float, error: float, fair: float = 0.5) -> int:
    """Return how many independent games show, with ``power``, that a share is not ``fair``.

    Parameters
    ----------
    share, fair : float
        In (0, 1), different.
    power : float
        Chance to find the difference, in (0, 1).
    error : float
        Chance to claim one where there is none, two-sided, in (0, 1).

    References
    ----------
    The normal approximation; Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions (2003), 2.5.
    """
    if share == fair:
        raise ValueError("no number of games shows a difference of nothing")
    under_null = stats.norm.isf(error / 2) * np.sqrt(fair * (1 - fair))
    under_true = stats.norm.isf(1 - power) * np.sqrt(share * (1 - share))
    return int(np.ceil(((under_null + under_true) / abs(share - fair)) ** 2))
