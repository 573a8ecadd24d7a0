"""The games of a plan one by one: what every place of the line-up won and scored in each rotation of each deal.

A run adds its games up as it plays them; comparisons of strategies need the deals, which are their unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.jit.typing import Ints
from salad_sim.play.shard import MOST_ROWS
from salad_sim.play.trace import KEPT
from salad_sim.run.driver import Job, Session
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.run.runner import Kernels, ShardPlayer

COURSE = ("kept", "best_card", "turns", "last_seat", "lead_changes", "half_leader")
"""What is kept of the course of a game on demand: point cards at the end and the points of the best one, by seat; turns
of all seats; who took the last turn; how often the lead went from one seat to another; and who led when half of the
cards were gone, or -1."""


@dataclass(frozen=True)
class Outcomes:
    """Games, one by one.

    Attributes
    ----------
    first_deal : int
        Number of the first deal.
    wins : ndarray of int64, shape [n_deals, n_rotations, n_players]
        By deal, rotation and place in the line-up, in sixtieths of a win. Place p sits at seat
        (p + rotation) modulo n_players.
    scores : ndarray of int64, shape [n_deals, n_rotations, n_players]
        Points, likewise.
    course : dict of str to ndarray of int64
        What else was asked for, see `COURSE`; by deal, rotation and, where it is of a seat, seat (not place).
    """

    first_deal: int
    wins: Ints
    scores: Ints
    course: dict[str, npt.NDArray[Any]]

    @property
    def n_deals(self) -> int:
        """Deals that were played."""
        return len(self.wins)

    @property
    def n_games(self) -> int:
        """Games that were played."""
        return int(self.wins.shape[0] * self.wins.shape[1])


class _RowPlayer(ShardPlayer):
    """One worker that hands out its games one by one."""

    def __init__(self, plan: Plan, kept: int, kernels: Kernels) -> None:
        super().__init__(plan, kernels)
        self.work.keep_rows = kept
        self.course = () if kept == KEPT else COURSE
        n_players, n_rotations = plan.n_players, plan.n_rotations
        rotation, place = np.arange(n_rotations)[:, None], np.arange(n_players)[None, :]
        self.seats = (place + rotation) % n_players
        self.shape = (-1, n_rotations, n_players)

    def __call__(self, shard: Shard) -> dict[str, npt.NDArray[Any]]:
        """Play a shard and return wins and scores by place, and the course by seat."""
        super().__call__(shard)
        rows = self.work["rows"][: shard.n_deals * self.shape[1]]
        part = {name: self._by_place(rows[name]) for name in ("wins", "scores")}
        return part | {name: self._by_seat(rows[name]) for name in self.course}

    def _by_seat(self, values: Any) -> npt.NDArray[Any]:
        own = values[..., : self.shape[2]] if values.ndim > 1 else values
        # a copy: the next shard is played into the same rows
        return np.array(own, dtype=np.int64).reshape(-1, self.shape[1], *own.shape[1:])

    def _by_place(self, by_seat: Any) -> Ints:
        games = by_seat[:, : self.shape[2]].astype(np.int64).reshape(self.shape)
        return np.take_along_axis(games, self.seats[None], axis=2)


def play_outcomes(plan: Plan, first_deal: int = 0, session: Session | None = None, kept: int = KEPT) -> Outcomes | None:
    """Play the deals first_deal .. first_deal + plan.n_deals - 1 of a plan and keep every game.

    The result does not depend on the number of workers.

    Parameters
    ----------
    plan : Plan
        Says how many deals, who plays and by which rules; about 100 bytes are kept of each game.
    first_deal : int
        Number of the first deal: ranges that do not overlap share no game.
    session : Session, optional
    kept : int
        `KEPT` for wins and scores, `FOLLOWED` for the course too.

    Returns
    -------
    Outcomes or None
        After Ctrl-C of the first deals, without a gap; None if there are none.

    Raises
    ------
    InputError, IllegalMoveError, StrategyError, KeyboardInterrupt
        As `Session.drive`.
    """
    parts: dict[int, dict[str, npt.NDArray[Any]]] = {}
    ranges = [(first_deal, first_deal + plan.n_deals)]
    job = Job((plan,), partial(_RowPlayer, plan, kept), ranges, most=MOST_ROWS // plan.n_rotations)
    (session or Session()).drive(job, lambda shard, part: parts.update({shard.first_deal: part}))
    whole = _without_gap(first_deal, parts)
    if not whole:
        return None
    games = {name: np.concatenate([parts[deal][name] for deal in whole]) for name in parts[first_deal]}
    return Outcomes(first_deal, games.pop("wins"), games.pop("scores"), games)


def _without_gap(first_deal: int, parts: dict[int, dict[str, npt.NDArray[Any]]]) -> list[int]:
    """Return the first deals of the parts that follow each other without a gap: a stop may lose one in the middle."""
    found = []
    deal = first_deal
    while deal in parts:
        found.append(deal)
        deal += len(parts[deal]["wins"])
    return found
