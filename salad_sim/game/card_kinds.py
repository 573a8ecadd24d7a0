"""What a term of a card may be, kind by kind, and how its point side is said in words."""

from __future__ import annotations

from collections.abc import Sequence

from salad_sim.errors import InputError
from salad_sim.game.cards import (
    AT_LEAST,
    LINEAR,
    MOST_POINTS,
    POINT_COLUMNS,
    VEGETABLES,
    WEIGHT_COLUMNS,
    Card,
    check_kind,
)
from salad_sim.game.state import N_VEGETABLES

SHAPES = {
    "pair": (1, 2),
    "triple": (1, 3),
    "combo2": (2, 1),
    "combo3": (3, 1),
    "complete_set": (N_VEGETABLES, 1),
    "most": (1, 1),
    "fewest": (1, 1),
    "even_odd": (1, 1),
}
"""How many vegetables a kind asks about, and the weight of each; kinds that are not here ask about none or any."""

OTHER_SETS = ("pair", "triple", "combo2", "combo3", "complete_set")
"""Kinds of which kind set is the general one."""

LONGEST_SUM = 6
"""Vegetables up to which the words for a set name each one."""


def points_columns(kind: str) -> tuple[str, ...]:
    """Return the columns in which a kind has its points, beside those of the vegetables."""
    if kind == "per_veg":
        return ()
    return ("even_points", "odd_points") if kind == "even_odd" else ("points",)


def check_term(term: Card, where: str) -> None:
    """Refuse a term whose weights or points make no sense for its kind.

    Raises
    ------
    InputError
        ``where`` (the place of the term), the column, what stands there and what is allowed.
    """
    check_kind(term.kind, where)
    if term.back not in range(N_VEGETABLES):
        raise InputError(f"{where}, column back: a vegetable 0..{N_VEGETABLES - 1} is needed, not {term.back!r}")
    if len(term.weights) != N_VEGETABLES:
        raise InputError(f"{where}: {N_VEGETABLES} weights are needed, not {len(term.weights)}")
    _check_weights(term, where)
    for column in POINT_COLUMNS:
        points = getattr(term, column)
        if points and column not in points_columns(term.kind):
            instead = " and ".join(points_columns(term.kind)) or "the w_ columns"
            raise InputError(
                f"{where}, column {column}: kind {term.kind} has its points in {instead}, so 0 or nothing is allowed "
                f"here, not {points}"
            )
    numbers = (*term.weights, *(getattr(term, column) for column in POINT_COLUMNS))
    for column, number in zip((*WEIGHT_COLUMNS, *POINT_COLUMNS), numbers, strict=True):
        if abs(number) > MOST_POINTS:
            raise InputError(f"{where}, column {column}: {-MOST_POINTS} to {MOST_POINTS} are allowed, not {number}")


def _check_weights(term: Card, where: str) -> None:
    asked = [veg for veg, weight in enumerate(term.weights) if weight]
    if term.kind == "per_veg":
        allowed, wrong = "points for at least one vegetable", []
        is_good = bool(asked)
    elif term.kind == "set":
        allowed = "how many of each vegetable it needs, 1 or more of at least one"
        wrong = [veg for veg in asked if term.weights[veg] < 0]
        is_good = bool(asked) and not wrong
    else:
        n_asked, needed = SHAPES.get(term.kind, (0, 0))
        allowed = f"{needed} at {n_asked} of the vegetables and 0 at the others" if n_asked else "0 at every vegetable"
        wrong = [veg for veg in asked if term.weights[veg] != needed] or asked[n_asked:]
        is_good = len(asked) == n_asked and not wrong
    if not is_good:
        place = WEIGHT_COLUMNS[wrong[0]] if wrong else f"{WEIGHT_COLUMNS[0]} to {WEIGHT_COLUMNS[-1]}"
        given = ", ".join(f"{WEIGHT_COLUMNS[veg]}={term.weights[veg]}" for veg in asked) or "only zeros"
        other = "; other sets are of kind set" if term.kind in OTHER_SETS else ""
        raise InputError(f"{where}, column {place}: kind {term.kind} takes {allowed}, not {given}{other}")


def card_text(card: Card, labels: Sequence[str] = VEGETABLES) -> str:
    """Say what the point side of a card shows, as the official cards do; terms are separated by semicolons."""
    return "; ".join(_term_text(term, labels) for term in card.terms)


def _term_text(term: Card, labels: Sequence[str]) -> str:
    asked = [veg for veg, weight in enumerate(term.weights) if weight]
    if term.predicate == LINEAR:
        asked.sort(key=lambda veg: -term.weights[veg])
        return ", ".join(f"{term.weights[veg]}/{labels[veg]}" for veg in asked)
    if term.kind == "even_odd":
        return f"{labels[term.veg]}: even={term.even_points}, odd={term.odd_points}"
    if term.kind in ("most", "fewest"):
        return f"{term.kind} {labels[term.veg]} = {term.points}"
    if term.kind in ("most_total", "fewest_total"):
        return f"{term.kind.partition('_')[0]} vegetables in total = {term.points}"
    if term.kind == "missing_type":
        return f"{term.points}/missing vegetable type"
    if term.predicate == AT_LEAST:
        return f"{term.points}/vegetable type with at least {term.least}"
    if term.kind == "complete_set":
        return f"{term.points}/complete set of all six"
    if sum(term.weights) <= LONGEST_SUM:
        needs = [labels[veg] for veg in asked for _ in range(term.weights[veg])]
    else:
        needs = [f"{term.weights[veg]} {labels[veg]}" for veg in asked]
    return f"{' + '.join(needs)} = {term.points}"
