"""Synergy: what two cards in one hand are worth beyond the sum of the two.

Games are fresh ones: the deviation of a seat is taken less what its cards are worth by a regression on other games (see
`card_adjusted`), which takes most of the chance and all that is additive out of it. Then the seats of all games fall
into four cells, by whether they keep the first card and the second, and the extra is the mean of those with both, less
those with one, plus those with none. What each of the two is worth by itself drops out; what the other cards of all
hands are worth is taken out as well as the regression knows it.

A synergy is observed, not caused: who keeps both cards chose so.

*Errors.* Jackknife over the blocks of games: each block is left out in turn. Student's t, the degrees of freedom one
less than blocks, or than games with both cards if these are fewer. Pairs are many: p-values are given as they are,
corrected so that the chance of any false finding is kept (Holm), and so that the expected share of false findings is
(Benjamini and Hochberg).

*Does it fit?* What a hand is worth by its single cards, and by its pairs of cards too, is held against the margins of
games that neither was told from. The extra of a pair is drawn toward the mean of its two families as far as that is
more certain, and all extras by one factor, as a hand has many pairs that overlap.

References
----------
Miller, The jackknife - a review, Biometrika 61 (1974) 1-15; Shao and Tu, The Jackknife and Bootstrap (1995), section
2.3 (leaving out groups); Benjamini and Hochberg, Controlling the false discovery rate, J. Royal Statistical Society B
57 (1995) 289-300.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salad_sim.errors import InputError
from salad_sim.game.card_families import form_of
from salad_sim.game.cards import CardSet
from salad_sim.jit.typing import Floats, Ints, Row
from salad_sim.play.card_sums import WORTH_UNITS, CardSums, pair_cards
from salad_sim.stats.intervals import Estimate, Z, student
from salad_sim.stats.plackett_luce import holm
from salad_sim.stats.ratios import columns

TINY = 1e-12

LEAST_TOGETHER = 30
"""Games in which one seat kept both cards, from which a pair is looked at."""


@dataclass(frozen=True)
class Synergies:
    """What pairs of cards are worth beyond the sum.

    Attributes
    ----------
    rows : list of dict
        The pairs that were looked at, the strongest first: by what the extra, or its opposite, is at least with 95 %.
        ``card_id``, ``card``, ``family`` of both with ``_1`` and ``_2``; ``games``: in which one seat kept both;
        ``extra`` in points of margin over the mean of the others with its 95 % interval, ``at_least`` (below zero where
        not even the sign is certain); ``p_value``, ``p_holm``, ``p_bh``.
    matrix : ndarray of float64, shape [n_cards, n_cards]
        The extras; NaN on the diagonal and for pairs not looked at.
    families : tuple of str
        In the order of the set.
    family_rows : list of dict
        The mean extra over the pairs of two families, each pair counting alike, of those looked at: ``family_1``,
        ``family_2``, ``pairs``, ``extra`` with its 95 % interval, ``p_value``, ``p_holm``, ``p_bh``; the strongest
        first.
    family_matrix : ndarray of float64, shape [n_families, n_families]
        The same means, NaN where there is no pair.
    left_out : int
        Pairs with too few games.
    """

    rows: list[Row]
    matrix: Floats
    families: tuple[str, ...]
    family_rows: list[Row]
    family_matrix: Floats
    left_out: int


@dataclass(frozen=True)
class ModelFit:
    """How much of the spread of margins within games models explain, on games that they were not told from.

    Attributes
    ----------
    singles, pairs : Estimate
        Share of the mean square that the sum of single cards (and seats) explains, and with pairs of cards.
    factor : float
        What the extras of pairs are multiplied by.
    """

    singles: Estimate
    pairs: Estimate
    factor: float


def pair_effects(sums: CardSums, cards: CardSet) -> Ints:
    """Return what each pair is worth beyond the sum, drawn toward its families', in units of WORTH_UNITS a point."""
    first, second = pair_cards(sums.n_cards)
    worth = np.zeros(len(first))
    if (sums.n_games > 0).sum() < 2:
        return worth.astype(np.int64)
    found = synergies(sums, cards, WORTH_UNITS)
    of_family = {(row["family_1"], row["family_2"]): row["extra"] for row in found.family_rows}
    rows = [row for row in found.rows if np.isfinite(row["extra_low"])]
    means = np.array([_family_mean(of_family, row) for row in rows])
    extras = np.array([row["extra"] for row in rows])
    variances = np.array([((row["extra_high"] - row["extra"]) / Z) ** 2 for row in rows])
    # the spread of pairs about the mean of their families, beyond chance
    between = max(float(((extras - means) ** 2 - variances).mean()), 0.0) if len(rows) else 0.0
    drawn = means + (extras - means) * between / np.maximum(between + variances, TINY)
    place = np.full((sums.n_cards, sums.n_cards), -1)
    place[first, second] = np.arange(len(first))
    for row, value in zip(rows, drawn, strict=True):
        worth[place[row["card_id_1"], row["card_id_2"]]] = value
    return np.rint(WORTH_UNITS * worth).astype(np.int64)


