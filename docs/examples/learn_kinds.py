"""Trains a small agent with many tables at once, by numpy alone, and writes what it learned for the strategy kinds.py.

    python docs/examples/learn_kinds.py kinds.toml [STEPS]
    salad-sim match docs/examples/kinds.py:kinds.toml random

The agent knows four kinds of actions (take a point card, take vegetables, flip nothing, flip a card) and three times of
a game. It learns how much to like each kind at each time, by REINFORCE: kinds that were chosen more often than expected
in games that went better than usual are liked more (Williams, Machine Learning 8 (1992) 229-256).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from salad_sim.vector import VectorGames

N_TABLES = 512
N_PILES, PASS = 3, 24  # actions below 3 take a point card, below 24 vegetables; 24 flips nothing, later ones a card
LEFT = 4  # place of the number of cards left in an observation
TIMES = 3
KINDS = ("card", "vegetables", "keep", "flip")
RATE = 0.2


def train(n_steps: int = 4000, seed: int = 1) -> np.ndarray:
    """Return how much the agent likes each kind at each time, [3, 4]."""
    tables = VectorGames(N_TABLES, players=2, seed=seed, reward="margin")
    observations, masks = tables.reset()
    kind_of = np.full(tables.n_actions, 3)
    kind_of[:N_PILES], kind_of[N_PILES:PASS], kind_of[PASS] = 0, 1, 2
    likes = np.zeros((TIMES, len(KINDS)))
    seen = np.zeros((N_TABLES, 2, *likes.shape))  # sum over a game of chosen less expected, by seat
    generator = np.random.default_rng(seed)
    most = observations[:, LEFT].max() + 1
    table = np.arange(N_TABLES)
    for _ in range(n_steps):
        time = observations[:, LEFT] * TIMES // most
        chances = masks * np.exp(likes[time][:, kind_of])
        chances /= chances.sum(axis=1, keepdims=True)
        actions = (chances.cumsum(axis=1) > generator.random((N_TABLES, 1))).argmax(axis=1)
        seat = tables.seats.copy()
        seen[table, seat, time, kind_of[actions]] += 1
        for kind in range(len(KINDS)):
            seen[table, seat, time, kind] -= chances[:, kind_of == kind].sum(axis=1)
        observations, masks, rewards, finished = tables.step(actions)
        if finished.any():
            over = np.flatnonzero(finished)
            gain = rewards[over] / (np.abs(rewards[over]).mean() + 1)
            likes += RATE * np.einsum("gs,gstk->tk", gain, seen[over]) / len(over) / 10
            seen[over] = 0
    return likes


def main() -> None:
    """Train and write the parameters of kinds.py."""
    likes = train(int(sys.argv[2]) if len(sys.argv) > 2 else 4000)
    rows = [f"{kind}_{time} = {likes[time, place]:.4f}" for time in range(TIMES) for place, kind in enumerate(KINDS)]
    Path(sys.argv[1]).write_text("\n".join(['strategy = "kinds"', "[parameters]", *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
