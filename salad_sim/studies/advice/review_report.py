"""A game looked back at, in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from salad_sim.game.notation import plural
from salad_sim.jit.typing import Row
from salad_sim.report.format import POINTS, points
from salad_sim.report.table import Measure, Table, texts
from salad_sim.stats.intervals import Estimate, columns
from salad_sim.studies.advice.review import Review

DEAREST = 5
"""Moves that are told."""


def move_rows(review: Review, seats: Sequence[int]) -> list[Row]:
    """Return every move of some seats as plain data, in the order of the game."""
    return [
        {
            "turn": turn.number,
            "player": review.names[turn.seat],
            "made": turn.made_text,
            "better": turn.better_text if turn.better != turn.made else "",
            **columns("cost", cost),
            **columns("cost_points", lost),
        }
        for turn in review.turns
        if turn.seat in seats
        for cost, lost in [review.cost(turn)]
    ]


def move_table(review: Review, seats: Sequence[int]) -> Table:
    """Return every move of some seats as a table."""
    return _as_table(move_rows(review, seats))


def _as_table(rows: list[Row]) -> Table:
    return Table(
        [
            *texts(turn="turn", made="move", better="what seems better"),
            Measure("cost", "costs", "%", digits=1, scale=POINTS),
            Measure("cost_points", "points", digits=1),
        ],
        rows,
    )


def account_table(review: Review, seat: int) -> Table:
    """Return where the result of a seat comes from."""
    rows = [
        {"part": row["part"], **columns("win", row["win"]), **columns("points", row["points"])}
        for row in review.accounts(seat)
    ]
    return Table(
        [
            *texts(part=""),
            Measure("win", "chance", "%", digits=1, scale=POINTS, sign="+"),
            Measure("points", "points ahead", digits=1, sign="+"),
        ],
        rows,
    )


def lines(review: Review, seats: Sequence[int]) -> Iterator[str | Table]:
    """Yield a review of some seats, the answer first: lines and tables."""
    yield _result(review)
    for seat in seats:
        yield ""
        yield from _of_seat(review, seat)
    yield ""
    yield (
        f"By games played on from each turn by {review.policy} in every seat. Costs may come out below zero: then the "
        "move that was made did better than the one that seemed best. Intervals: 95 %, of the costs for all moves of a "
        "player at once."
    )


def _result(review: Review) -> str:
    if not review.scores:
        return f"The game was not played to its end; {plural(len(review.turns), 'turn')} looked back at."
    order = sorted(range(len(review.names)), key=lambda seat: (-review.wins[seat], -review.scores[seat], seat))
    told = ", ".join(f"{review.names[seat]} {review.scores[seat]}" for seat in order)
    winners = [review.names[seat] for seat in order if review.wins[seat] > 0]
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}: {told}."


def _of_seat(review: Review, seat: int) -> Iterator[str | Table]:
    name, turns = review.names[seat], review.moves_of(seat)
    costly = [turn for turn in turns if review.cost(turn)[0].low > 0]
    yield f"{name}: {plural(len(turns), 'move')}, of which {len(costly)} certainly cost something."
    if review.scores and not review.interrupted:
        yield _in_a_line(review, seat)
        yield account_table(review, seat)
    wanted = {turn.number for turn in turns[:DEAREST] if turn.better != turn.made}
    rows = [row for row in move_rows(review, [seat]) if row["turn"] in wanted]
    rows.sort(key=lambda row: -row["cost"])
    if rows:
        yield f"The dearest moves of {name}:"
        yield _as_table(rows)
    else:
        yield "Every move was the one that seems best."


def _in_a_line(review: Review, seat: int) -> str:
    """Say luck and skill apart."""
    deal, luck, others, own, _ = (row["win"] for row in review.accounts(seat))
    parts: dict[str, Estimate] = {
        "the deal and the seat gave": deal,
        "luck of the cards": luck,
        "moves of the others": others,
        "own moves": own,
    }
    told = ", ".join(f"{name} {points(part, 0)}" for name, part in parts.items())
    return f"Chance to win in %: {told}."


def as_dict(review: Review, seats: Sequence[int]) -> dict[str, Any]:
    """Return a review as plain data."""
    complete = bool(review.scores) and not review.interrupted
    return {
        "players": list(review.names),
        "scores": list(review.scores),
        "wins": list(review.wins),
        "policy": review.policy,
        "accounts": {review.names[seat]: account_table(review, seat).rows for seat in seats} if complete else {},
        "moves": move_rows(review, seats),
    }
