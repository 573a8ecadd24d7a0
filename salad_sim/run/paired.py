"""The same deals played under two plans: sums of the differences, deal by deal.

Both plans are dealt the same cards, seats have the same random streams, and a difference is taken within a deal. What
the two have in common cancels, so a small effect shows after far fewer games than two separate runs would need.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.jit.typing import Ints
from salad_sim.play.shard import MOST_ROWS, NOT_KEPT
from salad_sim.run.driver import Job, Session
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.run.runner import Kernels, ShardPlayer


@dataclass(frozen=True)
class PairSums:
    """What two plans did on the same deals, as integers.

    Attributes
    ----------
    n_deals, n_differ : int
        Deals played, and those in which a score, the length or a kept card differs between the two.
    by_seat : dict of str to ndarray of int64, shape [n_players]
        ``wins_a``, ``wins_b`` in sixtieths, ``scores_a``, ``scores_b``; their squares ``wins_a_squared``, ...; and the
        squares of the differences ``wins_squared``, ``scores_squared``.
    of_game : dict of str to int
        The same for ``turns`` and ``ties``.
    cards : ndarray of int64, shape [n_cards, 4]
        Sums over deals of kept under A, points under A, kept under B, points under B.
    card_products : ndarray of int64, shape [n_cards, 4, 4]
        Sums over deals of the products of these.
    interrupted : bool
    """

    n_deals: int
    n_differ: int
    by_seat: dict[str, Ints]
    of_game: dict[str, int]
    cards: Ints
    card_products: Ints
    interrupted: bool


def check_pair(a: Plan, b: Plan) -> None:
    """Refuse two plans that are not dealt the same cards.

    Raises
    ------
    InputError
        With what differs.
    """
    for what in ("n_players", "seed", "n_deals"):
        if getattr(a, what) != getattr(b, what):
            raise InputError(f"two rulings are compared on the same deals: {what} must be equal")
    for name in ("of_each", "deck", "rounds"):
        if getattr(a.rules, name) != getattr(b.rules, name):
            raise InputError(
                f"two rulings are compared on the same deals, so rule {name} must be the same in both, "
                f"not {getattr(a.rules, name)} and {getattr(b.rules, name)}"
            )
    if a.cards != b.cards:
        raise InputError("two rulings are compared on the same deals: both need the same card set")
    if a.rotate or b.rotate:
        raise InputError("rulings are compared without rotation: the pair of games of one deal is the unit already")


class PairPlayer:
    """One worker: a workspace for each of two plans."""

    def __init__(self, plans: tuple[Plan, Plan], *kernels: Kernels) -> None:
        self.players = [ShardPlayer(plan, each) for plan, each in zip(plans, kernels, strict=True)]
        self.n_players = plans[0].n_players
        self.n_cards = len(plans[0].cards)
        for player in self.players:
            player.work.keep_rows = 1

    def __call__(self, shard: Shard) -> dict[str, Any]:
        """Play a shard under both plans and return the sums."""
        first, second = self._rows(0, shard), self._rows(1, shard)
        sums: dict[str, Any] = {"n_deals": shard.n_deals}
        worth = [np.where(rows["worth"] == NOT_KEPT, 0, rows["worth"]) for rows in (first, second)]
        kept = [(rows["worth"] != NOT_KEPT).astype(np.int64) for rows in (first, second)]
        differs = (kept[0] != kept[1]).any(axis=1) | (worth[0] != worth[1]).any(axis=1)
        differs |= (first["scores"] != second["scores"]).any(axis=1) | (first["turns"] != second["turns"])
        sums["n_differ"] = int(differs.sum())
        for name in ("wins", "scores", "turns", "tied"):
            sums |= _sums_of(name, first[name].astype(np.int64), second[name].astype(np.int64))
        values = np.stack([kept[0], worth[0], kept[1], worth[1]], axis=2).astype(np.int64)
        sums["cards"] = values.sum(axis=0)
        sums["card_products"] = np.einsum("dci,dcj->cij", values, values)
        return sums

    def _rows(self, which: int, shard: Shard) -> Any:
        self.players[which](shard)
        rows = self.players[which].work["rows"][: shard.n_deals]
        return {
            "wins": rows["wins"][:, : self.n_players],
            "scores": rows["scores"][:, : self.n_players],
            "turns": rows["turns"],
            "tied": rows["tied"],
            "worth": rows["worth"][:, : self.n_cards].astype(np.int64),
        }


def _sums_of(name: str, a: Ints, b: Ints) -> dict[str, Any]:
    return {
        f"{name}_a": a.sum(axis=0),
        f"{name}_b": b.sum(axis=0),
        f"{name}_a_squared": (a * a).sum(axis=0),
        f"{name}_b_squared": (b * b).sum(axis=0),
        f"{name}_squared": ((b - a) ** 2).sum(axis=0),
    }


def play_pair(a: Plan, b: Plan, session: Session | None = None) -> PairSums | None:
    """Play the same deals under two plans and sum the differences.

    The result does not depend on the number of workers: integers add exactly.

    Returns
    -------
    PairSums or None
        None if Ctrl-C came before any deal was counted.

    Raises
    ------
    InputError
        If the plans are not dealt the same cards.
    InputError, IllegalMoveError, StrategyError, KeyboardInterrupt
        As `Session.drive`.
    """
    check_pair(a, b)
    session = session or Session()
    session.expect(2 * a.n_deals)
    total: dict[str, Any] = {}

    def collect(_: Shard, part: dict[str, Any]) -> None:
        for name, value in part.items():
            total[name] = total.get(name, 0) + value

    session.drive(Job((a, b), partial(PairPlayer, (a, b)), [(0, a.n_deals)], most=MOST_ROWS), collect)
    if not total:
        return None
    return PairSums(
        n_deals=total["n_deals"],
        n_differ=total["n_differ"],
        by_seat={name: value for name, value in total.items() if name.startswith(("wins", "scores"))},
        of_game={name: int(value) for name, value in total.items() if name.startswith(("turns", "tied"))},
        cards=total["cards"],
        card_products=total["card_products"],
        interrupted=session.interrupted,
    )
