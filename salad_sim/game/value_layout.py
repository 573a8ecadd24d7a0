"""What a learned value sees, by row of its first layer, and the records that it is worked out in.

A table is seen from the seat that has just drafted and flipped. Each vegetable is described by the same rows, whose
weights are shared: relabelled vegetables have relabelled values. No row is about a card by its number: cards come in by
what they score, as gains that one or more vegetables would bring.
"""

from __future__ import annotations

from functools import cache

from salad_sim.game.moves import MOST_DRAFTS, N_PILES
from salad_sim.game.state import CAPACITY, MAX_PLAYERS, N_VEGETABLES, Dtype, layout
from salad_sim.jit.records import record_dtype

# Rows of a vegetable: a block for the seat itself, one for the next seat, and what is common.
N_COUNTS = 12
"""Numbers of one vegetable that are told apart, from 0; more count as the last."""
COUNT = 0
LINEAR = COUNT + N_COUNTS
STEP = LINEAR + 1  # what the first, second and third vegetable more add by their number
GAIN_PLAIN, GAIN_SETS, GAIN_RACES, GROWTH, BACKS = range(STEP + 3, STEP + 8)
MOST, MOST_CHANCE, FEWEST, FEWEST_CHANCE = range(BACKS + 1, BACKS + 5)
LEAD = FEWEST_CHANCE + 1
WIDEST_LEAD = 4
IN_MARKET, IN_SUPPLY, IN_HAND = range(LEAD + 2 * WIDEST_LEAD + 1, LEAD + 2 * WIDEST_LEAD + 4)
BLOCK = IN_HAND + 1
REST = 2 * BLOCK  # the other seats: means of number, weight, gain and majority points, and the largest gain
N_REST = 6
SUPPLY = REST + N_REST  # cards of it still to be had, by player, between knots
SUPPLY_KNOTS, SUPPLY_STEP = 7, 0.5
MARKET = SUPPLY + SUPPLY_KNOTS
MOST_MARKET = 4
TOPS = MARKET + MOST_MARKET + 1
PHASE = TOPS + 1
PHASE_KNOTS = 8
N_ROWS = PHASE + PHASE_KNOTS
"""Rows that describe a vegetable."""

# Rows of the table as a whole.
ONE = 0
TABLE_PHASE = 1
LEFT = TABLE_PHASE + PHASE_KNOTS
MOST_LEFT = 12
SCORE = LEFT + MOST_LEFT + 1  # now: own, best other, next
AHEAD_NOW = SCORE + 3
AHEAD_NOW_KNOTS, AHEAD_NOW_STEP = 9, 10.0
WORTH = AHEAD_NOW + AHEAD_NOW_KNOTS  # expected: own, next, best other, mean of others
AHEAD = WORTH + 4
AHEAD_KNOTS, AHEAD_STEP = 13, 6.0
AHEAD_PHASE = AHEAD + AHEAD_KNOTS
HELD = AHEAD_PHASE + PHASE_KNOTS
N_HELD = 11
HELD_NEXT = HELD + N_HELD
TOTAL = HELD_NEXT + N_HELD  # vegetables: own, next, mean of the rest
ORDER = TOTAL + 3
PLAYERS = ORDER + MAX_PLAYERS
TIE = PLAYERS + MAX_PLAYERS - 1
N_TIE = 5
SWITCH = TIE + N_TIE  # one vegetable allowed, no flips, piles not split, rounds to come
OFFER = SWITCH + 4  # next seat: best vegetables, best card, better of both, sum of cards
OFFER_OWN = OFFER + 4  # own: the same
BLIND = OFFER_OWN + 4  # market slots whose card is not known, and piles
SETS = BLIND + 1 + N_PILES + 1  # by cards that the next set lacks: own, next
N_LACK = 3
N_TABLE_ROWS = SETS + 2 * N_LACK

MOST_ENTRIES = 56
"""Rows of one vegetable that are not zero, at most."""
MOST_TABLE_ENTRIES = 64

N_RANKED = 6
"""Moves of a turn that are remembered, the best ones."""

UNITS, HIDDEN_UNITS = 48, 64
"""Units of the layer of each vegetable, and of that of the table."""

