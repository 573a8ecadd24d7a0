"""A whole game looked back at: what each move cost, and what was luck and what was skill.

The chance of a player goes from that of the deal to the result, 0 or 1. What his own moves cost takes it down, what the
others' moves cost them may take it up, and the rest is luck: the cards that came up, and what the estimate cannot see.
For each turn two moves are played on at the same tables, which are other ones than those by which the better move was
found; so what a move costs is not made larger by the choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from salad_sim.game.engine import WHOLE_WIN, final_scores, share_win
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.jit.typing import Floats
from salad_sim.run.driver import Session
from salad_sim.run.plan import Plan
from salad_sim.stats.intervals import Estimate, Z
from salad_sim.stats.simultaneous import bonferroni_quantile
from salad_sim.studies.advice.estimate import Budget, sensible
from salad_sim.studies.advice.game_file import RecordedGame
from salad_sim.studies.advice.notation import brief, legal_moves
from salad_sim.studies.advice.play import Continuations, play_moves
from salad_sim.studies.advice.position import Position

GAMES = 400
"""Games from each of the two moves of a turn, by default."""

SECOND_LOOK = 200
"""Tables at which the moves that seem best at first are compared."""

FINALISTS = 8
"""Moves of the second look, at most."""

TABLES_OF_A_TURN = 10_000_000
"""Tables of different turns have different numbers, so that their noise is independent."""


@dataclass(frozen=True)
class TurnReview:
    """A turn looked back at.

    Attributes
    ----------
    number : int
        From 1.
    seat : int
    made, better : int
        The move that was made, and the one that seemed best; they may be the same.
    made_text, better_text : str
    of_made, of_better : ndarray of float64, shape [2, n_tables, n_players]
        Share of the win and margin of each seat after either move.
    """

    number: int
    seat: int
    made: int
    better: int
    made_text: str
    better_text: str
    of_made: Floats
    of_better: Floats

    def given_up(self, seat: int, what: int) -> Floats:
        """Return by table what a seat would have had more after the better move; ``what``: 0 wins, 1 points."""
        found: Floats = self.of_better[what, :, seat] - self.of_made[what, :, seat]
        return found


def _mean(values: Floats, width: float = Z) -> Estimate:
    """Return a mean with its interval, and its standard error by ``width`` = 1."""
    value, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    return Estimate(value, value - width * error, value + width * error)


@dataclass(frozen=True)
class Review:
    """A game looked back at.

    Attributes
    ----------
    game : RecordedGame
    turns : tuple of TurnReview
    wins, scores : tuple
        By seat the share of the win and the total; empty if the game was not played to its end.
    policy : str
        Who played on in mind.
    interrupted : bool
        Whether Ctrl-C ended it: only the first turns were looked at.
    """

    game: RecordedGame
    turns: tuple[TurnReview, ...]
    wins: tuple[float, ...]
    scores: tuple[int, ...]
    policy: str
    interrupted: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The players."""
        return self.game.names

    @cached_property
    def margins(self) -> tuple[int, ...]:
        """By seat how many points it was ahead of the best other one."""
        return tuple(
            each - max(other for seat, other in enumerate(self.scores) if seat != number)
            for number, each in enumerate(self.scores)
        )

    def moves_of(self, seat: int) -> list[TurnReview]:
        """Return the turns of a seat, the dearest first."""
        mine = [turn for turn in self.turns if turn.seat == seat]
        return sorted(mine, key=lambda turn: (-turn.given_up(seat, 0).mean(), -turn.given_up(seat, 1).mean()))

    def cost(self, turn: TurnReview) -> tuple[Estimate, Estimate]:
        """Return what a move cost, wins and points; the intervals of all moves of the seat hold at once."""
        width = bonferroni_quantile(len(self.moves_of(turn.seat)))
        return _mean(turn.given_up(turn.seat, 0), width), _mean(turn.given_up(turn.seat, 1), width)

    def accounts(self, seat: int) -> list[dict[str, Any]]:
        """Return where the result of a seat comes from: rows of a name and two estimates, which add up."""
        found = []
        for what, result in ((0, self.wins), (1, tuple(map(float, self.margins)))):
            found.append(self._account(seat, what, result[seat]))
        names = ("the deal and the seat", "luck of the cards", "moves of the others", "own moves", "result")
        return [{"part": name, "win": found[0][row], "points": found[1][row]} for row, name in enumerate(names)]

    def _account(self, seat: int, what: int, result: float) -> list[Estimate]:
        first = self.turns[0]
        start = _mean(first.of_better[what, :, seat], 1.0)
        own = _sum([_mean(turn.given_up(seat, what), 1.0) for turn in self.turns if turn.seat == seat])
        others = _sum([_mean(turn.given_up(seat, what), 1.0) for turn in self.turns if turn.seat != seat])
        later = _sum([_mean(turn.given_up(seat, what), 1.0) for turn in self.turns[1:]])
        made = _mean(first.of_made[what, :, seat], 1.0)  # the start less what the first move gave up
        luck = result - start.value + own.value + others.value
        error = math.hypot(later.high - later.value, made.high - made.value)
        parts = [start, Estimate(luck, luck - error, luck + error), _negative(others), _negative(own)]
        return [*(_widened(each) for each in parts), Estimate(result, result, result)]


