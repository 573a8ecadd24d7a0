"""What a report says of a designer's cards: in line or not, or why that is not known; and rates with intervals."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from salad_sim import Rules
from salad_sim.game.card_families import families
from salad_sim.game.cards import CardSet
from salad_sim.run.driver import Session
from salad_sim.run.plan import plan_run
from salad_sim.stats.prediction import out_of_line
from salad_sim.storage.folder import csv_text
from salad_sim.studies.cards import estimate as card_value
from salad_sim.studies.cards.estimate import CardFindings, study_condition
from salad_sim.studies.cards.page import page_sections
from salad_sim.studies.cards.report import MOST_TOLD, answer_of, card_report, line_up_sections, verdict
from salad_sim.studies.cards.sections import ranking_table, turn_section
from salad_sim.studies.cards.tables import CardTables
from salad_sim.studies.cards.trials import KNOWN_PAIRS
from salad_sim.studies.conditions import Condition
from support.card_decks import FEW, blank, changed, deck, twice

ROW: dict[str, Any] = {"tier": 1, "gift_pairs": 500}

NEW = 5
"""The new card of the small set."""

WITH_INTERVAL = re.compile(r"-?\d+\.\d+ \[-?\d+\.\d+, -?\d+\.\d+\]")


@pytest.mark.parametrize(
    ("of_family", "of_all", "said"),
    [
        (None, None, "Too few other cards are known to compare."),
        (False, False, "Within the range of its family and of all cards."),
        (None, False, "Within the range of all cards."),
        (False, None, "Within the range of its family."),
        (True, False, "Out of line with its family."),
        (None, True, "Out of line with all cards."),
        (True, True, "Out of line with its family and with all cards."),
    ],
)
def test_a_card_is_in_line_only_where_that_is_known(of_family: bool | None, of_all: bool | None, said: str) -> None:
    assert verdict(ROW | {"outside_family": of_family, "outside_all": of_all}) == said


@pytest.mark.parametrize(("pairs", "deals"), [(0, "0 deals"), (1, "1 deal"), (99, "99 deals")])
def test_a_card_that_was_given_too_seldom_is_said_to_be(pairs: int, deals: str) -> None:
    # whatever its ranges: without a rank there is no value to hold against them
    row = {"tier": 0, "gift_pairs": pairs, "outside_family": None, "outside_all": None}
    assert verdict(row) == f"Given in {deals}, too few to be ranked: 100 are needed."


def test_nothing_is_outside_a_range_that_is_not_known_or_without_a_value() -> None:
    cards = deck(*FEW)
    values = np.linspace(0, 5, len(cards))
    values[[0, 7]] = np.nan, 99.0
    lines = out_of_line(values, np.diag(np.where(np.isnan(values), np.nan, 0.01)), families(cards))
    assert (lines[0].outside_family, lines[0].outside_all) == (None, None)
    assert lines[7].outside_all is True and lines[8].outside_all is False
    three = [replace(families(cards)[0], members=(0, 1, 2))]
    few = out_of_line(values[1:4], np.eye(3), three)
    assert [(line.outside_family, line.outside_all) for line in few] == [(None, None)] * 3


# ------------------------------------------------------------------------------------------------ in a report


def studied(cards: CardSet) -> CardFindings:
    """A short study of a set, in decks of half of it."""
    plan = plan_run(2000, 2, "point-grabber", 3, rules=Rules(of_each="2"), cards=cards)
    found = study_condition(Session(2), Condition("point-grabber", plan), 0.5)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def one_new() -> CardFindings:
    """A set with one card that is new, worth nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(card_value, "LEAST_KEPT", 1)
        return studied(changed(deck(*FEW), NEW, blank()))


def seldom_given(found: CardFindings, card: int, pairs: int) -> CardFindings:
    """The same findings, had a card been given in fewer deals."""
    assert found.gifts is not None and found.gifts.gifts["pairs"].min() > KNOWN_PAIRS > pairs
    gifts = found.gifts.gifts.copy()
    gifts[card] = 0
    gifts["pairs"][card] = pairs
    return replace(found, gifts=replace(found.gifts, gifts=gifts))


def new_table(tables: CardTables) -> list[list[str]]:
    (section,) = [each for each in line_up_sections(tables) if each.heading.startswith("New cards")]
    return section.shown.cells()


def cells_of(found: CardFindings, name: str) -> dict[str, str]:
    """A row of ranking.csv, as it is written."""
    text = csv_text(card_report([found], {}).tables["ranking"])
    heading, *rows = [line.split(",") for line in re.sub('"[^"]*"', "text", text).splitlines()]
    (row,) = [dict(zip(heading, row, strict=True)) for row in rows if row[heading.index("card")] == name]
    return row


