"""Whether a designer's cards are in line with the others, in words."""

from __future__ import annotations

import math
from functools import partial

from salad_sim.game.notation import listed
from salad_sim.jit.typing import Row
from salad_sim.report.format import number
from salad_sim.report.markdown import Section
from salad_sim.report.table import Column, Table, numbers
from salad_sim.studies.cards import sections as parts
from salad_sim.studies.cards.lines import Line
from salad_sim.studies.cards.tables import CardTables

MOST_TOLD = 3
"""New cards of which the answer says more than whether they are in line."""


def about_new(tables: CardTables) -> list[str]:
    """Say of a designer's cards whether they are in line; of many, how many are, and which are not."""
    new = tables.new_cards()
    if len(new) <= MOST_TOLD:
        return [
            f"With {parts.about(tables)}, `{parts.label(tables, row['card_id'])}`: {verdict(tables, row)}"
            for row in new
        ]
    found = {row["card_id"]: tables.lines[row["card_id"]] for row in new}
    out = [f"`{parts.label(tables, card)}`" for card, line in found.items() if line.found]
    named = listed(out if len(out) <= MOST_TOLD else [*out[:MOST_TOLD], f"{len(out) - MOST_TOLD} more"])
    unknown = sum(not line.is_known for line in found.values())
    return [
        f"With {parts.about(tables)}, {len(out)} of {len(new)} new cards are out of line"
        + (f": {named}" if out else "")
        + (f"; of {unknown} it is not known." if unknown else ".")
    ]


def new_section(tables: CardTables, rows: list[Row]) -> Section:
    """Return whether a designer's cards are in line with the others."""
    columns = [
        parts.label_column(tables),
        Column("rank", "rank to take (95 %, all at once)", show=parts.between),
        *numbers(2, "+", take_margin="take it now"),
        *numbers(own_margin="own it: points over a blank card"),
        *(Column("", f"range of {what}", show=partial(_range, name)) for name, what in RANGES.items()),
        Column("", "verdict", show=lambda row: verdict(tables, row)),
    ]
    text = (
        "Cards that are not among the 108 of the game, by what they are worth to own. Each is held against a blank "
        "card; against the cards of the game that it beats or that beat it on every hand that was tried; against its "
        "family, that is the cards of its form, or else those that ask for the same in other numbers; and against all "
        "cards, whose range is wide. Ranges are where one more such card would lie with 95 %: of cards that are like "
        "the others one in twenty is outside."
    )
    return Section(f"New cards: {parts.about(tables)}", text, Table(columns, rows))


RANGES = {"family": "its family", "all": "all cards"}
"""Which other cards a card is compared with by a range."""


def _range(name: str, row: Row) -> str:
    if row[f"outside_{name}"] is None:
        return ""
    return f"{row[f'{name}_range_low']:.1f} to {row[f'{name}_range_high']:.1f}"


def verdict(tables: CardTables, row: Row) -> str:
    """Return whether a card is in line with the others, as far as that is known."""
    line = tables.lines[row["card_id"]]
    if line.found:
        return f"Out of line with {listed(line.found)}.{_order(line)}{_dud(line)}"
    if not line.is_known:
        return "Too few trials, or too few other cards are known, to compare."
    within = [what for name, what in RANGES.items() if row[f"outside_{name}"] is False]
    text = f"Within the range of {listed(within)}. " if within else ""
    if math.isfinite(line.seen):
        text += f"It would have been found in four of five studies if it were {line.seen:.1f} points off."
    return text.rstrip()


def _dud(line: Line) -> str:
    return f" Over a blank card: {number(line.over_blank)}." if line.outside_blank else ""


def _order(line: Line) -> str:
    """Say which card of the game it makes pointless, or makes it pointless, and by how much they differ."""
    told = []
    for other, words in ((line.stronger, "never scores less than"), (line.weaker, "never scores more than")):
        if other is not None:
            told.append(f"it {words} `{other}`")
    if not told:
        return ""
    gap = (
        f", to own it is worth {number(line.less_that)} points more than such cards"
        if not math.isnan(line.less_that.value)
        else ""
    )
    return f" On every hand that was tried {listed(told)}{gap}."
