"""One game played with care: each choice is asked for three times, on memory that is compared byte by byte.

A strategy is handed pointers to three records. What lies around them (the deck, the other seats' records) is within its
reach all the same, if it reads past the end of an array; so all of that is replaced before a choice is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.game.engine import LEGAL, WHY_ILLEGAL, apply_move, deal_next_round, why_illegal
from salad_sim.game.notation import move_in_words
from salad_sim.game.state import HIDDEN, N_VEGETABLES
from salad_sim.jit.blocks import address_of
from salad_sim.jit.records import new_record
from salad_sim.jit.rng import RNG, seed_stream, shuffle_tail
from salad_sim.play.shard import begin_game
from salad_sim.run.plan import Plan
from salad_sim.run.runner import new_workspace, workspace_size
from salad_sim.strategy.registry import Strategy

SCRAMBLED = 255
"""The purpose of the stream that scrambles; deal and seats use lower ones."""

GUARD = 1 << 16
"""Bytes before and behind the workspace that nobody may touch."""

SET = ("params", "memory_at", "memory_size")
"""Fields of the own record that a strategy may read only."""

EARLIER = 1_000_000
"""Added to the number of a deal for the game that is played before it."""

SMALL = 7
"""Numbers below this fill what a strategy may not read: a wild read that uses one as an index still finds a place."""

Bytes = npt.NDArray[np.uint8]


@dataclass
class Faults:
    """What the checks have seen so far: the first failure of each, and how much was looked at."""

    failures: dict[str, str] = field(default_factory=dict)
    n_turns: int = 0
    n_careful: int = 0
    n_games: int = 0
    speeds: dict[int, float] = field(default_factory=dict)
    move_seconds: dict[int, float] = field(default_factory=dict)

    def fail(self, check: str, failure: str) -> None:
        """Keep the first failure of a check."""
        self.failures.setdefault(check, failure)


class CannotGoOnError(Exception):
    """A game, or the whole check, has come to a point from where it cannot be played on."""


class CarefulGame:
    """A workspace between guards, and one line-up that plays on it turn by turn."""

    def __init__(self, plan: Plan, subject: Strategy, findings: Faults) -> None:
        self.plan = plan
        self.findings = findings
        self.is_subject = [each is subject for each in plan.lineup]
        self.choices = [each.ready(plan.capacity) for each in plan.lineup]
        self.deal = 0
        size = workspace_size(plan)
        self.memory: Bytes = np.zeros(GUARD + size + GUARD, dtype=np.uint8)
        self.work = new_workspace(plan, buffer=self.memory[GUARD : GUARD + size])
        self.at_first = self.memory.copy()
        self.small = np.resize(np.arange(SMALL), self.memory.size // 8).view(np.uint8)
        self.table = self.work.table
        self.view = self.table.public
        self.own = list(self.work.own)
        self.streams = list(self.work.rng)
        self.scrambler = new_record(RNG)
        self.view_part = self._part(self.view)
        self.own_parts = [
            (self._part(own), self._part(stream), self._declared(own))
            for own, stream in zip(self.own, self.streams, strict=True)
        ]

    def play(self, deal: int, ask: Callable[[int], int]) -> list[int]:
        """Play a deal with ``ask`` for the moves of the subject's seats; return all moves."""
        self.deal = self.work.deal = deal
        begin_game(self.work)
        view, moves = self.view, []
        while self._goes_on():
            seat = int(view["seat"])
            move = ask(seat) if self.is_subject[seat] else self.choose(seat)
            reason = why_illegal(view, move)
            if reason != LEGAL:
                self.findings.fail("legal", f"{self.where()}: {self.say(move)}. Why not: {WHY_ILLEGAL[reason]}")
                raise CannotGoOnError
            apply_move(self.table, move)
            moves.append(move)
        return moves

    def _goes_on(self) -> bool:
        """Return whether a move is to be made, in this round or in the next one, which is then dealt."""
        view = self.view
        if view.n_left == 0 and view.round_number + 1 < view.n_rounds:
            deal_next_round(self.table)
        return bool(view.n_left > 0)

    def choose(self, seat: int) -> int:
        """Ask the strategy at a seat for a move."""
        try:
            return int(self.choices[seat](self.view, self.own[seat], self.streams[seat]))
        except Exception as error:
            check = "bounds" if isinstance(error, IndexError) else "legal"
            self.findings.fail(check, f"{self.where()}: it raised {type(error).__name__}: {error}")
            raise CannotGoOnError from error

    def choose_carefully(self, seat: int) -> int:
        """Ask three times: as it is, once more, and with everything replaced that the seat cannot know."""
        self.findings.n_turns += 1
        before = self.memory.copy()
        move = self.choose(seat)
        after = self.memory.copy()
        self._compare_writes(seat, before, after)
        self.memory[:] = before
        self._ask_again("again", "asked again, with nothing changed", seat, move, after)
        if "again" not in self.findings.failures:
            self.memory[:] = before
            self._replace_hidden(seat)
            self._ask_again("hidden", "with other hidden cards, all that it may know unchanged", seat, move, after)
        self.memory[:] = before
        for part in self.own_parts[seat]:
            self.memory[part] = after[part]
        return move

    def where(self, turn: int | None = None) -> str:
        """Say at which seat and turn of which game the table is, or was at ``turn``."""
        return where_at(self.plan, self.view, self.deal, turn)

    def say(self, move: int) -> str:
        """Say a move in words."""
        return move_in_words(self.view, self.plan.cards, move)

    def _ask_again(self, check: str, how: str, seat: int, move: int, after: Bytes) -> None:
        """See that the same move comes out, and leaves the own record and stream alike."""
        other = self.choose(seat)
        if other != move:
            said = f"first it chose to {self.say(move)}; {how}, to {self.say(other)}"
            self.findings.fail(check, f"{self.where()}: {said}")
        elif any((self.memory[part] != after[part]).any() for part in self.own_parts[seat]):
            self.findings.fail(check, f"{self.where()}: {how}, it left other numbers in its own record or stream")

    def _part(self, record: Any) -> slice:
        """Return where a record or array of the workspace lies in the memory."""
        start = address_of(record) - address_of(self.memory)
        return slice(start, start + record.nbytes)

    def _declared(self, own: Any) -> slice:
        """Return where the declared memory of a seat lies in the memory."""
        start = self._part(own).start + int(own.memory_at)
        return slice(start, start + int(own.memory_size))

    def _compare_writes(self, seat: int, before: Bytes, after: Bytes) -> None:
        """See that a choice changed nothing but the own record, what is set in it excepted, memory and stream."""
        changed = before != after
        view, own = self.view_part, self.own_parts[seat][0]
        fields = self.own[seat].dtype.fields
        starts = {name: own.start + fields[name][1] for name in SET}
        set_anew = [name for name, start in starts.items() if changed[start : start + fields[name][0].itemsize].any()]
        for part in self.own_parts[seat]:
            changed[part] = False
        outside = np.flatnonzero(changed)
        if outside.size and view.start <= outside[0] < view.stop:
            what = f"view.{_field_at(self.view.dtype, outside[0] - view.start)}"
        elif outside.size:
            what = "memory outside of its records, past the end of an array"
        elif set_anew:
            what = f"own.{set_anew[0]}, which later games would see"
        else:
            return
        self.findings.fail("writes", f"{self.where()}: it wrote to {what}")

    def _replace_hidden(self, seat: int) -> None:
        """Fill all memory but what the seat may know: the deck with other possible cards, the rest with numbers."""
        table = self.table
        seed_stream(self.scrambler, self.plan.seed, self.deal, SCRAMBLED)
        kept = [(part, self.memory[part].copy()) for part in (self.view_part, *self.own_parts[seat])]
        low, high, pool = table.low.copy(), table.high.copy(), table.pool[::-1].copy()
        deck = _other_deck(table, self.scrambler)
        self.memory[: self.small.size] = self.small
        for part, content in kept:
            self.memory[part] = content
        table.low, table.high, table.deck, table.pool = low, high, deck, pool


