"""A card study -> its report: the answer first, then each line-up, then how stable the ranking is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from salad_sim.game.notation import listed
from salad_sim.jit.typing import Row
from salad_sim.report.format import ended_early, number, points
from salad_sim.report.markdown import Report, Section
from salad_sim.report.table import Column, Table, estimate_of, numbers
from salad_sim.stats.rank_correlation import rank_correlation
from salad_sim.stats.ratios import columns
from salad_sim.studies.cards import figures as plots_cards
from salad_sim.studies.cards import sections as parts
from salad_sim.studies.cards.estimate import CardFindings
from salad_sim.studies.cards.page import page_sections
from salad_sim.studies.cards.tables import CardTables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Picture = Callable[[], Figure]

TITLE = "What is each card worth?"

MOST_TOLD = 3
"""New cards of which the answer says more than whether they are in line."""

HOW = (
    "*Value* is what a gift causes: the same deal is played twice with the same chance, once with the card in front of "
    "a seat from the start, once without it, and the value is the difference in the seat's margin over the mean of the "
    "others (points) and in its win share (percentage points). *Observed* is the margin of who kept the card to the "
    "end, as a log of games would show it; *adjusted* is the same with the rest of the hand accounted for by "
    "regression. Both measure also who can afford a card and for whom it was good; *observed less value* is the size "
    "of that mistake. *Drawn to its family* is the value shrunken toward cards of the same form, so that the top is "
    "not the luckiest. *Taken*: share of the turns at which the card could be taken and was. Intervals hold each for "
    "itself with 95 %, ranks and tiers for all cards of a line-up at once (rank confidence sets of Mogstad, Romano, "
    "Shaikh and Wilhelm 2024). Values are those of the players at the table: others would make other use of a card."
)


def card_report(
    found: Sequence[CardFindings], run: dict[str, Any], wanted: Sequence[int] = (), interrupted: bool = False
) -> Report:
    """Put what a card study found into a report.

    Parameters
    ----------
    found : sequence of CardFindings
        At least one.
    run : dict
        All that is needed to do the study again.
    wanted : sequence of int
        Cards to show a page of, instead of the ranking.
    interrupted : bool
        Whether Ctrl-C ended the study early.
    """
    studied = [CardTables(each) for each in found]
    pictures: dict[str, Picture] = {}
    sections = [Section("How to read it", HOW)]
    for tables in studied:
        sections += page_sections(tables, wanted) if wanted else line_up_sections(tables)
        pictures |= line_up_pictures(tables, wanted)
    given = [tables for tables in studied if tables.is_ranked]
    stable = stability_rows(given)
    if len(given) > 1:
        pictures["stability"] = partial(stability_picture, given)
        sections.append(stability_section(stable))
    answer = answer_of(studied, wanted) + ended_early("The study", interrupted)
    tables_of_all: dict[str, list[Row]] = {}
    for tables in studied:
        for name, rows in tables.tables().items():
            tables_of_all.setdefault(name, []).extend(rows)
    if stable:
        tables_of_all["stability"] = stable
    written = {name: rows for name, rows in tables_of_all.items() if rows}
    return Report(TITLE, answer, sections, written, pictures, run, interrupted)


def line_up_sections(tables: CardTables) -> list[Section]:
    """Return what a report says of one line-up."""
    synergy = parts.synergy_section(tables)
    if not tables.is_ranked:
        return [parts.unranked_section(tables)] + ([replace(synergy, picture="")] if synergy else [])
    sections = [parts.ranking_section(tables)]
    new = tables.new_cards()
    if new:
        sections.append(new_section(tables, new))
    sections += [parts.family_section(tables), parts.log_section(tables)]
    sections.append(Section(f"Taken and worth: {parts.about(tables)}", picture=f"picks_{parts.tag(tables)}"))
    sections.append(parts.turn_section(tables, ()))
    return sections + ([synergy] if synergy else [])


def line_up_pictures(tables: CardTables, wanted: Sequence[int]) -> dict[str, Picture]:
    """Return what draws the pictures of one line-up, by file name."""
    if not tables.is_ranked:
        return {}
    of = parts.tag(tables)
    found: dict[str, Picture] = {
        f"values_{of}": partial(parts.ranking_picture, tables),
        f"logs_{of}": partial(parts.log_picture, tables),
        f"picks_{of}": partial(parts.pick_picture, tables),
    }
    if parts.has_turns(tables, wanted):
        found[f"turns_{of}"] = partial(parts.turn_picture, tables, wanted)
    if parts.synergy_section(tables) is not None:
        found[f"synergy_{of}"] = partial(parts.synergy_picture, tables)
    return found


def new_section(tables: CardTables, rows: list[Row]) -> Section:
    """Return whether a designer's cards are in line with the others."""
    columns = [
        parts.label_column(tables),
        Column("rank", "rank (95 %, all at once)", show=parts.between),
        *numbers(gift_margin="value in points"),
        *(Column(f"{name}_range_low", f"range of {what}", show=partial(_range, name)) for name, what in RANGES.items()),
        Column("", "verdict", show=verdict),
    ]
    text = (
        "Cards that are not among the 108 of the game. A card is out of line if its value is outside the 95 % range "
        "that the other members of its family, or all other cards, predict for one more such card. Of cards that are "
        "like the others one in twenty is, too."
    )
    return Section(f"New cards: {parts.about(tables)}", text, Table(columns, rows))


