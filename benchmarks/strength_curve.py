"""How strong the strategies are for the time that they take: a table, and a picture of it.

    python benchmarks/strength_curve.py --out docs      writes strength_curve.csv, .svg and .png there, prints the table

Each plays paired deals against fixed yardsticks, at two players. The time of a move is that of the processor, with the
strategy in both seats, on average over whole games: what else the machine does hardly changes it.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from salad_sim import compare_strategies
from salad_sim.report.figures import COLOURS, FAIR, MARKERS, SETTINGS, files, finish, reach
from salad_sim.report.format import percent
from salad_sim.run.driver import Session, play_plan
from salad_sim.run.plan import plan_run
from salad_sim.stats.intervals import Estimate

YARDSTICKS = ("planner", "expert")
PLAYERS: tuple[tuple[str, float], ...] = (
    ("random", 0.05),
    ("greedy", 1.0),
    ("planner", 1.0),
    ("expert", 1.0),
    ("expert(n=8)", 0.2),
    ("expert(n=64)", 0.05),
    ("rollout(n=4)", 0.2),
    ("rollout(n=40)", 0.05),
    ("search(n=10)", 0.2),
    ("search(n=100)", 0.05),
    ("search(n=1000)", 0.01),
    ("search(n=40, policy=planner)", 0.05),
    ("search(n=400, policy=planner)", 0.02),
)
"""Each with its share of the games."""

FEWEST_GAMES = 20
SECONDS = 1.0
"""Of processor time, for measuring the time of a move."""

Point = tuple[str, float, str, int, Estimate]
"""Strategy, seconds a move, yardstick, games, share."""


def seconds_a_move(name: str) -> float:
    """Return the processor time that a move takes, on average over games of a strategy against itself."""
    n_games, spent = 1, 0.0
    play_plan(plan_run(1, 2, name), Session(1))  # compiles
    while True:
        start = process_time()
        tally = play_plan(plan_run(n_games, 2, name), Session(1)).tally
        spent = process_time() - start
        if spent > SECONDS / 2:
            return spent / int(tally.turns)
        n_games *= 4


def measure(names: Sequence[tuple[str, float]], games: int, seed: int) -> list[Point]:
    """Play each strategy against each yardstick."""
    points = []
    for name, part in names:
        seconds = seconds_a_move(name)
        for yardstick in YARDSTICKS:
            if name != yardstick:
                n_games = max(FEWEST_GAMES, int(part * games))
                match = compare_strategies(name, yardstick, games=n_games, seed=seed)
                points.append((name, seconds, yardstick, match.games, match.share))
                print(row_of(points[-1]), flush=True)
    return points


def row_of(point: Point) -> str:
    """Return a row of the table."""
    name, seconds, yardstick, games, share = point
    return f"| `{name}` | {1e6 * seconds:,.3g} | {yardstick} | {percent(share)} | {games} |".replace("e+0", "e")


def curve(points: Sequence[Point]) -> Figure:
    """Draw the shares over the time of a move, a line for each family and yardstick."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(8.0, 4.5), layout="constrained")
        axes = figure.add_subplot()
        axes.axhline(0.5, color=FAIR, linewidth=1, linestyle="--")
        families = dict.fromkeys((family_of(name), yardstick) for name, _, yardstick, _, _ in points)
        for number, (family, yardstick) in enumerate(families):
            own = sorted(each for each in points if (family_of(each[0]), each[2]) == (family, yardstick))
            own.sort(key=lambda each: each[1])
            axes.errorbar(
                [1e6 * seconds for _, seconds, *_ in own],
                [share.value for *_, share in own],
                yerr=reach([share for *_, share in own]),
                fmt=MARKERS[number % len(MARKERS)] + "-",
                markersize=4,
                linewidth=1,
                color=COLOURS[number % len(COLOURS)],
                capsize=2,
                label=f"{family} against {yardstick}",
            )
        axes.set_xscale("log")
        axes.set_xlabel("microseconds a move")
        axes.set_ylabel("win share")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        finish(axes, "Strength against time a move, two players, 95 % intervals")
    return figure


def family_of(name: str) -> str:
    """Return a strategy without its budget."""
    inside = [each for each in name.partition("(")[2].rstrip(")").split(", ") if each and not each.startswith("n=")]
    return name.partition("(")[0] + (f" ({', '.join(inside)})" if inside else "")


def main() -> None:
    """Play, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000, help="games of the fast ones; slower ones play a part of it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="these strategies, instead of all")
    parser.add_argument("--out", type=Path, help="folder of the table and the picture")
    given = parser.parse_args()
    names = [(name, 1.0) for name in given.only] if given.only else PLAYERS
    print("| strategy | µs a move | against | win share, % | games |\n|:--|--:|:--|--:|--:|")
    points = measure(names, given.games, given.seed)
    if given.out:
        with (given.out / "strength_curve.csv").open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["strategy", "seconds_a_move", "against", "games", "win_share", "low", "high"])
            table.writerows([*point[:4], *point[4]] for point in points)
        for name, content in files("strength_curve", curve(points)).items():
            path = given.out / name
            path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
