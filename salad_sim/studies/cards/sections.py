"""The sections of a card report on one line-up: ranking, families, what logs would say, turns, synergies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from salad_sim.game.notation import listed, plural
from salad_sim.jit.typing import Row
from salad_sim.report.format import chance, number
from salad_sim.report.markdown import Section
from salad_sim.report.table import Column, Table, estimate_of, numbers, p_values, shares, texts
from salad_sim.stats.intervals import UNKNOWN, Z
from salad_sim.stats.rank_correlation import rank_correlation
from salad_sim.studies.cards import figures as plots_cards
from salad_sim.studies.cards.causal import KNOWN_PAIRS
from salad_sim.studies.cards.tables import MOST_PAIRS, CardTables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 10
"""Cards at the top and at the bottom that a report shows."""

N_CHOSEN = 5
"""Cards whose value is drawn by turn, unless the user names some."""

FEWEST_OFFERS = 30
"""Offers at a turn from which it is drawn."""

SIGNIFICANT = 0.05


def label(tables: CardTables, card: int) -> str:
    """Return what a card says, with its id where others say the same."""
    text = tables.cards[card].text
    alike = sum(each.text == text for each in tables.cards)
    return text if alike == 1 else f"{text} ({card})"


def about(tables: CardTables) -> str:
    """Return the number of players and the line-up in words."""
    return f"{tables.n_players} players, {tables.name}"


def tag(tables: CardTables) -> str:
    """Return the same for a file name."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in tables.name)
    return f"{tables.n_players}_{kept.strip('-')}"


def too_few(row: Row) -> str:
    """Say of a card without a rank why it has none."""
    return f"Given in {plural(row['gift_pairs'], 'deal')}, too few to be ranked: {KNOWN_PAIRS} are needed."


def between(row: Row, prefix: str = "") -> str:
    """Return a rank and what it may be."""
    if not row["tier"]:
        return ""  # given too seldom, or what stands for the rows between
    low, high = row[f"{prefix}rank_low"], row[f"{prefix}rank_high"]
    return f"{row[f'{prefix}rank']} ({low} to {high})" if low < high else f"{row[f'{prefix}rank']}"


def label_column(tables: CardTables) -> Column:
    """Return the column that says which card a row is about."""
    return Column("card", "card", show=lambda row: label(tables, row["card_id"]) if "card_id" in row else row["card"])


def ranking_table(tables: CardTables, rows: Sequence[Row]) -> Table:
    """Return the rows of a ranking as a report shows them."""
    columns = [
        label_column(tables),
        Column("rank", "rank (95 %, all at once)", show=between),
        *texts(tier="tier"),
        *numbers(gift_margin="value in points"),
        *shares(1, gift_win="win share, percentage points"),
        *numbers(shrunken_margin="drawn to its family", observed_margin="observed", adjusted_margin="adjusted"),
        *numbers(bias_margin="observed less value"),
        *shares(1, pick_rate="taken %"),
    ]
    return Table(columns, rows)


def unranked_section(tables: CardTables) -> Section:
    """Return what can be said of a line-up whose cards were given too seldom, or never, to be ranked."""
    games, pairs = int(tables.found.counts.n_games.sum()), int(tables.gift_sums.gifts["pairs"].max())
    return Section(
        f"What the cards are worth: {about(tables)}",
        f"Cards are ranked if they were given in {KNOWN_PAIRS} deals or more; here none was given in more than "
        f"{pairs}. What games show of each card, {games:,} as they are dealt, is in observed.csv.",
    )


