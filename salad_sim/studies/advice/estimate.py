"""What moves are worth: win chances and margins with intervals that hold all at once, and what a move costs.

Moves are first looked at with few tables; those that seem clearly worse than the best are set aside. The others are
played on at fresh tables, and only these count: so looking first takes nothing from what the intervals promise. All
moves are played at the same tables, so that differences of moves are differences in pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Flags, Floats, Ints
from salad_sim.run.driver import Session
from salad_sim.run.plan import Plan
from salad_sim.run.setup import whole_number
from salad_sim.stats.intervals import Estimate, mean, proportion
from salad_sim.stats.ranks import certain_order
from salad_sim.stats.simultaneous import MANY, joint_quantile
from salad_sim.strategy.registry import Strategy
from salad_sim.studies.advice.adviser import adviser
from salad_sim.studies.advice.ending import Exact, solved, told_apart
from salad_sim.studies.advice.notation import legal_moves
from salad_sim.studies.advice.play import Continuations, nothing_played, play_moves
from salad_sim.studies.advice.position import Position

GAMES = 1000
"""Games that each sensible move is played on for, by default."""

FEWEST_GAMES, MOST_GAMES = 50, 1_000_000

FIRST_LOOK = 64
"""Tables at which every legal move is looked at first."""

MOST_MOVES = 24
"""Moves that are sensible, at most."""

CLEARLY = 3.0
"""Standard errors of the difference to the best by which a move must seem worse at first to be set aside."""

POINT = 0.01
"""Wins that a point of margin counts where moves are looked at first."""


@dataclass(frozen=True)
class Advice:
    """What the sensible moves of a position are worth.

    Attributes
    ----------
    position : Position
    plan : Plan
        Who played on, and the seed.
    played : Continuations
        Of the sensible moves, the best first.
    first : int
        The move that seemed best at first, before anything counted.
    n_legal : int
        Legal moves.
    own : int, optional
        The move that is asked about.
    exact : sequence of (float, float)
        Of an ending that was solved: by move, the win and the margin that it comes to.
    """

    position: Position
    plan: Plan
    played: Continuations
    first: int
    n_legal: int
    own: int | None = None
    exact: Sequence[Exact] = ()

    @property
    def moves(self) -> tuple[int, ...]:
        """The sensible moves, and the own one; the best first."""
        return self.played.moves

    @property
    def best(self) -> int:
        """The best move."""
        return self.moves[0]

    @cached_property
    def _values(self) -> Floats:
        """By table the win of each move and, behind them, its margin."""
        return np.concatenate([self.played.won / WHOLE_WIN, self.played.margins], axis=1)

    @cached_property
    def _covariance(self) -> Floats:
        found: Floats = np.cov(self._values.T).reshape(2 * (2 * len(self.moves),)) / self.played.n_tables
        return found

    @cached_property
    def _quantile(self) -> float:
        """Standard errors within which all win chances and margins hold at once."""
        return joint_quantile(self._covariance, 10 * MANY)  # the intervals add what is for few tables

    @cached_property
    def wins(self) -> list[Estimate]:
        """The win chance of each move."""
        n = self.played.n_tables
        if self.exact:
            return [Estimate(win, math.nan, math.nan) for win, _ in self.exact]
        return [
            proportion(int(won.sum()), int((won * won).sum()), n, n, WHOLE_WIN, self._quantile)
            for won in self.played.won.T
        ]

    @cached_property
    def margins(self) -> list[Estimate]:
        """By how many points the mover is ahead in the end, for each move."""
        n = self.played.n_tables
        if self.exact:
            return [Estimate(margin, math.nan, math.nan) for _, margin in self.exact]
        return [mean(int(each.sum()), int((each * each).sum()), n, n, self._quantile) for each in self.played.margins.T]

    @cached_property
    def as_good(self) -> Flags:
        """Which moves are as good as the best one within noise: by win chance, or by margin where all win alike."""
        if self.exact:
            return np.array([each == self.exact[0] for each in self.exact])
        n_moves = len(self.moves)
        part = slice(0, n_moves) if np.diag(self._covariance)[:n_moves].any() else slice(n_moves, None)
        certain = certain_order(self._values.mean(axis=0)[part], self._covariance[part, part])
        found: Flags = ~certain[0]
        return found

    def cost(self, move: int) -> tuple[Estimate, Estimate]:
        """Return what a move costs beside the best one: win chance and points.

        The intervals hold whichever move came out best, and for all moves at once.
        """
        n_moves, place = len(self.moves), self.moves.index(move)
        if self.exact:
            lost = [best - there for best, there in zip(self.exact[0], self.exact[place], strict=True)]
            return Estimate(lost[0], math.nan, math.nan), Estimate(lost[1], math.nan, math.nan)
        return self._difference(0, place, self._wide[0]), self._difference(n_moves, n_moves + place, self._wide[1])

    def _difference(self, one: int, other: int, wide: float) -> Estimate:
        """Return the difference of two columns of the values with its interval."""
        difference = self._values[:, one] - self._values[:, other]
        value, error = float(difference.mean()), float(difference.std(ddof=1)) / math.sqrt(len(difference))
        return Estimate(value, value - wide * error, value + wide * error)

    @cached_property
    def _wide(self) -> tuple[float, float]:
        """Standard errors within which all differences of win chances hold at once, and those of margins."""
        n_moves = len(self.moves)
        parts, n_tables = (slice(n_moves), slice(n_moves, None)), self.played.n_tables
        wins, margins = (_of_all_pairs(self._covariance[part, part], n_tables) for part in parts)
        return wins, margins


def _of_all_pairs(covariance: Floats, n_tables: int) -> float:
    """Return the standard errors within which the differences of all pairs hold at once."""
    one, other = np.triu_indices(len(covariance), 1)
    pairs = np.zeros((len(one), len(covariance)))
    pairs[range(len(one)), one], pairs[range(len(one)), other] = 1, -1
    return joint_quantile(pairs @ covariance @ pairs.T, n_tables - 1) if len(one) else 0.0


@dataclass(frozen=True)
class Budget:
    """How much is played for an advice.

    Attributes
    ----------
    games : int
        Games of each sensible move.
    seed : int
    policy : Strategy
        Who plays on in every seat.
    first_look : int
        Tables of the first look.
    most_moves : int
        Moves that are sensible, at most.
    """

    games: int = GAMES
    seed: int = 1
    policy: Strategy = field(default_factory=adviser)
    first_look: int = FIRST_LOOK
    most_moves: int = MOST_MOVES


def check_budget(games: int | str = GAMES, seed: int | str = 1, policy: str | Strategy | None = None) -> Budget:
    """Return the budget that a user asks for.

    Raises
    ------
    InputError
        If a number or a strategy is not allowed.
    """
    n_games = whole_number("games", games, FEWEST_GAMES, MOST_GAMES)
    return Budget(n_games, whole_number("seed", seed, 0, 2**63 - 1), adviser(policy))


def advise(position: Position, budget: Budget, own: int | None = None, session: Session | None = None) -> Advice:
    """Say what the sensible moves of a position are worth.

    Parameters
    ----------
    position : Position
        One that can be, see `check_position`.
    budget : Budget
    own : int, optional
        A legal move, which is looked at in any case.
    session : Session, optional
        By default one thread for each core, and nobody watches.

    Raises
    ------
    InputError
        If the strategy that plays on does not compile.
    KeyboardInterrupt
        On Ctrl-C.
    """
    session = session or Session()
    plan = position.plan(budget.policy, budget.seed)
    view = position.public(plan)
    legal = told_apart(view, legal_moves(view), own)
    exact = solved(position, plan, legal)
    if exact is not None:
        return _of_ending(position, plan, dict(zip(legal, exact, strict=True)), budget, own)
    chosen, first = legal, legal[0]
    if len(legal) > 1:
        seen = play_moves(position, plan, legal, (0, budget.first_look), session)
        chosen = sensible(seen, budget.most_moves)
        first = chosen[0]
    if own is not None and own not in chosen:
        chosen = [*chosen, own]
    tables = budget.first_look, budget.first_look + budget.games
    played = play_moves(position, plan, chosen, tables, session)
    return Advice(position, plan, played.of(_best_first(played)), first, len(legal), own)


def _of_ending(position: Position, plan: Plan, exact: dict[int, Exact], budget: Budget, own: int | None) -> Advice:
    """Return the advice for an ending that was solved: no game is played."""
    chosen = sorted(exact, key=lambda move: exact[move], reverse=True)[: budget.most_moves]
    if own is not None and own not in chosen:
        chosen.append(own)
    values = [exact[move] for move in chosen]
    return Advice(position, plan, nothing_played(chosen, position), chosen[0], len(exact), own, values)


def sensible(seen: Continuations, most: int = MOST_MOVES) -> list[int]:
    """Return the moves that do not seem clearly worse than the best, the best first."""
    values: Floats = seen.won / WHOLE_WIN + POINT * seen.margins
    order = np.argsort(-values.mean(axis=0), kind="stable")
    behind = values[:, order[0], None] - values[:, order]
    errors = behind.std(axis=0, ddof=1) / math.sqrt(seen.n_tables)
    near = behind.mean(axis=0) <= CLEARLY * errors
    return [seen.moves[place] for place in order[near][:most]]


def _best_first(played: Continuations) -> Sequence[int]:
    won: Ints = played.won.sum(axis=0)
    order = np.lexsort((-played.margins.sum(axis=0), -won))
    return [played.moves[place] for place in order]
