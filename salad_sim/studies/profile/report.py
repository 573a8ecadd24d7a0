"""A profile -> what it says in sentences and tables, and a folder with its report, tables and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from salad_sim.files.atomic import write_files
from salad_sim.jit.typing import Row
from salad_sim.report.format import NOT_KNOWN, POINTS, ended_early, interval
from salad_sim.report.markdown import Report, Section, write_report
from salad_sim.report.table import Column, Table, estimate_of, texts
from salad_sim.stats.intervals import Estimate
from salad_sim.storage.folder import csv_text
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


def _number(value: Estimate, is_percent: bool = False, unit: str = "") -> str:
    """Return a rate or mean with its interval, with as many decimals as that is good for."""
    scale = POINTS if is_percent else 1
    if math.isnan(value.low):
        return interval(*value, scale=scale, unknown=NOT_KNOWN) + unit * (not math.isnan(value.value))
    return interval(*value, scale=scale) + unit


def _measure(name: str, heading: str, unit: str = "") -> Column:
    return Column(name, heading, unit, lambda row: _number(estimate_of(row, name), unit == "%"))


def summary_table(profile: Profile) -> Table:
    """Return the main numbers."""
    found = {row["measure"]: row for row in profile.summary_rows}
    rows = [
        found[name] | {"words": words, "unit": unit} for name, (words, unit) in MEASURES.items() if found[name]["of"]
    ]
    return Table([*texts(words=""), Column("value", "value", show=_summed_up), *texts(of="of")], rows)


def _summed_up(row: Row) -> str:
    value = Estimate(row["value"], row["low"], row["high"])
    return _number(value, row["unit"] == "%", f" {row['unit']}" if row["unit"] else "")


def turns_table(profile: Profile) -> Table:
    """Return what it takes by own turn."""
    ways = {name: name.replace("_", " ") for name in ("point_card", "two_vegetables", "one_vegetable")}
    columns = [_measure(name, words, "%") for name, words in (ways | {"flip": "flips"}).items()]
    return Table([*texts(turn="own turn"), *columns, *texts(turns="turns")], profile.turn_rows)


PICKED = (*texts(offered="on offer"), _measure("pick", "taken", "%"), _measure("preference", "times chance"))
"""How often something was taken."""


def families_table(profile: Profile) -> Table:
    """Return what it does with each family of cards, the best liked first."""
    columns = [
        *texts(family="cards"),
        *PICKED,
        _measure("kept", "kept in a round"),
        _measure("points", "points each"),
        _measure("flipped", "flipped", "%"),
        _measure("flip_worth", "flip worth"),
    ]
    shown = [row for row in profile.family_rows if row["offered"]]
    shown.sort(key=lambda row: math.inf if math.isnan(row["preference"]) else -row["preference"])
    return Table(columns, shown)


def vegetables_table(profile: Profile) -> Table:
    """Return which vegetables it takes."""
    rows = [row for row in profile.vegetable_rows if row["offered"]]
    return Table([*texts(vegetables="own cards say"), *PICKED], rows)


def endings_table(profile: Profile) -> Table:
    """Return what it and its opponents lose in endings."""
    columns = [
        Column("strategy", "strategy", show=_who),
        Column("cards_left", "cards left", right=True),
        *texts(decisions="decisions"),
        _measure("perfect", "without loss", "%"),
        _measure("win_loss", "win lost", "%"),
        _measure("margin_loss", "margin lost"),
    ]
    return Table(columns, profile.ending_rows)


def _who(row: Row) -> str:
    return str(row["strategy"]) + ("" if row["who"] == "profiled" else " (opponent)")


def sections(profile: Profile) -> list[Section]:
    """Return the parts of a profile, those that have a row."""
    deals = min(profile.ending_deals, profile.watched.n_deals)
    parts = [
        Section("In short", "", summary_table(profile)),
        Section("Turn by turn", "Share of its turns, by its own turn in the round.", turns_table(profile), "turns"),
        Section(
            "Cards",
            "Taken: of those on top of a pile on its turn. Times chance: 1 if it took one of the tops at random.",
            families_table(profile),
            "preferences",
        ),
        Section(
            "Vegetables",
            "By what its point cards say of them, on turns that take vegetables.",
            vegetables_table(profile),
        ),
        Section(
            "Solvable endings",
            f"Decisions with nothing hidden any more, solved exactly in the first {deals:,} deals; "
            "what each lost against the best move, on average.",
            endings_table(profile),
            "endings",
        ),
    ]
    return [part for part in parts if part.shown.rows]


def lines(profile: Profile) -> Iterator[str | Table]:
    """Yield what a profile says: the sentence that says it, then the tables."""
    yield games_line(profile)
    yield profile.answer
    for part in sections(profile):
        yield ""
        if part.text:
            yield f"{part.heading}. {part.text}"
        yield part.shown
    if time_line(profile):
        yield ""
        yield time_line(profile)


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
        sections=sections(profile),
        tables={name: rows for name, rows in profile.tables.items() if rows},
        pictures=pictures,
        run=profile.record,
    )
    write_report(report, folder)
    if profile.time is not None:
        write_files(folder, {TIME_FILE: csv_text([profile.time.as_dict()])})
