"""A table, declared once: columns with name, heading, unit and format; rendered to terminal, Markdown, CSV and JSON."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from numbers import Integral

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from salad_sim.errors import printable
from salad_sim.files.values import finite
from salad_sim.jit.typing import Row
from salad_sim.report import format
from salad_sim.report.format import NOT_KNOWN, POINTS, bracket, chance, interval
from salad_sim.stats.intervals import UNKNOWN, Estimate
from salad_sim.storage.folder import csv_text, json_text

NARROW = 100
"""On a terminal of fewer columns tables get narrower gaps."""

NUMBER = re.compile(r"[-+<>]?\s?\d|–$")
"""How a cell begins that says how much."""

DASH = "–"

WITHIN = "95 %\nwithin"
"""Heading of an interval that stands in a column of its own."""


def estimate_of(row: Row, name: str) -> Estimate:
    """Return the columns ``name``, ``name_low`` and ``name_high`` of a row as an estimate."""
    return UNKNOWN if row[name] is None else Estimate(row[name], row[f"{name}_low"], row[f"{name}_high"])


@dataclass(frozen=True)
class Column:
    """A column of a table as people see it.

    Attributes
    ----------
    name : str
        Of its value in the rows.
    heading : str
        A line break in it holds on a terminal, and is a space in Markdown.
    unit : str
        Stands behind the heading.
    show : callable, optional
        Row -> cell; by default texts as they are, whole numbers with separators, nothing for None.
    right : bool, optional
        Whether it is aligned at the right; by default if it holds numbers.
    """

    name: str
    heading: str
    unit: str = ""
    show: Callable[[Row], str] | None = None
    right: bool | None = None

    @property
    def title(self) -> str:
        """Heading and unit."""
        return f"{self.heading} {self.unit}".rstrip()

    def cell(self, row: Row) -> str:
        """Return the cell of a row."""
        if self.show is not None:
            return self.show(row)
        value = row[self.name]
        if value is None:
            return ""
        return f"{value:,}" if isinstance(value, Integral) else str(value)

    def is_right(self, rows: Sequence[Row]) -> bool:
        """Return whether it is aligned at the right."""
        if self.right is not None:
            return self.right
        return not any(isinstance(row.get(self.name, ""), str) for row in rows)

    def on_terminal(self, rows: Sequence[Row]) -> Iterator[tuple[str, bool, list[str]]]:
        """Yield what stands on a terminal: heading, whether it is aligned at the right, and cells."""
        yield self.title, self.is_right(rows), [self.cell(row) for row in rows]


@dataclass(frozen=True)
class Measure(Column):
    """A column of estimates, each the three columns ``name``, ``name_low`` and ``name_high`` of its row.

    A row without them has a dash.

    Attributes
    ----------
    digits : int
        Decimals at most; there are no more than the widest interval of the column is good for.
    scale, sign
        As in `format.interval`.
    ends : {"beside", "apart", "half", "none"}
        Where intervals stand on a terminal: beside the value as in Markdown, in a column of their own, as half of
        their width behind ±, or nowhere.
    """

    digits: int = 4
    scale: float = 1
    sign: str = ""
    ends: str = "beside"

    def cell(self, row: Row) -> str:
        """Return value and interval."""
        if self.name not in row:
            return DASH
        return interval(*estimate_of(row, self.name), self.decimals([row]), self.scale, self.sign)

    def on_terminal(self, rows: Sequence[Row]) -> Iterator[tuple[str, bool, list[str]]]:
        """Yield values and intervals, in two columns if they stand apart."""
        if self.ends == "beside":
            yield from super().on_terminal(rows)
            return
        found = [estimate_of(row, self.name) if self.name in row else None for row in rows]
        how = self.decimals(rows), self.scale, self.sign
        half = self.ends == "half"
        yield self.title, True, [DASH if each is None else _value(each, half, *how) for each in found]
        if self.ends == "apart":
            known = [None if each is None or math.isnan(each.value) else each for each in found]
            yield WITHIN, False, [bracket(each.low, each.high, *how) or NOT_KNOWN if each else "" for each in known]

    def decimals(self, rows: Sequence[Row]) -> int:
        """Return how many decimals the column has: what its widest interval is good for."""
        widths = [each.high - each.low for each in (estimate_of(row, self.name) for row in rows if self.name in row)]
        half = self.scale * max((width for width in widths if not math.isnan(width)), default=0.0) / 2
        return format.decimals(half, self.digits)


def _value(known: Estimate, half: bool, digits: int, scale: float, sign: str) -> str:
    """Return a value alone, or with half of its interval."""
    value = interval(known.value, math.nan, math.nan, digits, scale, sign)
    return f"{value} ±{scale * (known.high - known.low) / 2:.{digits}f}" if half and value else value


def texts(**headings: str) -> list[Column]:
    """Return columns of texts and whole numbers, by name their headings; so do the functions below."""
    return [Column(name, heading) for name, heading in headings.items()]


def numbers(digits: int = 2, sign: str = "", /, **headings: str) -> list[Column]:
    """Return columns of numbers with their intervals."""
    return [Measure(name, heading, digits=digits, sign=sign) for name, heading in headings.items()]


def shares(digits: int = 2, sign: str = "", /, **headings: str) -> list[Column]:
    """Return columns of shares of 1 with their intervals, in per cent."""
    return [Measure(name, heading, digits=digits, scale=POINTS, sign=sign) for name, heading in headings.items()]


def changes(digits: int = 2, /, **headings: str) -> list[Column]:
    """Return columns of differences of shares with their intervals, in percentage points with their signs."""
    return shares(digits, "+", **headings)


def means(digits: int = 2, scale: float = 1, sign: str = "", /, **headings: str) -> list[Column]:
    """Return columns of numbers without intervals; empty where one is not known."""

    def shown(name: str) -> Callable[[Row], str]:
        return lambda row: interval(row[name], math.nan, math.nan, digits, scale, sign)

    return [Column(name, heading, show=shown(name)) for name, heading in headings.items()]


def p_values(**headings: str) -> list[Column]:
    """Return columns of p-values."""

    def shown(name: str) -> Callable[[Row], str]:
        return lambda row: chance(row[name])

    return [Column(name, heading, show=shown(name)) for name, heading in headings.items()]


@dataclass(frozen=True)
class Table:
    """Rows of plain data, and the columns of them that people see.

    Attributes
    ----------
    columns : sequence of Column
    rows : sequence of Row
    names : sequence of str, optional
        All columns of the data, in order; by default those of the first row.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    names: Sequence[str] | None = None

    @classmethod
    def of(cls, cells: Sequence[Sequence[str]]) -> Table:
        """Return a table whose cells are known as they look, headings first."""
        filled = list(zip(*zip_longest(*cells, fillvalue=""), strict=True))
        rows = [{str(number): cell for number, cell in enumerate(row)} for row in filled[1:]]
        columns = []
        for number, heading in enumerate(filled[0] if filled else ()):
            is_number = number > 0 and all(NUMBER.match(row[str(number)] or "0") for row in rows)
            columns.append(Column(str(number), heading, right=is_number))
        return cls(columns, rows)

    def cells(self) -> list[list[str]]:
        """Return what Markdown shows, headings first."""
        body = [[column.cell(row) for column in self.columns] for row in self.rows]
        return [[column.title.replace("\n", " ") for column in self.columns], *body]

    def markdown(self) -> str:
        """Return the table as Markdown; all columns but the first are right-aligned."""
        heading, *body = self.cells()
        lines = [" | ".join(heading), " | ".join([":--"] + ["--:"] * (len(heading) - 1))]
        lines += [" | ".join(cell.replace("|", "\\|") for cell in row) for row in body]
        return "\n".join(f"| {line} |" for line in lines)

    def csv(self) -> str:
        """Return all of the data as CSV."""
        return csv_text(self.rows, self.names)

    def json(self) -> str:
        """Return all of the data as JSON; null where a number is not known."""
        return json_text(finite(list(self.rows)))

    def terminal(self, console: Console) -> str:
        """Return the table as lines for the width of a console; what does not fit beside the rest stands below."""
        gap = 1 if console.width < NARROW else 2
        columns = [part for column in self.columns for part in column.on_terminal(self.rows)]
        columns = [(heading, right, [*map(printable_lines, body)]) for heading, right, body in columns]
        if sum(_width([heading, *body]) + gap for heading, _, body in columns) - gap > console.width:
            columns = [_narrowed(*column) if column[1] else column for column in columns]
        least = [_least(column, console.width // 2) + gap for column in columns]
        parts: list[list[int]] = [[0]]
        for number in range(1, len(columns)):
            if len(parts[-1]) > 1 and sum(least[each] for each in [*parts[-1], number]) - gap > console.width:
                parts.append([0])
            parts[-1].append(number)
        return "\n".join(_drawn(console, [columns[number] for number in part], gap) for part in parts)


Part = tuple[str, bool, list[str]]
"""Heading, whether it is aligned at the right, and cells of a column on a terminal."""


def printable_lines(text: str) -> str:
    """Return a text that a terminal shows and does not obey, with its line breaks."""
    return "\n".join(map(printable, text.split("\n")))


def _width(cells: Sequence[str]) -> int:
    return max(cell_len(line) for cell in cells for line in cell.split("\n"))


def _narrowed(heading: str, right: bool, body: list[str]) -> Part:
    """Put intervals below their values, and break the heading to what is then wide enough."""
    body = [cell.replace(" [", "\n[").replace(" (", "\n(") for cell in body]
    width = _width(["-", *body, *heading.split()])
    return textwrap.fill(heading, width), right, body


def _least(column: Part, most: int) -> int:
    """Return the width that a column needs: its words are not broken, nor are numbers."""
    heading, right, body = column
    pieces = [line for cell in [heading, *body] for line in (cell.split("\n") if right else cell.split())]
    return min(max(map(cell_len, pieces), default=0), most)


def _drawn(console: Console, columns: list[Part], gap: int) -> str:
    table = RichTable(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap - 1, 0, 0), header_style="bold"
    )
    for heading, right, _ in columns:
        table.add_column(Text(heading), justify="right" if right else "left", no_wrap=right)
    for row in zip(*(body for _, _, body in columns), strict=True):
        table.add_row(*map(Text, row))
    with console.capture() as capture:
        console.print(table)
    lines = capture.get().splitlines()
    return "\n".join(line if console.is_terminal else line.rstrip() for line in lines) + "\n"
