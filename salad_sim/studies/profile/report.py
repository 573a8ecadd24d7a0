"""A profile -> its tables as text, and a folder with its report, tables and pictures."""

from __future__ import annotations

import math
from pathlib import Path

from salad_sim.jit.typing import Row
from salad_sim.report.format import ended_early
from salad_sim.report.markdown import Report, Section, write_report
from salad_sim.storage.folder import csv_text, write_files
from salad_sim.studies.profile import figures as plots_profile
from salad_sim.studies.profile.estimate import ALL
from salad_sim.studies.profile.result import Profile

TIME_FILE = "time.csv"
"""The one file that another run does not repeat."""

MEASURES = {
    "win_share": ("games won", "%"),
    "score": ("points in a round", ""),
    "turns": ("own turns in a round", ""),
    "takes_point_card": ("turns that take a point card", "%"),
    "takes_two_vegetables": ("turns that take two vegetables", "%"),
    "takes_one_vegetable": ("turns that take one vegetable", "%"),
    "best_draft": ("turns with the draft that scores most at once", "%"),
    "denial_possible": ("turns that call for a choice: own best draft or denial", "%"),
    "denial": ("of these, denials", "%"),
    "best_given_up": ("of these, turns that give up the best draft", "%"),
    "denial_of_given_up": ("of those, denials", "%"),
    "denial_by_chance": ("of those, denials if it drafted anything else", "%"),
    "flips_in_a_round": ("flips in a round", ""),
    "flip_gain": ("points that a flip gains at once", ""),
    "flip_worth": ("points that a flip is worth at the end", ""),
    "cards_kept": ("point cards kept in a round", ""),
    "points_of_a_card": ("points of a kept card", ""),
    "perfect_in_endings": ("decisions in solved endings without loss", "%"),
    "win_loss_in_endings": ("lost by each such decision, of a win", "%"),
    "margin_loss_in_endings": ("lost by each such decision, points of margin", ""),
    "endings_solved": ("endings solved, of those that are open", "%"),
}
"""The main numbers in the order of the report: in words, and whether in per cent."""

FEW = 2.5
"""Percentage points of half-width from which a share needs no decimals."""

Table = list[list[str]]


def cell(row: Row, name: str, percent: bool = False) -> str:
    """Return a rate or mean with its interval, empty where the games cannot tell."""
    return interval(row[name], row[f"{name}_low"], row[f"{name}_high"], percent)


def interval(value: float, low: float, high: float, percent: bool = False) -> str:
    """Return ``52.3 [50.1, 54.5]``; as many decimals as the interval is good for."""
    if math.isnan(value):
        return ""
    scale = 100 if percent else 1
    if math.isnan(low):
        return f"{scale * value:.2f} [not known]"
    half = scale * (high - low) / 2
    digits = 1 if percent else 2
    if half > 0:  # the last one is the first digit of the half-width
        digits = max(0 if percent and half >= FEW else 1, min(4, math.floor(-math.log10(half)) + 1))
    return f"{scale * value:.{digits}f} [{scale * low:.{digits}f}, {scale * high:.{digits}f}]"


def summary_table(profile: Profile) -> Table:
    """Return the main numbers, headings first."""
    found = {row["measure"]: row for row in profile.summary_rows}
    table = [["", "value", "of"]]
    for name, (words, unit) in MEASURES.items():
        row = found[name]
        if row["of"]:
            value = interval(row["value"], row["low"], row["high"], unit == "%")
            table.append([words, f"{value} %" if unit else value, f"{row['of']:,}"])
    return table


def turns_table(profile: Profile) -> Table:
    """Return what it takes by own turn, headings first."""
    names = {
        "point_card": "point card %",
        "two_vegetables": "two vegetables %",
        "one_vegetable": "one vegetable %",
        "flip": "flips %",
    }
    rows = profile.turn_rows
    cells = [[str(row["turn"]), *(cell(row, name, True) for name in names), f"{row['turns']:,}"] for row in rows]
    return [["own turn", *names.values(), "turns"], *cells]


def families_table(profile: Profile) -> Table:
    """Return what it does with each family of cards, the best liked first."""
    heading = ["cards", "on offer", "taken %", "times chance", "kept in a round", "points each"]
    heading += ["flipped %", "flip worth"]
    shown = [row for row in profile.family_rows if row["offered"]]
    shown.sort(key=lambda row: math.inf if math.isnan(row["preference"]) else -row["preference"])
    return [
        heading,
        *(
            [
                row["family"],
                f"{row['offered']:,}",
                cell(row, "pick", True),
                cell(row, "preference"),
                cell(row, "kept"),
                cell(row, "points"),
                cell(row, "flipped", True),
                cell(row, "flip_worth"),
            ]
            for row in shown
        ),
    ]


