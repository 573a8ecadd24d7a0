"""The games of a plan one by one: what every place of the line-up won and scored in each rotation of each deal.

A run adds its games up as it plays them; comparisons of strategies need the deals, which are their unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.executors import Shard, ShardCutter, play_on_threads
from salad_sim.plan import Plan
from salad_sim.runner import Progress, ShardPlayer, check_workers, prepare
from salad_sim.shard import MOST_ROWS

Ints = npt.NDArray[np.int64]


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
    seconds : float
        Time spent playing.
    interrupted : bool
        Whether Ctrl-C ended it early; the deals that are here are then the first ones, without a gap.
    """

    first_deal: int
    wins: Ints
    scores: Ints
    seconds: float
    interrupted: bool

    @property
    def n_deals(self) -> int:
        """Deals that were played."""
        return len(self.wins)

    @property
    def n_games(self) -> int:
        """Games that were played."""
        return int(self.wins.shape[0] * self.wins.shape[1])


class _RowPlayer:
    """One worker that hands out its games one by one."""

    def __init__(self, plan: Plan, kernels: tuple[Any, list[Any]]) -> None:
        self.player = ShardPlayer(plan, kernels)
        self.player.work.keep_rows = 1
        n_players, n_rotations = plan.n_players, plan.n_rotations
        rotation, place = np.arange(n_rotations)[:, None], np.arange(n_players)[None, :]
        self.seats = (place + rotation) % n_players
        self.shape = (-1, n_rotations, n_players)

    def __call__(self, shard: Shard) -> tuple[Ints, Ints]:
        """Play a shard and return wins and scores by place."""
        self.player(shard)
        n_games = shard.n_deals * self.shape[1]
        rows = self.player.work["rows"][:n_games]
        return self._by_place(rows["wins"]), self._by_place(rows["scores"])

    def _by_place(self, by_seat: Any) -> Ints:
        games = by_seat[:, : self.shape[2]].astype(np.int64).reshape(self.shape)
        return np.take_along_axis(games, self.seats[None], axis=2)


def play_outcomes(
    plan: Plan,
    first_deal: int = 0,
    workers: int | str | None = None,
    progress: Progress | None = None,
) -> Outcomes:
    """Play the deals first_deal .. first_deal + plan.n_deals - 1 of a plan and keep every game.

    The result does not depend on the number of workers.

    Parameters
    ----------
    plan : Plan
        Says how many deals, who plays and by which rules; about 100 bytes are kept of each game.
    first_deal : int
        Number of the first deal: ranges that do not overlap share no game.
    workers, progress
        As in `runner.play_plan`; progress counts the games of this call.

    Raises
    ------
    InputError
        If ``workers`` is not allowed, or a strategy does not compile.
    IllegalMoveError, StrategyError
        If a strategy fails.
    """
    n_workers = min(check_workers(workers), plan.n_deals)
    kernels = prepare(plan)
    parts: dict[int, tuple[Ints, Ints]] = {}
    n_done = 0

    def collect(shard: Shard, part: tuple[Ints, Ints]) -> None:
        nonlocal n_done
        parts[shard.first_deal] = part
        n_done += shard.n_deals

    def watch() -> None:
        if progress is not None:
            progress(n_done * plan.n_rotations, plan.n_games)

    start = perf_counter()
    last = first_deal + plan.n_deals
    interrupted = play_on_threads(
        ShardCutter(last, n_workers, next_deal=first_deal, most=MOST_ROWS // plan.n_rotations),
        [_RowPlayer(plan, kernels) for _ in range(n_workers)],
        collect,
        watch,
    )
    seconds = perf_counter() - start
    if first_deal not in parts:
        raise KeyboardInterrupt
    if not interrupted:
        watch()
    whole = _without_gap(first_deal, parts)
    wins, scores = (np.concatenate([parts[deal][which] for deal in whole]) for which in (0, 1))
    return Outcomes(first_deal, wins, scores, seconds, interrupted)


def _without_gap(first_deal: int, parts: dict[int, tuple[Ints, Ints]]) -> list[int]:
    """Return the first deals of the parts that follow each other without a gap: a stop may lose one in the middle."""
    found = []
    deal = first_deal
    while deal in parts:
        found.append(deal)
        deal += len(parts[deal][0])
    return found
