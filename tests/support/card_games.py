"""Games as plain arrays, and the sums that kernels would count of them: by another route, for tests of estimates.

``holder`` [n_games, n_cards]: the seat that kept the card, -1 if nobody did, -2 if it was not in the deck; ``scores``
and ``wins`` [n_games, n_seats], whole numbers, wins in sixtieths.
"""

from dataclasses import replace

import numpy as np

from salad_sim.game.cards import CardSet, official_cards
from salad_sim.play.card_sums import CARD, PAIR, CardSums, no_trials, pair_cards

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


def trial_sums(n_seats, deal, slot, dev, wins, n_cards):
    """Sums of trials of cards (or blanks, from n_cards on), one number each: deal, slot, differences."""
    n_slots = n_cards + 6
    sums = no_trials(n_seats, n_cards)
    trials, cross = sums.trials[0], sums.cross[0]
    by_deal = {}
    for name, values in (("pairs", np.ones_like(dev)), ("dev", dev), ("wins", wins)):
        table = np.zeros((int(deal.max(initial=0)) + 1, n_slots), dtype=np.int64)
        np.add.at(table, (deal, slot), values)
        by_deal[name] = table.astype(object)
        trials[name] = table.sum(axis=0)
    for name, values in (("dev_squared", dev**2), ("wins_squared", wins**2), ("better", (dev > 0) * 1 + (dev >= 0))):
        np.add.at(trials[name], slot, values)
    cross["deals"] = by_deal["pairs"].T @ by_deal["pairs"]
    for name in ("dev", "wins"):
        cross[name] = by_deal[name].T @ by_deal["pairs"]
        cross[f"{name}_{name}"] = by_deal[name].T @ by_deal[name]
    return sums
