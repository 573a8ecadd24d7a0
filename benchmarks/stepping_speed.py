"""Steps a second of many tables at once, observations and masks written, beside the single environment.

python benchmarks/stepping_speed.py [SECONDS]
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter

import numpy as np

from salad_sim.env import raw_env
from salad_sim.vector import VectorGames


def vector_rate(n: int, seconds: float) -> float:
    """Return steps a second of the kernel call alone; random legal actions are drawn between the calls."""
    tables = VectorGames(n)
    _, masks = tables.reset()
    tables.step(masks.argmax(axis=1))  # compiled by now
    generator = np.random.default_rng(1)
    taken: list[float] = []
    while sum(taken) < seconds:
        actions = (masks * generator.random(masks.shape, dtype=np.float32)).argmax(axis=1)
        start = perf_counter()
        tables.step(actions)
        taken.append(perf_counter() - start)
    return n / median(taken)


def single_rate(seconds: float) -> float:
    """Return steps a second of one environment, without wrappers."""
    game = raw_env()
    game.reset(seed=1)
    game.step(int(game.observe(game.agent_selection)["action_mask"].argmax()))
    n_steps, start = 0, perf_counter()
    while perf_counter() - start < seconds:
        if any(game.terminations.values()):
            game.reset()
        game.step(int(game.observe(game.agent_selection)["action_mask"].argmax()))
        n_steps += 1
    return n_steps / (perf_counter() - start)


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    single = single_rate(seconds)
    print(f"one environment: {single:,.0f} steps a second")
    for n in (16, 256, 4096):
        rate = vector_rate(n, seconds)
        print(f"{n} tables: {rate:,.0f} steps a second, {rate / single:,.0f} times as many")


if __name__ == "__main__":
    main()
