"""The chapter of the card study: every card in a table to sort and filter, each with a view of its own."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from salad_sim.errors import SaladError
from salad_sim.game.card_file import as_card_set
from salad_sim.game.cards import Card, CardSet, official_set
from salad_sim.game.notation import listed
from salad_sim.jit.typing import Row
from salad_sim.page.chapter import Chapter, Picture, Shown, bars, short
from salad_sim.page.other import other_chapter
from salad_sim.page.saved import Saved
from salad_sim.report.card_drawing import card_face, vegetable
from salad_sim.report.charts import Mark, Scale, intervals
from salad_sim.report.format import interval, number
from salad_sim.report.table import Table, estimate_of, numbers, texts
from salad_sim.stats.intervals import Estimate

MEASURES = {
    "take_margin": ("to take it now", "take value", "+"),
    "own_margin": ("to own it", "own value", ""),
    "gift_margin": ("value", "value", ""),
    "offer_margin": ("as an offer", "offer value", "+"),
    "observed_margin": ("as logs would say", "as logs would say", ""),
}
"""Columns that a ranking may have, by how much they say: heading, term of the glossary, sign."""

OLDER = {"gift_margin": "own_margin", "offer_margin": "take_margin"}
"""What an older study has in place of what a newer one says better."""

BY_TURN = {"phases": ("take_margin", "own_turns"), "offers": ("offer_margin", "turn")}
"""Tables of what a card is worth when, by how much they say: the number, and when."""

MOST_PARTNERS = 1
BEST, WORST = 10, 5
HIGH = 64
"""Of the picture of a card, and from which height on its intervals are drawn:"""
SEEN = 7


@dataclass(frozen=True)
class Tab:
    """What one number of players and one strategy make of the cards.

    Attributes
    ----------
    players, strategy
    rows : list of dict
        A card each, best first.
    """

    players: int
    strategy: str
    rows: Sequence[Row]
    measures: Sequence[str]

    @property
    def label(self) -> str:
        """What it is called."""
        return f"{self.players} players, {self.strategy}"

    @property
    def main(self) -> str:
        """The number by which cards are ranked."""
        return self.measures[0]

    @cached_property
    def by_card(self) -> dict[int, Row]:
        """The rows by card."""
        return {row["card_id"]: row for row in self.rows}


@dataclass(frozen=True)
class Facts:
    """All that a page knows of the cards of a study."""

    tabs: Sequence[Tab]
    cards: CardSet | None
    by_turn: Mapping[tuple[int, int], Sequence[tuple[str, Estimate]]]
    partners: Mapping[tuple[int, int], Sequence[tuple[str, float]]]
    over_all: Mapping[int, str]

    def card(self, row: Row) -> Card | None:
        """Return the card of a row, if it can be drawn."""
        number = row["card_id"]
        card = self.cards[number] if self.cards is not None and number < len(self.cards) else None
        return card if card is not None and card.text == row["card"] else None

    @property
    def labels(self) -> tuple[str, ...]:
        """What vegetables are called."""
        return (self.cards or official_set()).labels


def card_chapter(saved: Saved) -> Chapter:
    """Return the chapter of a card study."""
    ranking = saved.rows("ranking", "players", "strategy", "card_id", "card", "back", "family")
    facts = _facts(saved, ranking) if ranking else None
    if facts is None or not facts.tabs:
        return other_chapter(saved)
    first = _first(facts.tabs)
    families = saved.rows("families", "family", "cards", "mean_margin")
    columns = [
        *texts(players="players", strategy="who plays", family="family", cards="cards"),
        *numbers(mean_margin="mean"),
    ]
    terms = [MEASURES[each][1] for each in first.measures]
    return Chapter(
        "What is each card worth?",
        "Which cards are worth the most to who may take them, and when?",
        _answer(first),
        [_best_and_worst(first)],
        [Shown("Families of cards", Table(columns, families), {}, "mean_margin", is_folded=True)],
        [
            "The order depends on who plays and how many: look at the other tabs before you believe one.",
            "A card's worth here is its worth among these strategies; people may use it better or worse.",
            "Cards next to each other are often as good as each other: see the brackets behind the place.",
        ],
        (*terms, "rank", "interval", "partners", "margin"),
        body=_body(facts),
        labels=facts.labels,
    )


def _first(tabs: Sequence[Tab]) -> Tab:
    """Return what is shown first: the strongest strategy, with the fewest players."""
    strongest = tabs[-1].strategy
    return next(tab for tab in tabs if tab.strategy == strongest)


def _facts(saved: Saved, ranking: Sequence[Row]) -> Facts:
    measures = [each for each in MEASURES if f"{each}_low" in ranking[0] and OLDER.get(each) not in ranking[0]]
    groups: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in ranking:
        if row["card_id"] is not None:
            groups[row["players"], str(row["strategy"])].append(row)
    tabs = [
        Tab(players, strategy, sorted(rows, key=lambda row: (row.get("rank") or math.inf, row["card_id"])), measures)
        for (players, strategy), rows in groups.items()
        if measures
    ]
    first = _first(tabs).label if tabs else ""
    tabs.sort(key=lambda tab: tab.label != first)
    places = {(tab.players, tab.strategy): number for number, tab in enumerate(tabs)}
    return Facts(tabs, _card_set(saved), dict(_by_turn(saved, places)), _partners(saved, places), _over_all(saved))


def _over_all(saved: Saved) -> dict[int, str]:
    """Return what is said of each card over all who played."""
    rows = saved.rows("players", "card_id", "least_take", "most_take", "best_rank", "worst_rank")
    return {
        row["card_id"]: f"All: {row['least_take']:+.1f} to {row['most_take']:+.1f}, "
        f"places {row['best_rank']:g} to {row['worst_rank']:g}"
        for row in rows
        if None not in (row["card_id"], row["least_take"], row["best_rank"])
    }


def _card_set(saved: Saved) -> CardSet | None:
    given = saved.options.get("cards")
    try:
        return as_card_set(given) if given else official_set()
    except SaladError:
        return None  # the file is elsewhere now: its cards stand there in words


def _by_turn(
    saved: Saved, places: Mapping[tuple[int, str], int]
) -> Iterator[tuple[tuple[int, int], list[tuple[str, Estimate]]]]:
    name = next((each for each in BY_TURN if saved.rows(each, "card_id", f"{BY_TURN[each][0]}_low")), None)
    if name is None:
        return
    value, when = BY_TURN[name]
    found: dict[tuple[int, int], list[tuple[str, Estimate]]] = defaultdict(list)
    for row in saved.rows(name):
        place = places.get((row["players"], str(row["strategy"])))
        if place is not None and row[value] is not None and row["card_id"] is not None:
            found[place, row["card_id"]].append((str(row[when]), estimate_of(row, value)))
    yield from found.items()


def _partners(saved: Saved, places: Mapping[tuple[int, str], int]) -> dict[tuple[int, int], list[tuple[str, float]]]:
    found: dict[tuple[int, int], list[tuple[str, float]]] = defaultdict(list)
    for row in saved.rows("synergies", "players", "card_id_1", "card_id_2", "card_1", "card_2", "extra"):
        place = places.get((row["players"], str(row["strategy"])))
        if place is None or row["extra"] is None or row["extra_low"] < 0 < row["extra_high"]:
            continue
        for mine, other in ((1, 2), (2, 1)):
            found[place, row[f"card_id_{mine}"]].append((str(row[f"card_{other}"]), row["extra"]))
    return found


def _answer(tab: Tab) -> str:
    best = tab.rows[0]
    value, name = number(estimate_of(best, tab.main)), short(best["card"])
    if tab.main == "take_margin":
        return (
            f"The best card to take is “{name}”: taking it brings {value} points more than the best other move, among "
            f"{tab.players} players like {short(tab.strategy)}."
        )
    return f"The card worth most is “{name}”: {value} points, among {tab.players} players like {short(tab.strategy)}."


def _best_and_worst(tab: Tab) -> Picture:
    rows = [*tab.rows[:BEST], *tab.rows[-WORST:]] if len(tab.rows) > BEST + WORST else tab.rows
    marks = [
        Mark(f"{row['rank']}. {row['card']}", estimate_of(row, tab.main), 0 if at < BEST else 5)
        for at, row in enumerate(rows)
    ]
    than = " more than the best other move" if tab.main == "take_margin" else ""
    return Picture(
        "The best and the worst cards",
        intervals(f"{MEASURES[tab.main][0]}, points", marks, Scale(2), 0),
        f"{tab.label}, in points{than}. Dot: what the card is worth. Bar: where the true number lies.",
    )


# --------------------------------------------------------------------------------------------- table and views


def _body(facts: Facts) -> Markup:
    families = list(dict.fromkeys(str(row["family"]) for tab in facts.tabs for row in tab.rows))
    parts = [_filters(facts, families)]
    parts += [_panel(facts, tab) for tab in facts.tabs]
    parts.append(Markup('<div class="views">'))
    parts += [_view(facts, row, families.index(str(row["family"]))) for row in facts.tabs[0].rows]
    parts.append(Markup("</div>"))
    return Markup("").join(parts)


def _filters(facts: Facts, families: Sequence[str]) -> Markup:
    labels = facts.labels
    vegetables, options = (
        Markup("").join(Markup('<option value="{}">{}</option>').format(*each) for each in enumerate(names))
        for names in (labels, families)
    )
    return Markup(
        '<form class="filters" hidden><label>Vegetable <select name="veg"><option value="">any</option>{}</select>'
        '</label> <label>Family <select name="family"><option value="">any</option>{}</select></label> '
        '<label>Text <input name="text" type="search" placeholder="carrot"></label> <output></output></form>'
        '<section class="pinned" aria-label="Pinned cards" hidden></section>'
    ).format(vegetables, options)


def _panel(facts: Facts, tab: Tab) -> Markup:
    draw = bars([estimate_of(row, tab.main) for row in tab.rows])
    heads = ["place", "card", *(MEASURES[each][0] for each in tab.measures)]
    terms = ["rank", "", *(MEASURES[each][1] for each in tab.measures)]
    head = Markup("").join(
        Markup('<th scope="col"{}>{}</th>').format(Markup(' data-term="{}"').format(term) if term else "", heading)
        for heading, term in zip(heads, terms, strict=True)
    )
    rows = [_row(facts, tab, row, bar) for row, bar in zip(tab.rows, draw, strict=True)]
    return Markup(
        '<section class="panel" data-tab="{0}"><h3>{0}</h3><div class="scroll" tabindex="0" role="region" '
        'aria-label="Cards, {0}"><table class="cards sortable"><thead><tr>{1}</tr></thead>'
        "<tbody>{2}</tbody></table></div></section>"
    ).format(tab.label, head, Markup("\n").join(rows))


def _row(facts: Facts, tab: Tab, row: Row, bar: Markup) -> Markup:
    card = facts.card(row)
    sign = vegetable(card.back, facts.labels) if card else Markup("({})").format(row["back"])
    cells = Markup("").join(
        Markup("<td>{}{}").format(bar if at == 0 else "", _value(row, each)) for at, each in enumerate(tab.measures)
    )
    return Markup("<tr><td>{}<td>{} <a href=#k{}>{}</a>{}").format(
        _place(row), sign, row["card_id"], row["card"], cells
    )


def _value(row: Row, name: str) -> str:
    value = estimate_of(row, name)
    return interval(*value, 2, sign=MEASURES[name][2])


def _place(row: Row) -> str:
    rank, low, high = row.get("rank"), row.get("rank_low"), row.get("rank_high")
    if rank is None:
        return ""
    return f"{rank}" if low is None or not low < high else f"{rank} ({low} to {high})"


def _view(facts: Facts, row: Row, family: int) -> Markup:
    """Return a card's own view: its face, what it is worth when, and with whom."""
    number, card = row["card_id"], facts.card(row)
    face = card_face(card, facts.labels, worded=False) if card else ""
    asked = sorted({veg for term in card.terms for veg in term.asked} | {card.back}) if card else []
    lines = []
    for place, tab in enumerate(facts.tabs):
        if number not in tab.by_card:
            continue
        there = tab.by_card[number]
        phases = facts.by_turn.get((place, number), ())
        said = [_when(there, phases), _logs(there), _with(facts.partners.get((place, number), ()))]
        lines.append(
            Markup("<li class=s{}><b>{}</b>: place {}, {}{}").format(
                place % 6,
                tab.label,
                _place(there),
                _value(there, tab.main),
                "".join(f"; {each}" for each in said if each),
            )
        )
    if number in facts.over_all:
        lines.append(Markup("<li>{}").format(facts.over_all[number]))
    return Markup(
        '<article class=view id=k{} data-v="{}" data-f={} tabindex=-1><h3>{}</h3>{}<ul>{}</ul>{}<p>'
        "<a href=#top>back</a></article>"
    ).format(
        number, "".join(map(str, asked)), family, row["card"], face, Markup("").join(lines), _turn_chart(facts, number)
    )