def _sum(parts: Sequence[Estimate]) -> Estimate:
    """Return the sum of independent estimates that are given with one standard error to each side."""
    value = math.fsum(each.value for each in parts)
    error = math.sqrt(math.fsum((each.high - each.value) ** 2 for each in parts))
    return Estimate(value, value - error, value + error)


def _negative(part: Estimate) -> Estimate:
    return Estimate(-part.value, -part.high, -part.low)


def _widened(part: Estimate) -> Estimate:
    return Estimate(part.value, part.value - Z * (part.value - part.low), part.value + Z * (part.high - part.value))


def review(
    game: RecordedGame,
    budget: Budget,
    session: Session | None = None,
    tell: Callable[[int, int], None] = lambda done, planned: None,
) -> Review:
    """Look back at a game.

    Parameters
    ----------
    game : RecordedGame
    budget : Budget
        Its games are those of each of the two moves of a turn.
    session : Session, optional
    tell : callable
        Called with the turns done and all turns.

    Raises
    ------
    InputError
        If the strategy that plays on does not compile.
    """
    session = session or Session()
    turns: list[TurnReview] = []
    try:
        for number, (position, move) in enumerate(game.positions(), start=1):
            tell(number - 1, len(game.moves))
            turns.append(_look_at(position, move, number, budget, session))
    except KeyboardInterrupt:
        if not turns:
            raise
    wins, scores = result_of(game)
    return Review(game, tuple(turns), wins, scores, budget.policy.label, len(turns) < len(game.moves))


def _look_at(position: Position, move: int, number: int, budget: Budget, session: Session) -> TurnReview:
    plan = position.plan(budget.policy, budget.seed)
    view = position.public(plan)
    first = number * TABLES_OF_A_TURN
    better = _better(position, plan, legal_moves(view), first, budget, session)
    start = first + budget.first_look + SECOND_LOOK
    both = list(dict.fromkeys([move, better]))
    played = play_moves(position, plan, both, (start, start + budget.games), session)
    ends = [_ends(played, place) for place in (0, len(both) - 1)]
    texts = [brief(view, position.cards, each) for each in (move, better)]
    return TurnReview(number, position.to_move, move, better, texts[0], texts[1], ends[0], ends[1])


def _better(position: Position, plan: Plan, moves: Sequence[int], first: int, budget: Budget, session: Session) -> int:
    """Return the move that seems best, after two looks."""
    chosen = list(moves)
    for start, n_tables in ((first, budget.first_look), (first + budget.first_look, SECOND_LOOK)):
        if len(chosen) > 1:
            chosen = sensible(play_moves(position, plan, chosen, (start, start + n_tables), session))[:FINALISTS]
    return chosen[0]


def _ends(played: Continuations, place: int) -> Floats:
    """Return wins and margins of all seats after a move, shape [2, n_tables, n_players]."""
    scores = played.scores[:, place]
    others = np.stack([np.delete(scores, seat, axis=1).max(axis=1) for seat in range(scores.shape[1])], axis=1)
    return np.stack([played.wins[:, place] / WHOLE_WIN, scores - others])


def result_of(game: RecordedGame) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the shares of the win and the totals of a game by seat; nothing if it is not over."""
    view = None
    for table, _ in game.tables():
        view = table.public
    if view is None or view.n_left > 0 or view.round_number + 1 < view.n_rounds:
        return (), ()
    scores, wins = np.zeros(MAX_PLAYERS, dtype=np.int64), np.zeros(MAX_PLAYERS, dtype=np.int64)
    final_scores(view, scores)
    share_win(view, scores, view.rules.tie_break, wins)
    n_players = int(view.n_players)
    return tuple((wins[:n_players] / WHOLE_WIN).tolist()), tuple(scores[:n_players].tolist())
