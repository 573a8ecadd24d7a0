"""A card study -> its report: the answer first, then each line-up, then the same cards among other players."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from salad_sim.jit.typing import Row
from salad_sim.report.format import ended_early, number, points, signed
from salad_sim.report.markdown import Report, Section
from salad_sim.report.table import Column, Table, estimate_of, numbers
from salad_sim.stats.rank_correlation import rank_correlation
from salad_sim.stats.ratios import columns
from salad_sim.studies.cards import figures as plots_cards
from salad_sim.studies.cards import sections as parts
from salad_sim.studies.cards.estimate import CardFindings
from salad_sim.studies.cards.page import page_sections
from salad_sim.studies.cards.sections import Picture
from salad_sim.studies.cards.tables import CardTables
from salad_sim.studies.cards.verdicts import MOST_TOLD, about_new, new_section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "What is each card worth?"

HOW = (
    "A card has three worths, and each answers a question of its own. *Take it now*: at tables that come up, how many "
    "points of margin over the mean of the others (and of win share) does the seat to move gain by taking this card "
    "instead of its best other move? Above zero it is better to take it, at such tables on average; the moments at "
    "which the card lies on a pile are drawn from games as they are dealt, and both games go on with the same chance. "
    "*Came out better* is the share of those tables at which the game with the card taken ended better (equal ones "
    "count half). *Own it from the start*: how much more is this card worth in front of a seat before the first turn "
    "than a blank card with the same back, which scores nothing and may be flipped? *Over nothing* is the gift as it "
    "is: the last row says what a blank alone brings, because a card is also a vegetable in waiting. *Logs*: the mean "
    "margin of who kept the card to the end, as sites rank cards; it says who wins with it, not what it does. "
    "Intervals hold each for itself with 95 %, ranks for all cards of a line-up at once (rank confidence sets of "
    "Mogstad, Romano, Shaikh and Wilhelm 2024). All worths are those among the players at the table: others would "
    "make other use of a card."
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
    of_players = player_rows(given)
    if len(given) > 1:
        pictures["stability"] = partial(stability_picture, given)
        sections += [player_section(given, of_players, wanted), stability_section(stable)]
    answer = answer_of(studied, wanted) + ended_early("The study", interrupted)
    tables_of_all: dict[str, list[Row]] = {}
    for tables in studied:
        for name, rows in tables.tables().items():
            tables_of_all.setdefault(name, []).extend(rows)
    tables_of_all |= {"stability": stable, "players": of_players}
    written = {name: rows for name, rows in tables_of_all.items() if rows}
    return Report(TITLE, answer, sections, written, pictures, run, interrupted)


def line_up_sections(tables: CardTables) -> list[Section]:
    """Return what a report says of one line-up."""
    if not tables.is_ranked:
        return [parts.unranked_section(tables)]
    new, synergy = tables.new_cards(), parts.synergy_section(tables)
    return [
        parts.ranking_section(tables),
        *([new_section(tables, new)] if new else []),
        parts.phase_section(tables),
        parts.family_section(tables),
        parts.order_section(tables),
        Section(f"Taken and worth taking: {parts.about(tables)}", picture=f"picks_{parts.tag(tables)}"),
        *([synergy] if synergy else []),
    ]


def line_up_pictures(tables: CardTables, wanted: Sequence[int]) -> dict[str, Picture]:
    """Return what draws the pictures of one line-up, by file name."""
    if not tables.is_ranked:
        return {}
    of = parts.tag(tables)
    found: dict[str, Picture] = {f"values_{of}": partial(parts.ranking_picture, tables)}
    found |= parts.scatter_pictures(tables)
    found[f"phases_{of}"] = partial(parts.phase_picture, tables, wanted)
    if parts.synergy_section(tables) is not None:
        found[f"synergy_{of}"] = partial(parts.synergy_picture, tables)
    return found


def answer_of(studied: Sequence[CardTables], wanted: Sequence[int]) -> str:
    """Return the answer in a few sentences."""
    told = [tables for tables in studied if tables.is_ranked]
    sentences = []
    for tables in told:
        if wanted:
            sentences += [worth(tables, card) for card in wanted]
            continue
        new = tables.new_cards()
        sentences += about_new(tables)
        if new and len(new) <= MOST_TOLD:
            sentences += [worth(tables, row["card_id"]) for row in new]
        sentences.append(most_and_least(tables, [other for other in told if other is not tables]))
    return "\n\n".join(sentences) or "No card was tried often enough to tell."


def most_and_least(tables: CardTables, others: Sequence[CardTables]) -> str:
    """Say which card is worth most to take and which least, with intervals that account for their being chosen."""
    rows = [row for row in tables.by_rank if row["rank"] is not None]
    best, least = rows[0]["card_id"], rows[-1]["card_id"]
    better, worse = tables.by_take.n_certain
    text = (
        f"With {parts.about(tables)}, the card that gains most if it is taken is `{parts.label(tables, best)}`: "
        f"{points_of(tables, best)} over the best other move (rank {parts.between(rows[0])}); least is "
        f"`{parts.label(tables, least)}`, {points_of(tables, least)}. {better} of {len(rows)} cards are certainly "
        f"better to take than the best other move, {worse} certainly worse. Intervals in this paragraph hold for all "
        "cards at once."
    )
    own = tables.by_own
    if own.means.is_known.any():
        first = int(np.flatnonzero(own.rank == 1)[0])
        text += (
            f" To own from the start `{parts.label(tables, first)}` is worth most, {number(own.at_once(first))} points "
            f"over a blank card."
        )
    beside = [f"{float(other.take[0][0].value[best]):+.1f} with {parts.about(other)}" for other in others]
    return text + (f" Taking the first of these cards is worth {', '.join(beside)}." if beside else "")


def points_of(tables: CardTables, card: int) -> str:
    """Return what taking a card is worth, with an interval that holds for all cards at once."""
    return f"{signed(*tables.by_take.at_once(card))} points"


def worth(tables: CardTables, card: int) -> str:
    """Say what one card is worth."""
    row = tables.ranking[card]
    own = estimate_of(row, "own_margin")
    return (
        f"With {parts.about(tables)}, `{parts.label(tables, card)}` is worth {number(estimate_of(row, 'take_margin'))} "
        f"points over the best other move if taken, and {points(estimate_of(row, 'take_win'), 1)} percentage points of "
        f"win share; of {len(tables.cards)} cards it is number {parts.between(row)} to take. To own from the start it "
        f"is worth {number(own)} points over a blank card."
    )


def player_rows(studied: Sequence[CardTables]) -> list[Row]:
    """Return for each card the spread of what taking it is worth over the line-ups; nothing for a single one."""
    if len(studied) < 2:
        return []
    of_all = [each.take[0] for each in studied], [each.own for each in studied]
    rows = []
    for card in studied[0].cards:
        number_ = card.card_id
        take, own = ([means[0].value[number_] for means in each] for each in of_all)
        ranks = [int(each.by_take.rank[number_]) for each in studied]
        row: Row = {"card_id": number_, "card": card.text, "mean_take": float(np.mean(take))}
        row |= {"least_take": float(min(take)), "most_take": float(max(take))}
        row |= {"least_own": float(min(own)), "most_own": float(max(own))}
        rows.append(row | {"best_rank": min(ranks), "worst_rank": max(ranks)})
    return sorted(rows, key=lambda row: -row["mean_take"])


def player_section(studied: Sequence[CardTables], rows: list[Row], wanted: Sequence[int]) -> Section:
    """Return how far the worth of a card depends on who plays: of the best and the least, or of those wanted."""
    shown = (
        [row for row in rows if row["card_id"] in wanted] if wanted else [*rows[: parts.SHOWN], *rows[-parts.SHOWN :]]
    )
    first = studied[0]
    columns = [
        parts.label_column(first),
        *(Column("", parts.about(each), show=partial(_take_in, each)) for each in studied),
        Column("", "ranks", show=lambda row: f"{row['best_rank']} to {row['worst_rank']}"),
        Column("", "to own", show=lambda row: f"{row['least_own']:.1f} to {row['most_own']:.1f}"),
    ]
    text = (
        "What it is worth to take the same card among other players and numbers of players, and from which rank to "
        "which it goes; for most cards that is more than an interval of any one line-up. All cards are in players.csv."
    )
    return Section(
        "The same card among other players", text, Table(columns, list({row["card_id"]: row for row in shown}.values()))
    )


def _take_in(tables: CardTables, row: Row) -> str:
    return number(estimate_of(tables.ranking[row["card_id"]], "take_margin"))


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
                one.by_take.means.value,
                one.by_take.means.covariance,
                other.by_take.means.value,
                other.by_take.means.covariance,
            ),
        )
        for one, other in combinations(studied, 2)
    ]


def stability_section(rows: list[Row]) -> Section:
    """Return how much of the ranking is the same for other numbers of players and other strategies."""
    columns = [Column("", "rankings", show=_two), *numbers(3, rank_correlation="rank correlation")]
    text = (
        "Spearman's correlation between the true take values of two line-ups, noise taken out, with its 95 % "
        "interval: 1 where all cards have the same rank."
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
        "What taking cards of a family is worth among other players",
        "points of margin over the best other move",
    )
