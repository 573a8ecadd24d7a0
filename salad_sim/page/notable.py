"""The games of a run that are worth looking at: the closest, the highest and the strangest of its first ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from salad_sim.errors import SaladError
from salad_sim.game.notation import plural
from salad_sim.jit.typing import Floats, Ints
from salad_sim.page.replay import Replay, replay_of
from salad_sim.page.saved import Saved
from salad_sim.play.trace import FOLLOWED
from salad_sim.run.outcomes import Outcomes, play_outcomes
from salad_sim.run.plan import Plan
from salad_sim.storage.folder import strategy_records
from salad_sim.storage.identity import plan_of_options
from salad_sim.strategy.variants import POINT_SALAD

GAMES = 1000
"""Of the first so many games of a run some are shown, by default."""

ODD = (
    "points for the winner",
    "points between the first and the second",
    "changes of the lead",
    "turns",
    "point cards",
)
"""What makes a game strange: how far it is from what is usual in these, in standard deviations, squared and added."""


@dataclass(frozen=True)
class Notable:
    """A game that is worth looking at.

    Attributes
    ----------
    name : str
        What it is the most of.
    why : str
    game : Replay
    """

    name: str
    why: str
    game: Replay


def notable_games(saved: Saved, most: int = GAMES) -> list[Notable]:
    """Return games of a saved run to look at; none where it cannot be played again as it was.

    Parameters
    ----------
    saved : Saved
    most : int
        They are among the first so many; 0 for none.
    """
    try:
        plan = plan_of_options(saved.options)
        if plan.game is not POINT_SALAD or not most or strategy_records([plan]) != saved.record.get("strategies"):
            return []
        n_games = min(most, int(saved.record.get("games_counted", 0)), plan.n_games)
        if n_games < plan.n_rotations:
            return []
        first, _ = plan.ranges[0]
        outcomes = play_outcomes(_first(plan, n_games), first, kept=FOLLOWED)
        return [] if outcomes is None else list(_chosen(plan, outcomes))
    except SaladError:
        return []  # files or strategies that made it are not here any more


def _first(plan: Plan, n_games: int) -> Plan:
    first, stop = plan.ranges[0]
    n_deals = min(n_games // plan.n_rotations, stop - first)
    return replace(plan, n_deals=n_deals, n_asked=n_deals * plan.n_rotations, deals=())


def _chosen(plan: Plan, found: Outcomes) -> Iterator[Notable]:
    """Yield the closest game, the highest and the strangest one; of equal ones the first."""
    among = f"of the first {found.n_games:,} games" if found.n_games > 1 else "of one game"
    totals = np.sort(found.scores.reshape(found.n_games, -1), axis=1)
    best, lead = totals[:, -1], totals[:, -1] - totals[:, -2]
    swings, turns, kept = (_by_game(found, name) for name in ("lead_changes", "turns", "kept"))
    odd = _oddness([best, lead, swings, turns, kept])
    close = int(np.lexsort((-swings, lead))[0])
    high = int(np.argmax(best))
    unusual = (odd**2).sum(axis=1)
    unusual[[close, high]] = -1  # another one than these
    strange = int(np.argmax(unusual))
    apart = f"{plural(int(lead[close]), 'point')} apart at the end, and the lead changed {int(swings[close])} times"
    for name, number, why in (
        ("closest", close, apart),
        ("highest", high, f"{plural(int(best[high]), 'point')} for the winner"),
        ("strangest", strange, _why_odd(odd[strange])),
    ):
        game = found.first_deal * plan.n_rotations + number
        yield Notable(name, f"{why}; {among}", replay_of(plan, game, None))


def _by_game(found: Outcomes, name: str) -> Ints:
    counted: Ints = found.course[name].reshape(found.n_games, -1).sum(axis=1)
    return counted


def _oddness(values: Sequence[Ints]) -> Floats:
    """Return by game and kind of number how many standard deviations it is from the mean of the games."""
    table = np.stack(values, axis=1).astype(float)
    spread = table.std(axis=0)
    found: Floats = (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return found


def _why_odd(odd: Floats) -> str:
    most = int(np.argmax(np.abs(odd)))
    return f"far {'more' if odd[most] > 0 else 'fewer'} {ODD[most]} than usual"