def test_a_new_card_that_is_ranked_is_held_against_the_others(one_new: CardFindings) -> None:
    tables = CardTables(one_new)
    (row,) = tables.new_cards()
    said = "Out of line with all cards." if row["outside_all"] else "Within the range of all cards."
    assert row["card_id"] == NEW and row["outside_family"] is None and new_table(tables)[1][-1] == said
    assert f"`{row['card']}` given from the start is worth" in answer_of([tables], ())
    assert f" {said}\n\n" in answer_of([tables], ())
    cells = cells_of(one_new, row["card"])
    assert (cells["outside_family"], cells["outside_all"]) == ("", str(row["outside_all"]))


@pytest.mark.parametrize("pairs", [0, 1, 99])
def test_a_new_card_that_was_given_too_seldom_is_named_as_such(one_new: CardFindings, pairs: int) -> None:
    found = seldom_given(one_new, NEW, pairs)
    tables = CardTables(found)
    (row,) = tables.new_cards()
    said = f"Given in {pairs} deal{'s' * (pairs != 1)}, too few to be ranked: 100 are needed."
    first, second = answer_of([tables], ()).split("\n\n")
    assert first == f"With 2 players, point-grabber, `{row['card']}`: {said}"
    assert "given from the start is worth" in second and row["card"] not in second
    _, cells = new_table(tables)
    assert cells[1] == "" and cells[-1] == said and cells[3:5] == ["", ""]
    page, *_ = page_sections(tables, [NEW])
    assert page.text == said
    written = cells_of(found, row["card"])
    assert [written[name] for name in ("rank", "outside_family", "outside_all")] == [""] * 3
    assert written["gift_pairs"] == str(pairs)


def test_of_many_new_cards_the_answer_says_how_many_are_out_of_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_value, "LEAST_KEPT", 1)
    cards = deck(*FEW)
    for number in (0, 4):
        cards = changed(cards, number, twice(twice(cards[number])))
    for number in (8, 12):
        cards = changed(
            cards, number, replace(cards[number], weights=tuple(3 * (w > 0) for w in cards[number].weights))
        )
    found = studied(cards)
    tables = CardTables(found)
    new = tables.new_cards()
    assert len(new) == 4 == MOST_TOLD + 1
    out = [row["card"] for row in new if row["outside_all"] or row["outside_family"]]
    assert len(out) == 2
    first, *rest = answer_of([tables], ()).split("\n\n")
    assert first.startswith(f"With 2 players, point-grabber, {len(out)} of {len(new)} new cards are out of line: ")
    assert len(rest) == 1 and re.findall("`([^`]*)`", first) == out
    first, _ = answer_of([CardTables(seldom_given(found, 8, 99))], ()).split("\n\n")
    assert re.findall("`([^`]*)`", first) == out and first.endswith("`; of 1 it is not known.")
    # fewer are each told of
    monkeypatch.setattr("salad_sim.studies.cards.report.MOST_TOLD", MOST_TOLD + 1)
    assert len(answer_of([tables], ()).split("\n\n")) == len(new) + 1
    monkeypatch.setattr("salad_sim.studies.cards.report.MOST_TOLD", 1)
    assert f"2 of 4 new cards are out of line: `{out[0]}` and 1 more.\n\n" in answer_of([tables], ())


def test_how_often_cards_are_taken_is_shown_with_intervals(one_new: CardFindings) -> None:
    tables = CardTables(one_new)
    heading, *rows = ranking_table(tables, tables.by_rank).cells()
    for row, cells in zip(tables.by_rank, rows, strict=True):
        value, low, high = (100 * row[f"pick_rate{end}"] for end in ("", "_low", "_high"))
        if math.isnan(value):
            continue
        assert low < value < high or value in (0, 100)
        assert cells[heading.index("taken %")] == f"{value:.1f} [{low:.1f}, {high:.1f}]"
    heading, *rows = turn_section(tables, ()).shown.cells()
    assert heading[1] == "taken when offered %" and len(rows) > 3
    assert all(WITH_INTERVAL.fullmatch(cells[1]) for cells in rows)
    page = {section.heading.split(":")[0]: section.shown.cells() for section in page_sections(tables, [8])}
    heading, *rows = page["By turn"]
    assert heading[2] == "taken %" and rows and all(WITH_INTERVAL.fullmatch(cells[2]) for cells in rows)
    written = cells_of(one_new, tables.cards[8].text)
    assert all(written[f"pick_rate{end}"] for end in ("", "_low", "_high"))