def _when(row: Row, phases: Sequence[tuple[str, Estimate]]) -> str:
    """Return when it surely pays to take a card, and when it surely does not."""
    if "pays_from" in row:  # of an older study
        start, end = row["pays_from"], row["pays_to"]
        return "no turn on which it surely pays" if start is None else f"pays on turns {start:g} to {end:g}"
    take = _turns([value.low > 0 for _, value in phases], [when for when, _ in phases])
    leave = _turns([value.high < 0 for _, value in phases], [when for when, _ in phases])
    return "; ".join(f"{what} it {when}" for what, when in (("take", take), ("leave", leave)) if when)


def _turns(fits: Sequence[bool], when: Sequence[str]) -> str:
    """Return parts of the game in words, those that follow each other as one: of 1 to 3 and 4 to 6 is made 1 to 6."""
    if fits and all(fits):
        return "at any time"
    said = []
    for at, fit in enumerate(fits):
        if fit and (at == 0 or not fits[at - 1]):
            last = next(end for end in range(at, len(fits)) if end + 1 == len(fits) or not fits[end + 1])
            said.append(f"{when[at].split()[0]} {when[last].partition(' ')[2] or f'to {when[last]}'}")
    return f"on turns {listed(said)}" if said else ""


def _logs(row: Row) -> str:
    place = row.get("observed_rank")
    return f"logs: place {place:g}" if isinstance(place, (int, float)) else ""


