"""The file that a learning is continued from: its weights and what it has done so far, sealed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from salad_sim.files.atomic import write_files
from salad_sim.files.sealed import sealed_arrays, unsealed_arrays
from salad_sim.game.value_file import read_values
from salad_sim.game.value_layout import net_dtype
from salad_sim.game.value_net import new_net
from salad_sim.jit.records import new_record
from salad_sim.jit.typing import Row
from salad_sim.storage.stepwise import reopened
from salad_sim.studies.learning.config import LearningTask

NAME = "learning.npz"
"""Of the file, in the folder of the learning."""

FORMAT = "salad-sim learning 1"

NETS = ("net", "first", "second", "average", "past")
"""The weights, the moments of their gradient, their running average, and that of the last look."""


@dataclass
class LearningState:
    """What a learning has done so far.

    Attributes
    ----------
    nets : dict of str to record
        By the names of `NETS`.
    n_batches, n_games : int
        Batches and games that were learned from.
    seconds : float
        Spent learning.
    errors : list of float
        Samples since the last look, and the sum of their squared errors.
    curve : list of dict
        One row for each look and opponent.
    test : list of dict
        The rows of the final test; empty until it is done.
    finished : bool
        Whether the budget was used up.
    """

    nets: dict[str, np.record]
    n_batches: int = 0
    n_games: int = 0
    seconds: float = 0.0
    errors: list[float] = field(default_factory=lambda: [0.0, 0.0])
    curve: list[Row] = field(default_factory=list)
    test: list[Row] = field(default_factory=list)
    finished: bool = False

    @classmethod
    def fresh(cls, task: LearningTask) -> LearningState:
        """Return the state before the first game."""
        nets = {name: new_record(net_dtype(task.units, task.hidden)) for name in NETS}
        begin = new_net(task.seed, task.units, task.hidden)
        if task.start is not None:
            known, which = read_values(task.start)
            begin = known[which[task.players[0]]]
        for name in ("net", "average", "past"):
            for part in begin.dtype.names or ():
                nets[name][part][...] = begin[part]
        return cls(nets)

    def save(self, task: LearningTask, folder: Path | None) -> None:
        """Write it into the folder of the learning, if it has one."""
        if folder is None:
            return
        done = {name: getattr(self, name) for name in _Done.__struct_fields__}
        done |= {"curve": _listed(self.curve), "test": _listed(self.test)}
        arrays = {f"{name}_{part}": net[part] for name, net in self.nets.items() for part in net.dtype.names or ()}
        write_files(folder, {NAME: sealed_arrays(FORMAT, {"settings": task.settings(), "done": done}, arrays)})


class _Done(msgspec.Struct):
    """What stands in the file beside the weights and the settings."""

    n_batches: int
    n_games: int
    seconds: float
    errors: list[float]
    curve: list[list[tuple[str, Any]]]
    test: list[list[tuple[str, Any]]]
    finished: bool


def _listed(rows: list[Row]) -> list[Any]:
    return [list(row.items()) for row in rows]  # in the order of their columns


def load_state(task: LearningTask, folder: Path) -> LearningState:
    """Return what the learning of a folder has done so far: nothing if there is none.

    Raises
    ------
    InputError
        If there is another learning in the folder, saying what differs, or its file cannot be read.
    """
    state = LearningState.fresh(task)
    found = reopened(folder / NAME, "learning", task.settings(), _read)
    if found is None:
        return state
    done, arrays = found
    for name, net in state.nets.items():
        for part in net.dtype.names or ():
            net[part][...] = arrays[f"{name}_{part}"]
    for name in done.__struct_fields__:
        setattr(state, name, getattr(done, name))
    state.curve, state.test = [dict(row) for row in done.curve], [dict(row) for row in done.test]
    return state


def _read(data: bytes) -> tuple[dict[str, Any], tuple[_Done, dict[str, Any]]]:
    about, arrays = unsealed_arrays(data, FORMAT)
    return about["settings"], (msgspec.convert(about["done"], _Done), arrays)
