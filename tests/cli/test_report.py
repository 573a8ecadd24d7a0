"""Reports of studies on a terminal: laid out to its width, nothing cut, and nothing in their texts obeyed."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console

from salad_sim.cli._tables import print_report, show_report
from salad_sim.errors import printable
from salad_sim.report.markdown import Report, Section, as_markdown
from support.studying import call
from support.terminal import PROGRAM

WIDTHS = (60, 80, 120, 200)

NAMES = ["cabbage + lettuce + tomato = 8", "4/tomato, -2/cabbage, -2/pepper", "2/carrot"]
HEADINGS = ["card", "rank (95 %, all at once)", "tier", "value in points", "win share", "observed", "adjusted", "says"]
INTERVALS = [f"{value}.25 [{value - 1}.50, {value + 1}.75]" for value in (-12, 7, 113)]
RANKS = ["1 (1 to 63)", "99 (18 to 108)", "108"]
CARDS = [
    HEADINGS,
    *(
        [name, rank, "1", *[interval] * 4, "Within the range of all."]
        for name, rank, interval in zip(NAMES, RANKS, INTERVALS, strict=True)
    ),
]
SEATS = [["strategy", "seat", "win %", "margin", "mean score"], *(["greedy", str(n), *INTERVALS] for n in (1, 2, 3))]


def shown(report: Report, width: int, has_files: bool = False) -> str:
    screen = io.StringIO()
    show_report(Console(file=screen, width=width), report, has_files)
    return screen.getvalue()


def report_of(*tables: list[list[str]], answer: str = "It is *certain*.", text: str = "") -> Report:
    sections = [Section(f"Part {number}", text, table) for number, table in enumerate(tables)]
    return Report("What is it worth?", answer, sections, {"rows": [{"a": 1}]}, {}, {"again": "salad-sim experiment x"})


@pytest.mark.parametrize("width", WIDTHS)
def test_texts_are_paragraphs_of_the_width_without_the_marks_of_markdown(width: int) -> None:
    text = "*Value* is what `a * b` is worth. " * 9 + "\n\nAnd so\nit ends:\n\n- one thing\n- **another** thing"
    screen = shown(report_of([], text=text, answer="First.\n\nSecond."), width)
    lines = [line.strip() for line in screen.splitlines()]
    assert max(map(cell_len, lines)) <= width and "*Value" not in screen and "`" not in screen
    assert lines[0] == "What is it worth?" and "First." in lines and "Second." in lines
    assert " ".join(screen.split()).count("Value is what a * b is worth.") == 9
    assert "And so it ends:" in lines and "• one thing" in lines and "• another thing" in lines
    assert "With --out DIR all numbers come as CSV files, with pictures." in " ".join(lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_are_drawn_with_all_their_cells(width: int) -> None:
    screen = " ".join(shown(report_of(CARDS, SEATS), width).split())
    assert "|" not in screen
    assert all(screen.count(interval.split(" ", 1)[1]) >= 4 for interval in INTERVALS)


def test_with_files_the_screen_says_which() -> None:
    report = report_of(SEATS)
    report.sections.append(Section("Only a picture", picture="seats_2"))
    with_files, without = shown(report, 80, True), shown(report, 80)
    assert "Picture: seats_2.svg" in with_files
    assert "All numbers in full: rows.csv. To do it again: salad-sim" in " ".join(with_files.split())
    assert "Only a picture" not in without and "With --out DIR" in without


def test_texts_of_others_are_shown_and_not_obeyed() -> None:
    evil = "[bold red]2/carrot[/] :smile: [link=x]y[/link] \x1b[31m\x07\u202eabc\udc80 | `*x*`"
    report = report_of([["card", "value"], [evil, "1"]], answer=f"About `{evil[:20]}`.", text=evil)
    report.sections.append(Section(evil, "x"))
    screen = shown(report, 200)
    assert screen.count("[bold red]2/carrot[/] :smile: [link=x]y[/link] \\x1b[31m\\x07\\u202eabc\\udc80 | ") == 3
    assert all(sign.isprintable() or sign == "\n" for sign in screen)
    screen.encode()
    assert printable("two\nlines\u00a0here") == "two lines here"


# ------------------------------------------------------------------------------------------------ terminal or not


def test_without_a_terminal_it_is_markdown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    report = report_of(CARDS, SEATS)
    print_report(report, False)
    assert capsys.readouterr().out == as_markdown(report, False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "70")
    print_report(report, False)
    plain = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert [line.rstrip() for line in plain.splitlines()] == [line.rstrip() for line in shown(report, 70).splitlines()]


def test_a_study_on_a_terminal_keeps_to_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "seat-order --games 200 --players 3 --strategy greedy --quiet"
    printed = call("experiment", words).stdout
    assert printed.startswith("# What is a seat worth?\n") and "| :-- |" in printed
    monkeypatch.setenv("COLUMNS", "64")
    monkeypatch.setenv("TERM", "xterm")
    seen = on_a_terminal(words)
    plain = re.sub(r"\x1b\[[\d;]*m", "", seen).replace("\r\n", "\n")
    assert plain.splitlines()[0].strip() == "What is a seat worth?" and "|" not in plain
    assert "\x1b[1" in seen and 50 < max(map(cell_len, plain.splitlines())) <= 64
    told = re.findall(r"\[[-+.\d]+, [-+.\d]+\]", printed)
    assert len(told) > 20 and set(told) == set(re.findall(r"\[[-+.\d]+, [-+.\d]+\]", " ".join(plain.split())))


def on_a_terminal(words: str) -> str:
    """What a study writes on a terminal."""
    screen, terminal = pty.openpty()
    with subprocess.Popen([*PROGRAM, "experiment", *words.split()], stdout=terminal) as running:
        os.close(terminal)
        seen = b""
        # that nobody writes any more is an error on Linux
        with contextlib.suppress(OSError), open(screen, "rb", buffering=0) as reader:
            while part := reader.read(4096):
                seen += part
    assert running.returncode == 0
    return seen.decode()
