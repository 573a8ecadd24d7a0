"""The file that a tuning is continued from: what it has done so far, as sealed JSON."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from salad_sim.errors import InputError, quote
from salad_sim.files.atomic import write_files
from salad_sim.files.sealed import DamagedError, read_sealed, sealed, unsealed
from salad_sim.studies.tuning.config import Task
from salad_sim.studies.tuning.search import Generation
from salad_sim.studies.tuning.validation import Finalist

NAME = "tuning.json"
"""Of the file, in the folder of the tuning."""

FORMAT = "salad-sim tuning 2"


@dataclass
class State:
    """What a tuning has done so far.

    Attributes
    ----------
    generations : list of Generation
    finalists : list of Finalist
        The best first; empty until the validation is done.
    rows : list of dict
        The report against the opponents; empty until it is done.
    scores : Counter of int
        The pairs of the final test so far, by score.
    """

    generations: list[Generation] = field(default_factory=list)
    finalists: list[Finalist] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    scores: Counter[int] = field(default_factory=Counter)

    def n_games(self, task: Task) -> int:
        """Return how many games that were."""
        plan = task.schedule
        n_deals = len(self.generations) * (task.population + 1) * plan.search_deals
        n_deals += sum(each.n_deals for each in self.finalists) + (2 * plan.report_deals if self.rows else 0)
        return n_deals * task.deal_games + self.scores.total() * task.pair_games

    def save(self, task: Task, folder: Path | None) -> None:
        """Write it into the folder of the tuning, if it has one."""
        if folder is not None:
            done = asdict(self) | {"settings": task.settings(), "scores": sorted(self.scores.items())}
            done["rows"] = [list(row.items()) for row in self.rows]  # in the order of their columns
            write_files(folder, {NAME: sealed(FORMAT, done)})


class _Content(msgspec.Struct):
    """What stands in the file: a `State`, and the settings that it is of."""

    settings: dict[str, Any]
    generations: list[Generation]
    finalists: list[Finalist]
    rows: list[list[tuple[str, Any]]]
    scores: list[tuple[int, int]]


def load_state(task: Task, folder: Path) -> State:
    """Return what the tuning of a folder has done so far: nothing if there is none.

    Raises
    ------
    InputError
        If there is another tuning in the folder, saying what differs, or its file cannot be read.
    """
    file = folder / NAME
    if not os.path.lexists(file):
        return State()
    try:
        found = unsealed(read_sealed(file), FORMAT, _Content)
    except DamagedError as error:
        raise InputError(
            f"{str(file)!r} is no file of a tuning, or damaged ({error}); --force begins anew and replaces it"
        ) from None
    _refuse_another(file, found.settings, json.loads(json.dumps(task.settings())))
    return State(found.generations, found.finalists, list(map(dict, found.rows)), Counter(dict(found.scores)))


def _refuse_another(file: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Refuse to go on with a tuning of other settings."""
    for name in (*here, *there):
        if there.get(name) != here.get(name):
            raise InputError(
                f"{str(file.parent)!r} holds another tuning, with {name} {_short(there.get(name))} and not "
                f"{_short(here.get(name))}; choose another folder, or --force to begin anew and replace it"
            )


def _short(value: Any) -> str:
    return str(value) if len(str(value)) <= 200 else quote(value)