def ranking_section(tables: CardTables) -> Section:
    """Return the top and the bottom of the ranking."""
    rows = [row for row in tables.by_rank if row["tier"]]
    few = len(rows) <= 2 * SHOWN
    gap = dict.fromkeys([*rows[0], "group"]) | {"card": "..."}
    del gap["card_id"]
    table = ranking_table(tables, rows if few else [*rows[:SHOWN], gap, *rows[-SHOWN:]])
    sums = tables.gift_sums
    pairs = sums.gifts["pairs"]
    width = max((each.high - each.low) / 2 for each in (estimate_of(row, "gift_margin") for row in rows))
    n_tiers, n_groups = (max(row[name] for row in rows) for name in ("tier", "group"))
    text = (
        f"{int(tables.found.counts.n_games.sum()):,} games as they are dealt; {sums.n_games:,} games with gifts and "
        f"offers, {int(pairs.min()):,} to {int(pairs.max()):,} pairs a card, no half-width above {width:.2f} points. "
        f"{_told_apart(n_tiers, n_groups)} "
        f"All {len(tables.cards)} cards are in ranking.csv."
    )
    extra = tables.found.extra
    if extra:
        games = sum(int(each["dealt"]) for each in extra.values())
        text += (
            f" {plural(len(extra), 'card')} seldom kept got {games:,} further games, each with such a card in the deck "
            "for certain and counted for that card only."
        )
    if width > tables.found.precision:
        text += (
            f" The {tables.found.precision:g} points that were asked for would take about "
            f"{(width / tables.found.precision) ** 2:.1f} times as many games with gifts."
        )
    if tables.found.adjusted.margin.penalty > 0:
        text += (
            " Cards were kept too seldom to tell all effects apart, so the regression draws them toward zero (ridge, "
            f"penalty {tables.found.adjusted.margin.penalty:.3g} games)."
        )
    return Section(f"What the cards are worth: {about(tables)}", text, table, f"values_{tag(tables)}")


def _told_apart(n_tiers: int, n_groups: int) -> str:
    """Say how far the cards can be told apart."""
    if n_groups == 1:
        return "No card is certainly worth less than the first one."
    tiers = (
        f"The cards fall into {n_tiers} tiers between which every card above is certainly worth more than every card "
        "below, and"
        if n_tiers > 1
        else "No border divides the cards so that every card above is certainly worth more; they fall"
    )
    return (
        f"{tiers} into {n_groups} groups (in ranking.csv), each led by a card that is certainly worth less than the "
        "leader above."
    )


def ranking_picture(tables: CardTables) -> Figure:
    """Draw all cards with their intervals."""
    rows = tables.ranking
    new = [row["card_id"] for row in tables.new_cards()]
    return plots_cards.ranked_values(
        [row["family"] for row in rows],
        [label(tables, row["card_id"]) for row in rows],
        [row["gift_margin"] for row in rows],
        [row["gift_margin_low"] for row in rows],
        [row["gift_margin_high"] for row in rows],
        "points of margin",
        f"What each card is worth: {about(tables)}",
        new,
        "new card",
    )


def family_section(tables: CardTables) -> Section:
    """Return the means of families, and which have members that differ."""
    rows = tables.family_rows()
    columns = [
        *texts(family="family", cards="cards"),
        *numbers(mean_margin="mean value"),
        Column("spread", "spread between members", show=_of_several(lambda row: number(estimate_of(row, "spread")))),
        Column("p_holm", "p (Holm)", show=_of_several(lambda row: chance(row["p_holm"]))),
        Column(
            "", "members", show=_of_several(lambda row: "differ" if row["p_holm"] < SIGNIFICANT else "may be equal")
        ),
    ]
    several = [row for row in rows if row["cards"] > 1]
    differ = [row["family"] for row in several if row["p_holm"] < SIGNIFICANT]
    text = (
        "A family are cards that are the same up to which vegetables they ask about. *Spread* is the standard "
        "deviation between members beyond chance; p tests that all members are worth the same (chi-square, corrected "
        "for all families). "
    )
    if several:
        names = listed([f"`{name}`" for name in differ])
        text += f"{len(differ)} of {len(several)} families differ" + (f": {names}." if differ else ".")
    return Section(f"Families: {about(tables)}", text, Table(columns, rows))


def _differ(row: Row) -> str:
    return "differ" if row["p_holm"] < SIGNIFICANT else "may be equal"


def _of_several(show: Callable[[Row], str]) -> Callable[[Row], str]:
    return lambda row: show(row) if row["cards"] > 1 else ""


