"""What was seen of a strategy -> tables: rows of numbers, each rate and mean with its 95 % interval."""

from __future__ import annotations

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Row
from salad_sim.play.decision_recorder import ONE_VEGETABLE, POINT_CARD, TWO_VEGETABLES
from salad_sim.run.plan import Plan
from salad_sim.stats.intervals import Estimate, columns
from salad_sim.stats.ratios import average, rate
from salad_sim.studies.profile.habits import TEN_THOUSANDTHS, Sums, families_of, family_of

WAYS = {"point_card": POINT_CARD, "one_vegetable": ONE_VEGETABLE, "two_vegetables": TWO_VEGETABLES}

WISHES = ("not named", "asked for", "shunned", "asked for and shunned")
"""What the own point cards say of a vegetable, by the codes of `decisions`."""

ALL = "all"


RATES = (
    ("win_share", "share of games", "wins", 0, WHOLE_WIN),
    ("takes_point_card", "share of turns", "takes", POINT_CARD, 1),
    ("takes_one_vegetable", "share of turns", "takes", ONE_VEGETABLE, 1),
    ("takes_two_vegetables", "share of turns", "takes", TWO_VEGETABLES, 1),
    ("best_draft", "share of turns", "best", 0, 1),
    ("denial_possible", "share of turns", "conflict", 0, 1),
    ("denial", "share of turns on which it is possible", "denial", 0, 1),
    ("best_given_up", "share of turns on which denial is possible", "given_up", 0, 1),
    ("denial_of_given_up", "share of those", "given_up_denial", 0, 1),
    ("denial_by_chance", "share of those", "given_up_chance", 0, TEN_THOUSANDTHS),
    ("flips", "share of turns", "flips", 0, 1),
)
"""Measures that are rates: name, unit, the sum, its cell, what a whole counts."""

MEANS = (
    ("score", "points in a round", "score", 0),
    ("turns", "in a round", "length", 0),
    ("flips_in_a_round", "in a round", "flips_round", 0),
    ("flip_gain", "points at once, for each flip", "flip_gain", 0),
    ("flip_worth", "points at the end, for each flip", "flip_worth", 0),
    ("cards_kept", "in a round", "kept", 0),
    ("points_of_a_card", "points, for each card kept", "points", 0),
)
"""Measures that are means: name, unit, the sum, its cell."""


def summary_rows(sums: Sums) -> list[Row]:
    """Return the main numbers.

    Returns
    -------
    list of dict
        ``measure``; ``unit``; ``value``, ``low``, ``high``; ``of``: how many cases the rate or mean is taken over.
    """
    endings = [
        ("endings_solved", "share of endings", rate(sums["endings_solved"]), "endings_solved"),
        ("perfect_in_endings", "share of solved decisions", rate(sums["endings_perfect"]), "endings_perfect"),
        (
            "win_loss_in_endings",
            "wins, for each solved decision",
            rate(sums["endings_win_loss"], 0, WHOLE_WIN),
            "endings_perfect",
        ),
        (
            "margin_loss_in_endings",
            "points, for each solved decision",
            average(sums["endings_margin_loss"]),
            "endings_perfect",
        ),
    ]
    rows = [_measure(what, of, rate(sums[name], cell, unit), sums, name, cell) for what, of, name, cell, unit in RATES]
    rows += [_measure(what, of, average(sums[name], cell), sums, name, cell) for what, of, name, cell in MEANS]
    return rows + [_measure(what, of, estimate, sums, name, 0) for what, of, estimate, name in endings]


def _measure(what: str, unit: str, estimate: Estimate, sums: Sums, name: str, cell: int) -> Row:
    row: Row = {"measure": what, "unit": unit}
    return row | {**estimate._asdict(), "of": int(sums[name].x[cell])}


def turn_rows(sums: Sums) -> list[Row]:
    """Return one row for each own turn of a round that was ever played.

    Returns
    -------
    list of dict
        ``turn`` from 1; ``turns``: how many were seen; shares that took a ``point_card``, ``one_vegetable``,
        ``two_vegetables``, and that had a ``flip``.
    """
    takes, flips = sums["turn_takes"], sums["turn_flips"]
    rows = []
    for turn, n_turns in enumerate(flips.x.tolist()):
        if n_turns:
            row: Row = {"turn": turn + 1, "turns": n_turns}
            for name, way in WAYS.items():
                row |= columns(name, rate(takes, len(WAYS) * turn + way))
            rows.append(row | columns("flip", rate(flips, turn)))
    return rows


