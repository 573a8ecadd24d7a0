"""Move codes: every move there is goes into one integer and comes back."""

from __future__ import annotations

import pytest

from salad_sim.game.moves import (
    FIRST_PAIR,
    FLIP_BASE,
    MOST_DRAFTS,
    N_DRAFTS,
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
from salad_sim.game.state import CAPACITY, NONE

PAIRS = [(slot, other) for slot in range(N_SLOTS) for other in range(slot, N_SLOTS)]


def test_every_move_comes_back() -> None:
    moves = set()
    for draft in range(FLIP_BASE):
        for flip in range(NO_FLIP, CAPACITY):
            move = make_move(draft, flip)
            assert (draft_of(move), flip_of(move)) == (draft, flip)
            moves.add(move)
    assert moves == set(range(FLIP_BASE * (CAPACITY + 1))), "each code is one move"


def test_a_move_without_flip_is_its_draft() -> None:
    assert all(make_move(draft, NO_FLIP) == draft for draft in range(FLIP_BASE))


@pytest.mark.parametrize("pair", PAIRS)
def test_every_pair_of_slots_comes_back(pair: tuple[int, int]) -> None:
    draft = pair_draft(*pair)
    assert (first_slot(draft), second_slot(draft)) == pair
    assert N_PILES <= FIRST_PAIR <= draft < N_DRAFTS <= FLIP_BASE


def test_pairs_have_codes_of_their_own_in_ascending_order() -> None:
    drafts = [pair_draft(*pair) for pair in PAIRS]
    assert sorted(set(drafts)) == drafts
    assert len(drafts) + N_PILES == MOST_DRAFTS == 24


def test_the_codes_that_files_and_users_know() -> None:
    """Recorded games are read by these codes: changing them is a change of format."""
    assert (N_PILES, N_SLOTS, NO_FLIP, NONE) == (3, 6, -1, -1)
    assert make_move(2, NO_FLIP) == 2
    assert make_move(pair_draft(0, 5), NO_FLIP) == 8 + 5
    assert make_move(pair_draft(4, 4), 107) == (8 + 8 * 4 + 4) + 64 * 108
