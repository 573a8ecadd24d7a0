"""The course of a game: who leads when.

Followed only where a study asks for it (work.keep_rows = FOLLOWED): scoring all seats after every turn takes time.
"""

from __future__ import annotations

import numpy as np

from salad_sim.game.scoring import hand_value
from salad_sim.game.state import Dtype
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import record_dtype

KEPT = 1
FOLLOWED = 2
"""What a shard keeps of each game: a row, the course too."""

NOBODY = -1

COURSE: Dtype = record_dtype(
    [
        ("leader", "i8"),
        ("lead_changes", "i8"),
        ("half_leader", "i8"),
        ("is_half_over", "i8"),
    ]
)
"""What is kept of the course of the game that is being played."""


@kernel
def begin_course(view, course):
    """Start following a game, or the next round of a match."""
    course.leader = NOBODY
    course.half_leader = NOBODY
    course.is_half_over = 0
    if view.round_number == 0:
        course.lead_changes = 0


@kernel
def leader_of(view):
    """Return the seat that is ahead of all others, or NOBODY."""
    best, leader = np.int64(-1000000), np.int64(NOBODY)
    for seat in range(view.n_players):
        score = hand_value(view, seat) + view.bonus[seat]
        if score > best:
            best, leader = score, np.int64(seat)
        elif score == best:
            leader = np.int64(NOBODY)
    return leader


@kernel
def follow(view, course):
    """Note after a turn who leads: a lead that ends in a tie and comes back has not changed."""
    leader = leader_of(view)
    if leader != NOBODY:
        if course.leader != NOBODY and course.leader != leader:
            course.lead_changes += 1
        course.leader = leader
    if course.is_half_over == 0 and 2 * view.n_left <= view.n_cards:
        course.is_half_over = 1
        course.half_leader = leader
