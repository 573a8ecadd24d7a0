"""What each card is worth with the rest of the hand accounted for: regression on who keeps which cards.

*Model.* The score of seat s in a game is a level of the game, plus an effect of the seat, plus the sum of the effects
of the cards it keeps, plus chance. The level of the game goes when scores and holdings are centred within the game
(fixed effects), and the regression needs no more than sums over games of products: with x[s, c] = 1 if seat s keeps
card c, else 0, and n seats,

- card c with itself: kept * (1 - 1/n); cards c and d: same - both/n, games in which one seat keeps both, and in which
  both are kept by whomever;
- card c with seat s: kept_at[s] - kept/n; seats s and t: games * (1[s = t] - 1/n), the last seat being left out;
- with the score: deviation/n, summed over the games in which the card is kept, or over all for a seat.

*Unit.* Centring changes no effect: with an effect b, a seat that keeps the card has b points more than it would have
without, the others have none, so its margin over the mean of the others is b higher than if nobody had the card. That
is the unit of the gift, and of `card_observed`. A win share sums to one over the seats: what the holder gains above its
part 1/n is the slope times (n - 1)/n, and that is reported.

*Errors.* Blocks of games are the clusters of a sandwich: with A the normal matrix and g the gradient of a block at the
pooled estimate, the covariance is A^-1 (sum of g g') A^-1, with the usual correction for few clusters, and Student's t
with one degree of freedom less than blocks. The games of a block are many, so this holds whatever the spread and
dependence within a game. The rank of the covariance is at most blocks - 1: it serves every single effect and
difference, but has no inverse.

*Ridge.* If effects cannot be told apart, or a card was kept too rarely, all effects of cards are shrunk toward zero by
the same penalty, chosen by generalised cross-validation; the intervals then cover chance but not the shrinkage. Each
fit says so.

References
----------
Liang and Zeger, Longitudinal data analysis using generalized linear models, Biometrika 73 (1986) 13-22; Cameron and
Miller, A practitioner's guide to cluster-robust inference, J. Human Resources 50 (2015) 317-372, section VI (few
clusters); Bester, Conley and Hansen, Inference with dependent data using cluster covariance estimators, J. Econometrics
165 (2011) 137-151, and Ibragimov and Mueller, t-statistic based correlation and heterogeneity robust inference, J.
Business & Economic Statistics 28 (2010) 453-468 (few large blocks as clusters). Hoerl and Kennard, Ridge regression,
Technometrics 12 (1970) 55-67; Golub, Heath and Wahba, Generalized cross-validation as a method for choosing a good
ridge parameter, Technometrics 21 (1979) 215-223.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salad_sim.game.cards import CardSet
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Floats, Ints, Row
from salad_sim.play.card_sums import CardSums, pair_cards
from salad_sim.stats.intervals import Estimate, student
from salad_sim.stats.ratios import columns

LEAST_KEPT = 50
"""Games in which each card must have been kept, or effects are penalised."""

MOST_CONDITION = 1e8
"""Condition number of the correlations of holdings above which effects are penalised."""

TINY = 1e-9

PENALTIES = np.logspace(-8, 4, 241)
"""Penalties that are tried, in units of the mean eigenvalue of the normal matrix."""


@dataclass(frozen=True)
class Regression:
    """A regression on who keeps which cards.

    Attributes
    ----------
    value : ndarray of float64, shape [n_cards]
        Effect of each card, NaN if it was never kept. In points of margin over the mean of the others, or in win share.
    covariance : ndarray of float64, shape [n_cards, n_cards]
        Of these; NaN also if there are fewer than two blocks.
    seats : ndarray of float64, shape [n_players]
        Effects of the seats, whose sum is zero.
    r_squared : float
        Part of the variance between the seats of a game that cards and seats explain; NaN if there is none.
    penalty : float
        Ridge penalty, in games: a card whose holder says nothing of other cards and that is kept in k games has its
        effect multiplied by k(1 - 1/n) / (k(1 - 1/n) + penalty). Zero if there is none.
    freedom : int
        Degrees of freedom of the errors.
    """

    value: Floats
    covariance: Floats
    seats: Floats
    r_squared: float
    penalty: float
    freedom: int

    def estimate(self, card: int) -> Estimate:
        """Return the effect of a card and its 95 % interval."""
        value, variance = float(self.value[card]), float(self.covariance[card, card])
        half = student(max(self.freedom, 1)) * float(np.sqrt(variance))
        return Estimate(value, value - half, value + half)


@dataclass(frozen=True)
class Adjusted:
    """The adjusted values of all cards.

    Attributes
    ----------
    margin, win : Fit
        Of the margin over the mean of the others in points, and of the win share.
    kept : ndarray of int64, shape [n_cards]
        Games in which each card was kept.
    """

    margin: Regression
    win: Regression
    kept: Ints


@dataclass(frozen=True)
class _Moments:
    """Centred cross-products: of the regressors (cards that were kept, then seats), and of these with the outcomes.

    Shapes [q, q], [q, 2] and [2]; outcomes are the score and the win share.
    """

    products: Floats
    with_outcomes: Floats
    squares: Floats
    n_games: int

    def gradient(self, effects: Floats, outcome: int) -> Floats:
        """Return the sum over games of regressors times residuals."""
        found: Floats = self.with_outcomes[:, outcome] - self.products @ effects
        return found


def adjust(sums: CardSums) -> Adjusted:
    """Estimate what each card is worth with the other cards of the hand and the seat accounted for.

    Parameters
    ----------
    sums : CardSums
        Of at least one game.

    See Also
    --------
    adjusted_rows : the same as a table.
    """
    kept: Ints = sums.cards["kept"].sum(axis=0)
    cards = np.flatnonzero(kept)
    blocks = [_moments(sums, block, cards) for block in range(len(sums.n_games)) if sums.n_games[block]]
    margin, win = (_fit(sums, blocks, cards, kept, outcome) for outcome in (0, 1))
    return Adjusted(margin, win, kept)


def _moments(sums: CardSums, block: int, cards: Ints) -> _Moments:
    """Return the centred cross-products of a block, of the cards that were kept and all seats but the last."""
    n, games = sums.n_players, int(sums.n_games[block])
    found, pairs = sums.cards[block], sums.pairs[block]
    first, second = pair_cards(sums.n_cards)
    n_cards, n_seats = len(cards), n - 1
    of_cards = np.zeros((sums.n_cards, sums.n_cards))
    of_cards[first, second] = of_cards[second, first] = pairs["same"] - pairs["both"] / n
    np.fill_diagonal(of_cards, found["kept"] * (1 - 1 / n))
    products = np.empty((n_cards + n_seats, n_cards + n_seats))
    products[:n_cards, :n_cards] = of_cards[np.ix_(cards, cards)]
    with_seats = found["kept_at"][cards, :n_seats] - found["kept"][cards, None] / n
    products[:n_cards, n_cards:], products[n_cards:, :n_cards] = with_seats, with_seats.T
    products[n_cards:, n_cards:] = games * (np.eye(n_seats) - 1 / n)
    scores = np.append(found["dev"][cards], sums.seat_dev[block, :n_seats]) / n
    above = np.append(
        n * found["wins_kept"][cards] - WHOLE_WIN * found["kept"][cards],
        n * sums.seat_wins[block, :n_seats] - WHOLE_WIN * games,
    )
    squares = np.array([sums.dev_squared[block] / n**2, sums.wins_squared[block] / (WHOLE_WIN * n) ** 2])
    return _Moments(products, np.column_stack([scores, above / (WHOLE_WIN * n)]), squares, games)


def _pooled(blocks: list[_Moments]) -> _Moments:
    return _Moments(
        np.sum([block.products for block in blocks], axis=0),
        np.sum([block.with_outcomes for block in blocks], axis=0),
        np.sum([block.squares for block in blocks], axis=0),
        sum(block.n_games for block in blocks),
    )


def _fit(sums: CardSums, blocks: list[_Moments], cards: Ints, kept: Ints, outcome: int) -> Regression:
    """Fit one outcome, and put the cards that were kept back in their places."""
    n, n_kept = sums.n_players, len(cards)
    pooled = _pooled(blocks)
    penalty = _penalty(pooled, outcome, n_kept, n) if _needs_penalty(pooled.products, kept[cards]) else 0.0
    penalised = penalty * np.diag((np.arange(len(pooled.products)) < n_kept).astype(float))
    inverse: Floats = np.linalg.inv(pooled.products + penalised).astype(np.float64)
    effects = inverse @ pooled.with_outcomes[:, outcome]
    residual = pooled.squares[outcome] - effects @ (
        pooled.with_outcomes[:, outcome] + pooled.gradient(effects, outcome)
    )
    covariance = _sandwich(blocks, inverse, penalised, effects, outcome, n)
    # of a win share the holder's part above 1/n is told; of points the margin over the mean of the others, as it is
    unit = (n - 1) / n if outcome else 1.0
    value = np.full(sums.n_cards, np.nan)
    spread = np.full((sums.n_cards, sums.n_cards), np.nan)
    value[cards] = unit * effects[:n_kept]
    spread[np.ix_(cards, cards)] = unit**2 * covariance[:n_kept, :n_kept]
    seats = np.append(effects[n_kept:], 0.0)
    varies = pooled.squares[outcome] > 0
    return Regression(
        value=value,
        covariance=spread,
        seats=unit * (seats - seats.mean()),
        r_squared=float(1 - residual / pooled.squares[outcome]) if varies else float("nan"),
        penalty=penalty,
        freedom=len(blocks) - 1,
    )


def _sandwich(
    blocks: list[_Moments], inverse: Floats, penalised: Floats, effects: Floats, outcome: int, n: int
) -> Floats:
    """Return the covariance of the effects with blocks as clusters, NaN for a single one."""
    n_blocks, n_games = len(blocks), sum(block.n_games for block in blocks)
    if n_blocks < 2:
        return np.full_like(inverse, np.nan)
    # each block has its part of the penalty, so that the gradients sum to zero
    gradients = np.array(
        [block.gradient(effects, outcome) - penalised @ effects * (block.n_games / n_games) for block in blocks]
    )
    rows = n * n_games
    few = n_blocks / (n_blocks - 1) * (rows - 1) / max(rows - len(effects), 1)
    half: Floats = gradients @ inverse
    found: Floats = few * half.T @ half
    return found


def _needs_penalty(products: Floats, kept: Ints) -> bool:
    """Return whether effects can be told only badly."""
    if kept.size and kept.min() < LEAST_KEPT:
        return True
    scale = np.sqrt(np.diag(products))
    if (scale <= 0).any():
        return True
    values = np.linalg.eigvalsh(products / np.outer(scale, scale))
    return bool(values[0] * MOST_CONDITION < values[-1])


def _penalty(pooled: _Moments, outcome: int, n_kept: int, n: int) -> float:
    """Return the penalty of the cards' effects by generalised cross-validation; seats are not penalised.

    With the seats projected out, the mean squared residual over the squared share of degrees of freedom left depends on
    the penalty through the eigenvalues of the normal matrix only.
    """
    seats = slice(n_kept, None)
    weights = np.linalg.solve(pooled.products[seats, seats], pooled.products[seats, :n_kept]).T
    reduced = pooled.products[:n_kept, :n_kept] - weights @ pooled.products[seats, :n_kept]
    outcomes = pooled.with_outcomes[:n_kept, outcome] - weights @ pooled.with_outcomes[seats, outcome]
    of_seats = np.linalg.solve(pooled.products[seats, seats], pooled.with_outcomes[seats, outcome])
    squares = pooled.squares[outcome] - of_seats @ pooled.with_outcomes[seats, outcome]
    values, vectors = np.linalg.eigh(reduced)
    values = np.maximum(values, 0.0)
    along = (vectors.T @ outcomes) ** 2
    scale = float(values.mean())
    penalties = PENALTIES[:, None] * (scale if scale > TINY else 1.0)  # 0 where the seats explain everything
    residual = squares - (along * (values + 2 * penalties) / (values + penalties) ** 2).sum(axis=1)
    used = (values / (values + penalties)).sum(axis=1) + n - 1
    cases = (n - 1) * pooled.n_games
    left = np.maximum(1 - used / cases, 1e-9)
    return float(penalties[int(np.argmin(np.maximum(residual, 0.0) / left**2)), 0])


def adjusted_rows(adjusted: Adjusted, cards: CardSet) -> list[Row]:
    """Return one row for each card, in the order of the set.

    Returns
    -------
    list of dict
        ``card_id``, ``card``; ``games_kept``; ``adjusted_margin`` in points and ``adjusted_win`` in win share, each
        with its 95 % interval ``_low``, ``_high``, NaN if the card was never kept; ``ridge``: whether either fit was
        penalised.
    """
    ridge = adjusted.margin.penalty > 0 or adjusted.win.penalty > 0
    return [
        {"card_id": card.card_id, "card": card.text, "games_kept": int(adjusted.kept[card.card_id])}
        | columns("adjusted_margin", adjusted.margin.estimate(card.card_id))
        | columns("adjusted_win", adjusted.win.estimate(card.card_id))
        | {"ridge": ridge}
        for card in cards
    ]