def _range(name: str, row: Row) -> str:
    if row[f"outside_{name}"] is None:
        return ""
    return f"{row[f'{name}_range_low']:.2f} to {row[f'{name}_range_high']:.2f}"


RANGES = {"family": "its family", "all": "all cards"}
"""Which other cards a card is compared with."""


def verdict(row: Row) -> str:
    """Return whether a card is in line with the others, as far as that is known."""
    if not row["tier"]:
        return parts.too_few(row)
    found = {what: row[f"outside_{name}"] for name, what in RANGES.items()}
    out = [what for what, outside in found.items() if outside]
    if out:
        return f"Out of line with {' and with '.join(out)}."
    within = [what for what, outside in found.items() if outside is not None]
    return f"Within the range of {' and of '.join(within)}." if within else "Too few other cards are known to compare."


def answer_of(studied: Sequence[CardTables], wanted: Sequence[int]) -> str:
    """Return the answer in a few sentences."""
    sentences = []
    for tables in studied:
        rows = [row for row in tables.by_rank if row["tier"]]
        if not rows:
            continue
        if wanted:
            of = {row["card_id"]: row for row in rows}
            sentences += [_worth(tables, of[card]) for card in wanted if card in of]
            continue
        sentences += _about_new(tables)
        best, worst = rows[0], rows[-1]
        is_told = len(tables.new_cards()) <= MOST_TOLD and best in tables.new_cards()
        off = max(rows, key=lambda row: _size(row["bias_beyond_mean"]))
        sentences.append(
            f"{f'With {parts.about(tables)}, that is the most.' if is_told else _worth(tables, best)} "
            f"Least: `{parts.label(tables, worst['card_id'])}`, "
            f"{number(estimate_of(worst, 'gift_margin'))}.{_off(tables, off)}"
        )
    return "\n\n".join(sentences) or "No card was given often enough to tell."


def _about_new(tables: CardTables) -> list[str]:
    """Say of a designer's cards whether they are in line; of many, how many are, and which are not."""
    new = tables.new_cards()
    if len(new) <= MOST_TOLD:
        ranked = [row for row in new if row["tier"]]
        return [f"{_worth(tables, row)} {verdict(row)}" for row in ranked] + [
            f"With {parts.about(tables)}, `{parts.label(tables, row['card_id'])}`: {verdict(row)}"
            for row in new
            if not row["tier"]
        ]
    out = [f"`{parts.label(tables, row['card_id'])}`" for row in new if row["outside_family"] or row["outside_all"]]
    named = listed(out if len(out) <= MOST_TOLD else [*out[:MOST_TOLD], f"{len(out) - MOST_TOLD} more"])
    unknown = sum(row["outside_family"] is None and row["outside_all"] is None for row in new)
    return [
        f"With {parts.about(tables)}, {len(out)} of {len(new)} new cards are out of line"
        + (f": {named}" if out else "")
        + (f"; of {unknown} it is not known." if unknown else ".")
    ]


def _off(tables: CardTables, row: Row) -> str:
    """Say of the card that logs show most wrongly by how much; nothing if that is not known."""
    bias = row["bias_beyond_mean"]
    if bias != bias:  # NaN
        return ""
    return (
        f" What logs show is up to {abs(bias):.1f} points too {'high' if bias > 0 else 'low'}, beyond what is common "
        f"to all cards (`{parts.label(tables, row['card_id'])}`)."
    )


def _size(bias: float) -> float:
    return abs(bias) if bias == bias else -1.0  # NaN


def _worth(tables: CardTables, row: Row) -> str:
    return (
        f"With {parts.about(tables)}, `{parts.label(tables, row['card_id'])}` given from the start is worth "
        f"{number(estimate_of(row, 'gift_margin'))} points and {points(estimate_of(row, 'gift_win'), 1)} "
        f"percentage points of win share; of {len(tables.cards)} cards it is number {parts.between(row)}."
    )


def stability_rows(studied: Sequence[CardTables]) -> list[Row]:
    """Return the rank correlation between the rankings of every two line-ups."""
    return [
        {
            "players_1": one.n_players,
            "strategy_1": one.name,
            "players_2": other.n_players,
            "strategy_2": other.name,
        }
        | columns(
            "rank_correlation",
            rank_correlation(
                one.values.margin, one.values.margin_covariance, other.values.margin, other.values.margin_covariance
            ),
        )
        for one, other in combinations(studied, 2)
    ]


def stability_section(rows: list[Row]) -> Section:
    """Return how much of the ranking is the same for other numbers of players and other strategies."""
    columns = [Column("", "rankings", show=_two), *numbers(3, rank_correlation="rank correlation")]
    text = (
        "Spearman's correlation between the true values of two line-ups, noise taken out, with its 95 % interval: 1 "
        "where all cards have the same rank."
    )
    return Section("Is it the same for other players?", text, Table(columns, rows), "stability")


def _two(row: Row) -> str:
    return " & ".join(f"{row[f'players_{n}']} players, {row[f'strategy_{n}']}" for n in (1, 2))


def stability_picture(studied: Sequence[CardTables]) -> Figure:
    """Draw the mean value of each family in every line-up."""
    names = [family.name for family in studied[0].families]
    means = [{row["family"]: estimate_of(row, "mean_margin") for row in tables.family_rows()} for tables in studied]
    return plots_cards.stability(
        [[of[name] for of in means] for name in names],
        [parts.about(tables).replace(", ", ",\n") for tables in studied],
        names,
        "What families are worth to other players",
        "points of margin",
    )
