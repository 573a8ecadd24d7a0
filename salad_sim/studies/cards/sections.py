"""The sections of a card report on one line-up: ranking, phases, families, other orders, synergies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from salad_sim.game.notation import listed, plural
from salad_sim.jit.typing import Floats, Row
from salad_sim.report.format import chance, number, percent
from salad_sim.report.markdown import Section
from salad_sim.report.table import Column, Table, changes, estimate_of, numbers, p_values, shares, texts
from salad_sim.stats.intervals import Estimate, Z
from salad_sim.stats.rank_correlation import rank_correlation
from salad_sim.studies.cards import figures as plots_cards
from salad_sim.studies.cards.synergy import fit
from salad_sim.studies.cards.tables import MOST_PAIRS, CardTables
from salad_sim.studies.cards.trials import KNOWN_PAIRS, PHASES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 10
"""Cards at the top and at the bottom that a report shows."""

N_CHOSEN = 5
"""Cards whose value is drawn by phase, unless the user names some."""

SIGNIFICANT = 0.05

Picture = Callable[[], "Figure"]


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
    return f"Tried at {plural(row['take_pairs'], 'table')}, too few to be ranked: {KNOWN_PAIRS} are needed."


def between(row: Row, prefix: str = "") -> str:
    """Return a rank and what it may be."""
    if row.get(f"{prefix}rank") is None:
        return ""  # too seldom tried, or what stands for the rows between
    low, high = row[f"{prefix}rank_low"], row[f"{prefix}rank_high"]
    return f"{row[f'{prefix}rank']} ({low} to {high})" if low < high else f"{row[f'{prefix}rank']}"


def label_column(tables: CardTables) -> Column:
    """Return the column that says which card a row is about."""

    def show(row: Row) -> str:
        return str(row["card"]) if row.get("card_id") is None else label(tables, row["card_id"])

    return Column("card", "card", show=show)


def ranking_table(tables: CardTables, rows: Sequence[Row]) -> Table:
    """Return the rows of a ranking as a report shows them."""
    columns = [
        label_column(tables),
        Column("rank", "rank to take (95 %, all at once)", show=between),
        *numbers(2, "+", take_margin="take it now: points over the best other move"),
        *changes(1, take_win="win share, percentage points"),
        *shares(0, take_right="came out better, % of tables"),
        *numbers(own_margin="own it from the start: points over a blank card", gift_margin="over nothing"),
        *numbers(2, "+", observed_margin="logs: margin of who kept it"),
        *shares(1, pick_rate="taken when it could be, %"),
    ]
    return Table(columns, rows)


def unranked_section(tables: CardTables) -> Section:
    """Return what can be said of a line-up whose cards were tried too seldom, or never, to be ranked."""
    games, pairs = int(tables.found.counts.n_games.sum()), int(tables.take_sums.trials["pairs"].max())
    return Section(
        f"What the cards are worth: {about(tables)}",
        f"Cards are ranked if they were taken and left at {KNOWN_PAIRS} tables or more; here none was at more than "
        f"{pairs}. What games show of each card, {games:,} as they are dealt, is in observed.csv.",
    )


def half_width(tables: CardTables, name: str) -> float:
    """Return the largest half-width of a column of estimates, NaN if there is none."""
    halves = [(row[f"{name}_high"] - row[f"{name}_low"]) / 2 for row in tables.ranking]
    return max((half for half in halves if not math.isnan(half)), default=math.nan)


def ranking_section(tables: CardTables) -> Section:
    """Return the top and the bottom of the ranking."""
    rows = [row for row in tables.by_rank if row["rank"] is not None]
    few = len(rows) <= 2 * SHOWN
    gap = dict.fromkeys(rows[0]) | {"card": "..."}
    shown = rows if few else [*rows[:SHOWN], gap, *rows[-SHOWN:]]
    takes, gifts = tables.take_sums, tables.gift_sums
    widths = {name: half_width(tables, name) for name in ("take_margin", "own_margin")}
    text = (
        f"{int(tables.found.counts.n_games.sum()):,} games as they are dealt; {takes.n_games:,} games with cards taken "
        f"and left, {_least_most(takes.trials['pairs'][0, : len(tables.cards)])} tables a card, no half-width above "
        f"{widths['take_margin']:.2f} points; {gifts.n_games:,} with gifts, "
        f"{_least_most(gifts.trials['pairs'][0, : len(tables.cards)])} deals a card, none above "
        f"{widths['own_margin']:.2f}. {rank_groups(tables)} All {len(tables.cards)} cards are in ranking.csv."
    )
    extra = tables.found.extra
    if extra:
        games = sum(int(each["dealt"]) for each in extra.values())
        text += (
            f" {plural(len(extra), 'card')} seldom kept got {games:,} further games, each with such a card in the deck "
            "for certain and counted for that card only."
        )
    asked = tables.found.precision
    short = [name for name, width in widths.items() if width > asked]
    if short:
        times = max((widths[name] / asked) ** 2 for name in short)
        text += f" The {asked:g} points that were asked for would take about {times:.1f} times as many games."
    penalty = tables.found.adjusted.margin.penalty
    if penalty > 0:
        text += (
            " Cards were kept too seldom to tell all effects apart, so the regression draws them toward zero (ridge, "
            f"penalty {penalty:.3g} games)."
        )
    table = ranking_table(tables, [*shown, tables.blank])
    return Section(f"What the cards are worth: {about(tables)}", text, table, f"values_{tag(tables)}")


def _least_most(pairs: Floats) -> str:
    return f"{int(pairs.min()):,} to {int(pairs.max()):,}"


def rank_groups(tables: CardTables) -> str:
    """Say how far the cards can be told apart, by the ranks that each may have."""
    ranking = tables.by_take
    known = ranking.means.is_known
    n = int(known.sum())
    best, least = (ranking.best == 1) & known, (ranking.worst == len(known)) & known
    better, worse = ranking.n_certain
    widths = (ranking.worst - ranking.best + 1)[known]
    return (
        f"To take, {better} of {n} cards are certainly better than the best other move and {worse} certainly worse; "
        f"{plural(int(best.sum()), 'card')} may be the best and {plural(int(least.sum()), 'card')} the least (all at "
        f"once). A card may have {np.median(widths):.0f} ranks in the median: such sets overlap, so there is no border "
        "that divides the cards."
    )


def ranking_picture(tables: CardTables) -> Figure:
    """Draw all cards with their intervals."""
    rows = tables.ranking
    new = [row["card_id"] for row in tables.new_cards()]
    return plots_cards.ranked_values(
        [row["family"] for row in rows],
        [label(tables, row["card_id"]) for row in rows],
        [row["take_margin"] for row in rows],
        [row["take_margin_low"] for row in rows],
        [row["take_margin_high"] for row in rows],
        "points of margin over the best other move",
        f"What it is worth to take each card: {about(tables)}",
        new,
        "new card",
    )


def family_section(tables: CardTables) -> Section:
    """Return the means of families, and which have members that differ."""
    rows = tables.family_rows()
    columns = [
        *texts(family="family", cards="cards"),
        *numbers(2, "+", mean_margin="mean take value"),
        Column("spread", "spread between members", show=_of_several(lambda row: number(estimate_of(row, "spread")))),
        Column("p_holm", "p (Holm)", show=_of_several(lambda row: chance(row["p_holm"]))),
        Column("", "members", show=_of_several(_differ)),
    ]
    several = [row for row in rows if row["cards"] > 1]
    differ = [row["family"] for row in several if row["p_holm"] < SIGNIFICANT]
    text = (
        "A family are cards that are the same up to which vegetables they ask about. *Spread* is the standard "
        "deviation between members beyond chance; p tests that all members are worth the same to take (chi-square, "
        "corrected for all families). "
    )
    if several:
        names = listed([f"`{name}`" for name in differ])
        text += f"{len(differ)} of {len(several)} families differ" + (f": {names}." if differ else ".")
    return Section(f"Families: {about(tables)}", text, Table(columns, rows))


def _differ(row: Row) -> str:
    return "differ" if row["p_holm"] < SIGNIFICANT else "may be equal"


def _of_several(show: Callable[[Row], str]) -> Callable[[Row], str]:
    return lambda row: show(row) if row["cards"] > 1 else ""


ORDERS = {"own_margin": "own it", "observed_margin": "logs", "adjusted_margin": "logs, the hand accounted for"}


def order_section(tables: CardTables) -> Section:
    """Return how far other orders of the cards agree with what taking them is worth, in all and by phase."""
    rows = []
    for layer, when in enumerate(("all", *PHASES)):
        row: Row = {"own_turns": when}
        take = tables.take[layer][0].if_known()
        for name in ORDERS:
            values = np.array([each[name] for each in tables.ranking])
            errors = np.array([(each[f"{name}_high"] - each[f"{name}_low"]) / (2 * Z) for each in tables.ranking])
            covariance = tables.own[0].covariance if name == "own_margin" else np.diag(errors**2)
            row[name] = rank_correlation(values, covariance, take.value, take.covariance)
        rows.append(row)
    columns = [Column("own_turns", "own turns")]
    columns += [Column(name, words, show=partial(_correlation, name)) for name, words in ORDERS.items()]
    text = (
        "Three questions, three numbers: what it is worth to take a card now, to own it from the start, and who wins "
        "with it in logs. They are different quantities, and where they differ none is a mistake of another. Here is "
        "how far each of the others orders the cards as taking them does (Spearman's correlation of the true values, "
        "1 if alike)."
    )
    return Section(f"Three questions: {about(tables)}", text, Table(columns, rows), f"logs_{tag(tables)}")


def _correlation(name: str, row: Row) -> str:
    found: Estimate = row[name]
    return number(found)


def scatter_pictures(tables: CardTables) -> dict[str, Picture]:
    """Return what draws logs, and how often cards are taken, against what taking them is worth."""
    rows = tables.ranking
    new = [row["card_id"] for row in tables.new_cards()[:N_CHOSEN]]
    labels = [label(tables, row["card_id"]) for row in rows]
    take = [estimate_of(row, "take_margin") for row in rows]

    def draw(name: str, axis: str, title: str, shares: bool) -> Figure:
        shown = [estimate_of(row, name) for row in rows]
        families = [row["family"] for row in rows]
        return plots_cards.against_take(
            shown, take, families, labels, axis, f"{title} {about(tables)}", new, shares=shares
        )

    of = tag(tables)
    logs = "logs: margin of who kept the card, points"
    picks = "pick rate: share of the turns at which\nthe card could be taken and was"
    return {
        f"logs_{of}": partial(draw, "observed_margin", logs, "Logs, and worth taking:", False),
        f"picks_{of}": partial(draw, "pick_rate", picks, "Taken often, worth taking?", True),
    }


def chosen(tables: CardTables, wanted: Sequence[int]) -> list[int]:
    """Return the cards whose value is shown by phase.

    Those wanted; or a designer's new ones, and the best of families all over the ranking.
    """
    if wanted:
        return list(wanted)
    new = [row["card_id"] for row in tables.new_cards()[:N_CHOSEN]]
    best = [next(row for row in tables.by_rank if row["family"] == family["family"]) for family in tables.family_rows()]
    places = np.unique(np.linspace(0, len(best) - 1, min(N_CHOSEN, len(best))).round().astype(int))
    return list(dict.fromkeys([*new, *(best[place]["card_id"] for place in places)]))[: max(N_CHOSEN, len(new) + 2)]


def phase_section(tables: CardTables, wanted: Sequence[int] = ()) -> Section:
    """Return what it is worth to take a card, by phase of the game."""
    of = {(row["card_id"], row["own_turns"]): row for row in tables.phases}
    columns: list[Column] = [label_column(tables)]
    columns += [Column("", f"own turns {phase}", show=partial(_in_phase, of, phase)) for phase in PHASES]
    text = (
        "Points over the best other move if the card is taken, and the share of tables at which that came out better. "
        "All cards, with ranks that hold for all of a phase at once, are in phases.csv."
    )
    table = Table(columns, [tables.ranking[card] for card in chosen(tables, wanted)])
    return Section(f"When to take it: {about(tables)}", text, table, f"phases_{tag(tables)}")


def _in_phase(of: dict[tuple[int, str], Row], phase: str, row: Row) -> str:
    here = of[row["card_id"], phase]
    right = percent(Estimate(here["take_right"], math.nan, math.nan), 0, unit=" %")
    return f"{number(estimate_of(here, 'take_margin'))}; {right}" if here["take_pairs"] > 1 else ""


def phase_picture(tables: CardTables, wanted: Sequence[int]) -> Figure:
    """Draw what taking chosen cards is worth by phase, and how often it is right."""
    of = {(row["card_id"], row["own_turns"]): row for row in tables.phases}
    lines, right = (
        {
            label(tables, card): [estimate_of(of[card, phase], name) for phase in PHASES]
            for card in chosen(tables, wanted)
        }
        for name in ("take_margin", "take_right")
    )
    return plots_cards.value_by_phase(PHASES, lines, f"When to take it: {about(tables)}", right)


def synergy_section(tables: CardTables) -> Section | None:
    """Return the pairs of cards that matter to play, and what they explain; None if nothing is known."""
    found = tables.synergies
    if found is None or not found.rows:
        return None
    hands = tables.n_players * int(tables.found.residuals.n_games.sum()) if tables.found.residuals else 1
    columns = [
        Column("", "two cards", show=lambda row: " & ".join(label(tables, row[f"card_id_{n}"]) for n in (1, 2))),
        *numbers(1, "+", extra="together beyond the sum, points"),
        Column("games", "of hands, %", show=lambda row: f"{100 * row['games'] / hands:.2f}"),
        *p_values(p_holm="p (Holm)"),
    ]
    by_weight = sorted(
        (row for row in found.rows if row["at_least"] > 0), key=lambda row: -row["at_least"] * row["games"]
    )
    best, worst = ([row for row in by_weight if (row["extra"] > 0) == up][: SHOWN // 2] for up in (True, False))
    text = (
        "Which two cards of one hand are worth more, or less, than the sum of both, from fresh games. Those that "
        "matter most to play come first: by what the extra is at least with 95 %, times the share of hands that keep "
        "both. It is observed, not caused: who keeps both chose so. "
    )
    if found.left_out:
        text += (
            f"{found.left_out:,} of {found.left_out + len(found.rows):,} pairs were kept together too seldom to tell. "
        )
    fresh = tables.found.fresh
    if fresh is not None and len(fresh.n_games) > 1:
        told = fit(tables.found.counts, fresh)
        text += (
            f"Of the spread of margins within games, the sum of single cards explains {percent(told.singles, 1)} % and "
            f"single cards with pairs {percent(told.pairs, 1)} %, on games that neither was told from. "
        )
    if len(found.rows) > MOST_PAIRS:
        text += f"The {MOST_PAIRS} that are shown most surely are in synergies.csv."
    return Section(f"Synergy: {about(tables)}", text.rstrip(), Table(columns, best + worst), f"synergy_{tag(tables)}")


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