def _with(partners: Sequence[tuple[str, float]]) -> str:
    good = sorted((each for each in partners if each[1] > 0), key=lambda each: -each[1])[:MOST_PARTNERS]
    bad = sorted((each for each in partners if each[1] < 0), key=lambda each: each[1])[:MOST_PARTNERS]
    said = [f"goes with {_names(good)}"] if good else []
    said += [f"not with {_names(bad)}"] if bad else []
    return "; ".join(said)


def _names(partners: Sequence[tuple[str, float]]) -> str:
    return " and ".join(f"{text} ({extra:+.1f})" for text, extra in partners)


def _turn_chart(facts: Facts, card: int) -> Markup:
    """Draw what a card is worth when it is found early or late, a line a tab."""
    found = {place: facts.by_turn[place, card] for place in range(len(facts.tabs)) if (place, card) in facts.by_turn}
    found = {place: points for place, points in found.items() if len(points) > 1}
    if not found:
        return Markup("")
    ends = [value.value for points in found.values() for _, value in points] + [0.0]
    low, high = min(ends), max(ends)
    longest = max(map(len, found.values()))
    first, last = next(iter(found.values()))[0][0], max(found.values(), key=len)[-1][0]

    def y(value: float) -> int:
        return min(HIGH, max(0, round(HIGH * (high - value) / ((high - low) or 1))))  # wide intervals are cut off

    drawn = [_turn_line(place, points, longest, y) for place, points in found.items()]
    return Markup(
        '<figure><svg class=turns viewBox="-16 -6 124 84" role="img" aria-label="worth by turn, {0} to {1} points">'
        '<path class=ref d="M0 {2}H100"/><text x=-2 y=4 class=e>{1}</text><text x=-2 y=66 class=e>{0}</text>'
        "<text y=75>turn {3}</text><text x=100 y=75 class=e>{4}</text>{5}</svg>"
        "<figcaption>Worth by turn, points</figcaption></figure>"
    ).format(f"{low:+.0f}", f"{high:+.0f}", y(0), first, last, Markup("".join(drawn)))


def _turn_line(place: int, points: Sequence[tuple[str, Estimate]], longest: int, y: Callable[[float], int]) -> str:
    """Draw the line of a tab; intervals where they are wide enough to be seen."""
    x = [round(100 * at / (longest - 1)) for at in range(len(points))]
    line = " ".join(f"{left} {y(value.value)}" for left, (_, value) in zip(x, points, strict=True))
    ticks = ""
    for left, (_, value) in zip(x, points, strict=True):
        if not math.isnan(value.low) and y(value.low) - y(value.high) >= SEEN:
            ticks += f"M{left} {y(value.low)}V{y(value.high)}"
    within = f'<path class=s{place % 6} d="{ticks}"/>' if ticks else ""
    return f'<path class="s{place % 6} line" d="M{line}"/>{within}'
