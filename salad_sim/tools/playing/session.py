"""A game that people and strategies play at one table, move by move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.errors import IllegalMoveError
from salad_sim.files.atomic import write_files
from salad_sim.game.engine import LEGAL, WHY_ILLEGAL, apply_move, deal_next_round, why_illegal
from salad_sim.game.notation import move_in_words
from salad_sim.play.shard import begin_game
from salad_sim.run.plan import Plan
from salad_sim.run.runner import new_workspace, workspace_size
from salad_sim.studies.advice.game_file import RecordedGame, game_text
from salad_sim.studies.advice.position import Position, position_of


class GameSession:
    """A game in progress.

    Attributes
    ----------
    plan : Plan
        Whoever stands in its line-up for a person is never asked.
    names : tuple of str
    people : tuple of int
        Seats of people, from 0.
    moves : list of int
        Made so far.
    """

    def __init__(self, plan: Plan, names: Sequence[str], people: Sequence[int]) -> None:
        """Deal the game; strategies are compiled.

        Raises
        ------
        InputError
            If one does not compile.
        """
        self.plan, self.names, self.people = plan, tuple(names), tuple(people)
        self.choices: dict[int, Any] = {
            seat: each.ready(plan.capacity) for seat, each in enumerate(plan.lineup) if seat not in people
        }
        self.memory: npt.NDArray[np.uint8] = np.zeros(workspace_size(plan) // 8, dtype=np.int64).view(np.uint8)
        self.work = new_workspace(plan, buffer=self.memory)
        self.moves: list[int] = []
        self.before: list[tuple[int, npt.NDArray[np.uint8]]] = []  # how it was before each move of a person
        begin_game(self.work)

    @classmethod
    def resumed(cls, game: RecordedGame) -> GameSession:
        """Return a game that was saved: strategies choose once more, so that they remember what they did."""
        session = cls(game.plan, game.names, game.people)
        for move in game.moves:
            if not session.is_person:
                session.ask()
            session.make(move)
        return session

    @property
    def view(self) -> np.record:
        """What everybody sees."""
        view: np.record = self.work.table.public
        return view

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return int(self.view.seat)

    @property
    def is_person(self) -> bool:
        """Whether it is the turn of a person."""
        return self.seat in self.people

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.view.n_left == 0)

    @property
    def recorded(self) -> RecordedGame:
        """The game so far."""
        return RecordedGame(self.plan, self.names, self.people, tuple(self.moves))

    @property
    def position(self) -> Position:
        """What everybody sees, as a position."""
        return position_of(self.view, self.plan.rules, self.plan.cards, self.names)

    def ask(self) -> int:
        """Return the move of the strategy whose turn it is, which must be legal.

        Raises
        ------
        IllegalMoveError
            If it is not.
        """
        seat = self.seat
        move = int(self.choices[seat](self.view, self.work.own[seat], self.work.rng[seat]))
        reason = int(why_illegal(self.view, move))
        if reason != LEGAL:
            told = move_in_words(self.view, self.plan.cards, move)
            raise IllegalMoveError(f"{self.names[seat]} made an illegal move: {told}. Why not: {WHY_ILLEGAL[reason]}")
        return move

    def make(self, move: int) -> bool:
        """Make a legal move; return whether the next round was dealt then."""
        if self.is_person:
            self.before.append((len(self.moves), self.memory.copy()))
        apply_move(self.work.table, move)
        self.moves.append(move)
        if self.view.n_left == 0 and self.view.round_number + 1 < self.view.n_rounds:
            deal_next_round(self.work.table)
            return True
        return False

    def undo(self) -> bool:
        """Go back to before the last move of a person; return whether there was one."""
        if not self.before:
            return False
        n_moves, memory = self.before.pop()
        self.memory[:] = memory
        del self.moves[n_moves:]
        return True

    def save(self, file: Path) -> None:
        """Write the game so far into a file, all at once.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        write_files(file.parent, {file.name: game_text(self.recorded)})
