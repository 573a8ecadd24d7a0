"""What a page says of one result, top to bottom: question, answer, pictures, tables, limits, words, command."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markupsafe import Markup

from salad_sim.jit.typing import Row
from salad_sim.report.format import POINTS, interval
from salad_sim.report.table import Column, Measure, Table, estimate_of
from salad_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from salad_sim.page.notable import Notable


@dataclass(frozen=True)
class Shown:
    """A table of a page.

    Attributes
    ----------
    heading : str
    table : Table
    terms : dict of str to str
        By name of a column the term of the glossary that explains it.
    bar : str
        Name of the `Measure` whose intervals are drawn in the rows, if any.
    middle : float
        Where the bars have a line, such as a fair share; not a number for none.
    is_folded : bool
        Whether it is shown on a click only.
    """

    heading: str
    table: Table
    terms: Mapping[str, str] = field(default_factory=dict)
    bar: str = ""
    middle: float = math.nan
    is_folded: bool = False

    @property
    def heads(self) -> list[tuple[str, str, bool]]:
        """By column its heading, its term or nothing, and whether it holds numbers."""
        return [
            (each.title.replace("\n", " "), self.terms.get(each.name, ""), each.is_right(self.table.rows))
            for each in self.table.columns
        ]

    @property
    def lines(self) -> Iterator[list[tuple[str, bool, Markup]]]:
        """By row its cells: text, whether it is a number, and a bar or nothing."""
        rights = [column.is_right(self.table.rows) for column in self.table.columns]
        column = next((each for each in self.table.columns if each.name == self.bar), None)
        draw = bars([estimate_of(row, self.bar) for row in self.table.rows], self.middle) if column else None
        for number, row in enumerate(self.table.rows):
            yield [
                (_cell(each, row), right, draw[number] if draw and each is column else Markup(""))
                for each, right in zip(self.table.columns, rights, strict=True)
            ]


def _cell(column: Column, row: Row) -> str:
    return column.cell(row) if not isinstance(column, Measure) or row.get(column.name) is not None else ""


def bars(values: Sequence[Estimate], middle: float = math.nan) -> list[Markup]:
    """Return for each estimate a bar in its row: where its interval lies among all of them."""
    ends = [each for value in values for each in value if not math.isnan(each)]
    ends += [] if math.isnan(middle) else [middle]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    width = (high - low) or 1

    def at(value: float) -> str:
        return f"{100 * (value - low) / width:.3g}"

    line = Markup("") if math.isnan(middle) else Markup(";--m:{}").format(at(middle))
    drawn = []
    for value, left, right in values:
        within = "" if math.isnan(left) else Markup(";--l:{};--r:{}").format(at(left), at(right))
        mark = Markup('<i class=b style="--x:{}{}{}"></i>').format(at(value), within, line)
        drawn.append(Markup("") if math.isnan(value) else mark)
    return drawn


@dataclass(frozen=True)
class Picture:
    """A picture with its heading, and how to look at it."""

    heading: str
    drawing: Markup
    caption: str = ""


@dataclass(frozen=True)
class Chapter:
    """A result on a page.

    Attributes
    ----------
    title : str
        A line on a phone.
    question, answer : str
        The answer in one sentence that a player understands, with its interval.
    pictures : sequence of Picture
    tables : sequence of Shown
    limits : sequence of str
        What it does not say.
    terms : sequence of str
        Those of the glossary that occur.
    again : str
        The command that makes it again.
    files : sequence of str
        Where all numbers are.
    body : str
        Markup: what a kind of result has beside that, above the tables.
    labels : sequence of str
        What vegetables are called in its drawings.
    games : sequence of Notable
        Games of it that are worth looking at.
    """

    title: str
    question: str
    answer: str
    pictures: Sequence[Picture] = ()
    tables: Sequence[Shown] = ()
    limits: Sequence[str] = ()
    terms: Sequence[str] = ()
    again: str = ""
    files: Sequence[str] = ()
    body: str = ""
    labels: Sequence[str] = ()
    games: Sequence[Notable] = ()


def percent(value: Estimate, digits: int = 2) -> str:
    """Return ``58.33 % [58.24, 58.43]``."""
    return interval(*value, digits, POINTS, unit=" %") or "not known"


def change(value: Estimate, digits: int = 2) -> str:
    """Return a change of a share as ``+2.74 [+2.49, +2.98]``."""
    return interval(*value, digits, POINTS, "+") or "not known"


def short(text: object, most: int = 60) -> str:
    """Return a name as it fits into a sentence."""
    found = str(text)
    return found if len(found) <= most else f"{found[: most - 1]}…"
