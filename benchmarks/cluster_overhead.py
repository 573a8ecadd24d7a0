"""What a shard costs on a cluster beyond its games, and how long large runs take by that.

    python benchmarks/cluster_overhead.py            two local processes
    python benchmarks/cluster_overhead.py tcp://host:8786

Prints games per second of one thread, the cost of a task that plays a single deal, and a table of expected times. Run
it on a quiet machine.
"""

from __future__ import annotations

import argparse
from functools import partial
from statistics import median
from time import perf_counter

from distributed import Client

from salad_sim.cli._progress import duration
from salad_sim.cluster.connection import connected
from salad_sim.cluster.dispatch import SHARD_SECONDS
from salad_sim.cluster.messages import pack_job
from salad_sim.cluster.worker import play_range
from salad_sim.run.driver import Job
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import PATIENCE, ShardPlayer
from salad_sim.tools.benchmark import measure

STRATEGIES = ("random", "greedy", "planner")
CORES = (1, 16, 128, 512)
GAMES = (10**9, 10**12)
SINGLE, AT_ONCE = 50, 400
"""Tasks that are timed one by one, and together."""


def submit(client: Client, parcel: bytes | None, deal: int):  # type: ignore[no-untyped-def]
    return client.submit(play_range, parcel, deal, deal + 1, PATIENCE, pure=False)


def single_task(client: Client, parcel: bytes | None) -> float:
    """Seconds from handing out one task to having its answer: the median."""
    taken = []
    for deal in range(SINGLE):
        start = perf_counter()
        submit(client, parcel, deal).result()
        taken.append(perf_counter() - start)
    return median(taken)


def task_among_many(client: Client, parcel: bytes | None) -> float:
    """Seconds for each task when many are handed out at once and fetched one after the other."""
    start = perf_counter()
    for future in [submit(client, parcel, deal) for deal in range(AT_ONCE)]:
        future.result()
    return (perf_counter() - start) / AT_ONCE


def main() -> None:
    parser = argparse.ArgumentParser(description="Costs of a shard on a cluster.")
    parser.add_argument("cluster", nargs="?", default="local:2")
    cluster = parser.parse_args().cluster
    plans = {name: plan_run(10**6, 2, name) for name in STRATEGIES}
    speed = {name: measure(plan, [1], 2.0, 3)[0].games_per_second for name, plan in plans.items()}
    for name, games in speed.items():
        print(f"{name}: {games:,.0f} games per second on one thread, two players")
    start = perf_counter()
    with connected(cluster) as client:
        print(f"{cluster} is there after {perf_counter() - start:.1f} s")
        parcel = pack_job(Job((plans["random"],), partial(ShardPlayer, plans["random"]), []))
        for future in [submit(client, parcel, 0) for _ in range(4 * len(client.nthreads()))]:
            future.result()  # loads the code
        one, among = single_task(client, parcel), task_among_many(client, parcel)
    print(f"a task of one deal: {1000 * one:.1f} ms alone, {1000 * among:.2f} ms each of {AT_ONCE} at once")
    print(f"that is {one / SHARD_SECONDS:.2%} of a shard of {SHARD_SECONDS:g} s at most; one run can keep "
          f"{SHARD_SECONDS / among:,.0f} threads busy")  # fmt: skip
    print("\n| games | cores | " + " | ".join(STRATEGIES) + " |\n|---|---|" + "---|" * len(STRATEGIES))
    for games in GAMES:
        for cores in CORES:
            times = [duration(games / speed[name] / cores * (1 + one / SHARD_SECONDS)) for name in STRATEGIES]
            print(f"| {games:.0e} | {cores:,} | ".replace("e+0", "e").replace("e+", "e") + " | ".join(times) + " |")


if __name__ == "__main__":
    main()
