"""The kinds of terms that cards are made of: one record each, which every part of the program asks.

A kind says which columns of a card file it uses, what its point side says, what it scores by the number of one
vegetable, and by which predicate kernels score it. What a predicate scores stands in `scoring`; what vegetables would
add to it follows from that (`marginal_value` tries), or is worked out faster there. A predicate that `scoring` does not
know ends the game with an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from salad_sim.errors import InputError, nearest
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.game.state import N_VEGETABLES

if TYPE_CHECKING:
    from salad_sim.game.cards import Card

VEGETABLES = ("cabbage", "carrot", "lettuce", "onion", "pepper", "tomato")

# Predicates, by the codes that kernels branch on.
LINEAR, EVEN_ODD, STACK, MOST, FEWEST, SET, AT_LEAST, MISSING, MOST_TOTAL, FEWEST_TOTAL = range(10)
LAST_PLAIN = STACK
"""The predicates up to this one depend on the owner's numbers of vegetables, each for itself."""

SUMMED = (LINEAR, EVEN_ODD, STACK, MOST, FEWEST, AT_LEAST, MISSING, MOST_TOTAL, FEWEST_TOTAL)
"""The predicates of which a hand keeps sums; terms of others it keeps one by one, see `marginal_value`."""

MOST_POINTS = 999
"""Points of a term, needs of a set and thresholds, at most; points may be as far below zero."""

REPEATING = 32767
"""How many sets score where sets repeat: more than any table holds."""

LONGEST_SUM = 6
"""Vegetables up to which the words for a set name each one."""

SHOWN = 40
"""Characters of a wrong value that a message repeats, at most."""

WEIGHT_COLUMNS = tuple(f"w_{name}" for name in VEGETABLES)
POINT_COLUMNS = ("points", "even_points", "odd_points")

Words: TypeAlias = "Callable[[Card, Sequence[str]], str]"
ByCount: TypeAlias = "Callable[[Card, int, Rules], int]"


@dataclass(frozen=True)
class Kind:
    """A kind of term.

    Attributes
    ----------
    name : str
        As the card file calls it.
    predicate : int
        The code by which kernels score it.
    words : callable
        (term, labels of the vegetables) -> what the point side says.
    n_asked, weight : int
        How many vegetables it asks about, and what stands in the column of each. Without a weight it asks about any
        number, in weights of its own.
    weights_are : str
        What those weights are, for messages.
    may_be_negative : bool
        Whether those weights may be below zero.
    points : tuple of str
        The columns in which it has its points, beside those of the vegetables.
    by_count : callable, optional
        (term, number owned, rules) -> points for that many of the one vegetable it asks about, or of each type.
    reach : callable
        (term) -> a bound for its points, above or below zero, as (points for each vegetable owned, points).
    wish : int
        Whether more of the vegetables asked about is better (1), worse (-1) or neither (0), where points are gains.
    family : str
        The kind of which it is a case: such terms say the same if their weights and points are the same.
    least : int
        The number of a vegetable that counts as a type.
    """

    name: str
    predicate: int
    words: Words
    n_asked: int = 0
    weight: int | None = 0
    weights_are: str = ""
    may_be_negative: bool = False
    points: tuple[str, ...] = ("points",)
    by_count: ByCount | None = None
    reach: Callable[[Card], tuple[float, int]] = lambda term: (0, abs(term.points))
    wish: int = 0
    family: str = ""
    least: int = 0


# --------------------------------------------------------------------------- what a kind says and scores


def most_sets(term: Card, rules: Rules) -> int:
    """Return how many sets of a term score under the rules."""
    once = rules.sets == "once" or (rules.sets == "complete-once" and term.kind == "complete_set")
    return 1 if once else REPEATING


def _say_each(term: Card, labels: Sequence[str]) -> str:
    asked = sorted(term.asked, key=lambda veg: -term.weights[veg])
    return ", ".join(f"{term.weights[veg]}/{labels[veg]}" for veg in asked)


def _say_set(term: Card, labels: Sequence[str]) -> str:
    if sum(term.weights) <= LONGEST_SUM:
        needs = [labels[veg] for veg in term.asked for _ in range(term.weights[veg])]
    else:
        needs = [f"{term.weights[veg]} {labels[veg]}" for veg in term.asked]
    return f"{' + '.join(needs)} = {term.points}"


def _say_majority(term: Card, labels: Sequence[str]) -> str:
    return f"{term.kind} {labels[term.veg]} = {term.points}"


def _say_total(term: Card, labels: Sequence[str]) -> str:
    return f"{term.kind.partition('_')[0]} vegetables in total = {term.points}"


def _parity(term: Card, n_owned: int, rules: Rules) -> int:
    if n_owned == 0:
        return {"nothing": 0, "even": term.even_points, "odd": term.odd_points}[rules.zero]
    return term.odd_points if n_owned % 2 else term.even_points


