"""Games as plain arrays, and the sums that kernels would count of them: by another route, for tests of estimates.

``holder`` [n_games, n_cards]: the seat that kept the card, -1 if nobody did, -2 if it was not in the deck; ``scores``
and ``wins`` [n_games, n_seats], whole numbers, wins in sixtieths.
"""

from dataclasses import replace

import numpy as np

from salad_sim.game.cards import CardSet, official_cards
from salad_sim.play.card_sums import CARD, CROSS, GIFT, N_TURNS, OFFER, PAIR, CardSums, GiftSums, pair_cards

WHOLE = 60


def card_set(n_cards):
    return CardSet(official_cards()[:n_cards])


def set_of(*card_ids):
    """A set of some cards of the game, with new ids."""
    return CardSet(tuple(replace(official_cards()[old], card_id=new) for new, old in enumerate(card_ids)))


def wins_of(scores):
    """Wins in sixtieths; ties share."""
    best = scores == scores.max(axis=1, keepdims=True)
    return WHOLE * best // best.sum(axis=1, keepdims=True)


def deviations(scores):
    return scores.shape[1] * scores - scores.sum(axis=1, keepdims=True)


def random_holders(generator, n_games, n_cards, n_seats, dealt=0.8, kept=0.7):
    """Who keeps each card, at random."""
    holder = generator.integers(0, n_seats, size=(n_games, n_cards))
    holder[generator.random(holder.shape) > kept] = -1
    holder[generator.random(holder.shape) > dealt] = -2
    return holder


def hands(holder, n_seats):
    """1 where a seat keeps a card: [n_games, n_seats, n_cards]."""
    return (holder[:, None, :] == np.arange(n_seats)[None, :, None]).astype(np.int64)


def card_sums(holder, scores, wins, n_blocks=8, residuals=None):
    """Sums in blocks of consecutive games; ``residuals`` replace the deviations of cards and pairs."""
    parts = [
        _block(*(each[part] for each in (holder, scores, wins, deviations(scores) if residuals is None else residuals)))
        for part in np.array_split(np.arange(len(holder)), n_blocks)
    ]
    return CardSums(scores.shape[1], *(np.array(each) for each in zip(*parts, strict=True)))


def _block(holder, scores, wins, told):
    n_games, n_cards = holder.shape
    n = scores.shape[1]
    dev = deviations(scores)
    cards = np.zeros(n_cards, dtype=CARD)
    kept = holder >= 0
    game = np.arange(n_games)[:, None]
    of_holder = np.where(kept, told[game, holder], 0)
    won = np.where(kept, wins[game, holder], 0)
    cards["dealt"] = (holder > -2).sum(axis=0)
    cards["kept"] = kept.sum(axis=0)
    cards["dev"], cards["dev_squared"] = of_holder.sum(axis=0), (of_holder**2).sum(axis=0)
    cards["dev_wins"] = (of_holder * won).sum(axis=0)
    cards["wins_kept"], cards["wins_kept_squared"] = won.sum(axis=0), (won**2).sum(axis=0)
    for seat in range(n):
        cards["kept_at"][:, seat] = (holder == seat).sum(axis=0)
    first, second = pair_cards(n_cards)
    pairs = np.zeros(len(first), dtype=PAIR)
    same = kept[:, first] & (holder[:, first] == holder[:, second])
    pairs["same"], pairs["both"] = same.sum(axis=0), (kept[:, first] & kept[:, second]).sum(axis=0)
    pairs["dev"] = np.where(same, of_holder[:, first], 0).sum(axis=0)
    squares = (dev**2).sum(), ((n * wins - WHOLE) ** 2).sum()
    return n_games, cards, pairs, dev.sum(axis=0), wins.sum(axis=0), *squares


def gift_sums(n_seats, dev, wins, given, offers=None):
    """Sums of gifts: differences ``dev`` and ``wins`` [n_deals, n_cards], which count where ``given``."""
    dev, wins = np.where(given, dev, 0).astype(object), np.where(given, wins, 0).astype(object)
    there = given.astype(np.int64)
    n_cards = given.shape[1]
    gifts = np.zeros(n_cards, dtype=GIFT)
    cross = np.zeros((n_cards, n_cards), dtype=CROSS)
    gifts["pairs"] = there.sum(axis=0)
    cross["deals"] = there.T @ there
    for name, values in (("dev", dev), ("wins", wins)):
        gifts[name], gifts[f"{name}_squared"] = values.sum(axis=0), (values**2).sum(axis=0)
        cross[name] = values.T @ there
        cross[f"{name}_{name}"] = values.T @ values
    if offers is None:
        offers = np.zeros((n_cards, N_TURNS), dtype=OFFER)
    return GiftSums(n_seats, len(given), gifts, cross, offers, 2 * int(there.sum()))
