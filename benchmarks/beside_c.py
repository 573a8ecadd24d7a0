"""Games per second beside another program that plays the same baselines, in alternating rounds on one core.

    python benchmarks/beside_c.py build/salad_ref

The other program is called as ``PROGRAM PLAYERS POLICY GAMES SEED`` (policy 0 random, 1 greedy) and prints one JSON
line with ``games_per_s`` of processor time, as the plain C player of the two baselines does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from statistics import median
from time import process_time

from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare

ROUNDS = 9
GAMES = {("random", 2): 60_000, ("random", 4): 40_000, ("random", 6): 25_000}
GAMES |= {("greedy", 2): 8_000, ("greedy", 4): 4_000, ("greedy", 6): 2_500}
POLICIES = {"random": "0", "greedy": "1"}


def ours(player: ShardPlayer, n_games: int) -> float:
    """Return games per second of processor time."""
    start = process_time()
    player(Shard(0, n_games))
    return n_games / (process_time() - start)


def theirs(program: str, strategy: str, n_players: int, n_games: int) -> float:
    """Return what the other program says of itself."""
    words = [program, str(n_players), POLICIES[strategy], str(n_games), "1"]
    return float(json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["games_per_s"])


def main() -> None:
    """Print medians and the median ratio for each baseline and number of players."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} PROGRAM")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for (strategy, n_players), n_games in GAMES.items():
        plan = plan_run(n_games, n_players, strategy)
        player = ShardPlayer(plan, prepare(plan))
        ours(player, 10)
        pairs = [(ours(player, n_games), theirs(sys.argv[1], strategy, n_players, n_games)) for _ in range(ROUNDS)]
        mine, other = (median(each) for each in zip(*pairs, strict=True))
        ratio = median(a / b for a, b in pairs)
        print(f"{strategy}, {n_players} players: {mine:,.0f} games/s, the other {other:,.0f}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
