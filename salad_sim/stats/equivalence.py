"""Are the seats fair? Not only "do they differ", but also "are they within a margin that nobody would notice"."""

from __future__ import annotations

import math
from dataclasses import dataclass

from salad_sim.errors import InputError
from salad_sim.stats.deal_sums import WHOLE, DealSums
from salad_sim.stats.intervals import Estimate, likelihood_above
from salad_sim.stats.shares import from_fair, seat_shares

MARGIN = 0.005
"""A difference in win share that counts as none, by default: 0.5 percentage points. 200,000 games can tell it: their
intervals of seats that are exactly fair are 0.22 to 0.25 points to each side."""

FAIR = "fair within the margin"
DIFFERS = "differs from fair"
UNDECIDED = "not decided"


@dataclass(frozen=True)
class SeatVerdict:
    """What the games say about one seat.

    Attributes
    ----------
    seat : int
        From 0.
    share, difference : Estimate
        Win share, and how far it is from 1/n, with intervals that hold for all seats at once.
    verdict : str
        `FAIR`, `DIFFERS` or `UNDECIDED`.
    detected : bool
        Whether the interval of the difference excludes 0. It may do so and yet lie within the margin: a difference
        that is real and too small to matter.
    p_value : float
        Of the hypothesis that this seat is off by the margin or more: two one-sided tests, for this seat alone.
    """

    seat: int
    share: Estimate
    difference: Estimate
    verdict: str
    detected: bool
    p_value: float


@dataclass(frozen=True)
class Fairness:
    """What the games say about all seats.

    Attributes
    ----------
    margin : float
    seats : list of SeatVerdict
    verdict : str
        `FAIR` if all seats are, `DIFFERS` if any seat does, else `UNDECIDED`.
    p_value : float
        Of the hypothesis that some seat is off by the margin or more: the largest of the seats, which needs no
        correction (intersection-union test). For a number of games that was fixed beforehand.
    """

    margin: float
    seats: list[SeatVerdict]
    verdict: str
    p_value: float


def check_margin(given: float | str, n_seats: int) -> float:
    """Return the margin as a number.

    Raises
    ------
    InputError
        If it is not above 0 and below a fair share.
    """
    try:
        margin = float(given)
    except (TypeError, ValueError):
        margin = math.nan
    if not 0 < margin < 1 / n_seats:
        raise InputError(
            f"margin is a difference in win share that counts as none, above 0 and below a fair share of "
            f"{1 / n_seats:.4g} as in {MARGIN}, not {given!r}"
        )
    return margin


def games_to_decide(difference: Estimate, margin: float, n_games: int) -> int:
    """Return about how many games a verdict would need, if the difference stays what it is; 0 if it has one.

    An interval narrows with the root of the games. It has to exclude 0, or to lie within the margin, whichever comes
    first.
    """
    if judge(difference, margin) != UNDECIDED or math.isnan(difference.low):
        return 0
    off = abs(difference.value)
    half = (difference.high - difference.low) / 2
    return math.ceil(n_games * (half / max(off, margin - off)) ** 2)


def judge(difference: Estimate, margin: float) -> str:
    """Return the verdict on a difference from fair: its whole interval within the margin, off 0, or neither.

    An interval that lies within the margin and excludes 0 counts as fair within the margin: a difference was found, and
    it is too small to matter.
    """
    if -margin < difference.low and difference.high < margin:
        return FAIR
    return DIFFERS if difference.low > 0 or difference.high < 0 else UNDECIDED


def fairness(sums: DealSums, margin: float = MARGIN, whole: int = WHOLE, quantile: float | None = None) -> Fairness:
    """Judge whether each seat, and the game, is fair within a margin.

    A seat is called fair if its whole interval lies within the margin. With simultaneous 95 % intervals the
    probability of any false verdict, of either kind on any seat, is then at most about 5 %; two one-sided tests at 5 %
    would use the narrower 90 % intervals one by one, and their p-values are given beside.

    Parameters
    ----------
    sums : DealSums
        Wins by seat.
    margin : float
        As from `check_margin`.
    whole, quantile
        As in `shares.seat_shares`.

    References
    ----------
    Schuirmann, A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence
    of average bioavailability, J. Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680; Berger and Hsu,
    Bioequivalence trials, intersection-union tests and equivalence confidence sets, Statistical Science 11 (1996)
    283-319.
    """
    shares = seat_shares(sums, whole, quantile)
    seats = []
    for seat, (share, difference) in enumerate(zip(shares, from_fair(shares), strict=True)):
        detected = difference.low > 0 or difference.high < 0
        p_value = _off_by_margin(sums, seat, margin, whole)
        seats.append(SeatVerdict(seat, share, difference, judge(difference, margin), detected, p_value))
    verdicts = {each.verdict for each in seats}
    overall = DIFFERS if DIFFERS in verdicts else FAIR if verdicts == {FAIR} else UNDECIDED
    return Fairness(margin, seats, overall, max(each.p_value for each in seats))


def _off_by_margin(sums: DealSums, seat: int, margin: float, whole: int) -> float:
    """Return the p-value of the two one-sided score tests."""
    fair = 1 / len(sums)
    counted = int(sums.total[seat]), int(sums.products[seat, seat]), sums.n_deals, sums.n_games, whole
    too_high = likelihood_above(fair + margin, *counted)
    too_low = 1 - likelihood_above(fair - margin, *counted)
    return max(too_high, too_low)
