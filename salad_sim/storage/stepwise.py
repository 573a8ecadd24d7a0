"""What a job that goes on step by step has saved, in one file of its folder: read, if it is of the same job."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from salad_sim.errors import InputError, quote
from salad_sim.files.sealed import DamagedError, read_sealed

SHORT = 200

Done = TypeVar("Done")


def reopened(
    file: Path, what: str, settings: Mapping[str, Any], read: Callable[[bytes], tuple[Mapping[str, Any], Done]]
) -> Done | None:
    """Return what a file says was done; None if there is no file.

    Parameters
    ----------
    file : Path
    what : str
        What it is of, as "tuning".
    settings : mapping
        Of the job that shall go on.
    read : callable
        The bytes of the file -> the settings that it is of, and what was done.

    Raises
    ------
    InputError
        If it is of other settings, saying what differs, or cannot be read.
    """
    if not os.path.lexists(file):
        return None
    try:
        there, done = read(read_sealed(file))
    except (DamagedError, KeyError, msgspec.ValidationError) as error:
        raise InputError(
            f"{str(file)!r} is no file of a {what}, or damaged ({error}); --force begins anew and replaces it"
        ) from None
    here = json.loads(json.dumps(settings))
    for name in (*here, *there):
        if there.get(name) != here.get(name):
            raise InputError(
                f"{str(file.parent)!r} holds another {what}, with {name} {_short(there.get(name))} and not "
                f"{_short(here.get(name))}; choose another folder, or --force to begin anew and replace it"
            )
    return done


def _short(value: Any) -> str:
    return str(value) if len(str(value)) <= SHORT else quote(value)
