"""How long kernels take, as a multiple of a fixed loop timed in the same rounds: a number that machines agree on.

    python benchmarks/measure.py            prints the ratios beside those of baseline.json
    python benchmarks/measure.py --write    makes them the baseline
    python benchmarks/measure.py --only "random, 2 players"    prints this one, as JSON

Run it on a quiet machine. The guard (test_speed.py) compares with the baseline.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import perf_counter

import numba
import numpy as np

from salad_sim.game.scoring import values_of_all
from salad_sim.play.card_counters import NO_CARD
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.strategy.registry import kernel
from salad_sim.studies.cards.play import COUNTING, CountingPlayer

BASELINE = Path(__file__).parent / "baseline.json"
PLAYED = [(strategy, n_players) for strategy in ("random", "greedy", "planner") for n_players in (2, 4)]
SCORING = "scoring, 4 players"
KERNELS = [f"{strategy}, {n_players} players" for strategy, n_players in PLAYED] + [SCORING]

ROUNDS = 60
ROUND_SECONDS = 0.003
LONGER = 30

Repeat = Callable[[int], object]
"""Does the work n times over."""


@numba.njit(nogil=True)  # not the decorator of the house: the yardstick stays as it is when options change
def yardstick(n_times, deck, hands):  # type: ignore[no-untyped-def]
    """Shuffle a deck of 108, deal it to six hands of six kinds and count majorities: the same kind of work, frozen."""
    state = np.uint64(88172645463325252)
    total = 0
    for _ in range(n_times):
        for last in range(len(deck) - 1, 0, -1):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            pick = np.int64((state >> np.uint64(32)) * np.uint64(last + 1) >> np.uint64(32))
            deck[last], deck[pick] = deck[pick], deck[last]
        hands[:] = 0
        for place in range(len(deck)):
            hands[place % 6, deck[place] % 6] += 1
            for kind in range(6):
                most = hands[0, kind]
                for seat in range(1, 6):
                    most = max(most, hands[seat, kind])
                total += most if most > 3 and most & 1 else 1
    return total


@kernel
def score_all(n_times, view, values):  # type: ignore[no-untyped-def]
    """Score every card, n times."""
    for _ in range(n_times):
        values_of_all(view, 0, values)


@cache
def works() -> dict[str, Repeat]:
    """Return what is measured by name, compiled; the yardstick has an empty name."""
    deck, hands = np.arange(108, dtype=np.int16), np.zeros((6, 6), dtype=np.int16)
    found: dict[str, Repeat] = {"": lambda n_times: yardstick(n_times, deck, hands)}
    for (strategy, n_players), name in zip(PLAYED, KERNELS, strict=False):
        plan = plan_run(1, n_players, strategy)
        found[name] = _player(ShardPlayer(plan, prepare(plan)))
    plan = plan_run(1, 4, "greedy")
    player = ShardPlayer(plan, prepare(plan))
    player(Shard(0, 1))  # leaves the end of a game on the table
    view, values = player.work.table.public, np.zeros(108, dtype=np.int64)
    found[SCORING] = lambda n_times: score_all(n_times, view, values)
    for work in found.values():
        work(1)
    return found


def _player(player: ShardPlayer) -> Repeat:
    return lambda n_times: player(Shard(0, n_times))


def counting_cost(strategy: str, n_players: int, rounds: int = ROUNDS // 4) -> float:
    """Return the time of games that are counted by card, as a multiple of that of the same games in a plain run."""
    plan = plan_run(1, n_players, strategy)
    kernels = prepare(plan)
    plain = _player(ShardPlayer(plan, kernels))
    counted = _player(CountingPlayer(plan, None, NO_CARD, prepare(plan, COUNTING)))
    n_times = LONGER * _times_for(plain)  # a shard of a run is longer still
    taken = [min(_seconds(work, n_times) for _ in range(rounds)) for work in (plain, counted, plain, counted)]
    return min(taken[1], taken[3]) / min(taken[0], taken[2])


def _seconds(work: Repeat, n_times: int) -> float:
    start = perf_counter()
    work(n_times)
    return perf_counter() - start


def measure(names: list[str], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the time of kernels for one game (scoring: 108 cards) as a multiple of one turn of the yardstick.

    The rounds are short and the yardstick is timed between any two kernels, so a machine that gets slower meanwhile
    treats all alike. What else runs can only add time: the shortest of all rounds counts (measured on a busy machine:
    the ratio of minima varied by 10 %, the median of ratios by 30 %).
    """
    chosen = {name: work for name, work in works().items() if name in names}
    yard = works()[""]
    n_times = {name: _times_for(work) for name, work in chosen.items()}
    n_yards = _times_for(yard)
    taken = dict.fromkeys(names, float("inf"))
    yard_taken = float("inf")
    for _ in range(rounds):
        for name in names:
            yard_taken = min(yard_taken, _seconds(yard, n_yards) / n_yards)
            taken[name] = min(taken[name], _seconds(chosen[name], n_times[name]) / n_times[name])
    return {name: round(seconds / yard_taken, 4) for name, seconds in taken.items()}


def _times_for(work: Repeat) -> int:
    """Return how often to do the work in one round."""
    n_times = 1
    while (seconds := min(_seconds(work, n_times) for _ in range(3))) < ROUND_SECONDS / 2:
        n_times *= 2
    return max(1, round(n_times * ROUND_SECONDS / seconds))


def read_baseline() -> dict[str, float]:
    """Return the committed ratios by name."""
    return dict(json.loads(BASELINE.read_text(encoding="utf-8"))["ratios"])


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make the ratios the baseline")
    parser.add_argument("--only", choices=KERNELS, help="measure this one and print it as JSON")
    given = parser.parse_args()
    if given.only:
        print(json.dumps(measure([given.only])))
        return
    known = read_baseline() if BASELINE.exists() else {}
    ratios = measure(KERNELS, ROUNDS * 3)
    for name, ratio in ratios.items():
        print(f"{name:20} {ratio:9.4f}   baseline {known.get(name, float('nan')):9.4f}")
    for strategy, n_players in PLAYED:
        cost = counting_cost(strategy, n_players)
        print(f"counting by card, {strategy}, {n_players} players: {cost:.3f} of a plain run")
    if given.write:
        content = {"made by": "python benchmarks/measure.py --write", "ratios": ratios}
        BASELINE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
