"""How often the 95 % intervals of the house cover: small runs of real games against the value of all of them together.

    python benchmarks/interval_coverage.py                prints the table of docs/statistics.md
    python benchmarks/interval_coverage.py --runs 400     is faster, with 2 % of noise in the coverage itself

The small runs are blocks of one long run: disjoint deals of one seed. Of intervals that hold one by one those of all
seats are counted; intervals that hold at once cover if all of them do.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.run.outcomes import play_outcomes
from salad_sim.run.plan import plan_run
from salad_sim.stats.deal_sums import DealSums, add_up
from salad_sim.stats.group_sequential import Checkpoints, PrecisionWatch, half_width
from salad_sim.stats.intervals import Z, proportion
from salad_sim.stats.shares import paired_changes, seat_shares, spread
from salad_sim.studies.seats.komi import komi_from_scores

DEALS = 1_500
"""Deals of a small run of one game each; with rotations a third of it."""

PRECISION = 0.04
FIRST_LOOK = 100
AT_LEAST = " (at least 95 %)"
"""Marks intervals that promise no more than that by construction."""

BAND = 0.93, 0.97
"""Where the coverage shall lie."""

Ints = Any
Covers = Callable[[int], Sequence[bool]]
"""Whether the intervals of a small run cover: several that hold one by one, or one that stands for all at once."""


class Design:
    """Games of one line-up, cut into small runs: wins and scores by run, deal, game and seat."""

    def __init__(self, n_runs: int, deals: int, lineup: Sequence[str], seed: int, rotate: bool = False) -> None:
        n_players = len(lineup)
        n_games = n_runs * deals * (n_players if rotate else 1)
        self.plan = plan_run(n_games, n_players, list(lineup), seed, rotate=rotate)
        played = play_outcomes(self.plan)
        seat, rotation = np.arange(n_players)[None, :], np.arange(self.plan.n_rotations)[:, None]
        place = ((seat - rotation) % n_players)[None]
        shape = n_runs, deals, self.plan.n_rotations, n_players
        self.wins = np.take_along_axis(played.wins, place, axis=2).reshape(shape)
        self.scores = np.take_along_axis(played.scores, place, axis=2).reshape(shape)
        self.n_runs, self.deals, self.n_rotations = shape[:3]

    def runs(self, values: Ints) -> list[DealSums]:
        """Return the sums of each small run of values [n_runs, deals, k]."""
        return [DealSums.from_deals(run, self.n_rotations) for run in values]

    def shared_wins(self) -> Ints:
        """Return what seats would have won if equal totals shared the win."""
        top = self.scores == self.scores.max(axis=3, keepdims=True)
        return top * (WHOLE_WIN // top.sum(axis=3, keepdims=True))


def each_holds(estimates: Iterable[Any], truth: Iterable[float]) -> list[bool]:
    """Return whether each interval holds its true value."""
    return [each.low <= true <= each.high for each, true in zip(estimates, truth, strict=True)]


def all_hold(estimates: Iterable[Any], truth: Iterable[float]) -> list[bool]:
    """Return whether all intervals hold the true values, as one answer."""
    return [all(each_holds(estimates, truth))]


def shares_of(sums: DealSums) -> list[float]:
    """Return the win shares."""
    return (sums.means / WHOLE_WIN).tolist()


def of_shares(design: Design, name: str, joint: str) -> dict[str, Covers]:
    """Intervals of win shares, mean scores and differences between seats."""
    wins, scores = design.runs(design.wins.sum(axis=2)), design.runs(design.scores.sum(axis=2))
    all_wins, all_scores = add_up(wins), add_up(scores)
    shares = shares_of(all_wins)
    differences = spread(all_wins)
    true_pairs = [each.value for each in differences.pairs.values()]

    kinds: dict[str, Covers] = {
        f"Wilson, share of a seat, {name}": lambda run: each_holds(seat_shares(wins[run], quantile=Z), shares),
        f"mean, score of a seat, {name}": lambda run: each_holds(
            [scores[run].mean(seat) for seat in range(len(shares))], all_scores.means
        ),
        f"spread, differences of all pairs of seats at once, {name}": lambda run: all_hold(
            spread(wins[run]).pairs.values(), true_pairs
        ),
    }
    if joint:
        kinds[f"{joint}, shares of all seats at once, {name}"] = lambda run: all_hold(seat_shares(wins[run]), shares)
        kinds[f"spread, best less worst seat, {name}{AT_LEAST}"] = lambda run: all_hold(
            [spread(wins[run]).estimate], [differences.estimate.value]
        )
    return kinds


def of_pairs(design: Design, name: str) -> dict[str, Covers]:
    """Intervals of the change from the official tie-break to a shared win, on the same games."""
    both = np.concatenate([design.wins.sum(axis=2), design.shared_wins().sum(axis=2)], axis=2)
    runs = design.runs(both)
    truth = [each.value for each in paired_changes(add_up(runs))]
    return {
        f"paired difference, all seats at once, {name}": lambda run: all_hold(paired_changes(runs[run]), truth),
    }


def of_precision(design: Design, name: str) -> dict[str, Covers]:
    """Intervals of win shares when the run was stopped for being precise."""
    wins = design.wins.sum(axis=2)
    n_seats = wins.shape[2]
    truth = shares_of(add_up(design.runs(wins)))

    def stopped(run: int) -> bool:
        watch = PrecisionWatch(PRECISION, design.deals, 1 if n_seats == 2 else n_seats)
        for n_deals in Checkpoints(FIRST_LOOK, design.deals):
            sums = DealSums.from_deals(wins[run, :n_deals])
            look = watch.look(
                n_deals,
                lambda quantile, sums=sums: max(
                    half_width(each.low, each.high) for each in seat_shares(sums, quantile=quantile)
                ),
            )
            if look.precise:
                break
        return all_hold(seat_shares(sums, quantile=look.quantile), truth)

    return {f"sequential, all seats at once, stopped at {PRECISION}, {name}": stopped}


def of_komi(design: Design, name: str) -> dict[str, Covers]:
    """Intervals of the points that make the seats equal."""
    all_games = design.scores.reshape(-1, *design.scores.shape[2:])
    truth = [each.value for each in komi_from_scores(all_games[:200_000]).points]
    return {
        f"komi, points of the later seats at once, {name}": lambda run: all_hold(
            komi_from_scores(design.scores[run]).points, truth
        )
    }


def kinds_of_interval(n_runs: int, seed: int) -> dict[str, Covers]:
    """Play the games and return, for each kind of interval, whether that of a small run covers."""
    two = Design(n_runs, DEALS, ["greedy"] * 2, seed)
    four = Design(n_runs, DEALS, ["greedy"] * 4, seed + 1)
    mixed = Design(n_runs, DEALS // 3, ["greedy", "random", "greedy", "random"], seed + 2, rotate=True)
    return {
        **of_shares(two, "2 greedy", ""),
        **of_shares(four, "4 greedy", "Goodman"),
        **of_shares(mixed, "4 mixed in rotation", "Goodman by design effect"),
        **of_pairs(two, "2 greedy"),
        **of_pairs(four, "4 greedy"),
        **of_precision(two, "2 greedy"),
        **of_precision(four, "4 greedy"),
        **of_komi(two, "2 greedy"),
        **of_komi(four, "4 greedy"),
    }


_kinds: dict[str, Covers] = {}
"""Set before the processes fork that count: they inherit the games."""


def row_of(task: tuple[str, int]) -> str:
    """Count how many intervals of a kind cover, and return the row of the table."""
    name, n_runs = task
    found = np.array([_kinds[name](run) for run in range(n_runs)], dtype=np.int64)
    by_run = found.sum(axis=1)
    share = proportion(int(by_run.sum()), int((by_run**2).sum()), n_runs, found.size)
    inside = BAND[0] <= share.value and (share.value <= BAND[1] or AT_LEAST in name)
    mark = "" if inside else "outside 93 to 97 %"
    return f"| {name} | {found.size:,} | {share.value:.1%} | {share.low:.1%} to {share.high:.1%} | {mark} |"


def main() -> None:
    """Play, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_200, help="small runs of each design; 400 leave 2 %% of noise")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes that count")
    given = parser.parse_args()
    start = perf_counter()
    _kinds.update(kinds_of_interval(given.runs, given.seed))
    print("| 95 % interval | intervals | cover | 95 % interval of that | |\n|---|---|---|---|---|", flush=True)
    with multiprocessing.get_context("fork").Pool(given.workers) as pool:
        for row in pool.imap(row_of, [(name, given.runs) for name in _kinds], chunksize=1):
            print(row, flush=True)
    print(f"\n{perf_counter() - start:.0f} seconds")


if __name__ == "__main__":
    main()