def _family_mean(of_family: dict[tuple[str, str], float], row: Row) -> float:
    one, other = row["family_1"], row["family_2"]
    return of_family[(one, other)] if (one, other) in of_family else of_family[(other, one)]


def fit(counts: CardSums, fresh: CardSums) -> ModelFit:
    """Hold the sum of single cards, and of pairs too, against fresh games.

    Parameters
    ----------
    counts : CardSums
        Games as they are, deviations in points.
    fresh : CardSums
        Games that nothing was told from: deviations less what single cards say, in units of WORTH_UNITS a point.

    Returns
    -------
    Fit
        The factor is told from the first half of the blocks, what is explained from the second; errors by jackknife.
    """
    assert fresh.dev_extra is not None and fresh.extra_squared is not None
    half = len(fresh.n_games) // 2
    factor = float(fresh.dev_extra[:half].sum() / max(fresh.extra_squared[:half].sum(), 1))
    whole = counts.dev_squared / counts.n_games
    left = fresh.dev_squared[half:].astype(np.float64)
    with_pairs = left - 2 * factor * fresh.dev_extra[half:] + factor**2 * fresh.extra_squared[half:]
    games = fresh.n_games[half:] * WORTH_UNITS**2
    singles, pairs = (_explained(whole, each / games) for each in (left, with_pairs))
    return ModelFit(singles, pairs, factor)


def _explained(whole: Floats, left: Floats) -> Estimate:
    """Return the share of a mean square that is not left, of blocks of games of equal size."""
    value = 1 - float(left.mean() / whole.mean())
    parts = [each.var(ddof=1) / len(each) / each.mean() ** 2 if len(each) > 1 else np.nan for each in (left, whole)]
    half = student(max(len(left) - 1, 1)) * (1 - value) * float(np.sqrt(sum(parts)))
    return Estimate(value, value - half, value + half)


@dataclass(frozen=True)
class _Cells:
    """Seat-games and their summed deviations: of all, of who keeps each card, and both cards of each pair."""

    seat_games: float
    kept: Floats
    dev: Floats
    together: Floats
    dev_together: Floats

    def extras(self, first: Ints, second: Ints) -> Floats:
        """Return the extra of each pair in units of deviation; not finite where a cell is empty."""
        only_first, only_second = self.kept[first] - self.together, self.kept[second] - self.together
        of_first, of_second = self.dev[first] - self.dev_together, self.dev[second] - self.dev_together
        # the deviations of all seats sum to zero
        of_none = -(of_first + of_second + self.dev_together)
        none = self.seat_games - only_first - only_second - self.together
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = (
                self.dev_together / self.together - of_first / only_first - of_second / only_second + of_none / none
            )
        return found

    def less(self, other: _Cells) -> _Cells:
        """Return the sums without those of a block."""
        return _Cells(
            self.seat_games - other.seat_games,
            self.kept - other.kept,
            self.dev - other.dev,
            self.together - other.together,
            self.dev_together - other.dev_together,
        )


def synergies(sums: CardSums, cards: CardSet, units: int = 1) -> Synergies:
    """Estimate the extra of every pair of cards beyond the sum.

    Parameters
    ----------
    sums : CardSums
        Of fresh games; deviations of cards and pairs less what the cards are worth, summing to zero in a game.
    cards : CardSet
    units : int
        What a point of the deviations of cards and pairs counts.

    Raises
    ------
    InputError
        If the sums are not of as many cards, or of fewer than two blocks of games.
    """
    if len(cards) != sums.n_cards:
        raise InputError(f"the games were played with {sums.n_cards} cards, the set has {len(cards)}")
    played = np.flatnonzero(sums.n_games)
    if len(played) < 2:
        raise InputError(f"synergies need at least 2 blocks of games, not {len(played)}")
    first, second = pair_cards(sums.n_cards)
    games = sums.pairs["same"].sum(axis=0)
    told = np.flatnonzero(games >= LEAST_TOGETHER)
    whole = _cells(sums, played, told)
    extras = whole.extras(first[told], second[told])
    # a pair that is always kept together has no extra
    clear = np.isfinite(extras)
    told, whole = told[clear], _cells(sums, played, told[clear])
    first, second = first[told], second[told]
    families = [form_of(card) for card in cards]
    names = tuple(dict.fromkeys(families))
    n_blocks, scale = len(played), 1 / ((sums.n_players - 1) * units)
    extras = scale * extras[clear]
    without = np.empty((n_blocks, len(told)))
    for row, block in zip(without, played, strict=True):
        row[:] = scale * whole.less(_cells(sums, np.array([block]), told)).extras(first, second)
    errors = _jackknife(without)
    freedom = np.minimum(n_blocks, games[told]) - 1
    family_rows, family_matrix = _of_families(names, _family_pairs(families, names, first, second), extras, without)
    return Synergies(
        rows=_with_estimates(_pair_rows(cards, families, first, second, games[told]), extras, errors, freedom),
        matrix=_symmetric(np.column_stack([first, second]), extras, sums.n_cards),
        families=names,
        family_rows=family_rows,
        family_matrix=family_matrix,
        left_out=len(games) - len(told),
    )


