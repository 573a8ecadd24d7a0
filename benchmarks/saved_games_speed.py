"""What it costs to save single games: rows a second of processor and of wall time, into a folder and into one file.

    python benchmarks/saved_games_speed.py

Run it on a quiet machine with two cores.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

from salad_sim.run.driver import Session, play_plan
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import prepare
from salad_sim.storage.parquet import save_games, saving_player

GAMES = 300_000
WORKERS = 2
ROUNDS = 3


def main() -> None:
    """Play the same games without saving, into a folder and into a file, and print what each takes."""
    plan = plan_run(GAMES, 2, "greedy")
    prepare(plan)
    saving_player(plan.capacity)
    n_rows = plan.n_players * GAMES
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            ways: dict[str, Callable[[], object]] = {
                "plain run": lambda: play_plan(plan, Session(WORKERS)),
                "folder": lambda: saved(Path(folder) / "games"),
                "file": lambda: saved(Path(folder) / "games.parquet"),
            }
            for name, way in ways.items():
                wall, processor = perf_counter(), process_time()
                way()
                wall, processor = perf_counter() - wall, process_time() - processor
                cost = f"{1e6 * processor / n_rows:.2f} us of processor time a row"
                print(f"{name:10} {n_rows / wall:9,.0f} rows a second, {cost}")


def saved(path: Path) -> None:
    """Play the games and save them."""
    plan = plan_run(GAMES, 2, "greedy")
    with save_games(plan, path) as games:
        play_plan(plan, Session(WORKERS), players=games.player, kernel=games.kernel)


if __name__ == "__main__":
    main()
