"""The kernels and constants that a strategy may use: what is listed here keeps its name.

In groups, as ``__all__`` lists them:

- the turn: what is legal, and the codes of moves;
- points: what cards and hands score as the table lies;
- marginal value: what one more card or vegetable would add to a hand, in a few additions;
- chance: the stream of a seat, and streams of one's own;
- playing on in mind: the table set up from the view, the hidden cards drawn, moves applied, an ending solved;
- values that `salad-sim learn` has learned: read from a file, and the best move by them;
- codes: of vegetables, of kinds of cards, of what a view says about a card, of the rules in force;
- sizes of the records, and what they and declared memory are made of;
- the hand-draft game. It shares scoring, marginal value and chance with the main game. Its names that would hide one
  of the main game's have "hand" in them here: `list_hand_drafts`, `apply_hand_move`, `N_FACE_UP`. A turn of it is coded
  as a move is, and `draft_of` reads both.

`salad_sim.strategy` has the decorators. Nothing is defined here, and to import it compiles nothing.
"""

from __future__ import annotations

from salad_sim.game.card_kinds import (
    AT_LEAST,
    EVEN_ODD,
    FEWEST,
    FEWEST_TOTAL,
    LAST_PLAIN,
    LINEAR,
    MISSING,
    MOST,
    MOST_TOTAL,
    SET,
    STACK,
    VEGETABLES,
)
from salad_sim.game.cards import CABBAGE, CARROT, LETTUCE, ONION, PEPPER, TOMATO
from salad_sim.game.determinization import copy_state, copy_view, draw_hidden, lay_piles, playout_dtype
from salad_sim.game.endgame import NOT_SOLVED, WIN_VALUE, ending_dtype, is_open, solve_ending
from salad_sim.game.engine import (
    LEGAL,
    WHOLE_WIN,
    apply_move,
    final_scores,
    list_drafts,
    may_take_one,
    share_win,
    why_illegal,
)
from salad_sim.game.marginal_value import (
    add_to_hand,
    gain_vegetable,
    hand_gains,
    read_hand,
    step_gains_of_card,
    sum_gains,
    take_from_hand,
    value_in_hand,
)
from salad_sim.game.moves import (
    MOST_DRAFTS,
    N_PILES,
    N_SLOTS,
    NO_FLIP,
    draft_of,
    first_slot,
    flip_of,
    make_move,
    pair_draft,
    second_slot,
)
from salad_sim.game.rules import (
    CHOICES,
    EARLIER,
    FEWER_CARDS,
    FLIP_NEVER,
    LAST_TURN,
    LATER,
    SHARED,
    SPLIT_DOWN,
    SPLIT_DRAW,
    START_LAST_PLACED,
    START_NEXT,
    START_RANDOM,
    TIE_RANDOM,
    UP_TO_TWO,
)
from salad_sim.game.scoring import card_value, hand_value, value_of_term, values_of_all
from salad_sim.game.state import (
    CAPACITY,
    EARLIER_ROUND,
    HIDDEN,
    MARKET,
    MAX_PLAYERS,
    N_MEMORY,
    N_PARAMS,
    N_SCRATCH,
    N_VEGETABLES,
    NO_VEGETABLE,
    NONE,
    POINTS,
    TOP,
    VEGETABLE,
)
from salad_sim.game.value_file import read_values, sizes_of
from salad_sim.game.value_layout import mind_dtype as value_dtype
from salad_sim.game.value_play import best_move as choose_by_value
from salad_sim.game.value_search import choose_by_search, search_dtype
from salad_sim.hand_draft.engine import apply_move as apply_hand_move
from salad_sim.hand_draft.engine import list_drafts as list_hand_drafts
from salad_sim.hand_draft.engine import may_throw
from salad_sim.hand_draft.marginal_value import best_turn, list_best_turns
from salad_sim.hand_draft.moves import BLIND, N_BLIND, NO_DRAFT, NO_LAY, THROW, laid_in, make_turn
from salad_sim.hand_draft.moves import N_SLOTS as N_FACE_UP
from salad_sim.hand_draft.state import DRAFT, FACE_UP, HAND_SIZE, LAY, RESHUFFLED, TAKEN, THROWN
from salad_sim.jit.records import at, fields_of, record_dtype
from salad_sim.jit.rng import RNG, below, next_word, seed_stream, shuffle_tail, uniform

__all__ = [  # noqa: RUF022 (in groups, each in the order in which one needs it)
    # the turn
    "list_drafts",
    "may_take_one",
    "why_illegal",
    "LEGAL",
    "MOST_DRAFTS",
    "make_move",
    "draft_of",
    "flip_of",
    "pair_draft",
    "first_slot",
    "second_slot",
    "NO_FLIP",
    "N_PILES",
    "N_SLOTS",
    # points
    "card_value",
    "hand_value",
    "values_of_all",
    "value_of_term",
    "final_scores",
    "share_win",
    "WHOLE_WIN",
    # marginal value
    "read_hand",
    "hand_gains",
    "sum_gains",
    "value_in_hand",
    "add_to_hand",
    "take_from_hand",
    "gain_vegetable",
    "step_gains_of_card",
    # chance
    "below",
    "uniform",
    "next_word",
    "shuffle_tail",
    "seed_stream",
    "RNG",
    # playing on in mind
    "playout_dtype",
    "copy_view",
    "copy_state",
    "lay_piles",
    "draw_hidden",
    "apply_move",
    "ending_dtype",
    "is_open",
    "solve_ending",
    "NOT_SOLVED",
    "WIN_VALUE",
    # values that were learned
    "read_values",
    "sizes_of",
    "value_dtype",
    "choose_by_value",
    "search_dtype",
    "choose_by_search",
    # codes of vegetables
    "CABBAGE",
    "CARROT",
    "LETTUCE",
    "ONION",
    "PEPPER",
    "TOMATO",
    "VEGETABLES",
    "N_VEGETABLES",
    "NO_VEGETABLE",
    # codes of kinds of cards
    "LINEAR",
    "EVEN_ODD",
    "STACK",
    "MOST",
    "FEWEST",
    "SET",
    "AT_LEAST",
    "MISSING",
    "MOST_TOTAL",
    "FEWEST_TOTAL",
    "LAST_PLAIN",
    # codes of places: where a card is, as far as a seat knows
    "NONE",
    "HIDDEN",
    "TOP",
    "MARKET",
    "EARLIER_ROUND",
    "POINTS",
    "VEGETABLE",
    # codes of the rules in force
    "CHOICES",
    "UP_TO_TWO",
    "FLIP_NEVER",
    "SPLIT_DOWN",
    "SPLIT_DRAW",
    "TIE_RANDOM",
    "LATER",
    "EARLIER",
    "LAST_TURN",
    "FEWER_CARDS",
    "SHARED",
    "START_NEXT",
    "START_RANDOM",
    "START_LAST_PLACED",
    # records
    "at",
    "record_dtype",
    "fields_of",
    "MAX_PLAYERS",
    "CAPACITY",
    "N_PARAMS",
    "N_MEMORY",
    "N_SCRATCH",
    # the hand-draft game
    "DRAFT",
    "LAY",
    "list_hand_drafts",
    "may_throw",
    "apply_hand_move",
    "make_turn",
    "laid_in",
    "list_best_turns",
    "best_turn",
    "N_FACE_UP",
    "BLIND",
    "N_BLIND",
    "THROW",
    "NO_DRAFT",
    "NO_LAY",
    "HAND_SIZE",
    "FACE_UP",
    "THROWN",
    "RESHUFFLED",
    "TAKEN",
]
