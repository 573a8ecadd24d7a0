"""What a learning says, and its files: the values, a strategy that plays by them, the curve of strength, the test."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from salad_sim.files.atomic import open_folder, write_files
from salad_sim.files.values import finite
from salad_sim.game.notation import listed
from salad_sim.game.value_file import values_file
from salad_sim.report.format import percent
from salad_sim.report.markdown import Report, Section, write_report
from salad_sim.report.table import Column, Measure, Table, estimate_of, shares, texts
from salad_sim.storage.command import again, setup_options
from salad_sim.storage.folder import versions
from salad_sim.studies.learning.config import LEARNED, SELF, LearningTask
from salad_sim.studies.learning.figures import strength_curve
from salad_sim.studies.learning.learn import Learned

VALUES = f"{LEARNED}.npz"
STRATEGY = f"{LEARNED}.py"

STRATEGY_FILE = f'''"""The strategy `{LEARNED}`: it plays by the values in {VALUES}, made by `salad-sim learn`."""

from pathlib import Path

from salad_sim.kit import choose_by_value, read_values, sizes_of, value_dtype
from salad_sim.strategy import strategy

NETS, WHICH = read_values(Path(__file__).with_name("{VALUES}"))
SIZES = sizes_of(NETS)


def mind_dtype(capacity):
    """Return the dtype of the memory: what working out a value needs."""
    return value_dtype(capacity, *SIZES)


@strategy("{LEARNED}", memory=mind_dtype)
def choose(view, own, rng, mind):
    """Make the move after which the table is worth most, by what was learned in self-play."""
    return choose_by_value(view, own, mind, NETS[WHICH[view.n_players]])
'''


def verdict(found: Learned) -> str:
    """Return what the final test says, in words."""
    if found.interrupted:
        return f"not tested: stopped after {found.state.n_games:,} games"
    beaten = [row for row in found.state.test if row["win_share_low"] > row["fair"]]
    others = [row for row in found.state.test if row not in beaten]
    said = f"better than {_named(beaten)} in the final test" if beaten else "not shown to be better"
    return f"{said}; not shown to be better than {_named(others)}" if beaten and others else said


def _named(rows: list[dict[str, Any]]) -> str:
    players: dict[str, list[str]] = {}
    for row in rows:
        players.setdefault(row["opponents"], []).append(str(row["players"]))
    return listed([f"{name} at {listed(numbers)} players" for name, numbers in players.items()])


def command(task: LearningTask, n_games: int) -> str:
    """Return the command that learns this again; a budget of minutes is said as the games that they were."""
    options = {
        "games": n_games,
        "players": [str(each) for each in task.players],
        "opponents": [each for each in task.opponents if task.opponents != (SELF,)],
        "start": task.start,
        "units": task.units,
        "hidden": task.hidden,
        "lambda": f"{task.lambda_:g}",
        "rate": f"{task.rate:g}",
        "explore": f"{task.explore:g}",
        "win-weight": f"{task.win_weight:g}",
        "batch": task.batch,
        "every": task.every,
        "looks": task.looks,
        "tests": task.tests,
        "seed": task.seed,
    }
    return again("learn", [], options | setup_options(task.tables[0].plan) | {"minutes": None})


def made(found: Learned) -> dict[str, Any]:
    """Return how the values came about, as plain data."""
    settings = found.task.settings()
    return {
        "again": command(found.task, found.state.n_games),
        "verdict": verdict(found),
        "games": found.state.n_games,
        "options": {name: value for name, value in settings.items() if name not in ("files", "versions")},
        "files": settings["files"],
        "versions": versions(),
    }


def as_dict(found: Learned) -> dict[str, Any]:
    """Return the result as plain data that JSON can hold."""
    how = made(found) | {"seconds": round(found.state.seconds)}
    told: dict[str, Any] = finite({"made": how, "curve": found.state.curve, "test": found.state.test})
    return told


def write_learning(found: Learned, path: str | Path) -> Path:
    """Write the results into a folder and return the strategy's file; the same learning writes the same bytes.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    folder = open_folder(path)
    nets = dict.fromkeys(found.task.players, found.net)
    write_files(folder, {VALUES: values_file(nets, made(found)), STRATEGY: STRATEGY_FILE})
    write_report(report(found), folder)
    return folder / STRATEGY


def report(found: Learned) -> Report:
    """Return the report of a learning."""
    task = found.task
    # without the seconds, which are other ones each time
    rows = [{name: value for name, value in row.items() if name != "seconds"} for row in found.state.curve]
    sections = [
        Section("Final test", "The learner alone among each, on deals that nothing else has seen.", test_table(found))
    ]
    if rows:
        text = (
            "What the learner wins at the last look; the picture and strength.csv have all looks. They play the same "
            "deals, none of which it learns from; `past` is itself at the look before."
        )
        sections.append(Section("Strength", text, curve_table(found), "strength"))
    title = f"A value learned by self-play at {listed([*map(str, task.players)])} players"
    return Report(
        title=title,
        answer=_sentence(found),
        sections=sections,
        tables={"strength": rows, "test": found.state.test} if rows else {},
        pictures={"strength": partial(strength_curve, rows, title)} if rows else {},
        run=made(found),
        interrupted=found.interrupted,
    )


def _sentence(found: Learned) -> str:
    said = verdict(found)
    said_of = [
        f"{percent(estimate_of(row, 'win_share'), unit=' %')} against {row['opponents']} at {row['players']} players"
        for row in found.state.test
    ]
    won = f" It wins {', '.join(said_of)}." if said_of else ""
    return f"{said[0].upper()}{said[1:]}: {found.state.n_games:,} games, seed {found.task.seed}.{won}"


def lines(found: Learned) -> Iterator[str | Table]:
    """Yield the verdict and the tables."""
    task = found.task
    at = listed([*map(str, task.players)])
    yield f"A value learned at {at} players, {found.state.n_games:,} games, seed {task.seed}"
    said = verdict(found)
    yield f"{said[0].upper()}{said[1:]}."
    yield ""
    yield test_table(found) if found.state.test else curve_table(found)


def _columns(*before: Column) -> list[Column]:
    return [
        *before,
        *texts(players="players", opponents="against"),
        *shares(win_share="win %"),
        Measure("score", "points"),
        *texts(deals="deals"),
    ]


def test_table(found: Learned) -> Table:
    """Return what the learner wins in the final test."""
    return Table(_columns(), found.state.test)


def curve_table(found: Learned) -> Table:
    """Return what the learner won at the last look."""
    last = found.state.curve[-1]["games"] if found.state.curve else 0
    return Table(_columns(*texts(games="games")), [row for row in found.state.curve if row["games"] == last])
