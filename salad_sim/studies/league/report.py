"""A league -> what it says in sentences and tables, and a folder with its report, tables and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from salad_sim.game.notation import listed, plural
from salad_sim.jit.typing import Row
from salad_sim.report.format import ended_early, interval
from salad_sim.report.markdown import Report, Section, write_report
from salad_sim.report.table import Column, Measure, Table, estimate_of, means, texts
from salad_sim.stats.intervals import LEVEL, columns
from salad_sim.studies.league import figures
from salad_sim.studies.league.result import League
from salad_sim.studies.league.tables import CYCLE_COLUMNS, points_of, rating_difference

REPORT_FILE = "league.md"

HOW = (
    "Ratings are strengths of the Plackett-Luce model on the Elo scale: 400 points more are odds of 10 to 1 to finish "
    "above. With more than two players that is not the same as to win; *by the ratings* is the win share that they "
    "expect, beside the one that was observed. That the first one is first is tested against each other strategy; "
    "Every line-up plays deals of its own, each once in every rotation, so that every strategy sits in every seat; "
    "the deal is the unit of all intervals, which hold with 95 % each. The ranks that are possible hold for all "
    "strategies at once (Holm, all pairs), which asks for more. docs/league.md says how all of it is made."
)

ERROR = 1 - LEVEL
SHOWN = 6
"""Of a list of names or findings, so many are spelled out."""

MOST_CELLS = 10
"""With more columns than that the cross-table shows shares without their intervals."""


def write_league(league: League, folder: Path) -> None:
    """Write everything of a league into a folder; the same league always writes the same bytes."""
    write_report(league_report(league), folder, REPORT_FILE)


def lines(league: League) -> Iterator[str | Table]:
    """Yield what a league says, the answer first: lines and tables."""
    yield played(league)
    yield answer(league)
    for table in (ranking_table(league), cross_table(league), seat_table(league)):
        yield ""
        yield table
    yield ""
    yield undecided(league)
    yield from cycles(league)
    yield seats(league)
    zero = _anchor(league)
    scale = f"Ratings: {points_of(league.task.players)} above {zero}; 400 more are odds of 10 to 1 to finish above."
    yield f"{scale} ± is half a 95 % interval."


def league_report(league: League) -> Report:
    """Put what a league found into a report."""
    task = league.task
    about = f"{task.players} players, {league.games:,} games"
    sections = [
        Section("Ranking", undecided(league), ranking_table(league), "ratings"),
        Section(
            "Cross-table",
            "Share of games, in per cent, in which the row finished above the column, where both sat; ties are halves.",
            cross_table(league),
            "cross",
        ),
        Section("Seats", seats(league), seat_table(league)),
        *([Section("Cycles", "\n".join(cycles(league)))] if len(league.labels) > 2 else []),
        Section("How it was made", f"{played(league)}. {HOW}"),
    ]
    return Report(
        title=f"League: {task.players} players",
        answer=answer(league) + ended_early("The league", league.interrupted),
        sections=sections,
        tables={
            "ratings": league.rating_rows,
            "cross": league.cross_rows,
            "seats": league.seat_rows,
            "lineups": league.lineup_rows,
            "cycles": Table((), league.cycle_rows, CYCLE_COLUMNS),
        },
        pictures={
            "ratings": figures.rating_intervals(league.ratings, _anchor(league), f"Ratings, {about}"),
            "cross": figures.cross_table(league.cross, f"Who finishes above whom, {about}"),
        },
        run=task.record(league.games, league.interrupted),
    )


def _anchor(league: League) -> str:
    return "the mean of all" if league.task.anchor is None else league.labels[league.task.anchor]


def ranking_table(league: League) -> Table:
    """Return the ranking: a strategy a row, the best first; a question mark where the next may be as good."""
    shown = [
        *texts(rank="rank", strategy="strategy"),
        Measure("rating", "rating", digits=0, sign="+", ends="apart"),
        Column("rank_low", "ranks\npossible", show=_possible_ranks, right=False),
        Measure("win_share", "win\nshare", "%", digits=1, scale=100, ends="apart"),
        *means(1, 100, model_win_share="by the\nratings %"),
        *means(1, mean_score="mean\nscore"),
        *texts(games="games"),
        Measure("ahead", "ahead of\nthe next", digits=0, sign="+", ends="apart"),
        Column("superiority", "likely\nahead", show=_likely),
    ]
    return Table(shown, league.rating_rows)


def _possible_ranks(row: Row) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return f"{low}" if low == high else f"{low}–{high}"


def _likely(row: Row) -> str:
    if not row["next"]:
        return ""
    chance = "> 99.9 %" if row["superiority"] > 0.9995 else f"{100 * row['superiority']:.1f} %"
    return chance if row["p_holm"] <= ERROR else f"{chance} ?"


def cross_table(league: League) -> Table:
    """Return how often each strategy finished above each other one, in the order of the ranking."""
    ranks = {row["strategy"]: str(row["rank"]) for row in league.rating_rows}
    rows: dict[str, Row] = {name: {"name": f"{rank} {name}"} for name, rank in ranks.items()}
    for row in league.cross_rows:
        rows[row["strategy"]] |= columns(ranks[row["opponent"]], estimate_of(row, "share"))
    ends = "half" if len(ranks) <= MOST_CELLS else "none"
    return Table([*texts(name="% above"), *(_share(rank, rank, ends) for rank in ranks.values())], list(rows.values()))


def seat_table(league: League) -> Table:
    """Return the win share of each strategy by seat."""
    rows: dict[str, Row] = {row["strategy"]: {"name": row["strategy"]} for row in league.rating_rows}
    for row in league.seat_rows:
        rows[row["strategy"]] |= columns(str(row["seat"]), estimate_of(row, "win_share"))
    by_seat = (_share(str(seat), f"seat {seat}") for seat in range(1, league.task.players + 1))
    return Table([*texts(name="win share %"), *by_seat], list(rows.values()))


def _share(name: str, heading: str, ends: str = "half") -> Measure:
    return Measure(name, heading, digits=1, scale=100, ends=ends)


def _chance(p_value: float) -> str:
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.2g}"


def played(league: League) -> str:
    """Say what was played."""
    n_lineups = len({row["line_up"] for row in league.lineup_rows})
    kind = ", half of them where the ranking was least certain" if league.task.adaptive else ""
    return (
        f"{len(league.labels)} strategies, {league.task.players} players: "
        f"{plural(league.games, 'game')} ({plural(league.deals, 'deal')}, each in every rotation, "
        f"{plural(n_lineups, 'line-up')}){kind}, seed {league.task.seed}"
    )


def answer(league: League) -> str:
    """Say who leads, by how much, and whether that is certain."""
    order = [league.labels.index(row["strategy"]) for row in league.rating_rows]
    best, second = order[0], order[1]
    ahead = interval(*rating_difference(league.fitted, best, second), 0, sign="+")
    names = league.labels
    # that the first is first needs no correction for the other pairs: each rival by itself must be certainly below it
    rivals = [names[each] for each in order[1:] if league.pairs.p_value[best, each] > ERROR]
    among = f"of {len(order)} strategies at {league.task.players} players"
    gap = f"{ahead} {points_of(league.task.players)} against {names[second]} (95 % interval)"
    if not rivals:
        return f"{names[best]} is the best {among}, for certain: {gap}."
    return f"{names[best]} stands first {among}, but not for certain: {gap}; {some(rivals)} may be as good."


def some(names: list[str]) -> str:
    """Return names as a list in words, a long one cut short."""
    return listed(names if len(names) <= SHOWN else [*names[: SHOWN - 1], f"{len(names) - SHOWN + 1} others"])


def undecided(league: League) -> str:
    """Say which neighbours in the ranking are not surely in this order."""
    rows = [row for row in league.rating_rows[:-1] if not row["p_holm"] <= ERROR]
    if not rows:
        return "The order of all neighbours in the ranking is certain (95 %, all neighbours at once)."
    pairs = [f"{row['strategy']} above {row['next']} ({100 * row['superiority']:.0f} % likely)" for row in rows]
    return f"Not decided: {some(pairs)}."


def seats(league: League) -> str:
    """Say whether a seat is worth the same to all strategies."""
    test = league.interaction
    if math.isnan(test.p_value):
        if len(league.labels) == league.task.players == 2:
            return "With two strategies at two players every seat is worth the same to both: what one wins, one loses."
        return "Too few deals to tell whether a seat is worth the same to all strategies."
    found = f"(F({test.numerator}, {test.denominator}) = {test.statistic:.2f}, {_chance(test.p_value)})"
    if test.p_value <= ERROR:
        return f"A seat is not worth the same to all strategies {found}."
    return f"No sign that a seat is worth more to one strategy than to another {found}."


def cycles(league: League) -> list[str]:
    """Say which cycles of three there are, and whether they may be chance."""
    n_strategies = len(league.labels)
    n_triples = math.comb(n_strategies, 3)
    if n_triples == 0:
        return []
    rows = league.cycle_rows
    if not rows:
        return ["No cycle (A above B, B above C, C above A) among any three of them."]
    certain = sum(row["certain"] for row in rows)
    how = f"corrected for {plural(n_triples, 'triple')}"
    if len(rows) == 1:
        return [f"One cycle, {'certain' if certain else 'which may be chance'} ({how}): {_cycle(rows[0])}."]
    lines = [f"{len(rows)} cycles, {certain} of them certain, the others may be chance ({how}):"]
    lines += [f"  {_cycle(row)}" for row in rows[:SHOWN]]
    return lines if len(rows) <= SHOWN else [*lines, f"  and {len(rows) - SHOWN} less certain ones"]


def _cycle(row: Row) -> str:
    parts = []
    for one, other in (("first", "second"), ("second", "third"), ("third", "first")):
        parts.append(f"{row[one]} above {row[other]} in {100 * row[f'{one}_above_{other}']:.1f} %")
    return f"{', '.join(parts)} ({_chance(row['p_holm'])})"
