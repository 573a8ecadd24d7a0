"""The file that a tuning is continued from: what it has done so far, as sealed JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from salad_sim.files.atomic import write_files
from salad_sim.files.sealed import sealed, unsealed
from salad_sim.storage.stepwise import reopened
from salad_sim.studies.tuning.config import TuningTask
from salad_sim.studies.tuning.search import Generation
from salad_sim.studies.tuning.validation import Finalist

NAME = "tuning.json"
"""Of the file, in the folder of the tuning."""

FORMAT = "salad-sim tuning 2"


@dataclass
class TuningState:
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

    def n_games(self, task: TuningTask) -> int:
        """Return how many games that were."""
        plan = task.schedule
        n_deals = len(self.generations) * (task.population + 1) * plan.search_deals
        n_deals += sum(each.n_deals for each in self.finalists) + (2 * plan.report_deals if self.rows else 0)
        return n_deals * task.deal_games + self.scores.total() * task.pair_games

    def save(self, task: TuningTask, folder: Path | None) -> None:
        """Write it into the folder of the tuning, if it has one."""
        if folder is not None:
            done = asdict(self) | {"settings": task.settings(), "scores": sorted(self.scores.items())}
            done["rows"] = [list(row.items()) for row in self.rows]  # in the order of their columns
            write_files(folder, {NAME: sealed(FORMAT, done)})


class _Content(msgspec.Struct):
    """What stands in the file: a `TuningState`, and the settings that it is of."""

    settings: dict[str, Any]
    generations: list[Generation]
    finalists: list[Finalist]
    rows: list[list[tuple[str, Any]]]
    scores: list[tuple[int, int]]


def load_state(task: TuningTask, folder: Path) -> TuningState:
    """Return what the tuning of a folder has done so far: nothing if there is none.

    Raises
    ------
    InputError
        If there is another tuning in the folder, saying what differs, or its file cannot be read.
    """
    return reopened(folder / NAME, "tuning", task.settings(), _read) or TuningState()


def _read(data: bytes) -> tuple[dict[str, Any], TuningState]:
    found = unsealed(data, FORMAT, _Content)
    rows = list(map(dict, found.rows))
    return found.settings, TuningState(found.generations, found.finalists, rows, Counter(dict(found.scores)))