def log_section(tables: CardTables) -> Section:
    """Return by how much a ranking from game logs would be wrong."""
    rows = [row for row in tables.ranking if not math.isnan(row["bias_beyond_mean"])]
    columns = ["observed_margin", "gift_margin", "adjusted_margin"]
    values = {name: np.array([row[name] for row in tables.ranking]) for name in columns}
    errors = {
        name: np.diag([((row[f"{name}_high"] - row[f"{name}_low"]) / (2 * Z)) ** 2 for row in tables.ranking])
        for name in columns
    }
    causal = tables.values.margin, tables.values.margin_covariance
    agreement = {
        name: rank_correlation(values[name], errors[name], *causal) for name in ("observed_margin", "adjusted_margin")
    }
    off = sorted(rows, key=lambda row: row["observed_rank"] - row["rank"])
    beyond = "observed less value, beyond the mean"
    shown = [
        label_column(tables),
        *texts(rank="rank by value", observed_rank="rank in logs"),
        *numbers(gift_margin="value", observed_margin="observed", bias_beyond_mean=beyond),
    ]
    table = Table(shown, [*off[:3], *off[len(off) - 3 :]] if len(off) > 6 else off)
    text = (
        "How logs rank the cards and how they rank by value: Spearman's correlation "
        f"{number(agreement['observed_margin'], 3)}; with the rest of the hand accounted for "
        f"{number(agreement['adjusted_margin'], 3)}. A gift is free and a card that was kept has cost a turn, which is "
        "in the difference of every card; the table has the cards that logs put most places too high and too low, and "
        "the difference beyond the mean of all cards."
    )
    return Section(f"What a log would say: {about(tables)}", text, table, f"logs_{tag(tables)}")


def log_picture(tables: CardTables) -> Figure:
    """Draw observed against causal values."""
    rows = tables.ranking
    return plots_cards.bias_plot(
        [row["family"] for row in rows],
        [estimate_of(row, "observed_margin") for row in rows],
        [estimate_of(row, "gift_margin") for row in rows],
        "points of margin",
        f"Observed and causal value: {about(tables)}",
        {row["card_id"]: label(tables, row["card_id"]) for row in tables.new_cards()[:N_CHOSEN]},
    )


def pick_picture(tables: CardTables) -> Figure:
    """Draw how often cards are taken against what they are worth."""
    rows = tables.ranking
    return plots_cards.pick_against_value(
        [estimate_of(row, "pick_rate") for row in rows],
        [estimate_of(row, "gift_margin") for row in rows],
        [row["family"] for row in rows],
        [label(tables, row["card_id"]) for row in rows],
        "points of margin",
        f"Taken often, worth much? {about(tables)}",
        [row["card_id"] for row in tables.new_cards()[:N_CHOSEN]],
    )


def chosen(tables: CardTables, wanted: Sequence[int]) -> list[int]:
    """Return the cards whose value is shown by turn.

    Those wanted; or a designer's new ones, and the best of families all over the ranking.
    """
    if wanted:
        return list(wanted)
    new = [row["card_id"] for row in tables.new_cards()[:N_CHOSEN]]
    best = [next(row for row in tables.by_rank if row["family"] == family["family"]) for family in tables.family_rows()]
    best.sort(key=lambda row: row["rank"])
    places = np.unique(np.linspace(0, len(best) - 1, min(N_CHOSEN, len(best))).round().astype(int))
    return list(dict.fromkeys([*new, *(best[place]["card_id"] for place in places)]))[: max(N_CHOSEN, len(new) + 2)]


def has_turns(tables: CardTables, wanted: Sequence[int]) -> bool:
    """Return whether any of the cards that are shown by turn was offered often enough."""
    cards = chosen(tables, wanted)
    return any(row["card_id"] in cards and row["offers"] >= FEWEST_OFFERS for row in tables.offers)


