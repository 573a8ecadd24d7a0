"""Tables and reports on stdout."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click
from rich.console import Console
from rich.markdown import Markdown

from salad_sim.report.markdown import Report, as_markdown, closing
from salad_sim.report.table import Table, printable_lines
from salad_sim.storage.folder import json_text

WIDE = 200
"""Columns to use where no terminal limits them."""


def print_found(form: str, lines: Iterable[str | Table], data: Callable[[], Any], table: Table) -> None:
    """Print what a study found as people read it, as JSON of all of it, or its main table as CSV."""
    if form == "json":
        sys.stdout.write(json_text(data()))
    elif form == "csv":
        sys.stdout.write(table.csv())
    else:
        print_lines(lines)


def print_lines(lines: Iterable[str | Table]) -> None:
    """Print what a study says: lines and tables."""
    for line in lines:
        if isinstance(line, Table):
            print_table(line)
        else:
            print(line)


def print_table(table: Table) -> None:
    """Print a table on stdout."""
    sys.stdout.write(table.terminal(_console()))


def _console() -> Console:
    terminal = sys.stdout.isatty()
    return Console(file=sys.stdout, width=None if terminal else WIDE, highlight=False)


def print_report(report: Report, has_files: bool) -> None:
    """Print a report on stdout, as Markdown for files and pipes; without the names of files that are not written."""
    if sys.stdout.isatty():
        show_report(_console(), report, has_files)
    else:
        click.echo(as_markdown(report, has_files), nl=False)


def show_report(console: Console, report: Report, has_files: bool) -> None:
    """Write a report for reading on a terminal, laid out to its width.

    Texts may come from anybody's files: their Markdown is shown as such, and the terminal does not obey them.
    """

    def show(text: str) -> None:
        console.print(Markdown(printable_lines(text), hyperlinks=False))

    show(f"# {report.title}\n\n{report.answer}")
    for section in report.sections:
        if section.is_shown(has_files):
            console.print()
            show(f"## {section.heading}\n\n{section.text}")
            if section.shown.columns:
                console.file.write(f"\n{section.shown.terminal(console)}")
            if section.picture and has_files:
                show(f"Picture: {section.picture}.svg")
    console.print()
    show(re.sub(r"\[(\S+)\]\(\1\)", r"\1", closing(report, has_files)))
