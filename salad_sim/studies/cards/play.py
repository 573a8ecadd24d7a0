"""Plays the parts of a card study on all cores: games with counters, and games with trials."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.errors import InputError
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.game.state import N_VEGETABLES
from salad_sim.jit.typing import Ints
from salad_sim.play.card_counters import GAME, NO_CARD, counted_dtype, counted_player, play_counted
from salad_sim.play.card_interventions import play_trials, trial_player
from salad_sim.play.card_sums import (
    CARD,
    LEAST_BIN,
    MOST_CARDS,
    CardSums,
    TrialSums,
    n_pairs,
)
from salad_sim.play.card_trials import trial_dtype
from salad_sim.play.moments import room_for_memory
from salad_sim.run.driver import Job, Session
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.run.runner import Kernels, ShardKernel, ShardPlayer
from salad_sim.strategy.variants import POINT_SALAD

COUNTING = ShardKernel(play_counted, counted_player)
TRYING = ShardKernel(play_trials, trial_player)

N_BLOCKS = 64
"""Blocks of deals that are counted apart: the clusters of regressions and the parts of jackknives."""

MOST_SHARD = 20_000
"""Deals of a shard with counters, at most: a block may be several shards."""


@dataclass(frozen=True)
class Effects:
    """What cards and seats are worth, in units of 1 / `card_sums.WORTH_UNITS` points.

    Attributes
    ----------
    cards : ndarray of int64, shape [n_cards]
    seats : ndarray of int64, shape [n_players]
    units : int
    pairs : ndarray of int64, shape [n_pairs], optional
        What two cards of a hand are worth beyond the sum. It is not taken off deviations.
    """

    cards: Ints
    seats: Ints
    units: int
    pairs: Ints | None = None


def check_cards(plan: Plan) -> None:
    """Refuse a plan whose cards cannot be studied one by one.

    Raises
    ------
    InputError
        If the card set is too large, or the game is another one or a match of several rounds.
    """
    if plan.game is not POINT_SALAD:
        raise InputError(f"the worth of cards is studied in the game point-salad only, not in {plan.game.name}")
    if plan.rules.rounds > 1:
        raise InputError(f"the worth of cards is studied in games of one round, not of {plan.rules.rounds}")
    if len(plan.cards) > MOST_CARDS:
        raise InputError(
            f"{plan.cards.source}: the worth of cards is studied for sets of up to {MOST_CARDS} cards, "
            f"not {len(plan.cards)}"
        )


class _Player(ShardPlayer):
    """One worker whose workspace holds sums beside the tally."""

    sums: tuple[str, ...]

    def __init__(self, plan: Plan, kernels: tuple[Any, list[Any]], dtype: np.dtype[np.record]) -> None:
        super().__init__(plan, kernels, dtype)
        self.work.n_rotations = 1
        self.work.turning = len(plan.labels) > 1

    def play_clear(self, shard: Shard) -> Any:
        """Play a shard with the sums cleared and return the workspace."""
        for name in self.sums:
            self.work[name] = np.zeros((), dtype=self.work.dtype[name].base)
        super().__call__(shard)
        return self.work


class CountingPlayer(_Player):
    """One worker that counts by card; called with a shard, it returns sums by the names of `CardSums`."""

    numbers = ("n_games", "dev_squared", "wins_squared", "dev_extra", "extra_squared")
    sums = (*numbers, "seat_dev", "seat_wins", "cards", "pairs")

    def __init__(self, plan: Plan, effects: Effects | None, wanted: int, kernels: Kernels) -> None:
        super().__init__(plan, kernels, counted_dtype(plan.capacity))
        self.work.wanted = wanted
        self.work.units = 1
        if effects is not None:
            self.work.units = effects.units
            self.work.effect[: len(effects.cards)] = effects.cards
            self.work.seat_effect[: len(effects.seats)] = effects.seats
            if effects.pairs is not None:
                self.work.pair_effect[: len(effects.pairs)] = effects.pairs

    def __call__(self, shard: Shard) -> Any:
        """Play a shard."""
        work = self.play_clear(shard)
        n_cards, n_players = len(self.plan.cards), self.plan.n_players
        numbers = {name: np.int64(work[name]) for name in self.numbers}
        return numbers | {
            "cards": card_sums(work["cards"][:n_cards], self.plan.rules.tie_break == "shared"),
            "pairs": np.array(work["pairs"][: n_pairs(n_cards)]),
            "seat_dev": np.array(work["seat_dev"][:n_players]),
            "seat_wins": np.array(work["seat_wins"][:n_players]),
        }


class WantedPlayer(CountingPlayer):
    """One worker that counts cards in games of their own; called with a shard, it returns the sums of its card."""

    def __init__(self, plan: Plan, deals: dict[int, tuple[int, int]], kernels: Kernels) -> None:
        super().__init__(plan, None, NO_CARD, kernels)
        self.cards, self.starts = list(deals), [first for first, _ in deals.values()]

    def __call__(self, shard: Shard) -> Any:
        """Play a shard."""
        card = self.cards[bisect(self.starts, shard.first_deal) - 1]
        self.work.wanted = card
        counts = self.play_clear(shard)["cards"]
        return {card: card_sums(counts[card : card + 1], self.plan.rules.tie_break == "shared")}


class TryingPlayer(_Player):
    """One worker that gives cards, or has them taken and left; called with a shard, it returns sums of `TrialSums`."""

    sums = ("n_games", "trials", "cross")

    def __init__(self, plan: Plan, takes: bool, kernels: Kernels) -> None:
        super().__init__(plan, kernels, trial_dtype(plan.capacity))
        self.kept = room_for_memory(self.work)
        self.work.takes = takes
        self.work.takes_out = not takes and takes_out(plan)
        # one more of a vegetable can be owned
        self.work.table.public.cards.n_counts += 1

    def __call__(self, shard: Shard) -> Any:
        """Play a shard."""
        work = self.play_clear(shard)
        n = len(self.plan.cards) + N_VEGETABLES
        sums = {"trials": np.array(work["trials"][:, :n]), "cross": np.array(work["cross"][:, :n, :n])}
        return sums | {"n_deals": shard.n_deals, "n_games": int(work.n_games)}


def takes_out(plan: Plan) -> bool:
    """Return whether gifts need a card taken out of each deck: there is a vegetable all of whose cards are dealt."""
    pool = plan.rules.card_ids()
    ids = range(len(plan.cards)) if pool is None else pool
    there = np.bincount([plan.cards[card].back for card in ids], minlength=len(plan.drawn))
    return bool((there <= np.array(plan.drawn)).any())


def card_sums(counts: Any, shared: bool) -> npt.NDArray[np.void]:
    """Return what a kernel counted of cards (`card_counters.count_dtype`) as the sums that estimates are made from."""
    found = np.zeros(len(counts), dtype=CARD)
    looks = counts["looks"].astype(np.int64)
    number = np.arange(looks.shape[1])
    found["dealt"] = looks.sum(axis=1)
    found["seen"] = found["dealt"] - looks[:, 0]
    found["looks"], found["looks_squared"] = looks @ number, looks @ number**2
    for name, of in (("last_seen", "last_seen"), ("taken_at", "taken_at")):
        by_turn = counts[of].astype(np.int64)
        turn = np.arange(by_turn.shape[1])
        found[name], found[f"{name}_squared"] = by_turn @ turn, by_turn @ turn**2
    found["taken"] = counts["taken_at"].sum(axis=1)
    found["kept"] = counts["kept_at"].sum(axis=1)
    found["flipped"] = found["taken"] - found["kept"]
    found["market"] = found["dealt"] - found["taken"]
    found["zero"] = counts["points_at"][:, -LEAST_BIN]
    found["negative"] = counts["points_at"][:, :-LEAST_BIN].sum(axis=1)
    games, wins = counts["left"] // GAME, counts["left"] % GAME
    n_left = np.arange(games.shape[1])
    found["left"], found["left_squared"] = games @ n_left, games @ n_left**2
    found["wins_left"], found["left_wins"] = wins.sum(axis=1), wins @ n_left
    # a game that is not shared is won by one seat: all of it, or nothing, is won by those that left the card
    found["wins_left_squared"] = counts["left_wins_squared"] if shared else WHOLE_WIN * found["wins_left"]
    as_they_are = ("taken_looks", "wins_taken", "wins_taken_squared", "points", "points_squared", "wins_kept")
    for name in (*as_they_are, "wins_kept_squared", "dev", "dev_squared", "dev_wins", "kept_at", "points_at"):
        found[name] = counts[name]
    return found


def _add(total: dict[Any, Any], part: dict[Any, Any]) -> dict[Any, Any]:
    """Add sums by name or card, of records each field, and return them."""
    for name, value in part.items():
        if name not in total:
            total[name] = value
        elif isinstance(value, np.ndarray) and value.dtype.names:
            for field in value.dtype.names:
                total[name][field] += value[field]
        else:
            total[name] = total[name] + value
    return total


def _collect(total: dict[Any, Any], shard: Shard, part: dict[Any, Any]) -> None:
    _add(total, part)


def block_of(n_deals: int) -> tuple[int, int]:
    """Return how many deals a shard has, and how many a block: a whole number of shards."""
    block = -(-n_deals // N_BLOCKS)
    n_shards = -(-block // MOST_SHARD)
    shard = -(-block // n_shards)
    return shard, n_shards * shard


def count_by_card(
    plan: Plan,
    first_deal: int = 0,
    session: Session | None = None,
    effects: Effects | None = None,
    wanted: int = NO_CARD,
) -> CardSums | None:
    """Play the deals of a plan, one game each, and count them by card; a mixed line-up sits one seat further in each.

    Parameters
    ----------
    plan : Plan
        Says how many deals, who plays and by which rules.
    first_deal : int
        Number of the first deal.
    session : Session, optional
    effects : Effects, optional
        What cards and seats are worth: deviations are then what is left of them, in these units.
    wanted : int
        A card that every deck shall have, or `card_counters.NO_CARD`; the sums are then given that it is in the deck.

    Returns
    -------
    CardSums or None
        After Ctrl-C of the shards that were done; None if there are none.

    Raises
    ------
    InputError
        If the card set is too large or a strategy does not compile.
    IllegalMoveError, StrategyError, KeyboardInterrupt
        As `Session.drive`.
    """
    check_cards(plan)
    shard_deals, block_deals = block_of(plan.n_deals)
    blocks: dict[int, dict[str, Any]] = {}

    def collect(shard: Shard, part: dict[str, Any]) -> None:
        _add(blocks.setdefault((shard.first_deal - first_deal) // block_deals, {}), part)

    worker, ranges = partial(CountingPlayer, plan, effects, wanted), [(first_deal, first_deal + plan.n_deals)]
    job = Job((plan,), worker, ranges, COUNTING, fixed=shard_deals, n_games=lambda part: int(part["n_games"]))
    (session or Session()).drive(job, collect)
    if not blocks:
        return None
    parts = [blocks[number] for number in sorted(blocks)]
    return CardSums(plan.n_players, **{name: np.stack([part[name] for part in parts]) for name in parts[0]})


def count_wanted(plan: Plan, deals: dict[int, tuple[int, int]], session: Session | None = None) -> dict[int, Any]:
    """Play games for some cards, each in the deck of its own games for certain, and count only that card in them.

    All are played in one go: there are many such cards in a small study, with few games each.

    Parameters
    ----------
    plan : Plan
        Says who plays and by which rules.
    deals : dict of int to (int, int)
        By card its deals, from the first on and before the second; rising, and each deal of one card only.
    session : Session, optional

    Returns
    -------
    dict of int to a record of dtype CARD
        Each game is one in which the card was ``dealt``. Cards without a game are left out.

    Raises
    ------
    InputError, IllegalMoveError, StrategyError, KeyboardInterrupt
        As `count_by_card`.
    """
    check_cards(plan)
    found: dict[int, Any] = {}
    job = Job(
        (plan,),
        partial(WantedPlayer, plan, deals),
        list(deals.values()),
        COUNTING,
        most=MOST_SHARD,
        n_games=lambda part: sum(int(sums["dealt"][0]) for sums in part.values()),
        merge=_add,
    )
    (session or Session()).drive(job, partial(_collect, found))
    return {card: found[card][0] for card in sorted(found)}


def try_cards(plan: Plan, takes: bool, first_deal: int = 0, session: Session | None = None) -> TrialSums | None:
    """Play the deals of a plan as they are and with trials: gifts of the cards that are not in them, or takes.

    Parameters, returns and errors are those of `count_by_card`; progress counts the games that were played. The result
    does not depend on the workers.
    """
    check_cards(plan)
    total: dict[str, Any] = {}
    ranges = [(first_deal, first_deal + plan.n_deals)]
    worker = partial(TryingPlayer, plan, takes)
    job = Job((plan,), worker, ranges, TRYING, n_games=lambda part: part["n_games"], merge=_add)
    (session or Session()).drive(job, partial(_collect, total))
    return TrialSums(plan.n_players, **total) if total else None
