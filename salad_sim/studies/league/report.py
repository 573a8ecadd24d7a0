"""A league -> a folder with its report, tables and pictures."""

from __future__ import annotations

import math
from pathlib import Path

from salad_sim.jit.typing import Row
from salad_sim.report import figures as plots
from salad_sim.report.format import ended_early
from salad_sim.report.markdown import Report, Section, as_markdown, drawn
from salad_sim.stats.intervals import LEVEL, Estimate
from salad_sim.storage.folder import csv_text, json_text, write_files
from salad_sim.studies.league import sentences
from salad_sim.studies.league.result import League
from salad_sim.studies.league.tables import CYCLE_COLUMNS

REPORT_FILE = "league.md"

HOW = (
    "Ratings are strengths of the Plackett-Luce model on the Elo scale: 400 points more are odds of 10 to 1 to finish "
    "above. Every line-up plays deals of its own, each once in every rotation, so that every strategy sits in every "
    "seat; the deal is the unit of all intervals, which hold with 95 % each. The ranks that are possible hold for all "
    "strategies at once (Holm, all pairs). docs/league.md says how all of it is made."
)


def write_league(league: League, folder: Path) -> None:
    """Write everything of a league into a folder; the same league always writes the same bytes."""
    report = league_report(league)
    files: dict[str, str | bytes] = {REPORT_FILE: as_markdown(report)}
    for name, rows in report.tables.items():
        files[f"{name}.csv"] = csv_text(rows, CYCLE_COLUMNS if name == "cycles" else None)
    for name, picture in report.pictures.items():
        files |= drawn(name, picture)
    write_files(folder, {**files, "run.json": json_text(report.run)})


def league_report(league: League) -> Report:
    """Put what a league found into a report."""
    task = league.task
    anchor = "the mean of all" if task.anchor is None else league.labels[task.anchor]
    about = f"{task.players} players, {league.games:,} games"
    ended = ended_early("The league", league.interrupted)
    played = sentences.played(league)
    sections = [
        Section("Ranking", f"{sentences.undecided(league)}", table=_ranking(league), picture="ratings"),
        Section(
            "Cross-table",
            "Share of games, in per cent, in which the row finished above the column, where both sat; ties are halves.",
            table=_cross(league),
            picture="cross",
        ),
        Section("Seats", sentences.seats(league), table=_seats(league)),
        *([Section("Cycles", "\n".join(sentences.cycles(league)))] if len(league.labels) > 2 else []),
        Section("How it was made", f"{played}. {HOW}"),
    ]
    return Report(
        title=f"League: {task.players} players",
        answer=sentences.answer(league) + ended,
        sections=sections,
        tables={
            "ratings": league.rating_rows,
            "cross": league.cross_rows,
            "seats": league.seat_rows,
            "lineups": league.lineup_rows,
            "cycles": league.cycle_rows,
        },
        pictures={
            "ratings": plots.rating_intervals(league.ratings, anchor, f"Ratings, {about}"),
            "cross": plots.cross_table(league.cross, f"Who finishes above whom, {about}"),
        },
        run=task.record(league.games, league.interrupted),
    )


def _ranking(league: League) -> list[list[str]]:
    table = [["rank", "strategy", "rating", "ranks possible", "win share", "mean score", "games", "ahead of next"]]
    for row in league.rating_rows:
        ahead = _estimate(row, "ahead")
        table.append(
            [
                str(row["rank"]),
                row["strategy"],
                sentences.points(*_estimate(row, "rating")),
                possible_ranks(row),
                _percent(_estimate(row, "win_share")),
                "" if math.isnan(row["mean_score"]) else f"{row['mean_score']:.2f}",
                f"{row['games']:,}",
                f"{sentences.points(*ahead)}{'' if row['p_holm'] <= 1 - LEVEL else ' ?'}" if row["next"] else "",
            ]
        )
    return table


def possible_ranks(row: Row) -> str:
    """Return the ranks that a strategy may have."""
    low, high = row["rank_low"], row["rank_high"]
    return f"{low}" if low == high else f"{low}–{high}"


def _estimate(row: Row, name: str) -> Estimate:
    return Estimate(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _percent(share: Estimate) -> str:
    return "" if math.isnan(share.value) else sentences.percent(share)


def _cross(league: League) -> list[list[str]]:
    names = [row["strategy"] for row in league.rating_rows]
    found = {(row["strategy"], row["opponent"]): _estimate(row, "share") for row in league.cross_rows}
    rows = [[name, *(_percent(found[name, other]) if name != other else "" for other in names)] for name in names]
    return [["above", *names], *rows]


def _seats(league: League) -> list[list[str]]:
    n_seats = league.task.players
    table = [["win share", *(f"seat {seat + 1}" for seat in range(n_seats))]]
    cells = [_percent(_estimate(row, "win_share")) for row in league.seat_rows]
    for index, row in enumerate(league.rating_rows):
        table.append([row["strategy"], *cells[index * n_seats : (index + 1) * n_seats]])
    return table
