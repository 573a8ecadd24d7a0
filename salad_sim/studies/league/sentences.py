"""What a league says, in sentences: the answer, and what is not certain about it."""

from __future__ import annotations

import math

from salad_sim.game.notation import listed, plural
from salad_sim.jit.typing import Row
from salad_sim.stats.intervals import LEVEL, Estimate
from salad_sim.studies.league.result import League
from salad_sim.studies.league.tables import rating_difference

ERROR = 1 - LEVEL
SHOWN = 6
"""Of a list of names or findings, so many are spelled out."""


def points(value: float, low: float, high: float) -> str:
    """Return a difference in Elo points with its interval."""
    return f"{value:+.0f} [{low:+.0f}, {high:+.0f}]"


def percent(share: Estimate) -> str:
    """Return a share with its interval."""
    return f"{100 * share.value:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def chance(p_value: float) -> str:
    """Return a p-value."""
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
    ahead = points(*rating_difference(league.fitted, best, second))
    names = league.labels
    rivals = [names[each] for each in order[1:] if league.pairs.p_holm[best, each] > ERROR]
    among = f"of {len(order)} strategies at {league.task.players} players"
    gap = f"{ahead} Elo points against {names[second]} (95 % interval)"
    if not rivals:
        return f"{names[best]} is the best {among}: {gap}; that it ranks first is certain (95 %, all pairs at once)."
    return (
        f"{names[best]} stands first {among}, but not for certain: {gap}; "
        f"{some(rivals)} may be as good (95 %, all pairs at once)."
    )


def some(names: list[str]) -> str:
    """Return names as a list in words, a long one cut short."""
    return listed(names if len(names) <= SHOWN else [*names[: SHOWN - 1], f"{len(names) - SHOWN + 1} others"])


def undecided(league: League) -> str:
    """Say which neighbours in the ranking are not surely in this order."""
    rows = [row for row in league.rating_rows[:-1] if not row["p_holm"] <= ERROR]
    if not rows:
        return "The order of all neighbours in the ranking is certain (95 %, all pairs at once)."
    pairs = [f"{row['strategy']} above {row['next']} ({100 * row['superiority']:.0f} % likely)" for row in rows]
    return f"Not decided: {some(pairs)}."


def seats(league: League) -> str:
    """Say whether a seat is worth the same to all strategies."""
    test = league.interaction
    if math.isnan(test.p_value):
        if len(league.labels) == league.task.players == 2:
            return "With two strategies at two players every seat is worth the same to both: what one wins, one loses."
        return "Too few deals to tell whether a seat is worth the same to all strategies."
    found = f"(F({test.numerator}, {test.denominator}) = {test.statistic:.2f}, {chance(test.p_value)})"
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
    return f"{', '.join(parts)} ({chance(row['p_holm'])})"
