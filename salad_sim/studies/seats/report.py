"""A seat study -> its report: the answer first, then a table and a picture of each question."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from salad_sim.game.notation import listed
from salad_sim.jit.typing import Row
from salad_sim.report.figures import by_seat
from salad_sim.report.format import (
    LOOKS,
    POINTS,
    chance,
    ended_early,
    in_points,
    number,
    points,
)
from salad_sim.report.markdown import Report, Section
from salad_sim.report.table import Column, Table, changes, estimate_of, numbers, p_values, shares, texts
from salad_sim.stats.intervals import Estimate
from salad_sim.stats.shares import from_fair
from salad_sim.studies.seats.figures import against_strength
from salad_sim.studies.seats.play import SeatFindings, ties_rule
from salad_sim.studies.seats.skill import YARDSTICK
from salad_sim.studies.seats.tables import SeatStudy, tables_of

TITLE = "What is a seat worth?"

UNEQUAL = 0.05
"""P-value below which seats count as unequal."""


def seat_report(study: SeatStudy, run: dict[str, Any], interrupted: bool = False) -> Report:
    """Put what a seat study found into a report; it must have found something."""
    tables = tables_of(study)
    pictures = {}
    sections = [Section("How to read it", _how(study))]
    counts = player_counts(study)
    for players in counts:
        found = _at(study, players)
        name = f"seats_{players}"
        pictures[name] = by_seat(
            {each.condition.name: [in_points(off) for off in from_fair(each.shares)] for each in found},
            "win share less a fair share, percentage points",
            f"What each seat is worth, {players} players",
        )
        rows = [row for row in tables["seats"] if row["players"] == players]
        sections.append(Section(f"Seats, {players} players", table=Table(SEATS, rows), picture=name))
    games = tables["games"]
    gaps = numbers(**{f"gap_{place}_{place + 1}": f"{place} to {place + 1}" for place in range(1, max(counts))})
    sections.append(Section("All seats together", _together(study), Table(TESTS, games)))
    sections.append(Section("The course of a game", COURSE, Table(COURSE_COLUMNS, games)))
    sections.append(Section("Gaps between places", GAPS, Table([*WHO, *gaps], games)))
    lines = _strength_lines(study)
    if lines:
        pictures["skill"] = against_strength(
            lines,
            "first seat's win share less a fair share,\npercentage points",
            YARDSTICK,
            "Does skill change what moving first is worth?",
        )
        sections.append(Section("Does skill change it?", _skill(study), _skill_table(study), "skill"))
    if study.others:
        first = [row for row in tables["one_among_others"] if row["seat"] == 1]
        sections.append(Section("One player among others", OTHERS, Table(OTHERS_COLUMNS, first)))
    if study.komi:
        sections.append(Section("Komi", KOMI + _unfair(tables["komi"]), Table(KOMI_COLUMNS, tables["komi"])))
    answer = _answer(study) + ended_early("The study", interrupted)
    return Report(TITLE, answer, sections, tables, pictures, run, interrupted)


def player_counts(study: SeatStudy) -> list[int]:
    """Return the numbers of players in the order in which they were studied."""
    return list(dict.fromkeys(each.n_players for each in study.seats))


def _at(study: SeatStudy, players: int) -> list[SeatFindings]:
    return [each for each in study.seats if each.n_players == players]


def _headline(study: SeatStudy) -> list[SeatFindings]:
    """Return the findings of the strongest line-up of those with the most games, one for each number of players."""
    most = max(each.sums.n_games for each in study.seats)
    enough = most / 2 if study.precision is None else 0
    names = list(dict.fromkeys(each.condition.name for each in study.seats if each.sums.n_games >= enough))
    strongest = max(names, key=lambda name: study.strength[name].value if name in study.strength else -math.inf)
    return [each for each in study.seats if each.condition.name == strongest]


def _answer(study: SeatStudy) -> str:
    found = _headline(study)
    worth = [f"{points(each.advantage)} with {each.n_players} players" for each in found]
    games = sorted({each.sums.n_games for each in found})
    number_of_games = f"{games[0]:,}" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,}"
    seats = "in every seat" if not found[0].condition.is_mixed else "in all rotations"
    return (
        f"Moving first changes the win share by {', '.join(worth)}: percentage points above or below a fair share, "
        f"{found[0].condition.name} {seats}, {number_of_games} games each (95 % intervals, for all seats at once)."
    )


def _how(study: SeatStudy) -> str:
    text = (
        "Every line-up plays the same deals. *Against fair* is the win share less 1/n in percentage points. Intervals "
        "of win shares are simultaneous multinomial ones (Goodman) and hold for all seats of a line-up at once with "
        "95 %; those of scores, margins and last turns hold each for itself. The unit is the deal. *Margin* is the "
        "points of the seat less those of the best other seat. A seat is *fair within the margin* if its whole "
        f"interval is less than {POINTS * study.margin:g} percentage points from fair. Different strategies in one "
        "line-up (A+B) play every deal in all rotations."
    )
    if study.precision is not None:
        text += (
            f" Every line-up ended when all its intervals of rates were at most {POINTS * study.precision:g} "
            f"percentage points to each side. {LOOKS}; p-values are as for a number of games that was fixed "
            "beforehand. Strength, one player among others and komi have a fixed number of games."
        )
        if not all(each.look.precise for each in study.seats if each.look is not None):
            text += " Some ended by the number of games instead; the table says which."
    return text


WHO = texts(players="players", strategy="strategy")
"""What a row is about."""


def _verdict(row: Row) -> str:
    """Return the verdict on a seat; of one that these games do not decide, how many it would take."""
    more = row["games_to_decide"]
    return f"{row['verdict']}; some {rough(more)} games would" if more else str(row["verdict"])


def rough(number_of: int) -> str:
    """Return a number with two digits that count."""
    return f"{float(f'{number_of:.2g}'):,.0f}"


SEATS = [
    *texts(strategy="strategy", seat="seat"),
    *shares(win_share="win %"),
    *changes(difference="against fair"),
    Column("verdict", "verdict", show=_verdict),
    *numbers(mean_score="mean score", mean_margin="margin"),
    *shares(1, last_turn="last turn %"),
]


def _together(study: SeatStudy) -> str:
    return (
        "The test is of the hypothesis that all seats win equally often. *Best - worst* is the difference between the "
        "seats that win most and least, in percentage points; its interval allows for the choice of the two. The "
        f"verdict is about all seats: within {POINTS * study.margin:g} points of fair, or not, or not decided by these "
        "games."
    )


def _games(row: Row) -> str:
    return f"{row['games']:,}" + ("" if row["precise"] or row["precise"] == "" else " (not precise)")


TESTS = [
    *WHO,
    Column("games", "games", show=_games),
    *p_values(p_all_seats_equal="p, all equal"),
    *shares(spread="best - worst"),
    *texts(best_seat="best", worst_seat="worst", verdict="verdict"),
]

COURSE = (
    "A lead changes when another seat than the last leader is ahead of all others after a turn, by the points it would "
    "score if the game ended then. Half-time is when half of the cards are gone; *leader wins* counts the games that "
    "have a leader then. A game is *decided by one card* if the winner's lead is smaller than the points of its best "
    "card, or the totals are equal."
)


COURSE_COLUMNS = [
    *WHO,
    *numbers(turns="turns", lead_changes="lead changes"),
    *shares(half_time_leader_wins="half-time leader wins %", decided_by_one_card="by one card %", totals_tie="ties %"),
]

GAPS = "Points between the first and the second of a game, the second and the third, and so on; means."


def _strength_lines(study: SeatStudy) -> dict[int, list[tuple[str, Estimate, Estimate]]]:
    """Return by number of players the strategies, their strength and the first seat's advantage; two at least."""
    lines = {}
    for players in player_counts(study):
        points_of_line = [
            (each.condition.name, study.strength[each.condition.name], in_points(each.advantage))
            for each in _at(study, players)
            if each.condition.name in study.strength and all(map(math.isfinite, study.strength[each.condition.name]))
        ]
        if len(points_of_line) > 1:
            lines[players] = points_of_line
    return lines


