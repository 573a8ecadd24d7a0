"""A run -> the files of its folder: tables, a picture, and run.json with all that is needed to play it again."""

from __future__ import annotations

import shlex

from salad_sim.report import figures as plots
from salad_sim.run.plan import Plan
from salad_sim.storage.command import table_words
from salad_sim.storage.folder import csv_text, json_text, run_record
from salad_sim.studies.simulate import Result

RUN_FILES = ("seats.csv", "strategies.csv", "rounds.csv", "win_share.png", "win_share.svg")
"""What a run may write beside run.json and what it is saved in."""


def run_files(result: Result) -> dict[str, str | bytes]:
    """Return the files of a run by name; the same run always has the same bytes."""
    plan = result.plan
    files: dict[str, str | bytes] = {
        "seats.csv": csv_text(result.seat_rows),
        "strategies.csv": csv_text(result.strategy_rows),
    }
    if result.round_rows:
        files["rounds.csv"] = csv_text(result.round_rows)
    if result.games:
        who = " against ".join(plan.labels)
        picture = plots.win_share(result.seats, f"{who}, {plan.n_players} players, {result.games:,} games")
        files |= {"win_share.png": plots.as_png(picture), "win_share.svg": plots.as_svg(picture)}
    record = run_record(plan, result.games, result.interrupted, command_line(plan))
    return {**files, "run.json": json_text(record)}


def command_line(plan: Plan) -> str:
    """Return the command that plays a plan again."""
    options = plan.options()
    specs = options["strategies"]
    ranges = ",".join(f"{first}:{stop}" for first, stop in plan.deals)
    size = ["--deals", ranges] if ranges else ["--games", str(plan.n_asked)]
    words = ["salad-sim", "run", *size, "--players", str(plan.n_players)]
    for spec in specs[:1] if len(set(specs)) == 1 else specs:
        words += ["--strategy", spec]
    words += ["--seed", str(plan.seed)]
    words += table_words(plan)
    return shlex.join([*words, "--rotate"] if plan.rotate else words)