def _pair_rows(cards: CardSet, families: Sequence[str], first: Ints, second: Ints, games: Ints) -> list[Row]:
    """Return the pairs by name."""
    return [
        {"card_id_1": int(c), "card_id_2": int(d), "card_1": cards[c].text, "card_2": cards[d].text}
        | {"family_1": families[c], "family_2": families[d], "games": int(times)}
        for c, d, times in zip(first, second, games, strict=True)
    ]


def _cells(sums: CardSums, blocks: Ints, pairs: Ints) -> _Cells:
    """Return the sums over some blocks, of some pairs."""
    found, of_pairs = sums.cards[blocks], sums.pairs[blocks]
    return _Cells(
        float(sums.n_players * sums.n_games[blocks].sum()),
        found["kept"].sum(axis=0).astype(np.float64),
        found["dev"].sum(axis=0).astype(np.float64),
        of_pairs["same"].sum(axis=0)[pairs].astype(np.float64),
        of_pairs["dev"].sum(axis=0)[pairs].astype(np.float64),
    )


def _jackknife(without: Floats) -> Floats:
    """Return standard errors from the estimates without each block, shape [n_blocks, k]."""
    n_blocks = len(without)
    found: Floats = np.sqrt(((without - without.mean(axis=0)) ** 2).sum(axis=0) * (n_blocks - 1) / n_blocks)
    return found


def _family_pairs(families: Sequence[str], names: tuple[str, ...], first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of families that occur, shape [n_groups, 2], and that of each pair of cards."""
    place = {name: number for number, name in enumerate(names)}
    of_card = np.array([place[name] for name in families], dtype=np.int64)
    both = np.sort(np.column_stack([of_card[first], of_card[second]]), axis=1)
    groups, of_group = np.unique(both, axis=0, return_inverse=True)
    return groups.reshape(-1, 2), of_group.ravel()


def _of_families(
    names: tuple[str, ...], pairs: tuple[Ints, Ints], extras: Floats, without: Floats
) -> tuple[list[Row], Floats]:
    """Return the mean extras of pairs of families, as rows and as a matrix; ``without`` leaves out a block each."""
    groups, of_group = pairs
    counts = np.bincount(of_group, minlength=len(groups))
    means = np.bincount(of_group, extras, len(groups)) / counts
    errors = _jackknife(np.array([np.bincount(of_group, row, len(groups)) for row in without]) / counts)
    rows: list[Row] = [
        {"family_1": names[f], "family_2": names[g], "pairs": int(count)}
        for (f, g), count in zip(groups, counts, strict=True)
    ]
    freedom = np.full(len(groups), len(without) - 1)
    return _with_estimates(rows, means, errors, freedom), _symmetric(groups, means, len(names))


def _symmetric(places: Ints, values: Floats, size: int) -> Floats:
    found = np.full((size, size), np.nan)
    found[places[:, 0], places[:, 1]] = found[places[:, 1], places[:, 0]] = values
    return found


def _with_estimates(rows: list[Row], values: Floats, errors: Floats, freedom: Ints) -> list[Row]:
    """Return the rows with estimates and p-values, the strongest first."""
    from scipy.special import stdtr
    from scipy.stats import false_discovery_control

    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.abs(values) / errors
    # what does not vary at all and is zero is no finding; where a spread is not known, nothing is certain
    statistics = np.where(np.isnan(statistics), 0.0, statistics)
    p_values = 2 * stdtr(freedom, -statistics)
    corrected = np.column_stack([p_values, holm(p_values), false_discovery_control(p_values)])
    quantiles = {int(each): student(int(each)) for each in np.unique(freedom)}
    found = []
    for row, value, error, degrees, ps in zip(rows, values, errors, freedom, corrected, strict=True):
        half = quantiles[int(degrees)] * float(error)
        estimate = columns("extra", Estimate(float(value), float(value) - half, float(value) + half))
        names = ("at_least", "p_value", "p_holm", "p_bh")
        found.append(row | estimate | dict(zip(names, (abs(float(value)) - half, *map(float, ps)), strict=True)))
    return sorted(found, key=lambda row: -row["at_least"] if row["at_least"] == row["at_least"] else np.inf)
