"""What a tuning says, and its files: the parameter file that any command takes, the history as table and picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from salad_sim.files.atomic import open_folder, write_files
from salad_sim.files.values import finite
from salad_sim.report import figures as plots
from salad_sim.report.format import POINTS, interval, percent
from salad_sim.report.table import Measure, Table, means, texts
from salad_sim.stats.intervals import Estimate, columns
from salad_sim.stats.sprt import ACCEPT_H0, ACCEPT_H1
from salad_sim.storage.command import again, setup_options
from salad_sim.storage.folder import csv_text
from salad_sim.strategy.parameters import parameter_file_text
from salad_sim.studies.tuning.config import TuningTask
from salad_sim.studies.tuning.tune import Tuning

PARAMETERS = "parameters.toml"

VERDICTS = {
    ACCEPT_H1: "better: the tuned values passed the final test",
    ACCEPT_H0: "not better: the final test found no gain over the start values",
}
UNDECIDED = "not shown to be better: after all its pairs the final test was still open"


def verdict(found: Tuning) -> str:
    """Return what the final test says, in words, and where the tuned values clearly lost nevertheless."""
    if found.interrupted:
        return f"not tested: stopped in the {found.stage}"
    said = VERDICTS.get(found.test.decision, UNDECIDED)
    worse = [
        f"{row['opponents']} at {row['players']} players"
        for row in found.state.rows
        if row["win_share_difference_high"] < 0
    ]
    return f"{said}; but they win less against {', '.join(worse)}" if worse else said


def made(found: Tuning) -> dict[str, Any]:
    """Return how the values came about, as the table ``[made]`` of a parameter file; see docs/tuning.md."""
    task, settings = found.task, found.task.settings()
    told: dict[str, Any] = {
        "command": command(task),
        "verdict": verdict(found),
        "passed": found.passed,
        "finished": not found.interrupted,
        "games": found.state.n_games(task),
    }
    told |= {name: settings[name] for name in ("players", "opponents", "objective", "seed", "start", "tuned")}
    told |= {"deals": task.deal_ranges(), "search": _search(found)}
    if found.state.finalists:
        first = found.state.finalists[0]
        told["validation"] = {
            "origin": first.origin,
            "deals": first.n_deals * len(task.tables),
            **finite(columns("value", Estimate(first.value, first.low, first.high))),
        }
    if found.test.n_pairs:
        told["test"] = _test(found)
    if found.state.rows:
        told["against"] = found.state.rows
    return told | {"files": settings["files"], "versions": settings["versions"]}


def _search(found: Tuning) -> dict[str, Any]:
    task = found.task
    return {
        "generations": len(found.state.generations),
        "planned": task.schedule.n_generations,
        "candidates": task.population,
        "deals": task.schedule.search_deals * len(task.tables),
        "sigma": task.sigma,
    }


def _test(found: Tuning) -> dict[str, Any]:
    test = found.test
    return {
        "decision": test.decision,
        "elo0": found.task.elo[0],
        "elo1": found.task.elo[1],
        "alpha": 0.05,
        "beta": 0.05,
        "llr": test.llr,
        "lower": test.bounds[0],
        "upper": test.bounds[1],
        "pairs": test.n_pairs,
        **finite(columns("score", test.score)),
        **finite(columns("elo", test.elo)),
    }


def command(task: TuningTask) -> str:
    """Return the command that does a tuning again."""
    options = {
        "games": task.games,
        "opponents": [each.spec_of_all for each in task.opponents],
        "players": task.players,
        "only": ",".join(task.names),
        "objective": task.objective,
        "sigma": f"{task.sigma:g}",
        "population": task.population,
        "seed": str(task.seed),
        "sprt": f"{task.elo[0]:g},{task.elo[1]:g}",
    }
    return again("tune", [task.strategy.spec_of_all], options | setup_options(task.tables[0]))


def as_dict(found: Tuning) -> dict[str, Any]:
    """Return the result as plain data that JSON can hold."""
    return {"strategy": found.tuned.name, "parameters": dict(found.tuned.settings), "made": made(found)}


def write_tuning(found: Tuning, path: str | Path) -> Path:
    """Write the results into a folder and return the parameter file; the same tuning always writes the same bytes.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    folder = open_folder(path)
    write_files(folder, {PARAMETERS: parameter_file_text(found.tuned, made(found)), **_tables(found)})
    return folder / PARAMETERS


def _tables(found: Tuning) -> Mapping[str, str | bytes]:
    rows = found.history_rows
    if not rows:
        return {}
    import pandas as pd

    from salad_sim.studies.tuning.figures import tuning_history

    task = found.task
    ranges = {name: (each.low, each.high) for name, each in zip(task.names, task.ranges, strict=True)}
    picture = tuning_history(pd.DataFrame(rows), ranges, f"{task.strategy.name}: {task.objective}")
    files: dict[str, str | bytes] = {
        "history.csv": csv_text(rows),
        **plots.files("history", picture, order=("png", "svg")),
    }
    if found.state.finalists:
        finalists = [
            {"origin": each.origin, "deals": each.n_deals * len(task.tables)}
            | columns("value", Estimate(each.value, each.low, each.high))
            | dict(zip(task.names, each.values, strict=True))
            for each in found.state.finalists
        ]
        files["finalists.csv"] = csv_text(finalists)
    if found.state.rows:
        files["against.csv"] = against_table(found).csv()
    return files


def lines(found: Tuning) -> Iterator[str | Table]:
    """Yield the verdict, the values, and what both are worth."""
    task = found.task
    at = " and ".join(map(str, task.players))
    games = found.state.n_games(task)
    yield f"{task.strategy.label}, tuned at {at} players for {task.objective}: {games:,} games, seed {task.seed}"
    said = verdict(found)
    yield f"{said[0].upper()}{said[1:]}."
    if found.test.n_pairs:
        yield from _tested(found)
    yield ""
    yield value_table(found)
    if found.state.rows:
        yield ""
        yield against_table(found)


def _tested(found: Tuning) -> Iterator[str]:
    test, (elo0, elo1), (low, high) = found.test, found.task.elo, found.test.bounds
    yield (
        f"Tuned against start, {test.n_pairs:,} pairs of fresh deals: {percent(test.score, unit=' %')}, "
        f"Elo {interval(*test.elo, 1, sign='+')}."
    )
    yield (
        f"SPRT of Elo {elo0:g} against {elo1:g}, both error rates 5 %: {test.decision}, "
        f"LLR {test.llr:+.2f} ({low:.2f}, {high:.2f})."
    )


def value_table(found: Tuning) -> Table:
    """Return the parameters, before and after."""
    task, before, after = found.task, found.task.strategy.settings, found.tuned.settings
    rows = [
        (name, f"{before[name]:.6g}", f"{after[name]:.6g}", each.allowed, each.about)
        for name, each in zip(task.names, task.ranges, strict=True)
    ]
    return Table.of([("parameter", "start", "tuned", "range", "what it does"), *rows])


def against_table(found: Tuning) -> Table:
    """Return what both win against each opponent at each number of players."""
    shown = [
        *texts(players="players", opponents="against"),
        *means(2, POINTS, win_share_start="start\nwin %", win_share_tuned="tuned\nwin %"),
        Measure("win_share_difference", "difference\nwithin 95 %", scale=POINTS, sign="+", right=False),
        Measure("margin_difference", "margin\nwithin 95 %", sign="+", right=False),
    ]
    return Table(shown, found.state.rows)
