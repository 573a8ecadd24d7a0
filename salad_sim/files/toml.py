"""TOML files that users give: read with care, and written."""

from __future__ import annotations

import json
import numbers
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from salad_sim.errors import InputError

LARGEST_FILE = 1 << 20

MOST_DOTS = 30
LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.){0,99}+"|'[^'\n]{0,99}+')[ \t]*+\.[ \t]*+)"""
    rf"{{{MOST_DOTS}}}"
)
"""A key of very many parts: the time that tomllib (Python 3.11) takes for one grows with their square."""


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
        If it is not TOML, or has whole numbers of more than 64 bits.
    """
    try:
        text = data.decode("utf-8-sig")
        if LONG_KEY.search(text):
            raise InputError(f"{what} {where!r} has a key of {MOST_DOTS} dots or more")
        content = tomllib.loads(text)
        if _has_huge_number(content):
            raise InputError(f"{what} {where!r} has a whole number of more than 64 bits")
        return content
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise InputError(f"{what} {where!r} is not TOML: {error}") from None


def _has_huge_number(content: Any) -> bool:
    """Return whether a whole number is larger than TOML promises; such ones cannot even be printed in a message."""
    left = [content]
    while left:
        each = left.pop()
        if isinstance(each, int) and not -(2**63) <= each < 2**63:
            return True
        left += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    return False


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
    lines = [
        f"{_key(key)} = {_value(value)}"
        for key, value in table.items()
        if value is not None and not isinstance(value, Mapping)
    ]
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{_key(key)}]"]
            lines += [f"{_key(name)} = {_value(each)}" for name, each in value.items() if each is not None]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(text: str) -> str:
    # a JSON string is a TOML string but for the character DEL; what is not Unicode (odd file names) becomes "?"
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items() if each is not None)
        return f"{{ {inner} }}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_value, value))}]"
    raise TypeError(f"TOML knows no {type(value).__name__}: {value!r}")
