"""The folder that a run writes: the one place that writes files."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import platform
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeGuard

from salad_sim import __version__
from salad_sim.errors import InputError
from salad_sim.run.plan import Plan

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

LONGEST = 80
"""Characters of a value that a message shows."""

UNFINISHED = ".unfinished"
"""End of the names of files that are being written."""

LIBRARIES = ("numba", "llvmlite", "numpy")
"""Those that could change a number."""


def open_folder(path: str | Path) -> Path:
    """Make sure that ``path`` is a folder that files can be written into.

    Raises
    ------
    InputError
        If it cannot be made or written.
    """
    if not str(path):
        raise InputError("cannot write into '': a folder that can be written is needed")
    try:
        folder = Path(path).expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError, ValueError) as error:  # no home folder, a null character
        there = isinstance(error, FileExistsError | NotADirectoryError) and folder.is_file()
        reason = "that is a file" if there else getattr(error, "strerror", None) or error
        raise InputError(f"cannot write into {str(path)!r}: {reason}; a folder that can be written is needed") from None
    return folder


def find_folder(path: str) -> Path:
    """Return the folder that a user names, which must be there.

    Raises
    ------
    InputError
    """
    try:
        folder = Path(path).expanduser()
        there = folder.is_dir()
    except (OSError, RuntimeError, ValueError) as error:  # a name too long, no home folder, a null character
        raise InputError(f"{path!r} cannot be found: {getattr(error, 'strerror', None) or error}") from None
    if not there:
        raise InputError(f"{path!r} is no folder; a folder is needed that salad-sim run --out made")
    return folder


@contextmanager
def sole_use(folder: Path) -> Iterator[None]:
    """Keep other programs from continuing what is saved in ``folder``; the lock ends with the process at the latest.

    Raises
    ------
    InputError
        If another program is at work there. Where folders cannot be locked nothing is noticed.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"another salad-sim is at work in {str(folder)!r}: let it end, or choose another folder"
            ) from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)


@contextmanager
def own_folder(folder: Path | None) -> Iterator[None]:
    """Keep other programs out of a folder, and free it of what killed ones left; without a folder do nothing.

    Raises
    ------
    InputError
        As `sole_use`.
    """
    if folder is None:
        yield
        return
    with sole_use(folder):
        remove_unfinished(folder)
        yield


def is_in_use(folder: Path) -> bool:
    """Return whether a program is at work in a folder, as far as it can be told; see `sole_use`."""
    try:
        with sole_use(folder):
            return False
    except InputError:
        return True


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, by name, each all at once: a reader never sees half of one, not even after a power cut.

    Raises
    ------
    InputError
        If there is no room, say; what was there before is then still there.
    """
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        # by process, as two may write into one folder at the same time
        unfinished = folder / f".{name}.{os.getpid()}{UNFINISHED}"
        try:
            with unfinished.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, folder / name)
        except OSError as error:
            raise InputError(f"cannot write {str(folder / name)!r}: {error.strerror or error}") from None
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make sure that the names of files in a folder outlast a power cut, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove_files(folder: Path, names: Sequence[str]) -> None:
    """Remove files of a folder by name, those that are there."""
    for name in names:
        with suppress(OSError):
            (folder / name).unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what programs left behind that were killed while they wrote; the folder must be this program's alone."""
    for file in folder.glob(f".*{UNFINISHED}"):
        with suppress(OSError):
            file.unlink()


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """Return rows as CSV; a number that is not known is an empty field."""
    names = list(columns or (rows[0] if rows else ()))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _field(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _field(value: Any) -> Any:
    return "" if isinstance(value, float) and math.isnan(value) else value


def json_text(value: Any) -> str:
    """Return plain data as JSON for people and programs."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def strategy_records(plans: Sequence[Plan]) -> list[dict[str, Any]]:
    """Return what identifies each different strategy of some plans: its values, and SHA-256 of all files it is of."""
    members = {(each.name, each.values, each.source): each for plan in plans for each in plan.members}
    records = []
    for each in members.values():
        hashes = each.hashes
        record = {"name": each.name, "parameters": each.settings, "file": each.source.name}
        record["sha256"] = hashes.pop(each.source.name)
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
    words = ["salad-sim", "experiment", name]
    for option, flag in (("players", "--players"), ("strategies", "--strategy"), ("card", "--card")):
        for value in options.get(option, []):
            words += [flag, str(value)]
    for option in ("games", "seed", "precision", "margin", "cards"):
        if option in options:
            words += [f"--{option}", str(options[option])]
    for key, value in options.get("rules", {}).items():
        words += ["--rule", f"{key}={value}"]
    return {
        "again": shlex.join(words),
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
    there = _read_record(folder / "run.json") or {}
    again = there.get("again")
    if isinstance(again, str) and again.split()[1:2] not in ([], [kind]):
        raise InputError(f"{str(folder)!r} holds {_what(there)}, no results of salad-sim {kind}; choose another folder")


def _read_record(file: Path) -> dict[str, Any] | None:
    """Return what a run.json says; None if there is none, or it says nothing."""
    try:
        there = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return there if isinstance(there, dict) else None


def _what(record: Mapping[str, Any]) -> str:
    again = record.get("again")
    if not isinstance(again, str) or not again.isprintable():
        return "results of something else"
    return f"the results of {_short(again)}"


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
    file = folder / "run.json"
    if not file.exists():
        return
    there = _read_record(file) or {}
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
