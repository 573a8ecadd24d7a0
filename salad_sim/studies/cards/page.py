"""The page of one card: all that a study knows about it."""

from __future__ import annotations

from collections.abc import Sequence

from salad_sim.jit.typing import Row
from salad_sim.report.format import number, percent, points
from salad_sim.report.markdown import Section
from salad_sim.report.table import Column, Table, estimate_of, numbers, p_values, shares, texts
from salad_sim.studies.cards import sections as parts
from salad_sim.studies.cards.tables import CardTables
from salad_sim.studies.cards.verdicts import verdict

PARTNERS = 3
"""Cards it goes best and worst with that are shown."""

LOG_RATES = (
    ("seen", "lay on top when a seat was to move, % of games in the deck"),
    ("pick_rate", "taken, % of the turns at which it could be"),
    ("taken_when_seen", "taken, % of the games in which it could be"),
    ("kept", "kept to the end, % of games in the deck"),
    ("flipped", "flipped, % of those taken"),
    ("market", "went to the market as a vegetable, % of games in the deck"),
    ("zero", "scored nothing, % of games kept"),
    ("negative", "scored less than nothing, % of games kept"),
    ("win_share_kept", "win share of who kept it, %"),
    ("win_share_taken", "win share of who took it, %"),
    ("win_share_left", "win share of who could take it and left it, %"),
)

LOG_NUMBERS = (
    ("taken_at", "turn at which it was taken"),
    ("last_seen", "turn at which it could last be taken"),
    ("points", "points when kept"),
    ("points_10", "points when kept, one in ten is below"),
    ("points_50", "points when kept, median"),
    ("points_90", "points when kept, one in ten is above"),
)


def page_sections(tables: CardTables, cards: Sequence[int]) -> list[Section]:
    """Return the pages of some cards for one line-up."""
    sections = []
    for card in cards:
        name = f"{parts.label(tables, card)}: {parts.about(tables)}"
        row, seen = tables.ranking[card], tables.observed[card]
        sections.append(Section(name, _position(tables, row), _estimates(row)))
        sections.append(Section(f"What games show: {name}", table=_log(seen)))
        if tables.is_ranked:
            picture = f"phases_{parts.tag(tables)}" if card == cards[0] else ""
            sections.append(Section(f"When to take it: {name}", "", _phases(tables, card), picture))
        partners = _partners(tables, card)
        if partners.rows:
            sections.append(Section(f"Partners: {name}", table=partners))
    return sections


def _position(tables: CardTables, row: Row) -> str:
    if row["rank"] is None:
        return parts.too_few(row)
    alike = [each for each in tables.by_rank if each["family"] == row["family"]]
    text = (
        f"To take, number {parts.between(row)} of {len(tables.cards)} by points (95 %, all cards at once), number "
        f"{parts.between(row, 'win_')} by win share; to own, number {parts.between(row, 'own_') or 'not known'}. "
    )
    if len(alike) > 1:
        place = 1 + [each["card_id"] for each in alike].index(row["card_id"])
        text += (
            f"Family {row['family']}: {len(alike)} cards, of which it is number {place} to take; drawn toward them it "
            f"is worth {number(estimate_of(row, 'shrunken_margin'))}. "
        )
    return text + f"By what it is worth to own: {verdict(tables, row)}"


def _estimates(row: Row) -> list[list[str]]:
    table = [["question", "points of margin", "win share, percentage points"]]
    for name, words in (
        ("take", "take it now, over the best other move"),
        ("own", "own it from the start, over a blank card"),
        ("gift", "own it from the start, over nothing"),
        ("observed", "logs: who kept it"),
        ("adjusted", "logs, the rest of the hand accounted for"),
    ):
        margin, win = (estimate_of(row, f"{name}_{unit}") for unit in ("margin", "win"))
        table.append([words, number(margin), points(win, 1)])
    table.append(["taking it came out better, % of tables", percent(estimate_of(row, "take_right"), 1), ""])
    table.append(["own points only (gift)", number(estimate_of(row, "gift_own")), ""])
    table.append(["kept when given, %", percent(estimate_of(row, "gift_kept"), 1), ""])
    return table


def _log(seen: Row) -> list[list[str]]:
    table = [["what", "with 95 % interval"]]
    table += [[words, percent(estimate_of(seen, name), 1)] for name, words in LOG_RATES]
    table += [[words, number(estimate_of(seen, name))] for name, words in LOG_NUMBERS]
    deviation = seen["points_sd"]
    table.append(["points when kept, standard deviation", f"{deviation:.2f}" if deviation == deviation else ""])
    table.append(["games in which it was kept", f"{seen['games_kept']:,}"])
    return table


def _phases(tables: CardTables, card: int) -> Table:
    columns = [
        *texts(own_turns="own turns"),
        Column("rank", "rank (95 %, all at once)", show=parts.between),
        *numbers(2, "+", take_margin="points over the best other move"),
        *shares(1, take_right="came out better, %"),
        *texts(take_pairs="tables"),
    ]
    return Table(columns, [row for row in tables.phases if row["card_id"] == card and row["take_pairs"] > 1])


def _partners(tables: CardTables, card: int) -> Table:
    """Return the cards that it goes best and worst with."""

    def other(row: Row) -> str:
        return parts.label(tables, row["card_id_2"] if row["card_id_1"] == card else row["card_id_1"])

    extra = [*numbers(extra="extra in points"), *p_values(p_holm="p (Holm)"), *texts(games="games")]
    found = tables.synergies
    rows = [row for row in found.rows if card in (row["card_id_1"], row["card_id_2"])] if found else []
    good = [row for row in rows if row["extra"] > 0][:PARTNERS]
    return Table([Column("", "with", show=other), *extra], good + [row for row in rows if row["extra"] < 0][:PARTNERS])
