"""How many games a game is worth if it is spent well: what rotation, common deals and luck adjustment save, measured.

Each is compared with plain sampling, every game an independent deal, at the same number of games.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Ints
from salad_sim.play.trace import FOLLOWED, WITH_LUCK
from salad_sim.run.outcomes import Outcomes
from salad_sim.run.plan import Plan
from salad_sim.stats.control_variates import adjust_for_luck
from salad_sim.stats.deal_sums import DealSums
from salad_sim.stats.efficiency import Factor, pairing_factor, variance_factor
from salad_sim.stats.intervals import Estimate, proportion
from salad_sim.studies.blocks import Session
from salad_sim.studies.seat_counts import at_seats

BLOCKS = 20
"""Blocks of deals: luck is fitted on other blocks than it adjusts, and factors have their intervals from them."""

LUCK_UNIT = 1_000
"""Luck is counted in thousandths of a point."""


@dataclass(frozen=True)
class Saving:
    """What a way to spend games is worth.

    Attributes
    ----------
    way : str
    players : int
    what : str
        What is estimated.
    games : int
        Games from which the factor is measured.
    factor : Factor
        Variance of plain sampling over that of this way, at the same number of games: how many games one is worth.
    differ : Estimate, optional
        In what share of pairs of games, on one deal under two conditions, play differed at all.
    plain, adjusted : Estimate, optional
        The estimate as played and luck taken away, where that is the way.
    """

    way: str
    players: int
    what: str
    games: int
    factor: Factor
    differ: Estimate | None = None
    plain: Estimate | None = None
    adjusted: Estimate | None = None


def _blocks(deals: Ints, games_per_deal: int = 1) -> list[DealSums]:
    """Cut deals into blocks of nearly equal size and sum up each; shape [n_deals, k]."""
    parts = np.array_split(deals, min(BLOCKS, len(deals)))
    return [DealSums.from_deals(part, games_per_deal) for part in parts]


def rotation_savings(session: Session, plan: Plan) -> Iterator[Saving]:
    """Measure what it is worth to play every deal in all rotations of a mixed line-up.

    The variance of single games is taken over all games of the same deals: each game alone is a plain one.
    """
    games = session.play(plan, 0, FOLLOWED)
    if games is None:
        return
    k = plan.n_players
    mine = np.array(plan.groups) == plan.groups[0]
    shares = {
        f"win share of {plan.labels[plan.groups[0]]} among {plan.labels[-1]}": games.wins[:, :, mine].sum(axis=2),
        "win share of the first seat": at_seats(games.wins)[:, :, 0],
    }
    for what, won in shares.items():
        parts = np.array_split(won, min(BLOCKS, games.n_deals))
        alone = [DealSums.from_deals(part.reshape(-1, 1)) for part in parts]
        rotated = [DealSums.from_deals(part.sum(axis=1, keepdims=True), k) for part in parts]
        yield Saving("all rotations of each deal", k, what, games.n_games, variance_factor(alone, rotated))


def common_savings(session: Session, a: Plan, b: Plan, change: str) -> Iterator[Saving]:
    """Measure what it is worth to play two conditions on the same deals, for the change of the first seat's share.

    Parameters
    ----------
    session : Session
    a, b : Plan
        Not rotated, equally many deals.
    change : str
        What changes.
    """
    first, second = session.play(a, 0, FOLLOWED), session.play(b, 0, FOLLOWED)
    if first is None or second is None or first.n_deals != second.n_deals:
        return
    n_deals = first.n_deals
    won = np.column_stack([each.wins[:, 0, 0] for each in (first, second)])
    n_differ = int(play_differs(first, second).sum())
    yield Saving(
        "same deals in both conditions",
        a.n_players,
        f"change of the first seat's win share, {change}",
        2 * n_deals,
        pairing_factor(_blocks(won)),
        proportion(n_differ, n_differ, n_deals, n_deals),
    )


def play_differs(a: Outcomes, b: Outcomes) -> npt.NDArray[np.bool_]:
    """Return of which deals two conditions played otherwise, as far as totals, kept cards, turns and leads tell.

    Returns
    -------
    ndarray of bool, shape [n_deals]
    """
    pairs: list[tuple[Any, Any]] = [(a.scores, b.scores)]
    pairs += [(a.course[name], b.course[name]) for name in ("kept", "best_card", "turns", "last_seat", "lead_changes")]
    differs = [(x != y).reshape(a.n_deals, -1).any(axis=1) for x, y in pairs]
    found: npt.NDArray[np.bool_] = np.any(differs, axis=0)
    return found


def luck_savings(session: Session, plan: Plan) -> Iterator[Saving]:
    """Measure what it is worth to adjust the win share of the first seat for luck; only controls that help are used."""
    games = session.play(plan, 0, WITH_LUCK)
    if games is None:
        return
    wins = games.wins.sum(axis=1)
    luck = np.rint(games.course["luck"].sum(axis=1) * LUCK_UNIT).astype(np.int64).reshape(games.n_deals, -1)
    adjusted = adjust_for_luck(_blocks(np.hstack([wins, luck]), plan.n_rotations), plan.n_players, WHOLE_WIN)
    yield Saving(
        "luck adjustment",
        plan.n_players,
        f"win share of the first seat, {plan.labels[0]}",
        games.n_games,
        adjusted.factors[0],
        plain=adjusted.plain[0],
        adjusted=adjusted.estimates[0],
    )


def as_many(plan: Plan, n_games: int) -> Plan:
    """Return a plan with about so many games, at most its own."""
    return replace(plan, n_deals=max(min(plan.n_deals, n_games // plan.n_rotations), 1))
