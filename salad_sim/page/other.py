"""Chapters of tuning and learning, and of any study that the program does not know: its tables, its intervals drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from salad_sim.jit.typing import Row
from salad_sim.page.chapter import Chapter, Picture, Shown, change, percent, short
from salad_sim.page.saved import Saved
from salad_sim.report.charts import Mark, Scale, Series, intervals, lines
from salad_sim.report.format import POINTS, number
from salad_sim.report.table import Column, Measure, Table, changes, estimate_of, means, numbers, shares, texts

OTHERS = "It holds for the strategies that played; people may play otherwise."
MOST_MARKS = 30
MOST_ROWS = 400
MOST_PICTURES = 3
MOST_TESTS = 2


def tuning_chapter(saved: Saved) -> Chapter:
    """Return what a search for better parameters found."""
    history = saved.rows("history", "generation", "value")
    against = saved.rows("against", "opponents", "win_share_difference", "players")
    if not history:
        return other_chapter(saved)
    steps = [(row["generation"], estimate_of(row, "value")) for row in history]
    drawing = lines("Mean worth", [Series("mean", steps)], Scale(4), "generation")
    return Chapter(
        "Can it play better?",
        "Does another set of parameters play better, on deals that the search has not seen?",
        _gain(against) if against else f"After {len(history)} rounds the mean is {number(steps[-1][1], 4)}.",
        [Picture("The search", drawing, "Mean worth of what was tried, round by round.")],
        _tuning_tables(history, against),
        [OTHERS, "Numbers of the search itself flatter: only those before and after are on fresh deals."],
        ("tuned", "win share", "interval"),
    )


def _gain(against: Sequence[Row]) -> str:
    row = max(against, key=lambda each: abs(each["win_share_difference"]))
    gain = estimate_of(row, "win_share_difference")
    sure = "wins more" if gain.low > 0 else "wins less" if gain.high < 0 else "is about as good"
    return (
        f"Tuned it {sure}: {change(gain)} of 100 games against {short(row['opponents'])} with {row['players']} "
        "players, on fresh deals."
    )


def learning_chapter(saved: Saved) -> Chapter:
    """Return how strong a player is that taught itself."""
    curve = saved.rows("strength", "games", "players", "opponents", "win_share")
    test = saved.rows("test", "players", "opponents", "win_share", "fair")
    if not curve and not test:
        return other_chapter(saved)
    columns = [
        *texts(players="players", opponents="against"),
        *shares(win_share="wins %"),
        *means(1, POINTS, fair="fair %"),
        *numbers(score="points"),
        *texts(deals="deals"),
    ]
    terms = {"win_share": "win share", "fair": "fair share"}
    return Chapter(
        "What has it learned?",
        "How strong is a player that taught itself by playing, on deals that it has never seen?",
        _learned(test) if test else "It was not tested yet; the curve shows how it grew.",
        list(_curves(curve)),
        [
            Shown("The test", Table(columns, test), terms, "win_share"),
            Shown("As it learned", Table([*texts(games="games"), *columns], curve), terms, is_folded=True),
        ],
        [OTHERS, "“past” is itself at the look before: half of the games would be won by an equal."],
        ("win share", "fair share", "interval"),
    )


def _learned(test: Sequence[Row]) -> str:
    said = [
        f"{percent(estimate_of(row, 'win_share'), 1)} against {short(row['opponents'])} with {row['players']} players "
        f"(fair: {POINTS * row['fair']:.3g} %)"
        for row in test[:MOST_TESTS]
    ]
    more = ", and more in the table" if len(test) > MOST_TESTS else ""
    return f"It wins {', '.join(said)}{more}."


def _curves(curve: Sequence[Row]) -> Iterator[Picture]:
    """Yield a picture for each number of players: the wins as it learned."""
    for players in dict.fromkeys(row["players"] for row in curve):
        mine = [row for row in curve if row["players"] == players]
        series = [
            Series(
                f"against {name}",
                [(row["games"] / 1000, estimate_of(row, "win_share")) for row in mine if row["opponents"] == name],
            )
            for name in dict.fromkeys(row["opponents"] for row in mine)
        ]
        heading = f"With {players} players"
        drawing = lines(f"{heading}, wins in %", series, Scale(1, POINTS), "thousand games", mine[0].get("fair"))
        yield Picture(heading, drawing, "Games won, in %, by how much it has played. Dashed: a fair share. Band: 95 %.")


def _tuning_tables(history: Sequence[Row], against: Sequence[Row]) -> list[Shown]:
    columns = [
        *texts(players="players", opponents="against"),
        *shares(win_share_start="start wins %", win_share_tuned="tuned wins %"),
        *changes(win_share_difference="tuned less start"),
        *numbers(2, "+", margin_difference="points ahead"),
    ]
    rounds = [*texts(generation="round", games="games"), *numbers(4, value="mean"), *means(4, best="best")]
    terms = {"win_share_difference": "tuned"}
    return [
        Shown("Before and after", Table(columns, against), terms, "win_share_difference", 0),
        Shown("The search", Table(rounds, history), is_folded=True),
    ]


def other_chapter(saved: Saved) -> Chapter:
    """Return the chapter of a study that the program does not know."""
    text = saved.texts.get("report.md", next(iter(saved.texts.values()), ""))
    title = re.search(r"^# (.+)$", text, re.M)
    parts = [each.strip() for each in text.split("\n\n") if each.strip() and not each.startswith("#")]
    tables: list[Shown] = []
    pictures: list[Picture] = []
    for name, rows in saved.tables.items():
        if not rows or len(rows) > MOST_ROWS:
            continue
        columns = _columns(rows)
        measures = [each.name for each in columns if isinstance(each, Measure)]
        bar = measures[0] if measures else ""
        tables.append(Shown(name.replace("_", " "), Table(columns, rows), bar=bar, is_folded=bool(tables)))
        if bar and len(pictures) < MOST_PICTURES:
            marks = [Mark(_label(row, columns), estimate_of(row, bar)) for row in rows[:MOST_MARKS]]
            what = f"{name}: {bar}".replace("_", " ")
            pictures.append(Picture(what, intervals(what, marks, Scale(3))))
    said = title.group(1) if title else saved.name
    return Chapter(said, said, parts[0] if parts else "See the tables.", pictures, tables, [OTHERS], ("interval",))


def _columns(rows: Sequence[Row]) -> list[Column]:
    names = list(rows[0])
    known = {each for each in names if {f"{each}_low", f"{each}_high"} <= set(names)}
    ends = {f"{each}_{end}" for each in known for end in ("low", "high")}
    shown: list[Column] = []
    for name in names:
        heading = name.replace("_", " ")
        if name in known:
            shown.append(Measure(name, heading, digits=3))
        elif name not in ends:
            is_text = any(isinstance(row[name], (str, int)) for row in rows)
            shown += texts(**{name: heading}) if is_text else means(3, **{name: heading})
    return shown


def _label(row: Row, columns: Sequence[Column]) -> str:
    named = [str(row[each.name]) for each in columns if isinstance(row[each.name], str)]
    return ", ".join(named) or ", ".join(f"{each.heading} {row[each.name]}" for each in columns[:2])
