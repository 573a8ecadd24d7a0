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
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from salad_sim.cli import _report
from salad_sim.cli._report import in_line, n_keys, printable, show_report, table_lines, wrapped
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


def blocks_of(rows: list[list[str]], width: int) -> list[list[str]]:
    """The parts of a table, each as its lines."""
    lines = [line for line, _ in table_lines(rows, width)]
    starts = [number - 1 for number in range(1, len(lines)) if lines[number].startswith(rows[0][0])]
    return [lines[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]


# ------------------------------------------------------------------------------------------------ tables


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("rows", [CARDS, SEATS])
def test_a_table_fits_the_width_and_no_interval_is_broken(rows: list[list[str]], width: int) -> None:
    lines = [line for line, _ in table_lines(rows, width)]
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    for interval in INTERVALS:
        value, bounds = interval.split(" ", 1)
        n_cells = sum(row.count(interval) for row in rows)
        assert text.count(bounds) == n_cells and len(re.findall(rf"(?<!\S){re.escape(value)}(?!\S)", text)) == n_cells
    if rows is CARDS:
        assert all(f"({low} to {high})" in text for low, high in ((1, 63), (18, 108)))
    if width == WIDTHS[-1]:
        assert len(lines) == len(rows) + 2  # an empty line before it, a rule below the headings


def test_what_has_no_room_beside_the_rest_stands_below_with_what_tells_the_rows_apart() -> None:
    parts = blocks_of(CARDS, 60)
    assert len(parts) == 3
    for lines in parts:
        words = " ".join(" ".join(line.split()) for line in lines)
        assert all(name.split()[0] in words for name in NAMES)
    assert [sum(heading.split()[0] in "\n".join(part[:5]) for part in parts) for heading in HEADINGS[1:]] == [1] * 7
    parts = blocks_of(SEATS, 44)
    assert len(parts) == 3 and all(part[1].split()[:2] == ["strategy", "seat"] for part in parts)
    # in about equally wide parts, not one that is full and one with what is left over
    widths = [max(map(cell_len, part)) for part in blocks_of(CARDS, 100)]
    assert len(widths) == 2 and min(widths) > 50


def test_only_columns_that_are_needed_tell_rows_apart() -> None:
    columns = list(zip(*SEATS, strict=True))
    assert n_keys(columns, [5] * 5, 60) == 2
    assert n_keys(columns, [30, 30, 5, 5, 5], 60) == 1  # no room for both and another one
    assert n_keys(list(zip(*CARDS, strict=True)), [5] * 8, 60) == 1
    assert n_keys([("a", "same", "same"), ("b", "1", "1")], [5, 5], 60) == 1


def test_cells_that_say_how_much_stand_right_and_words_left() -> None:
    rows = [
        ["card", "points", "verdict", "chance"],
        ["a", "1.5 [1, 2]", "in line", "< 0.0001"],
        ["b", "", "out", "0.5"],
    ]
    (lines,) = blocks_of(rows, 80)
    assert lines[1:] == [
        "card      points  verdict    chance",
        "───────────────────────────────────",
        "a     1.5 [1, 2]  in line  < 0.0001",
        "b                 out           0.5",
    ]


def test_rows_are_apart_where_their_first_cell_wraps() -> None:
    rows = [["card", "points"], ["aaaaa bbbbb ccccc ddddd", "1.00 [0.95, 1.05]"], ["eeeee", "2.00 [1.95, 2.05]"]]
    (wide,), (narrow,) = blocks_of(rows, 60), blocks_of(rows, 30)
    assert "" not in wide[1:] and narrow[1:].count("") == 1
    assert narrow[3:] == [
        "aaaaa bbbbb          1.00",
        "ccccc ddddd  [0.95, 1.05]",
        "",
        "eeeee                2.00",
        "             [1.95, 2.05]",
    ]


CELL = st.text(st.sampled_from("ab-[]() 1.,é字"), max_size=40)


@given(st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=5), st.integers(30, 90))
def test_any_table_fits_any_width(rows: list[tuple[str, ...]], width: int) -> None:
    assert max(cell_len(line) for line, _ in table_lines([*rows], width)) <= width


@given(CELL, st.integers(2, 50))
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines) and lines


# ------------------------------------------------------------------------------------------------ texts


@pytest.mark.parametrize("width", WIDTHS)
def test_texts_are_paragraphs_of_the_width_without_the_marks_of_markdown(width: int) -> None:
    text = "*Value* is what `a * b` is worth. " * 9 + "\n\nAnd so\nit ends:\n\n- one thing\n- **another** thing"
    screen = shown(report_of([], text=text, answer="First.\n\nSecond, see [rows](rows.csv)."), width)
    lines = screen.splitlines()
    assert max(map(cell_len, lines)) <= width and "*Value" not in screen and "`" not in screen
    assert lines[0] == "What is it worth?" and lines[1:6] == ["", "First.", "", "Second, see rows.", ""]
    (block,) = [block for block in screen.split("\n\n") if block.startswith("Value is")]
    assert " ".join(block.split()) == " ".join(["Value is what a * b is worth."] * 9)
    assert len(block.splitlines()) <= len(block) // (width - 10) + 1  # full lines
    assert "\nAnd so it ends:\n\n- one thing\n- another thing\n" in screen
    last = screen.rsplit("\n\n", 1)[1]
    assert " ".join(last.split()) == "With --out DIR all numbers come as CSV files, with pictures."


def test_marks_become_styles() -> None:
    text = in_line("*Value* of `2/carrot` and 2 * 3 * 4, [a.csv](a.csv), [1.0, 2.0] (95 %)")
    assert text.plain == "Value of 2/carrot and 2 * 3 * 4, a.csv, [1.0, 2.0] (95 %)"
    assert [(text.plain[span.start : span.end], span.style) for span in text.spans if span.style] == [
        ("Value", "italic"),
        ("2/carrot", "bold"),
    ]


def test_with_files_the_screen_says_which() -> None:
    report = report_of(SEATS)
    report.sections.append(Section("Only a picture", picture="seats_2"))
    with_files, without = shown(report, 80, True), shown(report, 80)
    assert "Picture: seats_2.svg" in with_files and "All numbers in full: rows.csv. To do it again:" in with_files
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
    _report.print_report(report, False)
    assert capsys.readouterr().out == as_markdown(report, False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "70")
    _report.print_report(report, False)
    plain = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert plain == shown(report, 70)


def test_a_study_on_a_terminal_keeps_to_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "seat-order --games 200 --players 3 --strategy greedy --quiet"
    printed = call("experiment", words).stdout
    assert printed.startswith("# What is a seat worth?\n") and "| :-- |" in printed
    monkeypatch.setenv("COLUMNS", "64")
    monkeypatch.setenv("TERM", "xterm")
    seen = on_a_terminal(words)
    plain = re.sub(r"\x1b\[[\d;]*m", "", seen).replace("\r\n", "\n")
    assert plain.startswith("What is a seat worth?\n\n") and "|" not in plain
    assert seen.startswith("\x1b[") and 50 < max(map(cell_len, plain.splitlines())) <= 64
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
