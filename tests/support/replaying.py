"""A game played again with other piles."""

from __future__ import annotations

import numpy as np

from support.playing import Table


def replay(table: Table, piles: list[list[int]], rng: np.record) -> Table:
    """Deal these piles and make the same moves on a new table."""
    other = Table(table.n_players, table.rules, table.start)
    other.record.rng = rng
    other.lay_out(piles)
    for move in table.view.history[: table.turn].tolist():
        other.move(move)
    return other