def family_rows(plan: Plan, sums: Sums) -> list[Row]:
    """Return one row for each family of cards (see `habits.family_of`), in the order of the card set.

    Returns
    -------
    list of dict
        ``family``; ``cards`` in the card set; the rest as in `_what_is_done`, and of the flips ``flips``, ``flip_gain``
        and ``flip_worth``, points at once and at the end for each.
    """
    number = [family_of(card) for card in plan.cards]
    rows = []
    for cell, family in enumerate(families_of(plan.cards)):
        row: Row = {"family": family, "cards": number.count(family), **_what_is_done(sums, "family", cell)}
        row["flips"] = int(sums["flip_gain_family"].x[cell])
        for name in ("flip_gain", "flip_worth"):
            row |= columns(name, average(sums[f"{name}_family"], cell))
        rows.append(row)
    return rows


def card_rows(plan: Plan, sums: Sums) -> list[Row]:
    """Return one row for each card.

    Returns
    -------
    list of dict
        ``card``: its id; ``text``; ``back``; ``family``; the rest as in `_what_is_done`.
    """
    labels = plan.cards.labels
    return [
        {"card": number, "text": card.text, "back": labels[card.back], "family": family_of(card)}
        | _what_is_done(sums, "card", number)
        for number, card in enumerate(plan.cards)
    ]


def _what_is_done(sums: Sums, what: str, cell: int) -> Row:
    """Return what is done with a card or a family.

    ``offered``: how often one lay on top at an own turn; ``taken``; ``pick``: share of those offered; ``preference``:
    how many times as many as if one of the tops were taken at random, when a point card is taken; ``flipped``: share of
    those taken that were flipped later or at once; ``kept`` in a round; ``points`` at the end for each that was kept.
    """
    picks = sums[f"pick_{what}"]
    row: Row = {"offered": int(picks.x[cell]), "taken": int(picks.y[cell])}
    row |= columns("pick", rate(picks, cell)) | columns("preference", average(sums[f"preference_{what}"], cell, 0.0))
    row |= columns("flipped", rate(sums[f"flipped_{what}"], cell))
    row |= columns("kept", average(sums[f"kept_{what}"], cell, 0.0))
    return row | columns("points", average(sums[f"points_{what}"], cell))


def vegetable_rows(sums: Sums) -> list[Row]:
    """Return what is taken of the vegetables on offer, on turns that take vegetables.

    Returns
    -------
    list of dict
        ``vegetables``: what the own point cards say of them (`habits.wishes_of`); ``offered``; ``taken``; ``pick``:
        share of those offered; ``preference``: how many times as many as if they were taken at random.
    """
    picks, preference = sums["wish_pick"], sums["wish_preference"]
    rows = []
    for wish, name in enumerate(WISHES):
        row: Row = {"vegetables": name, "offered": int(picks.x[wish]), "taken": int(picks.y[wish])}
        rows.append(row | columns("pick", rate(picks, wish)) | columns("preference", average(preference, wish, 0.0)))
    return rows


def ending_rows(plan: Plan, sums: Sums) -> list[Row]:
    """Return what the moves in solved endings lost, for the strategy and for its opponents.

    Returns
    -------
    list of dict
        ``who``: profiled or opponent; ``strategy``; ``cards_left`` before the move, or all; ``decisions`` solved;
        ``perfect``: share of them that lost nothing; ``win_loss``: wins lost by each, 0..1; ``margin_loss``: points of
        margin lost by each.
    """
    names = plan.labels[0], plan.labels[-1]
    n_left = len(sums["ending_perfect"].x) // len(names)
    rows = []
    for who, (role, name) in enumerate(zip(("profiled", "opponent"), names, strict=True)):
        cells = [(str(left), "ending", who * n_left + left) for left in range(1, n_left)]
        for left, prefix, cell in [*cells, (ALL, "endings", who)]:
            perfect = sums[f"{prefix}_perfect"]
            if perfect.x[cell]:
                row: Row = {"who": role, "strategy": name, "cards_left": left, "decisions": int(perfect.x[cell])}
                row |= columns("perfect", rate(perfect, cell))
                row |= columns("win_loss", rate(sums[f"{prefix}_win_loss"], cell, WHOLE_WIN))
                rows.append(row | columns("margin_loss", average(sums[f"{prefix}_margin_loss"], cell)))
    return rows
