"""Chapters of the studies of seats and of tie-breaks: what it is worth to move first."""

from __future__ import annotations

from collections.abc import Sequence

from salad_sim.jit.typing import Row
from salad_sim.page.chapter import Chapter, Picture, Shown, change, percent, short
from salad_sim.page.other import OTHERS, other_chapter
from salad_sim.page.saved import Saved
from salad_sim.report.charts import Mark, Scale, intervals
from salad_sim.report.format import POINTS
from salad_sim.report.table import Table, changes, estimate_of, numbers, shares, texts

CHANGE = Scale(2, POINTS, "+")
OVER_FAIR = "First seat over a fair share, % points"


def strongest(rows: Sequence[Row]) -> str:
    """Return who plays in the last rows: studies list players from weak to strong."""
    counted = [str(row["strategy"]) for row in rows]
    most = max(counted.count(each) for each in set(counted))
    return [each for each in counted if counted.count(each) == most][-1]


def _place(rows: Sequence[Row], row: Row, name: str) -> int:
    return list(dict.fromkeys(each[name] for each in rows)).index(row[name])


def seat_chapter(saved: Saved) -> Chapter:
    """Return what the seat-order study found."""
    seats = saved.rows("seats", "players", "strategy", "seat", "win_share", "difference")
    if not seats:
        return other_chapter(saved)
    who = strongest(seats)
    firsts = [row for row in seats if row["seat"] == 1]
    best = max((row for row in firsts if row["strategy"] == who), key=lambda row: abs(row["difference"]))
    marks = [
        Mark(
            f"{row['players']} players, {row['strategy']}",
            estimate_of(row, "difference"),
            _place(seats, row, "strategy"),
        )
        for row in firsts
    ]
    how = "Dot: how much more than a fair share seat 1 wins, in % points. Bar: where the true number lies."
    return Chapter(
        "What is a seat worth?",
        "What is each seat worth, is the first one ahead, and how many points would make it fair?",
        f"Moving first {'wins' if best['difference'] > 0 else 'loses'} most with {best['players']} players: "
        f"{percent(estimate_of(best, 'win_share'))} of the games among players like {short(who)}, where "
        f"{POINTS / best['players']:.4g} % would be fair.",
        [Picture("The first seat, over a fair share", intervals(OVER_FAIR, marks, CHANGE, 0, "fair"), how)],
        _seat_tables(seats, saved.rows("komi", "players", "strategy", "seat", "points")),
        [OTHERS, "Stronger players may make more of a seat, or less: see how the numbers move with who plays."],
        ("seat", "win share", "fair share", "interval", "head start"),
    )


def _seat_tables(seats: Sequence[Row], komi: Sequence[Row]) -> list[Shown]:
    heads = texts(players="players", strategy="who plays", seat="seat")
    columns = [*heads, *shares(win_share="wins %"), *changes(difference="over fair"), *numbers(mean_score="points")]
    given = [*heads, *numbers(points="head start"), *shares(share_without="without %", share_in_force="with it %")]
    terms = {"win_share": "win share", "difference": "fair share", "seat": "seat"}
    return [
        Shown("Every seat", Table(columns, seats), terms, "difference", 0),
        Shown("Points that would make it fair", Table(given, komi), {"points": "head start"}, is_folded=True),
    ]


def tie_chapter(saved: Saved) -> Chapter:
    """Return what the tie-break study found."""
    found = saved.rows("correction", "players", "strategy", "rule", "first_seat_shared", "first_seat_under_rule")
    ties = saved.rows("ties", "players", "strategy", "tied")
    if not found or not ties:
        return other_chapter(saved)
    who = strongest(found)
    mine = [each for each in found if each["strategy"] == who]
    marks = [
        Mark(
            f"{each['rule']}, {each['players']} players",
            estimate_of(each, "first_seat_under_rule"),
            _place(found, each, "rule"),
        )
        for each in mine
    ]
    how = f"How much more than a fair share seat 1 wins, in % points, among players like {short(who)}."
    return Chapter(
        "What is the tie-break worth?",
        "How often do totals tie, and does the tie-break repair what moving first is worth?",
        _tie_answer(mine[0], ties),
        [Picture("The first seat under each tie-break", intervals(OVER_FAIR, marks, CHANGE, 0, "fair"), how)],
        _tie_tables(found, ties),
        [OTHERS, "“later”: of equal totals the later seat wins. That is the official rule."],
        ("tie", "first seat", "fair share", "interval"),
    )


def _tie_answer(row: Row, ties: Sequence[Row]) -> str:
    same = (each for each in ties if each["strategy"] == row["strategy"] and each["players"] == row["players"])
    tied = percent(estimate_of(next(same), "tied"))
    return (
        f"With {row['players']} players like {short(row['strategy'])} totals tie in {tied} of the games: the tie-break "
        f"“{short(row['rule'])}” moves the first seat from {change(estimate_of(row, 'first_seat_shared'))} to "
        f"{change(estimate_of(row, 'first_seat_under_rule'))} wins in 100 games over a fair share."
    )


def _tie_tables(found: Sequence[Row], ties: Sequence[Row]) -> list[Shown]:
    heads = texts(players="players", strategy="who plays")
    often = [*heads, *shares(tied="totals tie %"), *texts(games="games")]
    each = [
        *heads,
        *texts(rule="tie-break"),
        *changes(first_seat_shared="if shared", first_seat_under_rule="with it"),
        *texts(verdict="so it"),
    ]
    terms = {"first_seat_shared": "first seat"}
    return [
        Shown("Ties", Table(often, ties), {"tied": "tie"}, "tied"),
        Shown("Each tie-break", Table(each, found), terms, "first_seat_under_rule", 0),
    ]