def _skill(study: SeatStudy) -> str:
    lines = _strength_lines(study)
    said = []
    for players, line in lines.items():
        weakest, strongest = min(line, key=lambda p: p[1].value), max(line, key=lambda p: p[1].value)
        one, other = weakest[2], strongest[2]
        apart = one.high < other.low or other.high < one.low
        steps = pairwise(sorted(line, key=lambda p: p[1].value))
        rises = other.low > one.high
        turned = [(a, b) for a, b in steps if (b[2].high < a[2].low if rises else b[2].low > a[2].high)]
        down = [f"{a[0]} to {b[0]}" for a, b in turned]
        said.append(
            f"With {players} players it goes from {number(one)} ({weakest[0]}) to {number(other)} ({strongest[0]})"
            f"{'' if apart else ', which these games cannot tell apart'}"
            f"{f', but the other way from {listed(down)}' if down and apart else ''}."
        )
    ruled = list(dict.fromkeys(each.condition.name for each in study.seats if ties_rule(each)))
    if ruled:
        said.append(
            f"In the games of {listed(ruled)} totals tie so often that what a seat is worth is the tie-break's doing."
        )
    return (
        "The first seat's advantage in percentage points, by the strength of the players: Elo points above "
        f"{YARDSTICK}, from a match of two players on paired deals. Everybody at the table plays the same. "
        + " ".join(said)
    )


