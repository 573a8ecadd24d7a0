"""What each card causes: the same deal played with the card given or offered to a seat, and without; the bias of logs.

A gift lies in front of a seat from the start; an offer lies on top of a pile for one of its turns, and is taken back if
the seat leaves it. In both games of a pair the deal, the strategies and the random streams are the same, and the dealer
chose card and seat, so the difference in the seat's margin over the mean of the others, and in its win share, is the
effect of the card. The unit is the pair; a deal gives a card once at most and offers it once at most at a turn of the
table. One deal may serve several cards, whose means are then correlated.

*When a card is worth taking.* At some turns an offer is certainly worth more than nothing, all turns together with
97.5 % (one-sided, Bonferroni); the first and the last of them are when the card begins and stops to pay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salad_sim.game.cards import Card, CardSet
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Floats, Ints, Row
from salad_sim.play.card_sums import GiftSums
from salad_sim.stats.intervals import LEVEL, Estimate, Z, mean, proportion
from salad_sim.stats.ratios import UNKNOWN, columns

LEAST_OFFERS = 30
"""Offers at a turn from which it is tested."""

LEAST_PAIRS = 2
"""Pairs from which a spread can be told."""

KNOWN_PAIRS = 100
"""Pairs from which means are normal enough, and their covariance known well enough, to rank and to test cards."""


class GiftValues(NamedTuple):
    """The causal values of all cards, NaN where there are fewer than two pairs.

    Attributes
    ----------
    margin, win : ndarray of float64, shape [n_cards]
        Gain in margin over the mean of the others, in points, and in win share.
    margin_covariance, win_covariance : ndarray of float64, shape [n_cards, n_cards]
        Of these; positive semidefinite where known.
    pairs : ndarray of int64, shape [n_cards]
    """

    margin: Floats
    margin_covariance: Floats
    win: Floats
    win_covariance: Floats
    pairs: Ints


def gift_values(sums: GiftSums, least: int = LEAST_PAIRS) -> GiftValues:
    """Return the causal values and how they vary together; of cards with fewer than ``least`` pairs nothing is known.

    The covariance of the means of two cards is the sum, over the deals that served both, of the products of what is
    above the two means, divided by the numbers of pairs of both. It is the matrix of products of the vectors that hold,
    for each card, the deals' deviations divided by the card's number of pairs, zero where the card was not given; so it
    is positive semidefinite also where not all deals served all cards. Each card is scaled by k / (k - 1), k its pairs,
    so that the diagonal is the usual squared standard error. Sums are whole numbers and subtracted as such; only the
    last division rounds, and an eigenvalue that it leaves below zero is set to zero.
    """
    pairs: Ints = sums.gifts["pairs"].astype(np.int64)
    margin = _means(sums, "dev", "dev_dev", float(sums.n_players - 1), least)
    win = _means(sums, "wins", "wins_wins", float(WHOLE_WIN), least)
    return GiftValues(*margin, *win, pairs)


def _means(sums: GiftSums, name: str, products: str, unit: float, least: int) -> tuple[Floats, Floats]:
    """Return means and their covariance."""
    gifts = sums.gifts
    told = np.flatnonzero(gifts["pairs"] >= least)
    n_cards = len(gifts)
    value, covariance = np.full(n_cards, np.nan), np.full((n_cards, n_cards), np.nan)
    value[told] = gifts[name][told] / gifts["pairs"][told] / unit
    pick = np.ix_(told, told)
    # whole numbers of any size: products of sums may exceed 64 bits
    pairs, total = gifts["pairs"][told].astype(object), gifts[name][told].astype(object)
    deals, part, product = (sums.cross[field][pick].astype(object) for field in ("deals", name, products))
    diagonal = np.diag_indices(len(told))
    deals[diagonal], part[diagonal] = pairs, total
    product[diagonal] = gifts[f"{name}_squared"][told].astype(object)
    both = np.multiply.outer(pairs, pairs)
    about_means = (
        both * product
        - np.multiply.outer(pairs, total) * part
        - np.multiply.outer(total, pairs) * part.T
        + np.multiply.outer(total, total) * deals
    )
    scale = np.sqrt([k / (k - 1) for k in pairs]) / unit
    found = (about_means / (both * both)).astype(np.float64) * np.outer(scale, scale)
    covariance[pick] = _semidefinite(found)
    return value, covariance


def _semidefinite(matrix: Floats) -> Floats:
    """Return a symmetric matrix whose negative eigenvalues, if any, are set to zero."""
    matrix = (matrix + matrix.T) / 2
    if not matrix.size:
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= 0:
        return matrix
    found: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return found


def gift_rows(sums: GiftSums, cards: CardSet) -> list[Row]:
    """Return one row for each card, in the order of the set.

    Returns
    -------
    list of dict
        ``card_id``, ``card``; ``gift_pairs``; with 95 % intervals ``_low``, ``_high``: ``gift_margin`` (points over the
        mean of the others), ``gift_win`` (win share), ``gift_own`` (own points), ``gift_kept`` (share of the games in
        which it was not flipped); ``gift_points``: its mean points if kept (no interval). NaN where no pair can tell.
    """
    n = sums.n_players
    rows = []
    for card, found in zip(cards, sums.gifts, strict=True):
        pairs, kept = int(found["pairs"]), int(found["kept"])
        row: Row = _name(card) | {"gift_pairs": pairs}
        row |= columns("gift_margin", _gain(found, "dev", pairs, n - 1))
        row |= columns("gift_win", _gain(found, "wins", pairs, WHOLE_WIN))
        row |= columns("gift_own", _gain(found, "own", pairs, 1))
        row |= columns("gift_kept", proportion(kept, kept, pairs, pairs) if pairs else UNKNOWN)
        rows.append(row | {"gift_points": int(found["points"]) / kept if kept else math.nan})
    return rows


def gift_seat_rows(sums: GiftSums, cards: CardSet) -> list[Row]:
    """Return one row for each card and seat that was given it.

    Returns
    -------
    list of dict
        ``card_id``, ``card``; ``seat``, from 1; ``gift_pairs``; ``gift_margin`` with its 95 % interval.
    """
    n = sums.n_players
    return [
        _name(card)
        | {"seat": seat + 1, "gift_pairs": int(found["at_seat"][seat])}
        | columns(
            "gift_margin",
            _scaled_mean(
                int(found["dev_at_seat"][seat]),
                int(found["dev_squared_at_seat"][seat]),
                int(found["at_seat"][seat]),
                n - 1,
            ),
        )
        for card, found in zip(cards, sums.gifts, strict=True)
        for seat in range(n)
    ]


def offer_rows(sums: GiftSums, cards: CardSet) -> list[Row]:
    """Return one row for each card and turn at which it was offered.

    Returns
    -------
    list of dict
        ``card_id``, ``card``; ``turn`` of the seat, from 1, the last standing for later ones, too; ``offers``; with
        95 % intervals ``_low``, ``_high``: ``offer_taken`` (share), ``offer_margin`` (points) and ``offer_win`` (win
        share) for each offer, taken or not, and ``taken_margin`` for each that was taken: the seat chose these.
    """
    return [
        _name(card) | {"turn": turn + 1} | _offer_columns(found, sums.n_players)
        for card, by_turn in zip(cards, sums.offers, strict=True)
        for turn, found in enumerate(by_turn)
        if found["offers"]
    ]


def offer_card_rows(sums: GiftSums, cards: CardSet) -> list[Row]:
    """Return one row for each card that was offered, all turns pooled, each offer counting alike.

    Where a card has more offers than gifts, a deal offers it at several turns. How these go together is not counted;
    intervals are then as wide as if all offers of a deal were alike, which is too wide rather than too narrow.

    Returns
    -------
    list of dict
        ``card_id``, ``card``; as in `offer_rows`; ``pays_from``, ``pays_to``, see `pays`.
    """
    rows = []
    for card, by_turn, gifts in zip(cards, sums.offers, sums.gifts, strict=True):
        found = {name: int(by_turn[name].sum()) for name in by_turn.dtype.names}
        if found["offers"]:
            alike = int(np.count_nonzero(by_turn["offers"])) if found["offers"] > gifts["pairs"] else 1
            row = _name(card) | _offer_columns(found, sums.n_players, alike)
            first, last = pays(by_turn, sums.n_players) or (None, None)
            rows.append(row | {"pays_from": first, "pays_to": last})
    return rows


def pays(by_turn: npt.NDArray[np.void], n_players: int) -> tuple[int, int] | None:
    """Return the first and the last turn at which being offered a card is certainly worth more than nothing in margin.

    All turns together with 97.5 %, see the head of this file; those with few offers are not tested, which tell little
    and would make all others less certain.

    Parameters
    ----------
    by_turn : ndarray of dtype OFFER, shape [n_turns]
    n_players : int

    Returns
    -------
    (int, int) or None
        From 1; None if it pays at no turn for certain.
    """
    tested = np.flatnonzero(by_turn["offers"] >= LEAST_OFFERS)
    certain = []
    for turn in tested:
        found = by_turn[turn]
        quantile = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / len(tested))
        n_offers = int(found["offers"])
        if mean(int(found["dev"]), int(found["dev_squared"]), n_offers, n_offers, quantile).low > 0:
            certain.append(int(turn) + 1)
    return (certain[0], certain[-1]) if certain else None


def bias(observed: Estimate, causal: Estimate) -> Estimate:
    """Return observed less causal, from independent games.

    The half-widths of both add as squares; for intervals of means that is the usual standard error of a difference.

    References
    ----------
    Zou and Donner, Construction of confidence limits about effect measures: a general approach, Statistics in Medicine
    27 (2008) 1693-1702 (limits of a difference from those of its parts).
    """
    value = observed.value - causal.value
    low = value - math.hypot(observed.value - observed.low, causal.high - causal.value)
    high = value + math.hypot(observed.high - observed.value, causal.value - causal.low)
    return Estimate(value, low, high)


def bias_rows(observed: Sequence[Row], gifts: Sequence[Row]) -> list[Row]:
    """Return the mistake of values from logs: what is observed less what the gift causes.

    A gift is free, while who keeps a card spent a turn on it: what is common to all cards is mostly the price of a
    turn, and only what differs between cards misleads a ranking.

    Parameters
    ----------
    observed : sequence of dict
        Of `observed.observed_rows`.
    gifts : sequence of dict
        Of `gift_rows`, of the same cards in the same order, from other games.

    Returns
    -------
    list of dict
        ``card_id``, ``card``; ``bias_margin`` (points), ``bias_win`` (win share), with 95 % intervals.
    """
    return [
        {"card_id": seen["card_id"], "card": seen["card"]}
        | columns("bias_margin", bias(estimate_of(seen, "observed_margin"), estimate_of(gift, "gift_margin")))
        | columns("bias_win", bias(estimate_of(seen, "observed_win"), estimate_of(gift, "gift_win")))
        for seen, gift in zip(observed, gifts, strict=True)
    ]


def relative_bias(observed: Sequence[Row], values: GiftValues) -> list[Estimate]:
    """Return by how many points of margin each card's bias is above the mean bias of all cards.

    A gift costs nothing, a card that is kept has cost a turn: that is in the bias of every card, and no mistake of a
    ranking. What is left here is. The noise of the observed means is taken for independent between cards, that of the
    gifts is as their covariance says.

    Parameters
    ----------
    observed : sequence of dict
        Of `observed.observed_rows`, of all cards.
    values : GiftValues
        Of the same cards.
    """
    seen = np.array([estimate_of(row, "observed_margin") for row in observed])
    errors = (seen[:, 2] - seen[:, 1]) / (2 * Z)
    known = np.isfinite(seen).all(axis=1) & np.isfinite(values.margin)
    found = [UNKNOWN] * len(observed)
    if known.sum() < LEAST_PAIRS:
        return found
    less_mean = np.eye(known.sum()) - 1 / known.sum()
    noise = values.margin_covariance[np.ix_(known, known)] + np.diag(errors[known] ** 2)
    bias = less_mean @ (seen[known, 0] - values.margin[known])
    half = Z * np.sqrt(np.diag(less_mean @ noise @ less_mean))
    for card, value, width in zip(np.flatnonzero(known), bias, half, strict=True):
        found[card] = Estimate(float(value), float(value - width), float(value + width))
    return found


def estimate_of(row: Row, name: str) -> Estimate:
    """Return three columns of a row as an estimate."""
    return Estimate(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _name(card: Card) -> Row:
    return {"card_id": card.card_id, "card": card.text}


def _scaled_mean(sum_of: int, squares: int, n_pairs: int, unit: int) -> Estimate:
    if not n_pairs:
        return UNKNOWN
    return Estimate(*(bound / unit for bound in mean(sum_of, squares, n_pairs, n_pairs)))


def _gain(found: np.void | dict[str, int], name: str, n_pairs: int, unit: int) -> Estimate:
    """Return a mean paired difference."""
    return _scaled_mean(int(found[name]), int(found[f"{name}_squared"]), n_pairs, unit)


def _offer_columns(found: np.void | dict[str, int], n: int, alike: int = 1) -> Row:
    """Return what offers did, where up to ``alike`` offers of a deal may all do the same."""
    offers, taken = int(found["offers"]), int(found["taken"])
    share = proportion(taken, alike * taken, max(offers // alike, 1), offers)
    # an offer that was left changes nothing: all differences are of those that were taken. Where none was, the mean is
    # zero and its spread not known
    means = {
        "offer_margin": _gain(found, "dev", offers, n - 1),
        "offer_win": _gain(found, "wins", offers, WHOLE_WIN),
        "taken_margin": _gain(found, "dev", taken, n - 1),
    }
    row: Row = {"offers": offers} | columns("offer_taken", share)
    for name, estimate in means.items():
        half = math.sqrt(alike) * (estimate.high - estimate.value) if taken else math.nan
        row |= columns(name, Estimate(estimate.value, estimate.value - half, estimate.value + half))
    return row
