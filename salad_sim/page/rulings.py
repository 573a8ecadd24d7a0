"""Chapters of rulings: what each answer to an open question moves, and one ruling against another."""

from __future__ import annotations

from collections.abc import Sequence

from salad_sim.game.rules import SWITCHES
from salad_sim.jit.typing import Row
from salad_sim.page.chapter import Chapter, Picture, Shown, change, short
from salad_sim.page.other import MOST_MARKS, OTHERS, other_chapter
from salad_sim.page.saved import Saved
from salad_sim.report.charts import Mark, Scale, intervals
from salad_sim.report.format import POINTS
from salad_sim.report.table import Table, changes, estimate_of, means, numbers, texts

CHANGE = Scale(2, POINTS, "+")
TITLE = "What does a ruling move?"
MOST_CARDS = 30
FIRST = "first_seat_difference"
SEAT = "win_share_difference"


def rules_chapter(saved: Saved) -> Chapter:
    """Return what rulings move, of the experiment or of two rulings compared."""
    rulings = saved.rows("rulings", "ruling", "players", FIRST)
    if not rulings:
        return compare_chapter(saved)
    order = sorted(rulings, key=lambda row: -abs(row[FIRST]))
    players = list(dict.fromkeys(row["players"] for row in rulings))
    marks = [
        Mark(f"{row['ruling']}, {row['players']} players", estimate_of(row, FIRST), players.index(row["players"]))
        for row in order[:MOST_MARKS]
    ]
    drawing = intervals("First seat, % points", marks, CHANGE, 0, "no change")
    most = order[0]
    return Chapter(
        TITLE,
        "The rule book leaves questions open: what does each answer to them move?",
        f"With {most['players']} players the first seat changes most under “{short(_in_words(most['ruling']))}”: "
        f"{change(estimate_of(most, FIRST))} wins in 100 games.",
        [Picture("The first seat", drawing, "The largest moves of seat 1, in % points of win share.")],
        [_ruling_table(rulings)],
        [OTHERS, "A ruling that moves nothing among these players may matter to others."],
        ("ruling", "first seat", "interval", "difference"),
    )


def _in_words(ruling: str) -> str:
    """Return what a ruling says, of one that sets a single switch."""
    name, _, value = ruling.partition("=")
    return SWITCHES[name].values.get(value, ruling) if name in SWITCHES else ruling


def _ruling_table(rulings: Sequence[Row]) -> Shown:
    columns = [
        *texts(ruling="ruling", players="players"),
        *changes(first_seat_difference="first seat"),
        *means(2, 1, "+", score_difference="points"),
        *numbers(2, "+", turns_difference="turns"),
        *means(1, POINTS, differ="games that differ %"),
        *texts(cards_moved="cards moved", most_moved_card="most of all"),
    ]
    return Shown("Every ruling", Table(columns, rulings), {FIRST: "first seat", "ruling": "ruling"}, FIRST, 0)


def compare_chapter(saved: Saved) -> Chapter:
    """Return what one ruling moves against another."""
    seats = saved.rows("seats", "seat", SEAT)
    if not seats:
        return other_chapter(saved)
    first = estimate_of(seats[0], SEAT)
    clear = "moves" if first.low > 0 or first.high < 0 else "hardly moves"
    a, b = str(saved.record.get("a", "A")), str(saved.record.get("b", "B"))
    marks = [Mark(f"seat {row['seat']}", estimate_of(row, SEAT)) for row in seats]
    drawing = intervals("Win share, B less A, % points", marks, CHANGE, 0, "no change")
    return Chapter(
        TITLE,
        f"What changes if {b} holds (B) instead of {a} (A), on the same deals?",
        f"“{short(_in_words(b))}” {clear} the first seat against “{short(_in_words(a))}”: {change(first)} wins in 100 "
        "games.",
        [Picture("Seats", drawing, "B less A, in % points.")],
        _compared(seats, saved.rows("cards", "card", "difference")),
        [OTHERS, "Points of a card are those of who kept it, not what the card causes."],
        ("difference", "ruling", "interval", "seat"),
    )


def _compared(seats: Sequence[Row], cards: Sequence[Row]) -> list[Shown]:
    moved = sorted((row for row in cards if row["difference"] is not None), key=lambda row: -abs(row["difference"]))
    by_seat = [
        *texts(seat="seat"),
        *means(2, POINTS, win_share_a="A wins %", win_share_b="B wins %"),
        *changes(win_share_difference="B less A"),
        *numbers(2, "+", mean_score_difference="points, B less A"),
    ]
    by_card = [
        *texts(card="card"),
        *means(points_a="points, A", points_b="points, B"),
        *numbers(2, "+", difference="B less A"),
    ]
    terms = {"difference": "difference"}
    return [
        Shown("Seats", Table(by_seat, seats), {SEAT: "difference", "seat": "seat"}, SEAT, 0),
        Shown("Cards that change most", Table(by_card, moved[:MOST_CARDS]), terms, "difference", 0),
    ]
