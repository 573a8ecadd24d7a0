"""Findings of a tie-break study -> tidy rows, one table each; shares are fractions of 1, intervals 95 %."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from salad_sim.jit.typing import Row
from salad_sim.play.tie_breaks import RULES
from salad_sim.stats.intervals import UNKNOWN, Estimate, columns
from salad_sim.stats.shares import from_fair
from salad_sim.stats.tie_counts import seat_pairs
from salad_sim.studies.tie_break.play import ReplayFindings, TieFindings, other_rules

MOST_TIED = 6
"""Seats that can tie, at most."""


@dataclass
class TieStudy:
    """All that a tie-break study found.

    Attributes
    ----------
    precision : float or None
        Half-width at which conditions ended.
    ties : list of TieFindings
    replays : list of ReplayFindings
    """

    precision: float | None = None
    ties: list[TieFindings] = field(default_factory=list)
    replays: list[ReplayFindings] = field(default_factory=list)


def tables_of(study: TieStudy) -> dict[str, list[Row]]:
    """Return all tables by name, those without a row left out."""
    tables = {
        "ties": tie_rows(study.ties),
        "tied_seats": pair_rows(study.ties),
        "rules": rule_rows(study.ties),
        "correction": correction_rows(study.ties),
        "evenness": evenness_rows(study.ties),
        "replays": replay_rows(study.replays),
        "first_games": first_rows(study.ties),
    }
    return {name: rows for name, rows in tables.items() if rows}


def tie_rows(ties: Iterable[TieFindings]) -> list[Row]:
    """Return a row for each condition: how often totals tie, and how many seats."""
    rows = []
    for found in ties:
        sizes = found.sums.rates("sizes", found.single)
        row: Row = {**found.condition.columns, "deals": found.sums.n_deals, "games": found.sums.n_games}
        row["interval_quantile"] = found.single
        row["precise"] = "" if found.look is None else found.look.precise
        row |= columns("tied", found.sums.rates("tied", found.single)[0])
        for size in range(2, MOST_TIED + 1):
            known = sizes[size - 2] if size <= found.n_players else UNKNOWN
            row |= columns(f"tied_{size}_seats", known)
        rows.append(row)
    return rows


def pair_rows(ties: Iterable[TieFindings]) -> list[Row]:
    """Return a row for each condition and two seats: in what share of all games both have the top total."""
    return [
        {**found.condition.columns, "seat": one + 1, "other": other + 1, **columns("tied", rate)}
        for found in ties
        for (one, other), rate in zip(seat_pairs(found.n_players), found.sums.rates("pairs", found.single), strict=True)
    ]


def rule_rows(ties: Iterable[TieFindings]) -> list[Row]:
    """Return a row for each condition, rule and seat: its share, and what it gains by the rule."""
    rows = []
    for found in ties:
        for rule in RULES:
            shares = found.shares(rule)
            gains, against = found.changes(rule), found.changes(rule, found.in_force)
            for seat, (share, off) in enumerate(zip(shares, from_fair(shares), strict=True)):
                rows.append(
                    {
                        **found.condition.columns,
                        "rule": rule,
                        "seat": seat + 1,
                        **columns("win_share", share),
                        **columns("difference", off),
                        **columns("against_shared", gains[seat]),
                        **columns("against_rule_in_force", against[seat]),
                    }
                )
    return rows


def correction_rows(ties: Iterable[TieFindings]) -> list[Row]:
    """Return a row for each condition and rule: what it does to the first-player effect."""
    rows = []
    for found in ties:
        for rule in RULES:
            each = found.correction(rule)
            before, after = columns("first_seat_shared", each.before), columns("first_seat_under_rule", each.after)
            rows.append({**found.condition.columns, "rule": rule, **before, **after, "verdict": each.verdict})
    return rows


def evenness_rows(ties: Iterable[TieFindings]) -> list[Row]:
    """Return a row for each condition and rule: how even it leaves the seats."""
    rows = []
    for found in ties:
        even = found.evenness
        for rule, deviation in zip(even.rules, even.deviations, strict=True):
            excess = even.excess.get(rule, Estimate(0.0, 0.0, 0.0))
            rows.append(
                {
                    **found.condition.columns,
                    "rule": rule,
                    "deviation": deviation,
                    **columns("spread", found.spread(rule).estimate),
                    "most_even": rule == even.best,
                    **columns("squared_excess", excess),
                    "less_even_for_certain": rule in even.surpassed,
                }
            )
    return rows


def replay_rows(replays: Iterable[ReplayFindings]) -> list[Row]:
    """Return a row for each condition, rule and seat: what it gains, mechanically and by another play."""
    rows = []
    for found in replays:
        for rule in other_rules(found.condition.plan):
            effects = zip(found.mechanical(rule), found.adaptation(rule), found.both(rule), strict=True)
            for seat, (mechanical, adaptation, both) in enumerate(effects):
                rows.append(
                    {
                        **found.condition.columns,
                        "deals": found.sums.n_deals,
                        "against": found.base,
                        "rule": rule,
                        "seat": seat + 1,
                        **columns("mechanical", mechanical),
                        **columns("adaptation", adaptation),
                        **columns("both", both),
                        **columns("play_differs", found.differ(rule)),
                    }
                )
    return rows


def first_rows(ties: Iterable[TieFindings]) -> list[Row]:
    """Return the exact wins of the first deals of each condition, by rule and seat."""
    return [
        {
            **found.condition.columns,
            "rule": rule,
            "seat": seat + 1,
            "deals": found.n_first,
            "wins_in_sixtieths": int(wins),
        }
        for found in ties
        for rule, by_seat in zip(RULES, found.found.first, strict=True)
        for seat, wins in enumerate(by_seat)
    ]
