"""The columns of saved games: their names, types, units and meaning, and how they are made from rows of a kernel."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from salad_sim.game.card_families import Family, families
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.game.moves import N_PILES, N_SLOTS
from salad_sim.game.notation import listed
from salad_sim.game.state import NONE
from salad_sim.run.plan import Plan

if TYPE_CHECKING:
    import pyarrow as pa

Numbers = npt.NDArray[Any]

Rows = Mapping[str, Numbers]
"""Rows of a kernel: `move_recorder.MOVE_ROW`, or ``GAME_ROW`` there and ``points`` [n_rows, n_families]."""

LEVELS = ("games", "moves")
"""What a row may stand for: a game and seat, or a move."""

DRAFTS = ("point card", "vegetables")


@dataclass(frozen=True)
class FileColumn:
    """A column of a file of saved games.

    Attributes
    ----------
    name : str
        Lower-case letters, digits and underscores, beginning with a letter: SQL takes it as it is.
    type : str
        Of Arrow: int8, int16, int32, int64 or float64; or "words", a dictionary of strings.
    unit : str
        What is counted, or "" for a name or a number that only names.
    about : str
        What it says.
    take : callable
        Takes it from the rows of a kernel, as numbers, or as indexes into ``words``.
    words : tuple of str
        What the indexes of a dictionary stand for.
    may_lack : bool
        Whether NONE in the rows stands for no value.
    """

    name: str
    type: str
    unit: str
    about: str
    take: Callable[[Rows], Numbers]
    words: tuple[str, ...] = ()
    may_lack: bool = False

    @property
    def arrow_type(self) -> pa.DataType:
        """The type in Arrow."""
        import pyarrow as pa

        return pa.dictionary(pa.int16(), pa.string()) if self.type == "words" else pa.type_for_alias(self.type)

    @property
    def field(self) -> pa.Field:
        """The field of an Arrow schema, with unit and meaning as metadata."""
        import pyarrow as pa

        said = {"description": self.about, "unit": self.unit}
        return pa.field(self.name, self.arrow_type, nullable=self.may_lack, metadata=said)

    def array(self, rows: Rows) -> pa.Array:
        """Return the column of some rows; it owns its numbers, so the rows can be used again."""
        import pyarrow as pa

        taken = self.take(rows)
        lacking = taken == NONE if self.may_lack else None
        if self.type == "words":
            indexes = pa.array(taken.astype(np.int16), mask=lacking)
            return pa.DictionaryArray.from_arrays(indexes, pa.array(self.words, pa.string()))
        # pyarrow looks at the memory of a numpy array and does not copy it
        return pa.array(taken.astype(self.arrow_type.to_pandas_dtype(), copy=True), mask=lacking)


def number(name: str, kind: str, unit: str, about: str, field: str = "", first: int = 0) -> FileColumn:
    """Return the column of a field of the rows (of the same name by default), counted from ``first`` for people."""
    return FileColumn(name, kind, unit, about, lambda rows: rows[field or name] + first)


def _none_or(name: str, kind: str, about: str, field: str, index: int | None = None, first: int = 0) -> FileColumn:
    """Return the column of a field, or of one of its numbers, in which NONE is no value."""

    def take(rows: Rows) -> Numbers:
        found = rows[field] if index is None else rows[field][:, index]
        return np.where(found == NONE, NONE, found + first) if first else found

    return FileColumn(name, kind, "", about, take, may_lack=True)


def _who(plan: Plan) -> list[FileColumn]:
    """Return what rows of both kinds begin with: which game, who."""
    rotations = "0 unless the run rotates the line-up; in rotation r, place p of the line-up sits at seat p + r"
    return [
        number("deal", "int64", "", "number of the deal, from 0: the same cards in the same order"),
        number("game", "int64", "", "number of the game in the run, from 0, as `salad-sim replay --game` takes it"),
        number("rotation", "int8", "", f"rotation of the line-up, {rotations}"),
        number("seat", "int8", "", "place in turn order; seat 1 moves first in the (first) round", first=1),
        FileColumn("strategy", "words", "", "who plays at the seat", lambda rows: rows["group"], plan.labels),
    ]


def game_columns(plan: Plan) -> list[FileColumn]:
    """Return the columns of one row a game and seat; those of the points by family are the last ones."""
    head = ", head start included" if plan.head_start else ""
    rounds = ", all rounds together" if plan.rules.rounds > 1 else ""
    return [
        *_who(plan),
        number("score", "int32", "points", f"total at the end{rounds}{head}"),
        number("place", "int8", "", f"1 is the first; equal totals by the tie-break ({plan.rules.tie_break})"),
        FileColumn(
            *("win_share", "float64", "wins", "share of the win: 1, 0, or a part of it where seats share it"),
            lambda rows: rows["wins"] / WHOLE_WIN,
        ),
        number("turns", "int16", "turns", f"turns that the seat took{rounds}"),
        number("point_cards", "int16", "cards", f"point cards kept to the end{rounds}"),
        number("flips", "int16", "cards", f"own point cards turned to their vegetable{rounds}"),
        *(
            FileColumn(name, "int32", "points", _family_in_words(plan, family, rounds), _points_of(index))
            for index, (name, family) in enumerate(family_names(plan).items())
        ),
    ]


def _points_of(index: int) -> Callable[[Rows], Numbers]:
    return lambda rows: rows["points"][:, index]


def family_names(plan: Plan) -> dict[str, Family]:
    """Return the families of the cards, by the names of their columns: ``points_a_plus_b_5`` for ``A + B = 5``."""
    named: dict[str, Family] = {}
    for family in families(plan.cards):
        stem = name = "points_" + _plain(family.name)
        while name in named:  # families that differ in signs only
            name = f"{stem}_v{2 + sum(other.startswith(stem + '_v') for other in named)}"
        named[name] = family
    return named


def _plain(text: str) -> str:
    """Return text in lower-case letters, digits and underscores."""
    said = re.sub(r"-(?=\d)", " minus ", text.casefold()).replace("+", " plus ")
    return re.sub(r"[^a-z0-9]+", "_", said).strip("_")


def _family_in_words(plan: Plan, family: Family, rounds: str) -> str:
    first = family.members[0]
    example = f', such as card {first}, "{plan.cards[first].text}"' if len(family) > 1 else ""
    ids = listed(map(str, family.members))
    return f'what the kept point cards of the family "{family.name}" score (card ids {ids}){example}{rounds}'


def _vegetable_columns(plan: Plan, index: int, what: str) -> list[FileColumn]:
    """Return the columns of the first or second vegetable that was drafted."""
    backs = np.array([card.back for card in plan.cards])

    def vegetable(rows: Rows) -> Numbers:
        card = rows["vegetable_card"][:, index]
        return np.where(card == NONE, NONE, backs[card])

    name = f"vegetable_{index + 1}"
    return [
        FileColumn(name, "words", "", what, vegetable, plan.cards.labels, may_lack=True),
        _none_or(f"{name}_card", "int16", f"card id of {name}", "vegetable_card", index),
        _none_or(f"{name}_slot", "int8", f"market slot of {name}, 1 to 6", "slot", index, first=1),
    ]


def move_columns(plan: Plan) -> list[FileColumn]:
    """Return the columns of one row a move."""
    slots = "slots 1 to 3 are the upper row, 4 to 6 the lower one"
    return [
        *_who(plan),
        number("round", "int8", "", "round of the match, from 1", first=1),
        number("turn", "int16", "", "turn of the round, from 1; all seats together", first=1),
        number("cards_left", "int16", "cards", "in piles and market, before the move"),
        FileColumn("draft", "words", "", "what was drafted", lambda rows: rows["point_card"] == NONE, DRAFTS),
        _none_or("point_card", "int16", "card id of the point card drafted", "point_card"),
        _none_or("pile", "int8", "pile of the point card drafted, 1 to 3", "pile", first=1),
        *_vegetable_columns(plan, 0, "the (first) vegetable drafted, from the lower-numbered slot"),
        *_vegetable_columns(plan, 1, "the second vegetable drafted"),
        _none_or("flip_card", "int16", "card id of the own point card turned to its vegetable", "flip_card"),
        number("points", "int32", "points", "what the point cards of the seat are worth right after its move"),
        *(
            _none_or(f"top_{pile + 1}", "int16", f"card id on top of pile {pile + 1} before the move", "top", pile)
            for pile in range(N_PILES)
        ),
        *(
            _none_or(
                *(f"market_{slot + 1}", "int16", f"card id in market slot {slot + 1} before the move; {slots}"),
                *("market", slot),
            )
            for slot in range(N_SLOTS)
        ),
    ]


def columns_of(plan: Plan, level: str) -> list[FileColumn]:
    """Return the columns of a level, in order."""
    return game_columns(plan) if level == "games" else move_columns(plan)


def batch_of(columns: Sequence[FileColumn], schema: pa.Schema, rows: Rows) -> pa.RecordBatch:
    """Return rows of a kernel as columns."""
    import pyarrow as pa

    return pa.record_batch([column.array(rows) for column in columns], schema=schema)
