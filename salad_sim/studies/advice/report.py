"""Advice in words and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from salad_sim.game.notation import plural
from salad_sim.jit.typing import Row
from salad_sim.report.format import POINTS, interval
from salad_sim.report.table import Column, Measure, Table, texts
from salad_sim.stats.intervals import Estimate, columns
from salad_sim.studies.advice.estimate import Advice
from salad_sim.studies.advice.notation import brief, move_text
from salad_sim.studies.advice.reasons import reason

AS_GOOD = "as good within noise"
JUST_AS_GOOD = "just as good"
"""What is said of a move like the best one: as far as games can tell, or in an ending that was solved."""


def rows(advice: Advice) -> list[Row]:
    """Return the moves as plain data, the best first."""
    view = advice.position.public(advice.plan)
    found = []
    for place, move in enumerate(advice.moves):
        lost, points = advice.cost(move)
        found.append(
            {
                "move": move_text(advice.position.cards, move),
                "takes": brief(view, advice.position.cards, move),
                **columns("win", advice.wins[place]),
                **columns("margin", advice.margins[place]),
                "verdict": verdict(advice, place),
                "as_good": bool(advice.as_good[place]),
                "own": move == advice.own,
                **columns("cost", lost),
                **columns("cost_points", points),
                "games": advice.played.n_tables,
            }
        )
    return found


def table(advice: Advice) -> Table:
    """Return the moves as a table."""
    return Table(
        [
            *texts(takes="move"),
            Measure("win", "win", "%", digits=1, scale=POINTS),
            Measure("margin", "margin", digits=1, sign="+"),
            Column("verdict", "", right=False),
        ],
        rows(advice),
    )


def verdict(advice: Advice, place: int) -> str:
    """Return what is to be noted of a move, in few words."""
    said = ("best" if place == 0 else alike(advice)) if advice.as_good[place] else ""
    own = "your move" if advice.moves[place] == advice.own else ""
    return ", ".join(word for word in (said, own) if word)


def alike(advice: Advice) -> str:
    """Return what is said of a move that is like the best one."""
    return JUST_AS_GOOD if advice.exact else AS_GOOD


def cost_in_words(lost: Estimate, points: Estimate) -> str:
    """Return what a move costs, in words."""
    share = interval(*lost, 1, POINTS, unit=" % of the win")
    return f"{share} and {interval(*points, 1)} points"


def lines(advice: Advice) -> Iterator[str | Table]:
    """Yield an advice, the answer first: lines and a table."""
    position = advice.position
    view, mover = position.public(advice.plan), position.seats[position.to_move].name
    n_good = int(advice.as_good.sum()) - 1
    win = interval(*advice.wins[0], 1, POINTS, unit=" %")
    yield f"{mover} to move, {plural(position.n_left, 'card')} left: {brief(view, position.cards, advice.best)}"
    more = f" {plural(n_good, 'other move')} {'is' if n_good == 1 else 'are'} {alike(advice)}." if n_good else ""
    yield f"Its chance to win is {win}.{more}"
    yield reason(advice, advice.best)
    if advice.own is not None:
        yield _own_move(advice, brief(view, position.cards, advice.own))
    yield ""
    yield table(advice)
    yield ""
    yield from method(advice)


def _own_move(advice: Advice, name: str) -> str:
    assert advice.own is not None
    if advice.own == advice.best:
        return f"Your move, {name}, is the best one."
    noise = f"; that is {alike(advice)}" if advice.as_good[advice.moves.index(advice.own)] else ""
    return f"Your move, {name}, costs {cost_in_words(*advice.cost(advice.own))}{noise}."


def method(advice: Advice) -> Iterator[str]:
    """Yield how the numbers came about."""
    n_aside = advice.n_legal - len(advice.moves)
    who = advice.plan.labels[0]
    if advice.exact:
        yield (
            "Nothing is hidden any more, so the ending was solved: all moves of everybody were tried to the end. Each "
            "player wants to win, and then to be ahead by as much as can be."
        )
        yield "margin: points ahead of the best other player. The numbers are exact."
        if n_aside:
            yield f"Left out: {plural(n_aside, 'other legal move')}, no better than these."
        return
    yield (
        f"Each move was played to the end {advice.played.n_tables:,} times, {who} in every seat, at the same tables; "
        "hidden cards were drawn from all that agree with the position."
    )
    yield (
        "margin: points ahead of the best other player. All intervals of the table hold at once with 95 %, if "
        f"everybody plays on like {who}."
    )
    if n_aside:
        left_out = "is left out" if n_aside == 1 else "are left out"
        yield f"{plural(n_aside, 'legal move')} seemed clearly worse at first and {left_out}."


def as_dict(advice: Advice) -> dict[str, Any]:
    """Return an advice as plain data."""
    return {
        "to_move": advice.position.seats[advice.position.to_move].name,
        "policy": advice.plan.labels[0],
        "seed": advice.plan.seed,
        "games": advice.played.n_tables,
        "solved": bool(advice.exact),
        "legal_moves": advice.n_legal,
        "reason": reason(advice, advice.best),
        "moves": rows(advice),
    }
