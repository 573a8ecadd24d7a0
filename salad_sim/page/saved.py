"""A saved result read back from its folder: what was asked, and its tables by name; columns are found by name only."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from salad_sim.errors import InputError
from salad_sim.files.atomic import find_folder
from salad_sim.jit.typing import Row

TEXTS = frozenset(
    (
        *("strategy", "opponent", "opponents", "card", "card_1", "card_2", "family", "back", "ruling", "rule", "text"),
        *("a", "b", "verdict", "again", "origin", "measure", "unit", "who", "next", "own_turns", "vegetables"),
    )
)
"""Columns that are texts even where all of their values look like numbers."""

MOST_BYTES = 50_000_000
"""Of a table: what is larger is no table of a result."""


@dataclass(frozen=True)
class Saved:
    """A result as it was saved.

    Attributes
    ----------
    name : str
        Of its folder.
    kind : str
        The command that made it, as "run" or "experiment"; of an experiment its name, as "card-value".
    record : dict
        Its run.json.
    tables : dict of str to list of dict
        By file name without ending.
    texts : dict of str to str
        Its Markdown by file name.
    """

    name: str
    kind: str
    record: Mapping[str, Any]
    tables: Mapping[str, list[Row]]
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def again(self) -> str:
        """The command that makes it again, empty if it is not known."""
        return str(self.record.get("again", ""))

    @property
    def options(self) -> Mapping[str, Any]:
        """What was asked for."""
        found = self.record.get("options", {})
        return found if isinstance(found, dict) else {}

    def rows(self, name: str, *needed: str) -> list[Row]:
        """Return the rows of a table; none if it is not there, or lacks one of the columns that are needed."""
        rows = self.tables.get(name, [])
        return rows if rows and all(each in rows[0] for each in needed) else []

    @property
    def was_interrupted(self) -> bool:
        """Whether it was ended early."""
        return bool(self.record.get("interrupted", False))


def read_saved(path: str) -> Saved:
    """Read a folder that a command of salad-sim has written.

    Raises
    ------
    InputError
        If it is no such folder, or a file of it cannot be read.
    """
    folder = find_folder(path)
    record = _record(folder)
    tables = {file.stem: read_table(_text(file), str(file)) for file in sorted(folder.glob("*.csv"))}
    if not record and not (folder / "tuning.json").exists():
        raise InputError(f"{path!r} holds no saved result: there is no run.json; see --out of the command that made it")
    if not any(tables.values()):
        raise InputError(f"{path!r} holds no tables yet; salad-sim status {path} says how far it is")
    texts = {file.name: _text(file) for file in sorted(folder.glob("*.md"))}
    return Saved(folder.resolve().name, _kind(record), record, tables, texts)


def _kind(record: Mapping[str, Any]) -> str:
    if isinstance(record.get("experiment"), str):
        return str(record["experiment"])
    words = str(record.get("again", "")).split()
    return words[1] if len(words) > 1 and words[0] == "salad-sim" else "tune" if not record else "other"


def _record(folder: Path) -> dict[str, Any]:
    file = folder / "run.json"
    if not file.exists():
        return {}
    try:
        found = json.loads(_text(file))
    except ValueError as error:
        raise InputError(f"{str(file)!r} is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"{str(file)!r} is not what salad-sim writes: an object is needed")
    return found


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise InputError(f"{str(file)!r} has {file.stat().st_size:,} bytes; at most {MOST_BYTES:,} are read")
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{str(file)!r} is no text in UTF-8") from None
    except OSError as error:
        raise InputError(f"{str(file)!r}: {error.strerror}") from None


def read_table(text: str, source: str) -> list[Row]:
    """Return the rows of a CSV: a column of numbers as numbers, None where one is not known.

    Raises
    ------
    InputError
        If a line has another number of fields than the first.
    """
    lines = list(csv.reader(io.StringIO(text)))
    if not lines:
        return []
    names, body = lines[0], lines[1:]
    for number, line in enumerate(body, start=2):
        if len(line) != len(names):
            raise InputError(f"{source}, row {number}: {len(names)} fields are needed, not {len(line)}")
    columns = {name: _column(name, [line[at] for line in body]) for at, name in enumerate(names)}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _column(name: str, values: Iterable[str]) -> list[Any]:
    texts = list(values)
    if name in TEXTS:
        return list(texts)
    missing = math.nan if name.endswith(("_low", "_high")) else None  # of an estimate only its value may be None
    try:
        return [_number(each) if each else missing for each in texts]
    except ValueError:
        return list(texts)


def _number(text: str) -> float | int:
    if text in ("inf", "-inf"):
        return float(text)
    if text.strip("-+.0123456789eE"):
        raise ValueError(text)
    return int(text) if text.lstrip("-").isdecimal() else float(text)