OUTLOOK = record_dtype(
    [
        ("come", "f8", (N_VEGETABLES,)),  # vegetables that the seat can expect
        ("step", "i8", (N_VEGETABLES,)),  # the same in eighths
        ("plain", "f8", (N_VEGETABLES,)),  # what one vegetable more adds by its number, at the end
        ("sets", "f8", (N_VEGETABLES,)),  # by sets
        ("races", "f8", (N_VEGETABLES,)),  # by majorities
        ("gain", "f8", (N_VEGETABLES,)),  # in all
        ("growth", "f8", (N_VEGETABLES,)),  # what the vegetables that come will add
        ("steps", "f8", (N_VEGETABLES, 3)),
        ("most", "f8", (N_VEGETABLES,)),  # chance to have the most
        ("fewest", "f8", (N_VEGETABLES,)),
        ("lead", "i8", (N_VEGETABLES,)),
        ("score", "f8", (N_VEGETABLES,)),  # what its number scores
        ("hope", "f8", (N_VEGETABLES,)),  # and will
        ("lacks", "f8", (N_LACK,)),
        ("fraction", "f8"),  # of the cards left that it can expect as vegetables
        ("rest", "f8"),  # points that no number of a single vegetable scores
        ("rest_hope", "f8"),
        ("now", "f8"),  # score
        ("worth", "f8"),  # score that it can expect
    ]
)


@cache
def net_dtype(units: int = UNITS, hidden: int = HIDDEN_UNITS) -> Dtype:
    """Return the dtype of the weights: of a vegetable's rows, of the table's, and of the result."""
    return record_dtype(
        [
            ("rows", "f4", (N_ROWS, units)),
            ("pooled", "f4", (units, hidden)),
            ("table", "f4", (N_TABLE_ROWS, hidden)),
            ("out", "f4", (hidden,)),
        ]
    )


@cache
def entries_dtype() -> Dtype:
    """Return the dtype of a description: for each vegetable and for the table, the rows that are not zero."""
    return record_dtype(
        [
            ("n", "i8", (N_VEGETABLES,)),
            ("n_table", "i8"),
            ("row", "i2", (N_VEGETABLES, MOST_ENTRIES)),
            ("value", "f4", (N_VEGETABLES, MOST_ENTRIES)),
            ("table_row", "i2", (MOST_TABLE_ENTRIES,)),
            ("table_value", "f4", (MOST_TABLE_ENTRIES,)),
        ]
    )


IN_MIND = (
    ("looks", OUTLOOK, (MAX_PLAYERS,)),
    # the table as it will be after a move in mind
    ("supply", "i8", (N_VEGETABLES,)),
    ("market", "i8", (N_VEGETABLES,)),
    ("top", "i8", (N_PILES,)),
    ("n_left", "i8"),
    ("n_piled", "i8"),
    ("n_blind", "i8"),
    ("first_supply", "i8", (N_VEGETABLES,)),  # as it is before
    ("backs", "i8", (MAX_PLAYERS, N_VEGETABLES)),  # on the point cards of each seat
    ("offer", "f8", (N_PILES,)),  # what each top is worth to the next seat
    ("best_other", "f8"),
    ("best_other_now", "f8"),
    # moves: the drafts that seem best; the best moves found on the last turn, the very best first
    ("drafts", "i8", (MOST_DRAFTS,)),
    ("values", "f8", (MOST_DRAFTS,)),
    ("priors", "f8", (MOST_DRAFTS,)),
    ("n_ranked", "i8"),
    ("ranked", "i8", (N_RANKED,)),
    ("ranked_values", "f8", (N_RANKED,)),
    ("explored", "i8"),
)


@cache
def mind_dtype(capacity: int = CAPACITY, units: int = UNITS, hidden: int = HIDDEN_UNITS) -> Dtype:
    """Return the dtype of what a seat needs to choose by a learned value at tables of ``capacity`` cards."""
    return record_dtype(
        [
            ("hands", layout(capacity).hand, (MAX_PLAYERS,)),
            *IN_MIND,
            # the description, whose first entries stay the same over all moves of a turn, and the layers
            ("entries", entries_dtype()),
            ("n_fixed", "i8", (N_VEGETABLES,)),
            ("n_fixed_table", "i8"),
            ("fixed", "f4", (N_VEGETABLES, units)),
            ("fixed_table", "f4", (hidden,)),
            ("sums", "f4", (N_VEGETABLES, units)),
            ("pool", "f4", (units,)),
            ("table_sums", "f4", (hidden,)),
            ("products", "f4", (hidden,)),
            # the same where a turn takes two vegetables, but for what they change
            ("plain_look", OUTLOOK),
            ("plain_units", "f4", (N_VEGETABLES, units)),
            ("plain_pool", "f4", (units,)),
            ("set_mask", "i8"),  # vegetables in the sets of the hand, a bit each
        ]
    )