def where_at(plan: Plan, view: np.record, deal: int, turn: int | None = None) -> str:
    """Say at which seat and turn of a game the table is, or was at ``turn``."""
    at = int(view.turn) if turn is None else turn
    seat = (int(view.start) + at) % plan.n_players
    names = [each.name for each in plan.lineup]
    line_up = f"{names[0]} in every seat" if is_alone(plan) else ", ".join(names)
    return f"seat {seat + 1}, turn {at + 1} of game {deal} of seed {plan.seed}, {plan.n_players} players ({line_up})"


def _field_at(dtype: np.dtype[Any], offset: int) -> str:
    """Return the name of the field of a record that lies at ``offset``."""
    starts = {name: start for name, (_, start, *_) in (dtype.fields or {}).items()}
    return max((name for name in starts if starts[name] <= offset), key=lambda name: starts[name])


def _other_deck(table: np.record, rng: np.record) -> npt.NDArray[np.int16]:
    """Return a deck as it could be as well, for all that the players have seen.

    Cards that were never seen change places: under the pile tops, and with cards of the same back that were left out of
    the game, as the number of cards of each back is known.
    """
    view, deck = table.public, table.deck.copy()
    n_cards = int(view.cards.n_cards)
    backs, is_unseen = view.cards.back[:n_cards], view.place[:n_cards] == HIDDEN
    below_top = [place for low, high in zip(table.low, table.high, strict=True) for place in range(low, high - 1)]
    chosen = []
    for veg in range(N_VEGETABLES):
        unseen = np.flatnonzero(is_unseen & (backs == veg)).astype(np.int16)
        shuffle_tail(rng, unseen, len(unseen), len(unseen))
        chosen.append(unseen[: np.count_nonzero(backs[deck[below_top]] == veg)])
    cards = np.concatenate(chosen)
    shuffle_tail(rng, cards, len(cards), len(cards))
    deck[below_top] = cards
    return deck  # type: ignore[no-any-return]


def is_alone(plan: Plan) -> bool:
    """Return whether one strategy plays in every seat."""
    return all(each is plan.lineup[0] for each in plan.lineup)


def check_carefully(game: CarefulGame, deal: int) -> None:
    """Play one deal with care, then again after another game has left its traces."""
    findings, scratch = game.findings, game.work["own"]["scratch"]
    findings.n_careful += 1
    findings.n_games += 3
    game.memory[:] = game.at_first
    moves = game.play(deal, game.choose_carefully)
    game.play(EARLIER + deal, game.choose)
    scratch[:] = np.resize(np.arange(SMALL), scratch.shape)
    again = game.play(deal, game.choose)
    if moves != again and "again" not in findings.failures:
        turn = next(turn for turn, (first, second) in enumerate(zip(moves, again, strict=False)) if first != second)
        findings.fail(
            "fresh",
            f"{game.where(turn)}: it chose something else after another game had been played; "
            "only own.memory and memory that is declared are cleared before a game",
        )
