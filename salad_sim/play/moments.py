"""The moments of a game that is played once as it is: each is kept, so that games can branch off from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.game.determinization import copy_state
from salad_sim.game.moves import N_PILES
from salad_sim.game.state import MAX_PLAYERS, N_MEMORY, layout
from salad_sim.jit.blocks import copy_beside, distance
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import record_dtype
from salad_sim.jit.rng import RNG
from salad_sim.play.shard import place_of


def moment_fields(capacity: int) -> list[tuple[Any, ...]]:
    """Return the fields of a workspace in which the moments of a game are kept."""
    moment = record_dtype(
        [
            ("table", layout(capacity).table),  # without the deck, the history and the facts of the cards
            ("rng", RNG, (MAX_PLAYERS,)),
            ("memory", "i8", (MAX_PLAYERS, N_MEMORY)),
            ("move", "i8"),
        ]
    )
    return [
        ("moments", moment, (capacity + 1,)),
        ("kept_at", "i8"),  # the declared memory of each seat before each turn, beside the workspace
        ("kept_size", "i8"),
        ("n_turns", "i8"),
    ]


@kernel
def keep_table(table, kept):
    """Copy what changes at a table while it is played at, but for its history."""
    copy_state(table.public, kept)
    kept.rng = table.rng
    for pile in range(N_PILES):
        kept.low[pile] = table.low[pile]
        kept.high[pile] = table.high[pile]


def room_for_memory(work: np.record) -> npt.NDArray[np.uint8]:
    """Give a workspace room for what the seats remember in declared memory; it must be kept as long as that.

    Of each turn the memory of the seat to move is kept: it is what the seat left there in its last turn. After the last
    turn all seats' are.
    """
    size = int(work["own"]["memory_size"].max())
    kept = np.zeros((len(work["moments"]) + MAX_PLAYERS) * size, dtype=np.uint8)
    work.kept_at, work.kept_size = distance(work, kept), size
    return kept


@kernel
def keep_memory(work, turn):
    """Keep the declared memory of the seat whose turn it is, or would be."""
    own = work.own[place_of(work, turn % work.table.public.n_players)]
    if own.memory_size > 0:
        copy_beside(work, work.kept_at + turn * work.kept_size, own, own.memory_at, own.memory_size)


@kernel
def return_memory(work, turn):
    """Bring back the declared memory as it was before a turn: for each seat, before its next one."""
    n_players = work.table.public.n_players
    for later in range(turn, turn + n_players):
        own = work.own[place_of(work, later % n_players)]
        if own.memory_size > 0:
            copy_beside(own, own.memory_at, work, work.kept_at + later * work.kept_size, own.memory_size)


@kernel
def keep_moment(work, moment):
    """Keep the game as it is before a turn."""
    keep_table(work.table, moment.table)
    for seat in range(work.table.public.n_players):
        moment.rng[seat] = work.rng[seat]
        moment.memory[seat] = work.own[seat].memory
    keep_memory(work, work.n_turns)


@kernel
def return_to(work, turn):
    """Bring back the game as it is before a turn of the game that was played without a gift."""
    moment = work.moments[turn]
    keep_table(moment.table, work.table)
    for seat in range(work.table.public.n_players):
        work.rng[seat] = moment.rng[seat]
        work.own[seat].memory[:] = moment.memory[seat]
    return_memory(work, turn)
    for before in range(turn):
        work.table.public.history[before] = work.moments[before].move
