"""Every number of a page against the CSV files of the same folder: of tables, pictures and sentences, of every kind."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from salad_sim.cli import main
from salad_sim.page.render import page
from support.places import ROOT

REPORTS = ROOT / "reports"
KEPT = (
    *("first-run", "card-value", "seat-order", "tie-break", "rules", "small-run"),
    *("league/2-players", "league/4-players", "tuning/first", "learning/pair", "learning/crowd"),
)
MADE = {
    "match": ["match", "greedy", "random", "--games", "200"],
    "profile": ["profile", "greedy", "--games", "60"],
    "compare": ["rules", "compare", "official", "zero=even", "--games", "60"],
}
NUMBER = re.compile(r"[-+\u2212]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
INTERVAL = re.compile(rf"({NUMBER.pattern})(?: %)? \[({NUMBER.pattern}), ({NUMBER.pattern})\]")
WHOLE = re.compile(rf"^{NUMBER.pattern}(?: %)?(?: \[[^]]*\]| \(\d+ to \d+\))?$")
SCALES = (1, 100)


@dataclass
class Read(HTMLParser):
    """What a page shows: the cells of its tables by row, what pictures say, and its text; single games left out."""

    rows: list[list[str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag in ("script", "style", "dl", "pre") or known.get("class") == "one":
            self.inside.append(tag)
        if self.inside:
            return
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")
        elif tag == "svg" and known.get("class") == "chart":
            self.said.append(str(known["aria-label"]))

    def handle_endtag(self, tag: str) -> None:
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if self.inside or self.lasttag in ("option", "title"):
            return
        if self.rows and self.rows[-1] and self.lasttag in ("td", "bdi", "a", "i", "svg", "use"):
            self.rows[-1][-1] += data
        self.said.append(data)


@dataclass
class Saved:
    """The rows of the CSV files of a folder."""

    rows: list[dict[str, str]]

    @cache  # noqa: B019
    def triples(self, digits: int, scale: int) -> set[tuple[float, ...]]:
        """Every number with its interval, so rounded."""
        found = set()
        for row in self.rows:
            named = [(name, f"{name}_low", f"{name}_high") for name in row]
            for names in (*named, ("value", "low", "high")):  # the table of a profile has a row for each measure
                ends = [row.get(each, "") for each in names]
                if all(ends):
                    found.add(tuple(round(float(each) * scale, digits) + 0.0 for each in ends))
        return found

    def __hash__(self) -> int:
        return id(self)


def read_csv(folder: Path) -> Saved:
    rows = []
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as opened:
            rows += list(csv.DictReader(opened))
    return Saved(rows)


def value_of(text: str) -> float:
    return float(text.replace("\u2212", "-").replace(",", ""))


def digits_of(text: str) -> int:
    return len(text.partition(".")[2])


def strange_intervals(texts: list[str], saved: Saved) -> Iterator[str]:
    """Numbers with an interval that no row has, however many decimals it shows."""
    for text in texts:
        for found in INTERVAL.finditer(text):
            shown, digits = tuple(map(value_of, found.groups())), digits_of(found[1])
            if not any(shown in saved.triples(digits, scale) for scale in SCALES):
                yield found[0]


def is_in(text: str, row: dict[str, str]) -> bool:
    """Whether all numbers of a cell are values of a row, rounded to the decimals that are shown."""
    if text in row.values():
        return True
    numbers = []
    for each in row.values():
        try:
            numbers.append(float(each))
        except ValueError:
            continue
    for found in NUMBER.findall(text):
        off = 0.5 * 10.0 ** -digits_of(found) * (1 + 1e-6)
        shown = value_of(found)
        if not any(abs(each * scale - shown) <= off for each in numbers if math.isfinite(each) for scale in SCALES):
            return False
    return True


def strange_rows(rows: list[list[str]], saved: Saved) -> Iterator[list[str]]:
    """Rows of tables whose texts and numbers do not all come from one row of a file."""
    by_text: dict[str, list[dict[str, str]]] = {}
    for row in saved.rows:
        for value in set(row.values()):
            by_text.setdefault(value, []).append(row)
    for cells in rows:
        kept = [cell.strip() for cell in cells if cell.strip()]
        named = [cell for cell in kept if not WHOLE.match(cell) and cell in by_text]
        there = by_text[max(named, key=len)] if named else saved.rows
        fits = (row for row in there if all(cell in row.values() for cell in named))
        told = [cell for cell in kept if WHOLE.match(cell)]
        if told and not any(all(is_in(cell, row) for cell in told) for row in fits):
            yield cells


def check(folder: Path) -> None:
    found, saved = Read(), read_csv(folder)
    found.feed(page([str(folder)], games=0))
    assert sum(map(bool, found.rows)) > 0
    assert list(strange_intervals(found.said, saved)) == []
    assert list(strange_rows(found.rows, saved)) == []


@pytest.mark.parametrize("name", KEPT)
def test_every_number_of_a_page_is_that_of_the_csv(name: str) -> None:
    check(REPORTS / name)


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_every_number_of_the_page_of_a_command_is_that_of_the_csv(name: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [*MADE[name], "--quiet", "--out", str(tmp_path / name)])
    assert result.exit_code == 0, result.output
    check(tmp_path / name)


def test_a_wrong_number_is_found(tmp_path: Path) -> None:
    """The check itself: one number of the CSV is another one than the page shows."""
    found, saved = Read(), read_csv(REPORTS / "first-run")
    found.feed(page([str(REPORTS / "first-run")], games=0))
    saved.rows[0]["win_share"] = saved.rows[0]["mean_score"] = "0.1"
    saved.rows[2]["win_share"] = "0.1"
    assert list(strange_intervals(found.said, saved)) and list(strange_rows(found.rows, saved))