def _stacked(term: Card, n_owned: int, rules: Rules) -> int:
    return term.points * min(n_owned // term.weights[term.veg], most_sets(term, rules))


def _each_vegetable(term: Card) -> tuple[float, int]:
    return max(map(abs, term.weights)), 0


def _each_set(term: Card) -> tuple[float, int]:
    return abs(term.points) / sum(term.weights), 0


def _each_type(term: Card) -> tuple[float, int]:
    return 0, N_VEGETABLES * abs(term.points)


def _set(name: str, n_asked: int, weight: int, family: str = "set", words: Words = _say_set) -> Kind:
    predicate, by_count = (STACK, _stacked) if n_asked == 1 else (SET, None)
    return Kind(name, predicate, words, n_asked, weight, by_count=by_count, reach=_each_set, wish=1, family=family)


def _at_least(least: int) -> Kind:
    return Kind(
        f"type_at_least_{least}",
        AT_LEAST,
        lambda term, labels: f"{term.points}/vegetable type with at least {least}",
        by_count=lambda term, n_owned, rules: term.points if n_owned >= least else 0,
        reach=_each_type,
        least=least,
    )


_EACH = Kind(
    "per_veg",
    LINEAR,
    _say_each,
    weight=None,
    weights_are="points for at least one vegetable",
    may_be_negative=True,
    points=(),
    reach=_each_vegetable,
    wish=1,
)
_ANY_SET = Kind(
    "set",
    SET,
    _say_set,
    weight=None,
    weights_are="how many of each vegetable it needs, 1 or more of at least one",
    reach=_each_set,
    wish=1,
)
_EVEN_ODD = Kind(
    "even_odd",
    EVEN_ODD,
    lambda term, labels: f"{labels[term.veg]}: even={term.even_points}, odd={term.odd_points}",
    n_asked=1,
    weight=1,
    points=("even_points", "odd_points"),
    by_count=_parity,
    reach=lambda term: (0, max(abs(term.even_points), abs(term.odd_points))),
)
_MISSING = Kind(
    "missing_type",
    MISSING,
    lambda term, labels: f"{term.points}/missing vegetable type",
    by_count=lambda term, n_owned, rules: term.points if n_owned == 0 else 0,
    reach=_each_type,
)
_COMPLETE = _set(
    "complete_set", N_VEGETABLES, 1, "complete_set", lambda term, labels: f"{term.points}/complete set of all six"
)
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        _EACH,
        _set("pair", 1, 2),
        _set("triple", 1, 3),
        _set("combo2", 2, 1),
        _set("combo3", 3, 1),
        _COMPLETE,
        _ANY_SET,
        Kind("most", MOST, _say_majority, 1, 1, wish=1),
        Kind("fewest", FEWEST, _say_majority, 1, 1, wish=-1),
        _EVEN_ODD,
        _MISSING,
        Kind("most_total", MOST_TOTAL, _say_total),
        Kind("fewest_total", FEWEST_TOTAL, _say_total),
        *map(_at_least, range(1, MOST_POINTS + 1)),
    )
}
"""The kinds by the names that the card file gives them."""

LISTED = (*(name for name, kind in KINDS.items() if not kind.least), f"type_at_least_1 .. type_at_least_{MOST_POINTS}")
"""The kinds as they are listed for people."""

STACK_OF_SET = _set("set", 1, 1)
"""What a set of one vegetable is."""


def kind_of(term: Card) -> Kind:
    """Return the kind of a term; a set of one vegetable is a stack of it."""
    kind = KINDS[term.kind]
    return STACK_OF_SET if kind.predicate == SET and term.veg >= 0 else kind


def points_for(term: Card, n_owned: int, rules: Rules = OFFICIAL) -> int:
    """Return what a term scores for having ``n_owned`` of one vegetable (the one it asks about, or of each type).

    Terms that compare players, need several vegetables or weigh them score nothing by this count.
    """
    by_count = kind_of(term).by_count
    return 0 if by_count is None else by_count(term, n_owned, rules)


# --------------------------------------------------------------------------------------------- checks


def check_kind(kind: str, where: str) -> None:
    """Refuse what is no kind of card.

    Raises
    ------
    InputError
    """
    if kind not in KINDS:
        hint = nearest(kind[:SHOWN], KINDS)
        raise InputError(f"{where}, column kind: unknown kind {kind[:SHOWN]!r}{hint}; allowed: {', '.join(LISTED)}")


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
    kind = KINDS[term.kind]
    _check_weights(term, kind, where)
    for column in POINT_COLUMNS:
        points = getattr(term, column)
        if points and column not in kind.points:
            instead = " and ".join(kind.points) or "the w_ columns"
            raise InputError(
                f"{where}, column {column}: kind {term.kind} has its points in {instead}, so 0 or nothing is allowed "
                f"here, not {points}"
            )
    numbers = (*term.weights, *(getattr(term, column) for column in POINT_COLUMNS))
    for column, number in zip((*WEIGHT_COLUMNS, *POINT_COLUMNS), numbers, strict=True):
        if abs(number) > MOST_POINTS:
            raise InputError(f"{where}, column {column}: {-MOST_POINTS} to {MOST_POINTS} are allowed, not {number}")


def _check_weights(term: Card, kind: Kind, where: str) -> None:
    asked, n_asked = term.asked, kind.n_asked
    if kind.weight is None:
        allowed = kind.weights_are
        wrong = [] if kind.may_be_negative else [veg for veg in asked if term.weights[veg] < 0]
        is_good = bool(asked) and not wrong
    else:
        allowed = (
            f"{kind.weight} at {n_asked} of the vegetables and 0 at the others" if n_asked else "0 at every vegetable"
        )
        wrong = [veg for veg in asked if term.weights[veg] != kind.weight] or asked[n_asked:]
        is_good = len(asked) == n_asked and not wrong
    if not is_good:
        place = WEIGHT_COLUMNS[wrong[0]] if wrong else f"{WEIGHT_COLUMNS[0]} to {WEIGHT_COLUMNS[-1]}"
        given = ", ".join(f"{WEIGHT_COLUMNS[veg]}={term.weights[veg]}" for veg in asked) or "only zeros"
        other = "; other sets are of kind set" if kind.reach is _each_set and kind is not _ANY_SET else ""
        raise InputError(f"{where}, column {place}: kind {term.kind} takes {allowed}, not {given}{other}")


def card_text(card: Card, labels: Sequence[str] = VEGETABLES) -> str:
    """Say what the point side of a card shows, as the official cards do; terms are separated by semicolons."""
    return "; ".join(KINDS[term.kind].words(term, labels) for term in card.terms)