def _skill_table(study: SeatStudy) -> list[list[str]]:
    counts = player_counts(study)
    table = [["strategy", f"Elo above {YARDSTICK}", *(f"{players} players" for players in counts)]]
    for name, strength in sorted(study.strength.items(), key=lambda item: item[1].value):
        by_players = {each.n_players: points(each.advantage) for each in study.seats if each.condition.name == name}
        table.append([name, number(strength, 0), *(by_players.get(players, "") for players in counts)])
    return table


OTHERS = (
    "What the first seat is worth to one player whose opponents all play something else: its win share when it moves "
    "first, and that less its mean over all seats, in percentage points; every deal is played with it in every seat. "
    "The file has all seats."
)


OTHERS_COLUMNS = [
    *texts(players="players", strategy="player", others="others", deals="deals"),
    *shares(win_share="win % when first"),
    *changes(against_own_mean="against own mean"),
]

KOMI = (
    "Points that the seats would have to get so that all win equally often, from the scores of the same games (the "
    "first seat gets none; negative points are taken). Their intervals hold for all seats of a line-up at once. Then "
    "the whole points that come nearest, and how the seats fare in other games that are played with these in force: "
    "the players know of the points. Line-ups are left out if more than a quarter of their games tie: there a point "
    "decides everything."
)


def _unfair(rows: list[Row]) -> str:
    """Say where whole points leave the seats unequal."""
    left = [row for row in rows if row["seat"] == 1 and row["p_equal_in_force"] < UNEQUAL]
    if not left:
        return ""
    where = listed([f"{row['strategy']} with {row['players']} players" for row in left])
    return f" Whole points still leave the seats unequal (p below {100 * UNEQUAL:g} % for each by itself): {where}."


KOMI_COLUMNS = [
    *WHO,
    *texts(seat="seat"),
    Column("points", "points", show=lambda row: "0" if row["seat"] == 1 else number(estimate_of(row, "points"))),
    *texts(whole_points="whole"),
    *shares(share_without="win % without", share_in_force="win % in force"),
    Column("p_equal_in_force", "p, all equal", show=lambda row: chance(row["p_equal_in_force"]) * (row["seat"] == 1)),
]
