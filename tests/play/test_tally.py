"""Tallies: what a shard counts, against a plain loop over the same games; and tallies that add exactly."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.game.moves import NO_FLIP, flip_of
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.play.tally import TALLY, add_tally, new_tally
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from support.playing import SEED, Player, Table, stream

BY_GROUP_AND_SEAT = ("seat_games", "wins", "score", "score_squared", "kept", "flipped", "seat_turns")
SQUARES = ("deal_wins_squared_by_seat", "deal_score_squared_by_seat")
GROUP_SQUARES = ("deal_wins_squared_by_group", "deal_score_squared_by_group")

LINEUPS = [
    (("random", "greedy"), False, "later"),
    (("random", "greedy"), True, "shared"),
    (("greedy", "random", "random"), True, "later"),
    (("random", "greedy", "random", "greedy"), True, "shared"),
    (("greedy", "random", "random", "random", "random"), False, "earlier"),
    (("random", "random", "random", "random", "random", "greedy"), True, "later"),
]


@cache
def shard_player(lineup: tuple[str, ...], rotate: bool, tie_break: str) -> ShardPlayer:
    plan = plan_run(1000, len(lineup), list(lineup), seed=SEED, tie_break=tie_break, rotate=rotate)
    return ShardPlayer(plan, prepare(plan))


def played(player: ShardPlayer, first: int, last: int) -> np.record:
    """The tally of the deals first..last - 1."""
    tally = new_tally()
    add_tally(tally, player(Shard(first, last - first)))
    return tally


def as_lists(tally: np.record) -> dict[str, Any]:
    return {name: np.asarray(tally[name]).tolist() for name in TALLY.names or ()}


# ---------------------------------------------------------------------------------------- a plain loop


def play_one(plan: Plan, deal: int, rotation: int) -> list[dict[str, int]]:
    """Play one game turn by turn; return what each seat brought to the tally."""
    n_players = plan.n_players
    table = Table(n_players, plan.rules)
    table.deal(plan.seed, deal)
    seats = []
    for seat in range(n_players):
        player = Player(plan.lineup[(seat - rotation) % n_players].name)  # place p sits at seat p + rotation
        player.rng = stream(plan.seed, deal, seat + 1)
        seats.append(player)
    flipped, turns, n_turns = [0] * n_players, [0] * n_players, 0
    while table.n_left > 0:
        seat = n_turns % n_players
        move = seats[seat](table)
        flipped[seat] += flip_of(move) != NO_FLIP
        turns[seat] += 1
        n_turns += 1
        table.move(move)
    scores = table.scores()
    shares, n_top = table.shares(plan.rules.tie_break)
    return [
        {
            "group": plan.groups[(seat - rotation) % n_players],
            "wins": int(shares[seat] * WHOLE_WIN),
            "score": scores[seat],
            "kept": len(table.hand(seat)),
            "flipped": flipped[seat],
            "seat_turns": turns[seat],
            "tie": n_top > 1,
        }
        for seat in range(n_players)
    ]


def count(plan: Plan, deals: range) -> dict[str, Any]:
    """Tally some deals by a plain loop."""
    by_group = {name: np.zeros((MAX_PLAYERS, MAX_PLAYERS), dtype=int) for name in BY_GROUP_AND_SEAT}
    squares = {name: np.zeros(MAX_PLAYERS, dtype=int) for name in SQUARES + GROUP_SQUARES}
    games = turns = ties = 0
    for deal in deals:
        deal_sums = {name: np.zeros(MAX_PLAYERS, dtype=int) for name in SQUARES + GROUP_SQUARES}
        for rotation in range(plan.n_rotations):
            game = play_one(plan, deal, rotation)
            games += 1
            turns += sum(part["seat_turns"] for part in game)
            ties += game[0]["tie"]
            for seat, part in enumerate(game):
                group = part["group"]
                for name in ("wins", "score", "kept", "flipped", "seat_turns"):
                    by_group[name][group, seat] += part[name]
                by_group["seat_games"][group, seat] += 1
                by_group["score_squared"][group, seat] += part["score"] ** 2
                deal_sums["deal_wins_squared_by_seat"][seat] += part["wins"]
                deal_sums["deal_score_squared_by_seat"][seat] += part["score"]
                deal_sums["deal_wins_squared_by_group"][group] += part["wins"]
                deal_sums["deal_score_squared_by_group"][group] += part["score"]
        for name, sums in deal_sums.items():
            squares[name] += sums**2
    totals = {"games": games, "deals": len(deals), "turns": turns, "ties": ties}
    return totals | {name: array.tolist() for name, array in (by_group | squares).items()}


@pytest.mark.parametrize(("lineup", "rotate", "tie_break"), LINEUPS, ids=str)
def test_a_shard_counts_what_a_plain_loop_counts(lineup: tuple[str, ...], rotate: bool, tie_break: str) -> None:
    """Which strategy sits where in each rotation, the streams of the seats, and every sum, those of squares too."""
    player = shard_player(lineup, rotate, tie_break)
    expected = count(player.plan, range(5, 13))
    counted = as_lists(played(player, 5, 13))
    assert {name: counted[name] for name in expected} == expected
    rest = {name for name in counted if name not in expected}
    assert all(name.startswith("round_") for name in rest), "fields that the plain loop does not know"
    assert not any(np.any(counted[name]) for name in rest), "counted for matches of several rounds only"


def test_every_strategy_sits_in_every_seat_equally_often() -> None:
    tally = played(shard_player(("greedy", "random", "random"), True, "later"), 0, 10)
    assert tally.seat_games[:2, :3].tolist() == [[10] * 3, [20] * 3]
    assert (tally.deals, tally.games) == (10, 30)


def test_without_rotation_everybody_stays() -> None:
    tally = played(shard_player(("random", "greedy"), False, "later"), 0, 10)
    assert tally.seat_games[:2, :2].tolist() == [[10, 0], [0, 10]]


# ------------------------------------------------------------------------------------------- tallies add


@pytest.mark.parametrize(("lineup", "rotate", "tie_break"), LINEUPS, ids=str)
@pytest.mark.parametrize("cuts", [(37,), (1, 2, 99), tuple(range(1, 100))])
def test_how_deals_are_cut_into_shards_does_not_matter(
    lineup: tuple[str, ...], rotate: bool, tie_break: str, cuts: tuple[int, ...]
) -> None:
    player = shard_player(lineup, rotate, tie_break)
    total = new_tally()
    for first, last in zip((0, *cuts), (*cuts, 100), strict=True):
        add_tally(total, player(Shard(first, last - first)))
    assert total.tobytes() == played(player, 0, 100).tobytes()


def test_parts_add_in_any_order_and_grouping() -> None:
    player = shard_player(("random", "greedy", "random", "greedy"), True, "shared")
    parts = [played(player, first, first + 7) for first in range(0, 28, 7)]
    sums = set()
    for order in ([0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]):
        in_line, left, right = new_tally(), new_tally(), new_tally()
        for index in order:
            add_tally(in_line, parts[index])
        add_tally(left, parts[order[0]])
        add_tally(left, parts[order[1]])
        add_tally(right, parts[order[2]])
        add_tally(right, parts[order[3]])
        add_tally(left, right)
        sums |= {in_line.tobytes(), left.tobytes()}
    assert sums == {played(player, 0, 28).tobytes()}


def test_addition_is_exact_beyond_what_floats_can_hold() -> None:
    """Sums of 1e15 games of squares go past 2**53."""
    parts = []
    for value in (2**53, 1, 2**60 + 1):
        part = new_tally()
        for name in TALLY.names or ():
            part[name] = value
        parts.append(part)
    for order in product(range(3), repeat=3):
        total = new_tally()
        for index in order:
            add_tally(total, parts[index])
        expected = sum((2**53, 1, 2**60 + 1)[index] for index in order)
        for name in TALLY.names or ():
            assert (np.asarray(total[name]) == expected).all(), name


def test_all_that_is_counted_is_a_whole_number() -> None:
    for name in TALLY.names or ():
        assert TALLY[name].base == np.int64, name


def test_a_shard_starts_from_nothing() -> None:
    player = shard_player(("random", "greedy"), True, "shared")
    first = played(player, 0, 20).tobytes()
    played(player, 20, 40)
    assert played(player, 0, 20).tobytes() == first
