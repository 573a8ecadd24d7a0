"""Games written down as TOML files: those that the program dealt, by seed and moves, and those of a real table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from salad_sim.errors import InputError, quote
from salad_sim.files.toml import read_toml, toml_text
from salad_sim.game.engine import apply_move, deal_next_round
from salad_sim.play.shard import begin_game
from salad_sim.run.one_game import tables_of
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import new_workspace
from salad_sim.studies.advice.notation import card_text, move_text, read_move
from salad_sim.studies.advice.position import Position, position_of
from salad_sim.studies.advice.position_checks import check_position
from salad_sim.studies.advice.position_file import check_keys, read_setting, tables
from salad_sim.studies.advice.written_deck import WrittenTable, came_up

WHAT = "game file"
KEYS = ("players", "strategies", "seed", "moves", "rules", "rule", "card_file", "head_start", "start")
WRITTEN_KEYS = ("market", "tops", "turn")
TURN_KEYS = ("move", "new")

PLAYED = """A game of Point Salad. To go on: salad-sim play FILE; to look back: salad-sim review FILE.
Moves: pile 1, or market 1 4 by places (1 2 3 above, 4 5 6 below), then what is flipped."""
WRITTEN = """A game of Point Salad, written down. To look back: salad-sim review FILE.
new: the cards that came up on a turn, in order; the name of a vegetable if nobody saw its point side."""


@dataclass(frozen=True)
class RecordedGame:
    """A game, and who played it.

    Attributes
    ----------
    plan : Plan
        The seed deals it, if it was not written down; strategies of people stand for nobody.
    names : tuple of str
    people : tuple of int
        Seats of people, from 0.
    moves : tuple of int
    located : (int, int)
        Deal and rotation.
    written : WrittenTable, optional
        What a game was dealt that was written down.
    """

    plan: Plan
    names: tuple[str, ...]
    people: tuple[int, ...]
    moves: tuple[int, ...]
    located: tuple[int, int] = (0, 0)
    written: WrittenTable | None = field(default=None, compare=False)

    def tables(self) -> Iterator[tuple[np.record, int]]:
        """Yield the table before each move, which then changes, and the move."""
        if self.written is not None:
            return self.written.tables(self.moves)
        return tables_of(self.plan, *self.located, self.moves)

    def positions(self) -> Iterator[tuple[Position, int]]:
        """Yield what everybody saw before each move, and the move."""
        guessed = self.written.guessed if self.written is not None else set()
        for table, move in self.tables():
            yield position_of(table.public, self.plan.rules, self.plan.cards, self.names, guessed), move


def read_game(path: str) -> RecordedGame:
    """Read a game file.

    Raises
    ------
    InputError
        If it cannot be read, says what is not understood, or tells of what cannot be.
    """
    try:
        return parse_game(read_toml(path, WHAT))
    except InputError as error:
        where = f"{WHAT} {path!r}"
        raise error if str(error).startswith(where) else InputError(f"{where}: {error}") from None


def parse_game(table: Mapping[str, Any]) -> RecordedGame:
    """Return the game that the content of a file tells.

    Raises
    ------
    InputError
        As `read_game`.
    """
    is_written = "market" in table or "turn" in table
    check_keys(table, (*KEYS, *WRITTEN_KEYS))
    names = _texts(table, "players")
    strategies = _texts(table, "strategies") if "strategies" in table else [""] * len(names)
    if len(strategies) != len(names):
        raise InputError(
            f"{len(names)} players and {len(strategies)} strategies: one for each is needed, '' for people"
        )
    rules, cards = read_setting(table)
    people = tuple(seat for seat, each in enumerate(strategies) if not each)
    plan = plan_run(
        1,
        len(names),
        [each or NOBODY for each in strategies],
        table.get("seed", 1),
        False,
        tuple(table.get("head_start", ())),
        rules=rules,
        cards=cards,
    )
    if is_written:
        return _written(table, plan, names, people)
    moves: list[int] = []
    texts = _texts(table, "moves", least=0)
    for number, (each, text) in enumerate(zip(_growing(plan, moves), texts, strict=False), start=1):
        moves.append(_move(text, each.public, plan, number))
    if len(moves) < len(texts):
        raise InputError(f"the game is over after {len(moves)} moves; {len(texts)} are written down")
    return RecordedGame(plan, tuple(names), people, tuple(moves))


NOBODY = "greedy"
"""What stands in a line-up for a person; it is never asked."""


def _growing(plan: Plan, moves: list[int]) -> Iterator[np.record]:
    """Yield the table of a game before each move of a list that grows, until the game is over."""
    work = new_workspace(plan)
    begin_game(work)
    view = work.table.public
    while True:
        if view.n_left == 0:
            if view.round_number + 1 >= view.n_rounds:
                return
            deal_next_round(work.table)
        yield work.table
        apply_move(work.table, moves[-1])


def _move(text: object, view: np.record, plan: Plan, number: int) -> int:
    if not isinstance(text, str):
        raise InputError(f"turn {number}: a move is a text, not {quote(text)}")
    try:
        return read_move(text, view, plan.cards)
    except InputError as error:
        raise InputError(f"turn {number}: {error}") from None


def _texts(table: Mapping[str, Any], key: str, least: int = 2) -> list[str]:
    found = table.get(key, [])
    if not isinstance(found, list) or len(found) < least or not all(isinstance(each, str) for each in found):
        raise InputError(f"{key} must be a list of texts{f', {least} or more' if least else ''}, not {quote(found)}")
    return found


def _written(table: Mapping[str, Any], plan: Plan, names: list[str], people: tuple[int, ...]) -> RecordedGame:
    """Return a game that was written down, the cards that came up turn by turn."""
    start = table.get("start", 1)
    seat = names.index(start) if start in names else start - 1 if isinstance(start, int) else -1
    if not 0 <= seat < len(names):
        raise InputError(f"start says who began: a name or a seat 1..{len(names)}, not {quote(start)}")
    turns = tables(table, "turn")
    named = [each for turn in turns for each in _listed(turn.get("new", []))]
    dealt = WrittenTable(plan, seat, _listed(table.get("market")), _listed(table.get("tops")), named)
    moves = []
    for number, turn in enumerate(turns, start=1):
        check_keys(turn, TURN_KEYS, f"turn {number}: ")
        if dealt.table.public.n_left == 0:
            raise InputError(f"the game is over after {number - 1} turns; {len(turns)} are written down")
        move = _move(turn.get("move"), dealt.table.public, plan, number)
        try:
            dealt.make(move, _listed(turn.get("new", [])))
            if dealt.table.public.n_left > 0:
                check_position(position_of(dealt.table.public, plan.rules, plan.cards, names, dealt.guessed))
        except InputError as error:
            raise InputError(f"turn {number}: {error}") from None
        moves.append(move)
    return RecordedGame(plan, tuple(names), people, tuple(moves), written=dealt)


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def game_text(game: RecordedGame) -> str:
    """Return a game that was dealt by a seed as a file, which `read_game` reads again."""
    plan, quoted = game.plan, _quoted
    strategies = ["" if seat in game.people else each.spec for seat, each in enumerate(plan.lineup)]
    lines = [f"# {line}" for line in PLAYED.splitlines()]
    lines += [
        f"players = {_inline(game.names)}",
        f'strategies = {_inline(strategies)}  # "" is a person',
        f"seed = {plan.seed}",
        *_setting(plan),
        "moves = [",
        *(f"    {quoted(move_text(plan.cards, move))}," for move in game.moves),
        "]",
    ]
    return "\n".join([*lines, *_switches(plan)]) + "\n"


def _setting(plan: Plan) -> list[str]:
    head_start = [f"head_start = {list(plan.head_start)}"] if plan.head_start else []
    return head_start + ([] if plan.cards.is_official else [f"card_file = {_quoted(plan.cards.source)}"])


def _switches(plan: Plan) -> list[str]:
    changed = plan.rules.changed()
    return ["", "[rule]", *(f"{name} = {_quoted(value)}" for name, value in changed.items())] if changed else []


def written_text(game: RecordedGame) -> str:
    """Return a game as a file that tells which cards came up, as a person writes it down.

    Raises
    ------
    InputError
        If it has several rounds.
    """
    if game.plan.rules.rounds > 1:
        raise InputError("games of one round can be written down")
    plan, cards = game.plan, game.plan.cards
    lines = [f"# {line}" for line in WRITTEN.splitlines()]
    turns: list[str] = []
    for number, (table, move) in enumerate(game.tables()):
        view = table.public
        if number == 0:
            tops = [card_text(cards, int(card)) for card in view.top]
            lines += [f"players = {_inline(game.names)}", *_setting(plan)]
            lines += [f"start = {int(view.start) + 1}"] if view.start else []
            lines += [f"market = {_inline([cards.labels[veg] for veg in view.market])}", f"tops = {_inline(tops)}"]
        new = [card_text(cards, card) for card in came_up(table.copy(), move)]
        turns += ["", "[[turn]]", f"move = {_quoted(move_text(cards, move))}", f"new = {_inline(new)}"]
    return "\n".join([*lines, *_switches(plan), *turns]) + "\n"


def _quoted(value: object) -> str:
    return toml_text({"x": value}).removeprefix("x = ").rstrip("\n")


def _inline(values: Sequence[object]) -> str:
    return f"[{', '.join(map(_quoted, values))}]"
