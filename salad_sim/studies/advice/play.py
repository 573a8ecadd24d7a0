"""Plays on from the moves of a position, at tables drawn from all that agree with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Floats, Ints
from salad_sim.play.continuations import MOST_WORLDS, N_ARMS, continuation_dtype, continuation_player, play_on
from salad_sim.run.driver import Job, Session
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.run.runner import Kernels, ShardKernel, ShardPlayer
from salad_sim.studies.advice.position import Position, unknown_vegetables

Part = tuple[Ints, Ints, Ints, Ints]


@dataclass(frozen=True)
class Continuations:
    """What came of moves, each played on at the same tables.

    Attributes
    ----------
    moves : tuple of int
    wins : ndarray of int64, shape [n_tables, n_moves, n_players]
        Of each seat, in sixtieths.
    scores : ndarray of int64, shape [n_tables, n_moves, n_players]
    worth, kept : ndarray of int64, shape [n_moves, n_cards]
        By card what it was worth to the mover in the end, summed over tables, and at how many of them he kept it.
    seat : int
        Who moves.
    """

    moves: tuple[int, ...]
    wins: Ints
    scores: Ints
    worth: Ints
    kept: Ints
    seat: int

    @property
    def n_tables(self) -> int:
        """Tables at which each move was played on."""
        return len(self.wins)

    @property
    def won(self) -> Ints:
        """Wins of the mover in sixtieths, shape [n_tables, n_moves]."""
        return self.wins[:, :, self.seat]

    @property
    def margins(self) -> Ints:
        """Points by which the mover is ahead of the best other one, shape [n_tables, n_moves]."""
        others = np.delete(self.scores, self.seat, axis=2)
        found: Ints = self.scores[:, :, self.seat] - others.max(axis=2)
        return found

    @property
    def shares(self) -> Floats:
        """Mean share of the win of each seat, shape [n_moves, n_players]."""
        found: Floats = self.wins.mean(axis=0) / WHOLE_WIN
        return found

    def of(self, moves: Sequence[int]) -> Continuations:
        """Return what came of some of the moves, in their order."""
        places = [self.moves.index(move) for move in moves]
        return Continuations(
            tuple(moves),
            self.wins[:, places],
            self.scores[:, places],
            self.worth[places],
            self.kept[places],
            self.seat,
        )


def nothing_played(moves: Sequence[int], position: Position) -> Continuations:
    """Return moves of which none was played on."""
    ends = np.zeros((0, len(moves), position.n_players), dtype=np.int64)
    cards = np.zeros((len(moves), len(position.cards)), dtype=np.int64)
    return Continuations(tuple(moves), ends, ends, cards, cards, position.to_move)


class _Player(ShardPlayer):
    """A worker that plays on from some moves of a position."""

    def __init__(self, start: np.record, moves: Sequence[int], plan: Plan, kernels: Kernels) -> None:
        super().__init__(plan, kernels, continuation_dtype(plan.capacity))
        self.work["start"] = start
        self.work["unknown"][: plan.n_players] = unknown_vegetables(start)
        self.work.n_arms = len(moves)
        self.work["arms"][: len(moves)] = moves

    def __call__(self, shard: Shard) -> Part:
        super().__call__(shard)
        work, n_moves = self.work, int(self.work.n_arms)
        n_players, n_cards = self.plan.n_players, len(self.plan.cards)
        ends = [work[name][: shard.n_deals, :n_moves, :n_players].astype(np.int64) for name in ("won", "scored")]
        cards = [work[name][:n_moves, :n_cards].copy() for name in ("card_worth", "card_kept")]
        return ends[0], ends[1], cards[0], cards[1]


def play_moves(
    position: Position, plan: Plan, moves: Sequence[int], tables: tuple[int, int], session: Session
) -> Continuations:
    """Play on from moves of a position at tables first .. stop - 1 of the seed of the plan.

    Parameters
    ----------
    position : Position
    plan : Plan
        From ``position.plan``: who plays on in every seat, and the seed.
    moves : sequence of int
        Legal ones.
    tables : (int, int)
    session : Session

    Returns
    -------
    Continuations
        The same for any number of workers; Ctrl-C ends it by KeyboardInterrupt.
    """
    start = position.public(plan)
    parts = [
        _play(start, plan, moves[first : first + N_ARMS], tables, session) for first in range(0, len(moves), N_ARMS)
    ]
    wins, scores = (np.concatenate([part[index] for part in parts], axis=1) for index in (0, 1))
    worth, kept = (np.concatenate([part[index] for part in parts]) for index in (2, 3))
    return Continuations(tuple(moves), wins, scores, worth, kept, position.to_move)


def _play(start: np.record, plan: Plan, moves: Sequence[int], tables: tuple[int, int], session: Session) -> Part:
    found: dict[int, Part] = {}

    def take(shard: Shard, part: Part) -> None:
        found[shard.first_deal] = part

    kernel = ShardKernel(play_on, continuation_player)
    session.drive(Job((plan,), partial(_Player, start, moves, plan), [tables], kernel, most=MOST_WORLDS), take)
    if session.interrupted:
        raise KeyboardInterrupt
    parts = [found[first] for first in sorted(found)]
    wins, scores = (np.concatenate([part[index] for part in parts]) for index in (0, 1))
    worth, kept = (np.sum([part[index] for part in parts], axis=0) for index in (2, 3))
    return wins, scores, worth, kept
