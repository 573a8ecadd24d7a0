"""A study's report on stdout: Markdown for files and pipes, laid out to the width for people at a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

import click
from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from salad_sim.errors import printable
from salad_sim.report.markdown import Report, as_markdown, closing

GAP = 2
"""Columns between two columns of a table."""

NARROWEST = 30
"""Columns that are used even of a narrower terminal."""

INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>\S.*?)\*\*|(?<!\w)\*(?P<stressed>\S[^*]*)\*(?!\w)|!?\[(?P<link>[^\]]+)\]\(\S+?\)"
)
"""What of Markdown stands in the texts of reports."""

STYLES = {"code": "bold", "strong": "bold", "stressed": "italic", "link": ""}

LIST_ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")

PIECE = re.compile(r"\[[^\[\]]{0,30}\]\S*|\(\d+ to \d+\)|\S*?\w-(?=[A-Za-z])|\S+")
"""What is not broken: an interval, a range of ranks, a word, or a part of one that ends in a hyphen."""

NUMBER = re.compile(r"[-+<>]?\s?\d")
"""How a cell begins that says how much."""

Table = Sequence[Sequence[str]]


def print_report(report: Report, has_files: bool) -> None:
    """Print a report on stdout; where its files are not written, without what points at them."""
    if sys.stdout.isatty():
        show_report(Console(file=sys.stdout), report, has_files)
    else:
        click.echo(as_markdown(report, has_files), nl=False)


def show_report(console: Console, report: Report, has_files: bool) -> None:
    """Write a report for reading on a terminal.

    Texts may come from anybody's files: they are shown as they are, and the terminal does not obey them.
    """
    console.print(Text(printable(report.title), "bold underline"), width=_width(console))
    _paragraphs(console, report.answer)
    for section in report.sections:
        if not (section.text or section.table or has_files):
            continue  # there is nothing but a picture
        _line(console)
        console.print(Text(printable(section.heading), "bold"), width=_width(console))
        _paragraphs(console, section.text)
        if section.table:
            _table(console, [[printable(cell) for cell in row] for row in section.table])
        if section.picture and has_files:
            _paragraphs(console, f"Picture: {section.picture}.svg")
    _paragraphs(console, closing(report, has_files))


def in_line(text: str) -> Text:
    """Return a text with the marks of Markdown turned into styles."""
    found, end = Text(), 0
    for match in INLINE.finditer(text):
        found.append(text[end : match.start()])
        found.append(match[match.lastgroup or 0], STYLES[match.lastgroup or "link"])
        end = match.end()
    return found.append(text[end:])


def n_keys(columns: Table, least: Sequence[int], width: int) -> int:
    """Say how many of the first columns tell the rows apart, as far as there is room to repeat them; at least 1."""
    rows = list(zip(*columns, strict=True))
    for number in range(1, len(columns)):
        if sum(least[:number]) + GAP * number + max(least[number:]) > width:
            break
        if len({row[:number] for row in rows}) == len(rows):
            return number
    return 1


def columns_of_parts(least: Sequence[int], keys: int, width: int) -> list[list[int]]:
    """Say which columns of a table stand beside each other, in as few parts as there is room for, about equally wide.

    Parameters
    ----------
    least : sequence of int
        Width that each column needs.
    keys : int
        How many of the first columns are in all parts.
    width : int
    """

    def cut(limit: int) -> list[list[int]]:
        parts = [list(range(keys))]
        for column in range(keys, len(least)):
            together = [*parts[-1], column]
            if len(parts[-1]) > keys and sum(least[each] + GAP for each in together) - GAP > limit:
                together = [*range(keys), column]
                parts.append(together)
            parts[-1] = together
        return parts

    fewest = len(cut(width))
    return next(parts for limit in range(width + 1) if len(parts := cut(limit)) == fewest)


def widths_of(columns: Table, least: Sequence[int], width: int) -> list[int]:
    """Say how wide to make each column: as its cells are, but while there is no room that wraps which costs least.

    Parameters
    ----------
    columns : sequence of columns
        The cells of each, heading first.
    least : sequence of int
        Width that each column needs; with gaps there is room for these.
    width : int
    """
    widths = [max(map(cell_len, cells)) for cells in columns]
    heights = [[1] * len(cells) for cells in columns]

    def narrower(number: int) -> tuple[float, int, int, list[int]]:
        """Return what it costs to wrap a column, in lines for each place that is won, and how it then is."""
        cells = [wrapped(cell, widths[number] - 1) for cell in columns[number]]
        room, height = max(cell_len(line) for lines in cells for line in lines), [len(lines) for lines in cells]
        others = [height if each == number else heights[each] for each in range(len(columns))]
        cost = n_lines(others) - n_lines(heights)
        return cost / (widths[number] - room), number, room, height

    while sum(widths) + GAP * (len(widths) - 1) > width:
        can = [number for number in range(len(columns)) if widths[number] > least[number]]
        _, number, widths[number], heights[number] = min(map(narrower, can))
    return widths


def n_lines(heights: Sequence[Sequence[int]]) -> int:
    """Return how many lines a table takes, from the lines of each cell of each column."""
    of_rows: list[int] = [max(row) for row in zip(*heights, strict=True)]
    return sum(of_rows) + len(of_rows) * is_apart(heights[0])


def is_apart(heights: Sequence[int]) -> bool:
    """Say whether there are empty lines between rows: else it is plain where a row begins."""
    return max(heights[1:], default=1) > 1


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines, broken at spaces and hyphens, not within intervals unless there is no other way."""
    lines, end = [""], 0
    for match in PIECE.finditer(text):
        space = " " if lines[-1] and match.start() > end else ""
        end = match.end()
        if cell_len(lines[-1] + space + match[0]) <= width:
            lines[-1] += space + match[0]
        else:
            lines += chop_cells(match[0], width)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def table_lines(rows: Table, width: int) -> Iterator[tuple[str, str]]:
    """Lay out a table, headings first, and give its lines with their styles.

    A table that is too wide is shown in parts below each other, each with the columns that tell the rows apart.
    """
    n_columns = max(map(len, rows))
    columns = [[row[number] if number < len(row) else "" for row in rows] for number in range(n_columns)]
    # half of the line is enough for anything that is longer than a word
    most = (width - GAP) // 2
    least = [
        min(max(cell_len(match[0]) for cell in [*cells, "-"] for match in PIECE.finditer(cell)), most)
        for cells in columns
    ]
    for part in columns_of_parts(least, n_keys(columns, least, width), width):
        yield "", ""
        yield from _part_lines([columns[number] for number in part], [least[number] for number in part], width)


