"""Many tables at once, one kernel call a step: for programs that learn to play.

Plain arrays in, plain arrays out. A turn is two steps: a draft, then a flip or none. `salad_sim.env` is the same for
one table behind the interface of PettingZoo.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from salad_sim.errors import InputError, unknown
from salad_sim.game.cards import facts
from salad_sim.play.stepping import (
    MARGIN,
    SCORE,
    WIN,
    begin_games,
    first_illegal,
    game_dtype,
    n_actions,
    n_observed,
    step_games,
)
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import check_workers
from salad_sim.run.setup import DealOptions, whole_number
from salad_sim.strategy.variants import POINT_SALAD

__all__ = ["REWARDS", "VectorGames"]

REWARDS = {"win": WIN, "margin": MARGIN, "score": SCORE}
"""What a finished game rewards each seat with: its share of the win (0..1), its points above the best other seat, or
its points."""

MOST_GAMES = 1_000_000

Step: TypeAlias = tuple[npt.NDArray[np.int16], npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_]]


def reward_code(reward: str) -> int:
    """Return the code of a reward.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if reward not in REWARDS:
        raise unknown("reward", reward, REWARDS)
    return REWARDS[reward]


def plan_tables(players: int | str, seed: int | str, options: DealOptions) -> Plan:
    """Check the options of games that are played from outside.

    Raises
    ------
    InputError
        If one is not allowed; the hand-draft game has no such steps.
    """
    plan = plan_run(1, players, "random", seed, **options)
    if plan.game is not POINT_SALAD:
        raise InputError(f"games are stepped in {POINT_SALAD.name} only, not in {plan.game.name}")
    return plan


class VectorGames:
    """``n`` games that are stepped together; a finished one deals itself anew.

    Game i plays the deals i, i + n, i + 2n, ... of the seed, the very cards of those deals of a run. The arrays are the
    same objects after every step: copy what shall be kept.

    Parameters
    ----------
    n : int
    players : int
        2..6.
    seed : int
    reward : {"win", "margin", "score"}
        See `REWARDS`.
    workers : int, optional
        Threads; the numbers are the same for any number of them.
    **options
        ``rules``, ``cards``: as in `salad_sim.simulate`.

    Attributes
    ----------
    observations : int16 array [n, n_observed]
        What the seat to move sees; see docs/learners.md for the places.
    masks : int8 array [n, n_actions]
        1 where the action is legal.
    seats : int64 array [n]
        Who is to move, from 0.
    rewards : float32 array [n, players]
        By seat; zero but where a game finished in the last step.
    finished : bool array [n]
        Whether the last step ended the game; what is shown is then the next one.

    Raises
    ------
    InputError
        If an option is not allowed.
    """

    def __init__(
        self,
        n: int,
        players: int | str = 2,
        seed: int | str = 1,
        reward: str = "win",
        workers: int | str | None = 1,
        **options: Unpack[DealOptions],
    ) -> None:
        n = whole_number("games", n, 1, MOST_GAMES)
        self.plan = plan = plan_tables(players, seed, options)
        self.kind = reward_code(reward)
        n_cards = len(plan.cards)
        self.n_actions, self.n_observed = n_actions(n_cards), n_observed(n_cards)
        self.games = np.zeros(n, dtype=game_dtype(plan.capacity))
        cards = facts(plan.cards, plan.rules, plan.capacity)
        plan.game.set_up(self.games[0]["table"], plan.n_players, cards, plan.rules, plan.drawn)
        self.games[:] = self.games[0]
        self.games["seed"] = plan.seed
        self.games["stride"] = n
        self.games["head_start"][:, : len(plan.head_start)] = plan.head_start
        self.observations = np.zeros((n, self.n_observed), dtype=np.int16)
        self.masks = np.zeros((n, self.n_actions), dtype=np.int8)
        self.seats = np.zeros(n, dtype=np.int64)
        self._rewards = np.zeros((n, 6), dtype=np.float32)
        self.rewards: npt.NDArray[np.float32] = self._rewards[:, : plan.n_players]
        self.finished = np.zeros(n, dtype=np.bool_)
        n_workers = min(check_workers(workers), n)
        ends = np.linspace(0, n, n_workers + 1).astype(int)
        self._parts = [slice(start, stop) for start, stop in pairwise(ends)]
        self._pool = ThreadPoolExecutor(n_workers) if n_workers > 1 else None

    def __len__(self) -> int:
        return len(self.games)

    def reset(self, first_deal: int = 0) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
        """Deal all games anew, game i the deal ``first_deal`` + i; return observations and masks."""
        self.games["deal"] = first_deal + np.arange(len(self.games))
        begin_games(self.games, self.observations, self.masks, self.seats)
        self._rewards[:] = 0
        self.finished[:] = False
        return self.observations, self.masks

    def step(self, actions: npt.ArrayLike) -> Step:
        """Do one action in every game; return observations, masks, rewards and which games finished.

        Parameters
        ----------
        actions : int array [n]

        Raises
        ------
        InputError
            If one is not legal; no game has then changed.
        """
        chosen = np.ascontiguousarray(actions, dtype=np.int64)
        if chosen.shape != (len(self.games),):
            raise InputError(f"actions must have shape [{len(self.games)}], not {list(chosen.shape)}")
        wrong = int(first_illegal(self.games, chosen))
        if wrong >= 0:
            legal = np.flatnonzero(self.masks[wrong]).tolist()
            raise InputError(f"game {wrong}: action {chosen[wrong]} is not legal now; allowed: {legal}")
        if self._pool is None:
            self._play(slice(None), chosen)
        else:
            list(self._pool.map(lambda part: self._play(part, chosen), self._parts))
        return self.observations, self.masks, self.rewards, self.finished

    def _play(self, part: slice, actions: npt.NDArray[np.int64]) -> None:
        step_games(
            self.games[part],
            actions[part],
            self.kind,
            self.observations[part],
            self.masks[part],
            self._rewards[part],
            self.finished[part],
            self.seats[part],
        )
