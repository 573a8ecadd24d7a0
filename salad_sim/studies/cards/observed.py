"""What games show of each card: how often it is seen, taken, kept and flipped, what it scores, and who wins with it.

This is what a log of games can tell. It measures who keeps a card as much as what the card does.

Names follow the public metrics of 17Lands (https://www.17lands.com/metrics_definitions) where the meaning is the same:

=======================  ===============================================================================================
here                     there
=======================  ===============================================================================================
``last_seen``            ALSA, average last seen at: the pick at which the card could last be taken, here a seat's turn
``taken_at``             ATA, average taken at
``win_share_taken``      GIH WR, win rate of the games in which the player had the card in hand at some time
``win_share_kept``       GP WR, win rate of those who play the card: here, who has it in front of them at the end
``win_share_not_kept``   GNS WR, win rate of the games without it; there of decks that hold the card, here of the seats
                         that did not keep it
``improvement_win``      IIH (formerly IWD), improvement in hand (when drawn): win rate with the card less that without
=======================  ===============================================================================================

Nobody starts with a card or draws one blindly here, so OH WR and GD WR have no counterpart; what is nearest to an
opening hand is the gift, see `card_causal`.

*Observed value.* The three estimates of a card's value, observed, adjusted and causal, answer one question in one unit:
by how much a seat's margin over the mean of the others, and its win share, is higher if the seat has the card than if
nobody has it. Margins of a game's seats sum to zero and win shares to one, so the observed answers are the holder's
mean margin, and its win share less 1/n. The first is the slope of a regression, within games, of the score on who keeps
this one card. Holders less all others, ``improvement_margin`` and ``improvement_win``, is another quantity: what the
holder gains the others lose, so it is larger, by up to n / (n - 1) times.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from salad_sim.game.cards import CardSet
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Row
from salad_sim.play.card_sums import LEAST_BIN, N_BINS, CardSums, total
from salad_sim.stats.intervals import Estimate, Z, deviation, mean, proportion, student
from salad_sim.stats.ratios import UNKNOWN, Ratios, columns, rate

QUANTILES = (0.1, 0.5, 0.9)


def observed_rows(sums: CardSums, cards: CardSet) -> list[Row]:
    """Return one row for each card, in the order of the set.

    Returns
    -------
    list of dict
        ``card_id``; ``card``: its text; ``back``; counts of ``games``: ``games_in_deck``, ``games_seen``,
        ``games_taken``, ``games_kept``. Each of the rest with its 95 % interval ``_low``, ``_high``, NaN where no game
        can tell:

        - shares of games: ``in_deck`` (of all), ``seen`` (on top of a pile when a seat was to move; of those in the
          deck), ``taken_when_seen``, ``kept`` and ``market`` (of those in the deck), ``flipped`` (of those taken);
          ``pick_rate``: of the turns at which the card could be taken for its points;
        - ``taken_at``, ``last_seen``: the seat's own turn, from 1;
        - when kept: mean ``points``, and ``points_sd`` (no interval); shares ``zero`` and ``negative``; quantiles
          ``points_10``, ``points_50``, ``points_90``, of which those in an end bin are bounds;
        - win shares of who kept it, who took it, of the seats that could take it and did not (``left``), and of all
          seats that did not keep a card of the deck: ``win_share_kept``, ``_taken``, ``_left``, ``_not_kept``;
        - ``observed_margin`` (points) and ``observed_win`` (win share), see the head of this file, and
          ``improvement_margin``, ``improvement_win``: mean of the holders less mean of the other seats, in games with
          the card in the deck.
    """
    sums_of_cards = total(sums.cards)
    n_games, n = int(sums.n_games.sum()), sums.n_players
    rows = []
    for card, found in zip(cards, sums_of_cards, strict=True):
        one = {name: int(found[name]) for name in found.dtype.names if found[name].ndim == 0}
        row: Row = {
            "card_id": card.card_id,
            "card": card.text,
            "back": cards.labels[card.back],
            "games": n_games,
            "games_in_deck": one["dealt"],
            "games_seen": one["seen"],
            "games_taken": one["taken"],
            "games_kept": one["kept"],
        }
        estimates = _handling(one, n_games) | _points(one, found["points_at"]) | _wins(one, n) | _values(one, n)
        for name, estimate in estimates.items():
            row |= columns(name, estimate)
        row["points_sd"] = _deviation(one)
        rows.append(row)
    return rows


def distribution_rows(sums: CardSums, cards: CardSet) -> list[Row]:
    """Return how often each card scored how much when it was kept, only what occurred.

    Returns
    -------
    list of dict
        ``card_id``, ``card``, ``points``; ``end``: ``or less`` and ``or more`` at the ends of what is told apart, else
        empty; ``games``; ``share`` of the games in which it was kept, with its 95 % interval.
    """
    rows = []
    for card, counts in zip(cards, total(sums.cards)["points_at"], strict=True):
        n_kept = int(counts.sum())
        for place in np.flatnonzero(counts):
            games = int(counts[place])
            end = {0: "or less", N_BINS - 1: "or more"}.get(int(place), "")
            row: Row = {"card_id": card.card_id, "card": card.text, "points": LEAST_BIN + int(place), "end": end}
            rows.append(row | {"games": games} | columns("share", _share(games, n_kept)))
    return rows


def _share(part: int, whole: int) -> Estimate:
    """Return in what share of some games something happens."""
    return proportion(part, part, whole, whole) if whole else UNKNOWN


def _mean(sum_of: int, squares: int, n_games: int) -> Estimate:
    return mean(sum_of, squares, n_games, n_games) if n_games else UNKNOWN


def _win_share(sum_of: int, squares: int, n_games: int) -> Estimate:
    return proportion(sum_of, squares, n_games, n_games, WHOLE_WIN) if n_games else UNKNOWN


def _scaled(estimate: Estimate, divisor: float, less: float = 0.0) -> Estimate:
    return Estimate(*(bound / divisor - less for bound in estimate))


def _ratios(x: int, y: int, squares: tuple[int, int, int], n_games: int) -> Ratios:
    """Return sums over games as ratios of one cell; squares are of x, of x and y, and of y."""
    return Ratios(*(np.array([part], dtype=np.int64) for part in (x, y, *squares, n_games)))


def _deviation(one: dict[str, int]) -> float:
    return deviation(one["points"], one["points_squared"], one["kept"]) if one["kept"] else math.nan


def _handling(one: dict[str, int], n_games: int) -> dict[str, Estimate]:
    """Return what happens to a card."""
    looks = _ratios(one["looks"], one["taken"], (one["looks_squared"], one["taken_looks"], one["taken"]), one["seen"])
    return {
        "in_deck": _share(one["dealt"], n_games),
        "seen": _share(one["seen"], one["dealt"]),
        "pick_rate": rate(looks),
        "taken_when_seen": _share(one["taken"], one["seen"]),
        "taken_at": _mean(one["taken_at"], one["taken_at_squared"], one["taken"]),
        "last_seen": _mean(one["last_seen"], one["last_seen_squared"], one["seen"]),
        "kept": _share(one["kept"], one["dealt"]),
        "flipped": _share(one["flipped"], one["taken"]),
        "market": _share(one["market"], one["dealt"]),
    }


def _points(one: dict[str, int], counts: npt.NDArray[np.int64]) -> dict[str, Estimate]:
    """Return what a card scores when kept."""
    return {
        "points": _mean(one["points"], one["points_squared"], one["kept"]),
        "zero": _share(one["zero"], one["kept"]),
        "negative": _share(one["negative"], one["kept"]),
    } | {f"points_{round(100 * level)}": quantile(counts, level) for level in QUANTILES}


def quantile(counts: npt.NDArray[np.int64], level: float) -> Estimate:
    """Return a quantile of the points of a card, the least points that this share of the games does not exceed.

    Parameters
    ----------
    counts : ndarray of int64, shape [N_BINS]
        Games by points.
    level : float
        In (0, 1).

    Returns
    -------
    Estimate
        Its bounds are the quantiles at the ends of the normal interval of a share ``level`` of so many games; NaN
        without a game.

    References
    ----------
    David and Nagaraja, Order Statistics (3rd ed., 2003), section 7.1 (distribution-free intervals for quantiles).
    """
    n = int(counts.sum())
    if not n:
        return UNKNOWN
    half = Z * math.sqrt(level * (1 - level) / n)
    up_to = np.cumsum(counts)
    ranks = (max(1, math.ceil(min(1.0, max(0.0, share)) * n)) for share in (level, level - half, level + half))
    return Estimate(*(float(LEAST_BIN + np.searchsorted(up_to, rank)) for rank in ranks))


def _wins(one: dict[str, int], n: int) -> dict[str, Estimate]:
    """Return how often the seats that did something with a card win."""
    dealt, kept, won, won_squared = one["dealt"], one["kept"], one["wins_kept"], one["wins_kept_squared"]
    left = _ratios(
        one["left"],
        one["wins_left"],
        (one["left_squared"], one["left_wins"], one["wins_left_squared"]),
        one["seen"],
    )
    # in each game with the card in the deck, n seats less the holder share a whole win less the holder's part
    not_kept = _ratios(
        n * dealt - kept,
        WHOLE_WIN * dealt - won,
        (
            n * n * dealt - (2 * n - 1) * kept,
            WHOLE_WIN * n * dealt - WHOLE_WIN * kept - (n - 1) * won,
            WHOLE_WIN**2 * dealt - 2 * WHOLE_WIN * won + won_squared,
        ),
        dealt,
    )
    return {
        "win_share_kept": _win_share(won, won_squared, kept),
        "win_share_taken": _win_share(one["wins_taken"], one["wins_taken_squared"], one["taken"]),
        "win_share_left": rate(left, unit=WHOLE_WIN),
        "win_share_not_kept": rate(not_kept, unit=WHOLE_WIN),
    }


def _values(one: dict[str, int], n: int) -> dict[str, Estimate]:
    """Return the observed value of a card."""
    kept, dealt = one["kept"], one["dealt"]
    margins = one["dev"], one["dev_squared"]
    wins = one["wins_kept"], one["wins_kept_squared"]
    return {
        "observed_margin": _scaled(_mean(*margins, kept), n - 1),
        "observed_win": _scaled(_mean(*wins, kept), WHOLE_WIN, 1 / n),
        "improvement_margin": _scaled(holders_less_others(*margins, kept, dealt, n, 0), n - 1),
        "improvement_win": _scaled(holders_less_others(*wins, kept, dealt, n, WHOLE_WIN), WHOLE_WIN),
    }


def holders_less_others(sum_of: int, squares: int, n_kept: int, n_dealt: int, n: int, whole: int) -> Estimate:
    """Return the mean over the seats that kept a card less that over all other seats of games with it in the deck.

    Both are ratios over games. Their difference varies between games as the sum of a game's parts in it, the residuals
    of the two ratios each divided by its number of seats (linearisation).

    Parameters
    ----------
    sum_of, squares : int
        Of the holders' values, and of their squares.
    n_kept, n_dealt : int
        Games in which the card was kept, and was in the deck.
    n : int
        Seats of a game.
    whole : int
        What the values of the seats of a game sum to.

    Returns
    -------
    Estimate
        95 %, Student's with the holders' degrees of freedom; NaN if nobody kept the card.

    References
    ----------
    Cochran, Sampling Techniques (3rd ed., 1977), section 2.11 and chapter 6 (ratios and their comparison).
    """
    if not n_kept:
        return UNKNOWN
    n_others = n * n_dealt - n_kept
    holders = sum_of / n_kept
    others = (whole * n_dealt - sum_of) / n_others
    if n_kept == 1:
        return Estimate(holders - others, math.nan, math.nan)
    # a game's part is slope * (value - mean of the holders) + step if the card was kept, else rest
    slope = 1 / n_kept + 1 / n_others
    step = -(whole - holders - others * (n - 1)) / n_others
    rest = -(whole - others * n) / n_others
    about_mean = (n_kept * squares - sum_of * sum_of) / n_kept
    parts = slope**2 * about_mean + n_kept * step**2 + (n_dealt - n_kept) * rest**2
    half = student(n_kept - 1) * math.sqrt(parts * n_kept / (n_kept - 1))
    return Estimate(holders - others, holders - others - half, holders - others + half)