def _part_lines(columns: Table, least: Sequence[int], width: int) -> Iterator[tuple[str, str]]:
    """Lay out columns that there is room for."""
    widths = widths_of(columns, least, width)
    right = [all(NUMBER.match(cell) for cell in cells[1:] if cell) for cells in columns]
    right[0] = False
    rows = [[wrapped(cell, room) for cell, room in zip(row, widths, strict=True)] for row in zip(*columns, strict=True)]
    apart = is_apart([len(row[0]) for row in rows])
    for number, row in enumerate(rows):
        if number > 1 and apart:
            yield "", ""
        for at in range(max(map(len, row))):
            cells = [lines[at] if at < len(lines) else "" for lines in row]
            yield (" " * GAP).join(map(_aligned, cells, widths, right)).rstrip(), "" if number else "bold"
        if not number:
            yield "─" * (sum(widths) + GAP * (len(widths) - 1)), ""


def _aligned(cell: str, width: int, right: bool) -> str:
    space = " " * (width - cell_len(cell))
    return space + cell if right else cell + space


def _table(console: Console, rows: Table) -> None:
    for line, style in table_lines(rows, _width(console)):
        _line(console, line, style)


def _paragraphs(console: Console, text: str) -> None:
    """Write paragraphs, each after an empty line; lists keep their lines."""
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [printable(line) for line in block.splitlines()]
        if not any(map(LIST_ITEM.match, lines)):
            lines = [" ".join(lines)] if lines else []
        for number, line in enumerate(lines):
            if not number:
                _line(console)
            console.print(in_line(line), width=_width(console))


def _line(console: Console, line: str = "", style: str = "") -> None:
    console.print(Text(line, style), soft_wrap=True)


def _width(console: Console) -> int:
    return max(console.width, NARROWEST)
