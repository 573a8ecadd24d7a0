"""Findings of a seat study -> tidy rows, one table each; shares are fractions of 1, intervals 95 %."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from salad_sim.jit.typing import Row
from salad_sim.stats.equivalence import games_to_decide
from salad_sim.stats.intervals import UNKNOWN, Estimate, columns
from salad_sim.studies.seats.play import KomiFindings, SeatFindings, half_leader
from salad_sim.studies.seats.skill import OneAmongOthers


@dataclass
class SeatStudy:
    """All that a seat study found.

    Attributes
    ----------
    margin : float
        A difference in win share that counts as none.
    precision : float or None
        Half-width at which conditions ended.
    seats : list of SeatFindings
    komi : list of KomiFindings
    strength : dict of str to Estimate
        Elo points of strategies above the yardstick, by name.
    others : list of OneAmongOthers
    """

    margin: float
    precision: float | None = None
    seats: list[SeatFindings] = field(default_factory=list)
    komi: list[KomiFindings] = field(default_factory=list)
    strength: dict[str, Estimate] = field(default_factory=dict)
    others: list[OneAmongOthers] = field(default_factory=list)


def tables_of(study: SeatStudy) -> dict[str, list[Row]]:
    """Return all tables by name, those without a row left out."""
    tables = {
        "seats": seat_rows(study),
        "games": game_rows(study),
        "seat_pairs": pair_rows(study.seats),
        "strength": strength_rows(study),
        "one_among_others": other_rows(study.others),
        "komi": komi_rows(study.komi),
        "first_games": first_rows(study.seats),
    }
    return {name: rows for name, rows in tables.items() if rows}


def seat_rows(study: SeatStudy) -> list[Row]:
    """Return a row for each condition and seat."""
    rows = []
    for found in study.seats:
        single = found.single
        scores, margins = (found.sums.means(name, single) for name in ("scores", "margins"))
        last = found.sums.rates("last_turn", single)
        for verdict in found.fairness(study.margin).seats:
            seat = verdict.seat
            rows.append(
                {
                    **found.condition.columns,
                    "seat": seat + 1,
                    "games": found.sums.n_games,
                    **columns("win_share", verdict.share),
                    **columns("difference", verdict.difference),
                    "verdict": verdict.verdict,
                    "games_to_decide": games_to_decide(verdict.difference, study.margin, found.sums.n_games),
                    "p_not_within_margin": verdict.p_value,
                    **columns("mean_score", scores[seat]),
                    **columns("mean_margin", margins[seat]),
                    **columns("last_turn", last[seat]),
                }
            )
    return rows


def game_rows(study: SeatStudy) -> list[Row]:
    """Return a row for each condition: the tests of all seats together, and the course of its games."""
    return [_game_row(found, study.margin) for found in study.seats]


def _game_row(found: SeatFindings, margin: float) -> Row:
    sums, single, fair = found.sums, found.single, found.fairness(margin)
    row: Row = {
        **found.condition.columns,
        "deals": sums.n_deals,
        "games": sums.n_games,
        "interval_quantile": single,
        "precise": "" if found.look is None else found.look.precise,
        "test": found.test.method,
        "statistic": found.test.statistic,
        "freedom": found.test.numerator,
        "p_all_seats_equal": found.test.p_value,
        **columns("spread", found.spread.estimate),
        "best_seat": found.spread.best + 1,
        "worst_seat": found.spread.worst + 1,
        "margin": margin,
        "verdict": fair.verdict,
        "p_not_within_margin": fair.p_value,
        **columns("turns", sums.means("turns", single)[0]),
        **columns("lead_changes", sums.means("lead_changes", single)[0]),
        **columns("half_time_has_leader", sums.rates("half_led", single)[0]),
        **columns("half_time_leader_wins", half_leader(sums, single)),
        **columns("decided_by_one_card", sums.rates("one_card", single)[0]),
        **columns("totals_tie", sums.rates("tied", single)[0]),
    }
    gaps = sums.means("gaps", single)
    # a column for every place there may be, so that all rows have the same
    for place in range(1, 6):
        known = gaps[place - 1] if place <= len(gaps) else UNKNOWN
        row |= columns(f"gap_{place}_{place + 1}", known)
    return row


def pair_rows(seats: Iterable[SeatFindings]) -> list[Row]:
    """Return a row for each condition and two seats: how much more often the earlier one wins."""
    return [
        {**found.condition.columns, "seat": one + 1, "other": other + 1, **columns("difference", each)}
        for found in seats
        for (one, other), each in found.spread.pairs.items()
    ]


def strength_rows(study: SeatStudy) -> list[Row]:
    """Return a row for each condition whose strength is known: its strength and the first seat's advantage."""
    return [
        {
            **found.condition.columns,
            **columns("elo", study.strength[found.condition.name]),
            **columns("first_seat_advantage", found.advantage),
        }
        for found in study.seats
        if found.condition.name in study.strength
    ]


def other_rows(others: Iterable[OneAmongOthers]) -> list[Row]:
    """Return a row for each seat of one player among others."""
    return [
        {
            "players": each.n_players,
            "strategy": each.hero,
            "others": each.others,
            "seat": seat + 1,
            "deals": each.sums.n_deals,
            **columns("win_share", each.share(seat)),
            **columns("against_own_mean", each.effect(seat)),
        }
        for each in others
        for seat in range(each.n_players)
    ]


def komi_rows(komi: Iterable[KomiFindings]) -> list[Row]:
    """Return a row for each condition and seat: the points, and how the whole ones fare in other games."""
    rows = []
    for found in komi:
        for seat, points in enumerate(found.komi.points):
            rows.append(
                {
                    **found.condition.columns,
                    "seat": seat + 1,
                    "games": found.n_games,
                    **columns("points", points),
                    "equal": found.komi.equal,
                    "whole_points": found.komi.recommended[seat],
                    **columns("share_without", found.komi.without[seat]),
                    **columns("share_expected", found.komi.shares[seat]),
                    "check_games": found.check.n_games,
                    **columns("share_in_force", found.check_shares[seat]),
                    "p_equal_in_force": found.check_test.p_value,
                }
            )
    return rows


def first_rows(seats: Iterable[SeatFindings]) -> list[Row]:
    """Return the exact counts of the first deals of each condition, by seat."""
    return [
        {
            **found.condition.columns,
            "seat": seat + 1,
            "deals": found.n_first,
            "wins_in_sixtieths": int(wins),
            "points": int(points),
            "last_turns": int(last),
        }
        for found in seats
        for seat, (wins, points, last) in enumerate(found.found.first)
    ]
