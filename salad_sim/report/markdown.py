"""Tables and pictures -> a folder with a Markdown report, CSV, SVG, PNG and run.json."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salad_sim.jit.typing import Row
from salad_sim.report import figures as plots
from salad_sim.storage.folder import csv_text, json_text, open_folder, write_files

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Section:
    """A part of a report: a heading, what it says, a table of it and a picture of it, each optional.

    Attributes
    ----------
    heading, text : str
    table : list of list of str
        Headings first; how the table looks in the report. The numbers in full go into ``Report.tables``.
    picture : str
        Key of ``Report.pictures``.
    """

    heading: str
    text: str = ""
    table: list[list[str]] = field(default_factory=list)
    picture: str = ""


@dataclass(frozen=True)
class Report:
    """What a study found.

    Attributes
    ----------
    title : str
    answer : str
        The answer in a sentence, with its interval.
    sections : list of Section
    tables : dict of str to list of dict
        Tidy tables by file name without ending.
    pictures : dict of str to Figure, or to a callable that draws it
        Pictures by file name without ending.
    run : dict
        All that is needed to do the study again: its command, options and versions.
    interrupted : bool
        Whether Ctrl-C ended the study early.
    """

    title: str
    answer: str
    sections: list[Section]
    tables: dict[str, list[Row]]
    pictures: Mapping[str, Figure | Callable[[], Figure]]
    run: dict[str, Any]
    interrupted: bool = False


def write_report(report: Report, folder: str | Path) -> Path:
    """Write a report into a folder; the same study always writes the same bytes.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    target = open_folder(folder)
    run = report.run | ({"interrupted": True} if report.interrupted else {})
    files: dict[str, str | bytes] = {f"{name}.csv": csv_text(rows) for name, rows in report.tables.items()}
    # numbers first: they are there if somebody has no patience with the pictures
    write_files(target, files | {"report.md": as_markdown(report), "run.json": json_text(run)})
    for name, picture in report.pictures.items():
        write_files(target, drawn(name, picture))
    return target


def drawn(name: str, picture: Figure | Callable[[], Figure]) -> dict[str, str | bytes]:
    """Return the files of a picture by name."""
    figure = picture() if callable(picture) else picture
    return {f"{name}.svg": plots.as_svg(figure), f"{name}.png": plots.as_png(figure)}


def as_markdown(report: Report, has_files: bool = True) -> str:
    """Return the text of a report; where its files are not written, without what points at them."""
    parts = [f"# {report.title}", report.answer]
    for section in report.sections:
        if not (section.text or section.table or has_files):
            continue  # there is nothing but a picture
        parts.append(f"## {section.heading}")
        if section.text:
            parts.append(section.text)
        if section.table:
            parts.append(markdown_table(section.table))
        if section.picture and has_files:
            parts.append(f"![{section.heading}]({section.picture}.svg)")
    if report.tables:
        parts.append(closing(report, has_files))
    return "\n\n".join(parts) + "\n"


def closing(report: Report, has_files: bool) -> str:
    """Return the last sentence of a report: where all of its numbers are; empty if it has none."""
    if not report.tables:
        return ""
    if not has_files:
        return "With --out DIR all numbers come as CSV files, with pictures."
    names = ", ".join(f"[{name}.csv]({name}.csv)" for name in report.tables)
    return f"All numbers in full: {names}. To do it again: `{report.run['again']}`."


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, headings first; all columns but the first are right-aligned."""
    heading, *body = rows
    lines = [" | ".join(heading), " | ".join([":--"] + ["--:"] * (len(heading) - 1))]
    lines += [" | ".join(cell.replace("|", "\\|") for cell in row) for row in body]
    return "\n".join(f"| {line} |" for line in lines)


def signed(value: float, low: float, high: float, scale: float = 1.0, digits: int = 2) -> str:
    """Return a difference with its interval, as ``+1.20 [+0.80, +1.60]``."""
    if math.isnan(value):
        return ""
    if math.isnan(low):
        return f"{scale * value:+.{digits}f}"
    return f"{scale * value:+.{digits}f} [{scale * low:+.{digits}f}, {scale * high:+.{digits}f}]"
