"""The folder of a result: what it says of itself, whose it is, and its tables as text."""

from __future__ import annotations

import csv
import io
import json
import math
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeGuard

from salad_sim import __version__
from salad_sim.errors import InputError, printable
from salad_sim.files.sealed import read_sealed
from salad_sim.run.plan import Plan
from salad_sim.storage.command import again

LARGEST_RECORD = 2**25
"""Bytes of a run.json that is read, at most."""

LONGEST = 80
"""Characters of a value that a message shows."""

STUDY_OPTIONS = {
    **{"players": "players", "strategy": "strategies", "card": "card"},
    **{name: name for name in ("games", "seed", "precision", "margin", "cards")},
}
"""Options of an experiment in the order in which they are said again: name on the command line, and in its record."""

LIBRARIES = ("numba", "llvmlite", "numpy")
"""Those that could change a number."""


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """Return rows as CSV; a number that is not known, or has no end, is an empty field."""
    names = list(columns or (rows[0] if rows else ()))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _field(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _field(value: Any) -> Any:
    return "" if isinstance(value, float) and not math.isfinite(value) else value


def json_text(value: Any) -> str:
    """Return plain data as JSON for people and programs."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def strategy_records(plans: Sequence[Plan]) -> list[dict[str, Any]]:
    """Return what identifies each different strategy of some plans: parameters, and SHA-256 of files and values."""
    members = {(each.name, each.values, each.source): each for plan in plans for each in plan.members}
    records = []
    for each in members.values():
        hashes = each.hashes
        record = {"name": each.name, "parameters": each.settings, "file": each.source.name}
        record |= {"sha256": hashes.pop(each.source.name), "values": hashes.pop("values")}
        records.append(record | ({"imports": hashes} if hashes else {}))
    return records


def versions() -> dict[str, str]:
    """Return the versions of what could change a number."""
    return {
        "salad-sim": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }


def study_record(name: str, options: Mapping[str, Any], plans: Sequence[Plan]) -> dict[str, Any]:
    """Return all that is needed to do a study again.

    Parameters
    ----------
    name : str
        The experiment, as for `salad-sim experiment`.
    options : mapping
        The options that were given, by name: games, players, strategies, seed, rules.
    plans : sequence of Plan
        What was played.
    """
    said = {flag: options.get(option) for flag, option in STUDY_OPTIONS.items()}
    said["rule"] = [f"{key}={value}" for key, value in options.get("rules", {}).items()]
    return {
        "again": again("experiment", [name], said),
        "experiment": name,
        "options": dict(options),
        "strategies": strategy_records(plans),
        "versions": versions(),
    }


def refuse_another_kind(folder: Path, kind: str) -> None:
    """Refuse a folder of results of another kind: its files would stay beside the new ones, and be taken for theirs.

    Parameters
    ----------
    folder : pathlib.Path
    kind : str
        What is to be written: the command that makes it, as "run" or "experiment".

    Raises
    ------
    InputError
    """
    there = _read_record(folder)
    again = there.get("again")
    if isinstance(again, str) and again.split()[1:2] not in ([], [kind]):
        raise InputError(f"{str(folder)!r} holds {_what(there)}, no results of salad-sim {kind}; choose another folder")


def _read_record(folder: Path) -> dict[str, Any]:
    """Return what a folder says of itself; nothing if it does not."""
    try:
        there = json.loads(read_sealed(folder / "run.json", LARGEST_RECORD))
    except (InputError, ValueError, RecursionError):  # a pipe, say, or a link to a device without an end
        return {}
    return there if isinstance(there, dict) else {}


def _what(record: Mapping[str, Any]) -> str:
    again = record.get("again")
    return f"the results of {_short(printable(again))}" if isinstance(again, str) else "results of something else"


def refuse_another_study(folder: Path, name: str, options: Mapping[str, Any]) -> None:
    """Refuse a folder that holds another study, or a run.

    Parameters
    ----------
    folder : pathlib.Path
    name : str
        Of the experiment that is to be written.
    options : mapping
        Its options.

    Raises
    ------
    InputError
    """
    if not (folder / "run.json").exists():
        return
    there = _read_record(folder)
    same = there.get("options") == json.loads(json.dumps(options)) and there.get("experiment", name) == name
    if not same:
        raise InputError(f"{str(folder)!r} holds {_what(there)}; choose another folder, or --force to write over them")


def run_record(plan: Plan, games: int, interrupted: bool, again: str) -> dict[str, Any]:
    """Return all that is needed to play a run again; nothing that differs when it is.

    Parameters
    ----------
    plan : Plan
    games : int
        Games that were counted.
    interrupted : bool
        Whether the run was ended early.
    again : str
        The command that plays it again.
    """
    return {
        "again": again,
        "options": plan.options(),
        "games_counted": games,
        "interrupted": interrupted,
        "strategies": strategy_records([plan]),
        "versions": versions(),
    }


def differences(there: Mapping[str, Any], here: Mapping[str, Any], of: str = "") -> list[str]:
    """Say in what two records differ, a phrase each.

    Parameters
    ----------
    there, here : mapping
        Plain data.
    of : str
        What they are records of, for the phrases.
    """
    found = []
    for name in dict.fromkeys([*there, *here]):
        one, other = there.get(name), here.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            found += differences(one, other, of)
        elif _are_records(one) and _are_records(other) and len(one) == len(other):
            for mine, yours in zip(one, other, strict=True):
                found += differences(mine, yours, str(mine.get("file", name)))
        elif one != other:
            shown = _apart(_text(one), _text(other))
            found.append(f"{name}{f' of {of}' if of and name != of else ''} is {shown[0]} there and {shown[1]} here")
    return found


def _are_records(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _text(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value):
        return f"{value[:12]}..."  # SHA-256 of a file: nobody reads more of it
    return "not given" if value is None else str(value)


def _apart(one: str, other: str) -> tuple[str, str]:
    """Return two texts that differ, long ones from a little before the first difference."""
    start = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    cut = max(0, start - LONGEST // 4) if max(len(one), len(other)) > LONGEST else 0
    return _short("..." * (cut > 0) + one[cut:]), _short("..." * (cut > 0) + other[cut:])


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
