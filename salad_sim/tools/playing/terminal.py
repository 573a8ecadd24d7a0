"""A game in the terminal or over a pipe: plain lines, and questions that take a number; 1 is always a legal answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from salad_sim.errors import InputError, SaladError
from salad_sim.report.table import Table
from salad_sim.run.driver import Session
from salad_sim.studies.advice import review_report
from salad_sim.studies.advice.estimate import Budget, advise
from salad_sim.studies.advice.notation import read_move
from salad_sim.studies.advice.review import review
from salad_sim.tools.playing.session import GameSession
from salad_sim.tools.playing.words import (
    draft_choices,
    flip_choices,
    hint_lines,
    move_line,
    scoring_lines,
    table_lines,
)

Choice = TypeVar("Choice")

MENU = [("go on", "go on"), ("hint", "hint"), ("undo", "undo"), ("save and go on", "save"), ("save and stop", "stop")]
"""What can be done beside moves, in words and by name; 0 asks for it, and so does its name."""

ASKED = 0
"""The number that leads to the menu."""


class StopPlayingError(Exception):
    """A player wants to stop, or nobody answers any more."""


class TerminalGame:
    """A game, and the people at it.

    Attributes
    ----------
    game : GameSession
    budget : Budget
        Of hints and of the review.
    file : Path
        Where the game is saved.
    read : callable
        Returns the next line that a player types, without its end, or None if there is none any more.
    say : callable
        Shows a line.
    show : callable
        Shows a table.
    """

    def __init__(
        self,
        game: GameSession,
        budget: Budget,
        file: Path,
        read: Callable[[str], str | None],
        say: Callable[[str], None],
        show: Callable[[Table], None],
        session: Session,
    ) -> None:
        self.game, self.budget, self.file = game, budget, file
        self.read, self.say, self.show, self.session = read, say, show, session

    def play(self) -> bool:
        """Play to the end, or until a player stops; return whether the end was reached.

        Whatever ends it early, the game is saved.

        Raises
        ------
        SaladError
            If a strategy fails.
        KeyboardInterrupt
            On Ctrl-C.
        """
        game = self.game
        try:
            while not game.is_over:
                if game.is_person:
                    self._turn()
                else:
                    move = game.ask()
                    self.say(move_line(game.view, game.plan.cards, game.names[game.seat], move))
                    self._make(move)
            self._end()
        except (StopPlayingError, KeyboardInterrupt, SaladError) as error:
            game.save(self.file)
            self.say(f"Saved in {self.file}. To go on: salad-sim play {self.file}")
            if not isinstance(error, StopPlayingError):
                raise
            return False
        return True

    def _make(self, move: int) -> None:
        if self.game.make(move):
            self.say(f"Round {int(self.game.view.round_number) + 1} is dealt. So far:")
            for seat, name in enumerate(self.game.names):
                self.say(f"  {name}: {int(self.game.view.bonus[seat])}")

    def _turn(self) -> None:
        """Ask a person for a move, and make it."""
        game = self.game
        view, cards = game.view, game.plan.cards
        self.say("")
        self.say(f"Turn {len(game.moves) + 1}: {game.names[game.seat]}, {int(view.n_left)} cards left")
        self.tell(table_lines(view, cards, game.names))
        draft = self._ask("What do you take?", draft_choices(view, cards), moves=True)
        if draft is None:
            return
        flips = flip_choices(view, cards, draft) if draft < DRAFTS else [("", draft - DRAFTS)]
        move = flips[0][1] if len(flips) == 1 else self._ask("Turn a point card to its vegetable?", flips)
        if move is not None:
            self._make(move)

    def tell(self, lines: Iterable[str]) -> None:
        """Say several lines."""
        for line in lines:
            self.say(line)

    def _ask(self, question: str, choices: Sequence[tuple[str, int]], moves: bool = False) -> int | None:
        """Return what a person chooses, or None if he did something else and shall be asked from the start.

        With ``moves`` a whole move may be written too; it comes back as DRAFTS + the move.
        """
        while True:
            self._list(question, [text for text, _ in choices])
            self.say(f"  {ASKED}  hint, undo, save or stop")
            answer = self._answer()
            if answer.isdecimal() and 1 <= int(answer) <= len(choices):
                return choices[int(answer) - 1][1]
            names = [name for _, name in MENU]
            if answer == str(ASKED) or answer.casefold() in names:
                if self._menu(None if answer == str(ASKED) else answer.casefold()):
                    return None
                continue
            try:
                if not moves:
                    raise InputError(f"{answer!r} is none of the numbers")
                return DRAFTS + read_move(answer, self.game.view, self.game.plan.cards)
            except InputError as error:
                self.say(f"{error}. Please give a number from {ASKED} to {len(choices)}.")

    def _list(self, question: str, texts: Sequence[str]) -> None:
        self.say(question)
        for number, text in enumerate(texts, start=1):
            self.say(f"  {number}  {text}")

    def _answer(self) -> str:
        answer = self.read("Your number: ")
        if answer is None:
            raise StopPlayingError
        return answer.strip()

    def _number(self, question: str, texts: Sequence[str]) -> int:
        """Return the number of the answer that is chosen, from 1."""
        while True:
            self._list(question, texts)
            answer = self._answer()
            if answer.isdecimal() and 1 <= int(answer) <= len(texts):
                return int(answer)
            self.say(f"Please give a number from 1 to {len(texts)}.")

    def _menu(self, wanted: str | None) -> bool:
        """Do what is chosen beside moves; return whether the table is another one then."""
        if wanted is None:
            wanted = MENU[self._number("What then?", [text for text, _ in MENU]) - 1][1]
        if wanted == "hint":
            self.say("Looking ahead ...")
            self.tell(hint_lines(advise(self.game.position, self.budget, session=self.session)))
        elif wanted == "undo":
            if self.game.undo():
                return True
            self.say("There is no move of yours to take back.")
        elif wanted == "save":
            self.game.save(self.file)
            self.say(f"Saved in {self.file}.")
        elif wanted == "stop":
            raise StopPlayingError
        return False

    def _end(self) -> None:
        """Score the game, and look back at it."""
        game = self.game
        self.say("")
        self.say("The game is over.")
        self.tell(scoring_lines(game.view, game.plan.cards, game.names))
        if not game.people:
            return
        if self._number("Look back at your moves?", ["yes", "no"]) == 1:
            self.say("Looking back at every turn ...")
            found = review(game.recorded, self.budget, self.session)
            for line in review_report.lines(found, game.people):
                if isinstance(line, Table):
                    self.show(line)
                else:
                    self.say(line)


DRAFTS = 1 << 20
"""Added to a whole move, to tell it from a draft."""
