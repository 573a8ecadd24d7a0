"""What each step of the ladder loses in endings that can be solved: win share and points a decision.

    python benchmarks/ending_losses.py                  prints the table

Each plays paired deals of two players against the same opponent, and its decisions are held against exact play.
"""

from __future__ import annotations

import argparse

from salad_sim import profile_strategy
from salad_sim.report.format import number, percent
from salad_sim.report.table import estimate_of
from salad_sim.studies.profile.estimate import ALL

LADDER = ("random", "casual", "greedy", "denial", "planner", "expert", "expert(n=8)", "rollout(n=10)", "search(n=10)")


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="games of each")
    parser.add_argument("--against", default="planner", help="the opponent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=LADDER, help="these strategies, instead of all")
    given = parser.parse_args()
    print("| strategy | decisions | without loss, % | win share lost, % | points lost |\n|:--|--:|--:|--:|--:|")
    for name in given.only:
        games = given.games
        profile = profile_strategy(name, given.against, games, seed=given.seed, endings=games // 2, timing=False)
        row = next(row for row in profile.ending_rows if (row["who"], row["cards_left"]) == ("profiled", ALL))
        perfect, wins, points = (estimate_of(row, each) for each in ("perfect", "win_loss", "margin_loss"))
        cells = [f"`{name}`", str(row["decisions"]), percent(perfect), percent(wins), number(points)]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
