"""The file that a tuning is continued from: what it has done so far, as JSON."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from salad_sim.errors import InputError, quote
from salad_sim.storage.folder import write_files
from salad_sim.studies.tuning.config import Task
from salad_sim.studies.tuning.search import Generation
from salad_sim.studies.tuning.validation import Finalist

NAME = "tuning.json"
"""Of the file, in the folder of the tuning."""

LARGEST = 64 * 2**20
"""Bytes of a file that is read, at most."""


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

    def text(self, task: Task) -> str:
        """Return it as the content of its file, one line for each generation."""
        lines = ",\n  ".join(json.dumps(asdict(each)) for each in self.generations)
        rest = {
            "finalists": [asdict(each) for each in self.finalists],
            "rows": self.rows,
            "scores": sorted(self.scores.items()),
        }
        parts = [f'"settings": {json.dumps(task.settings(), ensure_ascii=False)}', f'"generations": [\n  {lines}\n]']
        parts += [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in rest.items()]
        body = ",\n".join(parts)
        return f'{{\n{body},\n"sha256": "{_digest(body)}"\n}}\n'

    def save(self, task: Task, folder: Path | None) -> None:
        """Write it into the folder of the tuning, if it has one."""
        if folder is not None:
            write_files(folder, {NAME: self.text(task)})


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
        if not file.is_file() or file.stat().st_size > LARGEST:  # a pipe would keep whoever reads it waiting
            raise ValueError("no file of a tuning")
        data = json.loads(_intact(file.read_text(encoding="utf-8")))
        _refuse_another(file, data["settings"], json.loads(json.dumps(task.settings())))
        state = State(
            [Generation(**each) for each in data["generations"]],
            [Finalist(**each) for each in data["finalists"]],
            list(data["rows"]),
            Counter({int(score): int(count) for score, count in data["scores"]}),
        )
        _check(state, task)
        return state
    except OSError as error:
        raise InputError(f"{str(file)!r} cannot be read: {error.strerror}") from None
    except InputError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise InputError(
            f"{str(file)!r} is no file of a tuning, or damaged; --force begins anew and replaces it"
        ) from None


def _check(state: State, task: Task) -> None:
    """Refuse what no tuning can have written: the checksum can be made by anybody.

    Raises
    ------
    ValueError, TypeError
    """
    size, n_names = task.population, len(task.names)
    numbers: list[Any] = []
    for each in state.generations:
        points = [*each.points, each.centre]
        if (len(each.points), len(each.values)) != (size, size) or any(len(point) != n_names for point in points):
            raise ValueError("a generation has another size")
        numbers += [*each.values, each.value, *(number for point in points for number in point)]
    for found in state.finalists:
        if len(found.values) != n_names or type(found.n_deals) is not int or not isinstance(found.origin, str):
            raise ValueError("a finalist is none")
        numbers += [*found.values, found.value]
    if not all(type(number) in (int, float) and math.isfinite(number) for number in numbers):
        raise ValueError("a number is none")
    estimates: list[Any] = [*state.generations, *state.finalists]
    if not all(type(bound) in (int, float) for each in estimates for bound in (each.low, each.high)):
        raise ValueError("a bound is none")
    if len(state.generations) > task.schedule.n_generations or not all(isinstance(row, dict) for row in state.rows):
        raise ValueError("more was done than there was to do")
    if any(score < 0 or count < 0 for score, count in state.scores.items()):
        raise ValueError("a pair has no such score")


def _intact(text: str) -> str:
    """Return the text of a file if it is as it was written: an edited number would change the result unnoticed."""
    found = re.fullmatch(r'\{\n(.*),\n"sha256": "(\w+)"\n\}\n', text, re.DOTALL)
    if found is None or found[2] != _digest(found[1]):
        raise ValueError("the text was changed")
    return text


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


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
