"""What a game is worth that is spent well: rotations of a deal, and the same deals under two conditions.

    python benchmarks/variance_reduction.py               prints the table of docs/seats.md

Each way is compared with plain sampling, every game an independent deal, by the ratio of the variances for each game.
The interval is the jackknife of its logarithm over blocks of deals: Efron and Tibshirani, An Introduction to the
Bootstrap (1993), chapter 11.
"""

from __future__ import annotations

import argparse

import numpy as np

from salad_sim.game.rule_profiles import read_rules
from salad_sim.jit.typing import Floats
from salad_sim.run.outcomes import play_outcomes
from salad_sim.run.plan import plan_run
from salad_sim.stats.intervals import student
from salad_sim.studies.seat_counts import at_seats

BLOCKS = 20
PAIRS = (("greedy", "casual"), ("greedy", "casual(mistakes=0.03)"))
"""Players of different skill, and players nearly alike."""

CHANGES = ("tie_break=earlier", "split=down", "flip=never")
"""Rules that change hardly any game, about half of them, and most."""


def worth(plain: Floats, spent: Floats) -> str:
    """Return the variance for each game of one way over that of another, with its interval.

    Parameters
    ----------
    plain, spent : ndarray of float64, shape [n_deals, n]
        What the estimate of a deal is, times the root of the games that it takes: one column, or one each game.
    """
    ways = [np.array_split(each, BLOCKS) for each in (plain, spent)]

    def log_ratio(left_out: int) -> float:
        kept = [np.concatenate([part for at, part in enumerate(way) if at != left_out]) for way in ways]
        return float(np.log(kept[0].var(ddof=1) / kept[1].var(ddof=1)))

    whole = log_ratio(-1)
    each = np.array([log_ratio(block) for block in range(BLOCKS)])
    half = student(BLOCKS - 1) * np.sqrt((BLOCKS - 1) / BLOCKS * ((each - each.mean()) ** 2).sum())
    return f"{np.exp(whole):.2f} [{np.exp(whole - half):.2f}, {np.exp(whole + half):.2f}]"


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="games of each way")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 4, 6])
    given = parser.parse_args()
    print("| players | way | estimate | a game is worth |\n|--:|:--|:--|--:|")
    for n_players in given.players:
        for pair in PAIRS:
            plan = plan_run(given.games, n_players, [pair[0], *pair[1:] * (n_players - 1)], rotate=True)
            games = play_outcomes(plan)
            mine = np.array(plan.groups) == 0
            for what, won in (
                (f"win share of {pair[0]} among {pair[1]}", games.wins[:, :, mine].sum(axis=2)),
                ("win share of the first seat", at_seats(games.wins)[:, :, 0]),
            ):
                factor = worth(won.astype(float), won.sum(axis=1, keepdims=True) / np.sqrt(n_players))
                print(f"| {n_players} | all rotations of each deal | {what} | {factor} |")
        for change in CHANGES:
            pair_of = [
                play_outcomes(plan_run(given.games // 2, n_players, rules=rules)).wins[:, 0, 0]
                for rules in (read_rules(), read_rules(None, [change]))
            ]
            # on deals of their own the two shares vary each for itself: the variances add up
            apart = np.stack(pair_of, axis=1) - np.mean(pair_of, axis=1)
            factor = worth(np.sqrt(2) * apart, (pair_of[1] - pair_of[0])[:, None].astype(float))
            what = f"change of the first seat's share, greedy when {change}"
            print(f"| {n_players} | same deals in both conditions | {what} | {factor} |")


if __name__ == "__main__":
    main()
