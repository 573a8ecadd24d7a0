"""salad-sim bench: how fast games are played."""

from __future__ import annotations

import sys

import click

from salad_sim.cli._options import format_option, prepare, quiet_option


@click.command()
@click.option("--strategy", "-s", "strategies", multiple=True, default=["random", "greedy"], show_default=True)
@click.option("--players", "-p", multiple=True, default=["2", "4", "6"], show_default=True, metavar="2..6")
@click.option("--workers", "-w", multiple=True, default=["1", "2"], show_default=True, metavar="N", help="Threads.")
@click.option("--seconds", default="0.4", show_default=True, metavar="N", help="For each run.")
@click.option("--repeats", default="5", show_default=True, metavar="N", help="Runs; the median counts.")
@format_option("table", "json")
@quiet_option
def bench(
    strategies: tuple[str, ...],
    players: tuple[str, ...],
    workers: tuple[str, ...],
    seconds: str,
    repeats: str,
    form: str,
    quiet: bool,
) -> None:
    """Measure games per second, with the same strategy in every seat.

    --strategy, --players and --workers may be repeated.
    """
    from salad_sim.cli._tables import print_table
    from salad_sim.report.table import Table
    from salad_sim.run.runner import check_workers
    from salad_sim.run.setup import real_number, whole_number
    from salad_sim.storage.folder import json_text
    from salad_sim.tools.benchmark import measure, plans

    time, times = real_number("seconds", seconds, 0.001, 3600), whole_number("repeats", repeats, 1, 1000)
    n_workers = [check_workers(given) for given in workers]
    chosen = plans(strategies, players)
    prepare(chosen, quiet)
    speeds = [speed for plan in chosen for speed in measure(plan, n_workers, time, times)]
    if form == "json":
        sys.stdout.write(json_text([speed.as_dict() for speed in speeds]))
        return
    rows = [
        [each.strategy, str(each.players), str(each.workers)]
        + [f"{rate:,.0f}" for rate in (each.games_per_second, each.per_worker)]
        for each in speeds
    ]
    print_table(Table.of([["strategy", "players", "threads", "games/s", "for each thread"], *rows]))