def vegetables_table(profile: Profile) -> Table:
    """Return which vegetables it takes, headings first."""
    rows = [
        [row["vegetables"], f"{row['offered']:,}", cell(row, "pick", True), cell(row, "preference")]
        for row in profile.vegetable_rows
        if row["offered"]
    ]
    return [["own cards say", "on offer", "taken %", "times chance"], *rows]


def endings_table(profile: Profile) -> Table:
    """Return what it and its opponents lose in endings, headings first."""
    heading = ["strategy", "cards left", "decisions", "without loss %", "win lost %", "margin lost"]
    return [
        heading,
        *(
            [
                row["strategy"] if row["who"] == "profiled" else f"{row['strategy']} (opponent)",
                row["cards_left"],
                f"{row['decisions']:,}",
                cell(row, "perfect", True),
                cell(row, "win_loss", True),
                cell(row, "margin_loss"),
            ]
            for row in profile.ending_rows
        ),
    ]


def sections(profile: Profile) -> list[tuple[str, str, Table, str]]:
    """Return the parts of a profile: heading, what it says, table, name of the picture or nothing."""
    deals = min(profile.ending_deals, profile.watched.n_deals)
    endings = (
        f"Decisions with nothing hidden any more, solved exactly in the first {deals:,} deals; "
        "what each lost against the best move, on average."
    )
    parts: list[tuple[str, str, Table, str]] = [
        ("In short", "", summary_table(profile), ""),
        ("Turn by turn", "Share of its turns, by its own turn in the round.", turns_table(profile), "turns"),
        (
            "Cards",
            "Taken: of those on top of a pile on its turn. Times chance: 1 if it took one of the tops at random.",
            families_table(profile),
            "preferences",
        ),
        (
            "Vegetables",
            "By what its point cards say of them, on turns that take vegetables.",
            vegetables_table(profile),
            "",
        ),
        ("Solvable endings", endings, endings_table(profile), "endings"),
    ]
    return [part for part in parts if len(part[2]) > 1]


def time_line(profile: Profile) -> str:
    """Return how long a decision takes, or nothing if that was not measured."""
    if profile.time is None:
        return ""
    median, high = (_microseconds(each) for each in (profile.time.median, profile.time.percentile_95))
    return f"A decision takes {median} in the median; 5 % take more than {high} ({profile.time.decisions:,} timed)."


def _microseconds(value: float) -> str:
    return f"{value:.2g} µs" if value < 100 else f"{value:,.0f} µs"


def games_line(profile: Profile) -> str:
    """Return what was played."""
    deals = f"{profile.watched.n_deals:,} deals, {profile.name} in every seat of each"
    return (
        f"{profile.name} against {profile.opponent}: {profile.plan.n_players} players, {profile.games:,} games "
        f"({deals}), seed {profile.plan.seed}; 95 % intervals"
    )


def write_profile(profile: Profile, folder: Path) -> None:
    """Write everything of a profile into a folder; all but ``time.csv`` is the same whenever it is made."""
    about = f"{profile.name} against {profile.opponent}, {profile.plan.n_players} players, {profile.games:,} games"
    pictures = {
        "turns": plots_profile.turns(profile.frame("turns"), f"Turn by turn: {about}"),
        "preferences": plots_profile.preferences(profile.frame("families"), f"Cards it prefers: {about}"),
    }
    by_left = [row for row in profile.ending_rows if row["cards_left"] != ALL]
    if by_left:
        frame = profile.frame("endings")
        pictures["endings"] = plots_profile.endings(frame[frame.cards_left != ALL], f"Solvable endings: {about}")
    ended = ended_early("It", profile.interrupted)
    report = Report(
        title=f"Profile of {profile.name}",
        answer=f"{profile.answer}\n\n{games_line(profile)}.{ended}",
        sections=[Section(*part) for part in sections(profile)],
        tables={name: rows for name, rows in profile.tables.items() if rows},
        pictures=pictures,
        run=profile.record,
    )
    write_report(report, folder)
    if profile.time is not None:
        write_files(folder, {TIME_FILE: csv_text([profile.time.as_dict()])})
