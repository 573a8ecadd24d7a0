"""Tables and pictures -> a folder with a Markdown report, CSV, SVG, PNG and run.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salad_sim.files.atomic import open_folder, write_files
from salad_sim.jit.typing import Row
from salad_sim.report import figures as plots
from salad_sim.report.table import Table
from salad_sim.storage.folder import csv_text, json_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Section:
    """A part of a report: a heading, what it says, a table of it and a picture of it, each optional.

    Attributes
    ----------
    heading, text : str
    table : Table or list of list of str
        How it looks in the report: columns and rows, or cells, headings first. The numbers in full go into
        ``Report.tables``.
    picture : str
        Key of ``Report.pictures``.
    """

    heading: str
    text: str = ""
    table: Table | Sequence[Sequence[str]] = field(default_factory=list)
    picture: str = ""

    @property
    def shown(self) -> Table:
        """The table, without a row if there is none."""
        return self.table if isinstance(self.table, Table) else Table.of(self.table)

    def is_shown(self, has_files: bool) -> bool:
        """Return whether there is anything but a picture, or the picture is there."""
        return bool(self.text or self.shown.columns or has_files)


@dataclass(frozen=True)
class Report:
    """What a study found.

    Attributes
    ----------
    title : str
    answer : str
        The answer in a sentence, with its interval.
    sections : list of Section
    tables : dict of str to list of dict or Table
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
    tables: Mapping[str, list[Row] | Table]
    pictures: Mapping[str, Figure | Callable[[], Figure]]
    run: dict[str, Any]
    interrupted: bool = False


def write_report(report: Report, folder: str | Path, name: str = "report.md") -> Path:
    """Write a report into a folder, its text under a name; the same study always writes the same bytes.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    target = open_folder(folder)
    run = report.run | ({"interrupted": True} if report.interrupted else {})
    files: dict[str, str | bytes] = {
        f"{key}.csv": rows.csv() if isinstance(rows, Table) else csv_text(rows) for key, rows in report.tables.items()
    }
    # numbers first: they are there if somebody has no patience with the pictures
    write_files(target, files | {name: as_markdown(report), "run.json": json_text(run)})
    for key, picture in report.pictures.items():
        write_files(target, plots.files(key, picture))
    return target


def as_markdown(report: Report, has_files: bool = True) -> str:
    """Return the text of a report; where its files are not written, without what points at them."""
    parts = [f"# {report.title}", report.answer]
    for section in report.sections:
        if section.is_shown(has_files):
            picture = f"![{section.heading}]({section.picture}.svg)" if section.picture and has_files else ""
            table = section.shown.markdown() if section.shown.columns else ""
            parts += [f"## {section.heading}", section.text, table, picture]
    parts.append(closing(report, has_files))
    return "\n\n".join(filter(None, parts)) + "\n"


def closing(report: Report, has_files: bool) -> str:
    """Return the last sentence of a report: where all of its numbers are; empty if it has none."""
    if not report.tables:
        return ""
    if not has_files:
        return "With --out DIR all numbers come as CSV files, with pictures."
    names = ", ".join(f"[{name}.csv]({name}.csv)" for name in report.tables)
    return f"All numbers in full: {names}. To do it again: `{report.run['again']}`."
