"""TOML files that users give: read with care, and written."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from salad_sim.errors import InputError

LARGEST_FILE = 1 << 20


def read_toml(given: str, what: str) -> dict[str, Any]:
    """Return the content of a TOML file.

    Parameters
    ----------
    given : str
        The path, as the user wrote it.
    what : str
        What kind of file it is, for messages, as in "rules file".

    Raises
    ------
    InputError
        If it cannot be read, is larger than 1 MiB or is not TOML.
    """
    return parse_toml(read_small_file(given, what), given, what)


def read_small_file(given: str, what: str) -> bytes:
    """Return the content of a file that a user names.

    Parameters
    ----------
    given, what : str
        As in `read_toml`.

    Raises
    ------
    InputError
        If it cannot be read, is no regular file (a pipe would keep whoever reads it waiting) or is larger than 1 MiB.
    """
    try:
        path = Path(given).expanduser()
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "no regular file"
            raise InputError(f"{what} {given!r} cannot be read: it is {kind}")
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{what} {given!r} is larger than 1 MiB")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{what} {given!r} cannot be read: {error.strerror}") from None
    except InputError:
        raise
    except (RuntimeError, ValueError) as error:  # no home folder, a null character
        raise InputError(f"{what} {given!r} cannot be read: {error}") from None


def parse_toml(data: bytes, where: str, what: str) -> dict[str, Any]:
    """Return the content of ``data``, the bytes of the file ``where``.

    Raises
    ------
    InputError
        If it is not TOML.
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise InputError(f"{what} {where!r} is not TOML: {error}") from None


def toml_text(table: Mapping[str, Any]) -> str:
    """Return plain data as TOML.

    Parameters
    ----------
    table : mapping of str
        Values are text, booleans, numbers (floats are written in full precision), lists of these, or mappings, which
        become tables; None is left out.

    Raises
    ------
    TypeError
        If a value is anything else.
    """
    import tomli_w  # written by tuning alone

    return tomli_w.dumps(_plain(table))


def _plain(value: Any) -> Any:
    """Return data as TOML knows it: without None, numbers as Python's, "?" for what is not Unicode (odd file names)."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Sequence):
        return [_plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value
