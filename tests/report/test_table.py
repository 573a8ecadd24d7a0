"""One table in four looks: terminal, Markdown, CSV and JSON."""

from __future__ import annotations

import io
import json
import math
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from salad_sim.report.table import Column, Measure, Table, changes, means, numbers, p_values, shares, texts

NAN = math.nan
ROWS = [
    {"who": "a", "games": 1200, "share": 0.5125, "share_low": 0.4987, "share_high": 0.5301, "extra": 1.0}
    | {"gain": -0.01, "gain_low": -0.02, "gain_high": 0.0, "p": 0.00001},
    {"who": "b | c", "games": None, "share": NAN, "share_low": NAN, "share_high": NAN, "extra": NAN}
    | {"gain": 0.02, "gain_low": NAN, "gain_high": NAN, "p": NAN},
]
TABLE = Table(
    [*texts(who="who", games="games"), *shares(share="win\n%"), *changes(1, gain="gain"), *p_values(p="p")], ROWS
)


def drawn(table: Table, width: int = 200) -> list[str]:
    """The lines of a table, without spaces at their ends."""
    return [line.rstrip() for line in table.terminal(Console(file=io.StringIO(), width=width)).splitlines()]


def test_markdown() -> None:
    assert TABLE.markdown().splitlines() == [
        "| who | games | win % | gain | p |",
        "| :-- | --: | --: | --: | --: |",
        "| a | 1,200 | 51 [50, 53] | -1.0 [-2.0, +0.0] | < 0.0001 |",
        "| b \\| c |  |  | +2.0 |  |",
    ]


def test_csv_and_json_hold_all_of_the_data() -> None:
    table = Table(texts(who="who"), ROWS)
    assert table.csv().splitlines()[0] == "who,games,share,share_low,share_high,extra,gain,gain_low,gain_high,p"
    assert table.csv().splitlines()[2] == "b | c,,,,,,0.02,,,"
    assert json.loads(table.json())[1] == {name: None if value != value else value for name, value in ROWS[1].items()}
    assert Table((), [], ("one", "two")).csv() == "one,two\n"


def test_terminal() -> None:
    assert drawn(TABLE) == [
        "                      win",
        "who    games            %               gain         p",
        "──────────────────────────────────────────────────────",
        "a      1,200  51 [50, 53]  -1.0 [-2.0, +0.0]  < 0.0001",
        "b | c                                   +2.0",
    ]


def test_intervals_stand_apart_with_as_many_decimals_as_the_widest_is_good_for() -> None:
    rows = [
        {"x": 1.23456, "x_low": 1.2, "x_high": 1.26},
        {"x": 2.0, "x_low": 1.96, "x_high": 2.04},
        {"x": 3.0, "x_low": NAN, "x_high": NAN},
    ]
    assert drawn(Table([Measure("x", "mean\nx", ends="apart")], rows)) == [
        "mean  95 %",
        "   x  within",
        "──────────────────",
        "1.23  [1.20, 1.26]",
        "2.00  [1.96, 2.04]",
        "3.00  [not known]",
    ]


def test_on_a_terminal_half_of_an_interval_may_stand_for_it() -> None:
    rows = [{"x": 0.5, "x_low": 0.4, "x_high": 0.7}, {"x": NAN, "x_low": NAN, "x_high": NAN}, {}]
    table = Table([Measure("x", "x", "%", digits=1, scale=100, ends="half")], rows)
    assert drawn(table)[2:] == ["50 ±15", "", "     –"]
    assert table.cells() == [["x %"], ["50 [40, 70]"], [""], ["–"]]


def test_cells_that_say_how_much_stand_right_and_words_left() -> None:
    table = Table.of(
        [["card", "points", "verdict", "chance"], ["a", "1.5 [1, 2]", "in line", "< 0.0001"], ["b", "", "out", "0.5"]]
    )
    assert drawn(table) == [
        "card      points  verdict    chance",
        "───────────────────────────────────",
        "a     1.5 [1, 2]  in line  < 0.0001",
        "b                 out           0.5",
    ]
    assert Table.of([]).columns == [] and Table.of([["a", "b"], ["1"]]).cells() == [["a", "b"], ["1", ""]]


def test_a_column_says_how_its_cells_look() -> None:
    shown = Column("a", "both", show=lambda row: f"{row['a']} of {row['b']}")
    row = {"a": 1, "b": 2, "c": 0.5, "a_low": 0, "a_high": 2}
    table = Table([shown, *means(1, 100, "+", c="c"), *numbers(0, "+", a="a")], [row])
    assert table.cells()[1] == ["1 of 2", "+50.0", "+1 [+0, +2]"]


NAMES = ["cabbage + lettuce + tomato = 8", "4/tomato, -2/cabbage, -2/pepper", "2/carrot"]
HEADINGS = ["card", "rank (95 %, all at once)", "value in points", "win share", "observed", "adjusted", "says"]
INTERVALS = [f"{value}.25 [{value - 1}.50, {value + 1}.75]" for value in (-12, 7, 113)]
CARDS = [
    HEADINGS,
    *(
        [name, rank, *[interval] * 4, "Within the range of all."]
        for name, rank, interval in zip(NAMES, ("1 (1 to 63)", "99 (18 to 108)", "108"), INTERVALS, strict=True)
    ),
]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_table_fits_the_width_and_no_interval_is_broken(width: int) -> None:
    lines = drawn(Table.of(CARDS), width)
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    for interval in INTERVALS:
        value, bounds = interval.split(" ", 1)
        assert text.count(bounds) == 4 and len(re.findall(rf"(?<!\S){re.escape(value)}(?!\S)", text)) == 4
    assert all(f"({low} to {high})" in text for low, high in ((1, 63), (18, 108)))
    n_parts = sum(line.startswith("card") for line in lines)
    assert (n_parts == 1) == (width >= 120) and text.count("2/carrot") == n_parts  # every part says which rows they are


CELL = st.text(st.sampled_from("ab-[]() 1.,é字"), max_size=40)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=5), st.integers(30, 90))
def test_any_table_fits_any_width(rows: list[tuple[str, ...]], width: int) -> None:
    assert max(map(cell_len, drawn(Table.of(rows), width))) <= width


def test_texts_of_others_are_not_obeyed() -> None:
    lines = drawn(Table.of([["card"], ["[bold]2/carrot[/] \x1b[31m\x07"]]))
    assert lines[-1] == "[bold]2/carrot[/] \\x1b[31m\\x07"