def turn_section(tables: CardTables, wanted: Sequence[int]) -> Section:
    """Return what it is worth to be offered a card, by turn."""
    cards = chosen(tables, wanted)
    columns = [
        label_column(tables),
        *shares(1, offer_taken="taken when offered %"),
        *numbers(offer_margin="value of an offer"),
        Column("pays_from", "pays at turns", show=_pays),
    ]
    table = Table(columns, [tables.ranking[card] for card in cards])
    text = (
        "The card lies on a pile for one turn, take it or leave it: what that is worth to the seat, in points of "
        "margin. *Pays*: the first and the last turn at which an offer is certainly worth more than nothing (all turns "
        "at once). All cards and turns are in offers.csv."
    )
    picture = f"turns_{tag(tables)}" if has_turns(tables, wanted) else ""
    return Section(f"Value by turn: {about(tables)}", text, table, picture)


def _pays(row: Row) -> str:
    return "at none" if row["pays_from"] is None else f"{row['pays_from']} to {row['pays_to']}"


def turn_picture(tables: CardTables, wanted: Sequence[int]) -> Figure:
    """Draw the value of an offer and the share taken by turn, of chosen cards."""
    cards = chosen(tables, wanted)
    rows = [row for row in tables.offers if row["card_id"] in cards and row["offers"] >= FEWEST_OFFERS]
    turns = sorted({row["turn"] for row in rows}) or [1]
    of = {(row["card_id"], row["turn"]): row for row in rows}
    lines, taken = {}, {}
    for card in cards:
        here = [of.get((card, turn)) for turn in turns]
        lines[label(tables, card)] = [estimate_of(row, "offer_margin") if row else UNKNOWN for row in here]
        taken[label(tables, card)] = [estimate_of(row, "offer_taken") if row else UNKNOWN for row in here]
    return plots_cards.value_by_turn(
        turns, lines, "points of margin", f"What an offer is worth: {about(tables)}", taken
    )


def synergy_section(tables: CardTables) -> Section | None:
    """Return the pairs of cards that are worth most and least together beyond the sum; None if nothing is known."""
    found = tables.synergies
    if found is None or not found.rows:
        return None
    columns = [
        Column("", "two cards", show=lambda row: " & ".join(label(tables, row[f"card_id_{n}"]) for n in (1, 2))),
        *numbers(extra="extra in points"),
        *p_values(p_holm="p (Holm)", p_bh="p (Benjamini-Hochberg)"),
        *texts(games="games"),
    ]
    best = [row for row in found.rows if row["extra"] > 0][: SHOWN // 2]
    worst = [row for row in found.rows if row["extra"] < 0][: SHOWN // 2]
    table = Table(columns, best + worst)
    certain = sum(row["p_holm"] < SIGNIFICANT for row in found.rows)
    text = (
        "What a hand that keeps both cards scores beyond the sum of what each is worth by the regression, in points of "
        "margin, from fresh games; first those that are certainly worth most, then those that are certainly worth "
        "least. It is observed, not caused: who keeps both chose so. Of "
        f"{len(found.rows):,} pairs {certain:,} are certain at 5 % for all pairs at once (Holm), "
        f"{sum(row['p_bh'] < SIGNIFICANT for row in found.rows):,} with 5 % false ones among them (Benjamini-Hochberg)"
        + (f"; {found.left_out:,} pairs were kept together too seldom to tell." if found.left_out else ".")
    )
    if len(found.rows) > MOST_PAIRS:
        text += f" The {MOST_PAIRS} that are shown most surely are in synergies.csv."
    return Section(f"Synergy: {about(tables)}", text, table, f"synergy_{tag(tables)}")


def synergy_picture(tables: CardTables) -> Figure:
    """Draw the synergy of every pair of cards."""
    found = tables.synergies
    assert found is not None
    order: list[int] = []
    borders, names = [], []
    members = {family.name: family.members for family in tables.families}
    for row in tables.family_rows():
        borders.append(len(order))
        names.append(row["family"])
        order += members[row["family"]]
    borders.append(len(order))
    return plots_cards.synergy_map(found.matrix, order, borders, names, "points of margin", f"Synergy: {about(tables)}")
