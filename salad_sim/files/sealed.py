"""Saved files that say of themselves what they are and end with a checksum; nothing in them is executed or unpickled.

A file is plain data as JSON, or numpy arrays as a zip archive, and behind it the seal: in JSON that is the last entry,
in an archive its comment. Every file names its kind and the number of its format, as in "salad-sim tally 2".
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from salad_sim.errors import InputError

HEAD = b'{\n"content": '
SEAL = b',\n"sha256": "%s"\n}\n'
N_SEAL = len(SEAL) + 62
"""Bytes of a seal: 64 digits in place of the ``%s``."""

LARGEST = 2**30
"""Bytes of a file that is read, at most."""

ABOUT = "about"
"""The array of an archive that holds plain data, as JSON."""

Schema = TypeVar("Schema")


class DamagedError(ValueError):
    """A file that is not as it was written."""

    verdict = "is damaged"


class OtherFormatError(DamagedError):
    """A file that is as it was written, but not by this version."""

    verdict = "is of another version of salad-sim"


def sealed(kind: str, content: Mapping[str, Any]) -> bytes:
    """Return plain data as the bytes of a file; the same data gives the same bytes."""
    return _with_seal(HEAD + _plain(kind, content))


def unsealed(data: bytes, kind: str, schema: type[Schema]) -> Schema:
    """Return what the bytes of a file say.

    Parameters
    ----------
    data : bytes
    kind : str
        Kind and format that they should be.
    schema : type
        Of what they say: anything that msgspec can convert plain data to.

    Raises
    ------
    DamagedError
        If they are not as they were written, saying what is wrong and where.
    """
    return _content(_without_seal(data).removeprefix(HEAD), kind, schema)


def sealed_arrays(kind: str, content: Mapping[str, Any], arrays: Mapping[str, Any]) -> bytes:
    """Return plain data and numpy arrays as the bytes of an archive, which `numpy.load` reads too."""
    file = io.BytesIO()
    about: Any = np.frombuffer(_plain(kind, content), dtype=np.uint8)
    np.savez_compressed(file, **{ABOUT: about, **arrays})
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = bytes(N_SEAL)
    return _with_seal(file.getvalue()[:-N_SEAL])


def unsealed_arrays(data: bytes, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the plain data and the arrays of an archive.

    Raises
    ------
    DamagedError
        As `unsealed` does.
    """
    _without_seal(data)
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = arrays.pop(ABOUT).tobytes()
    except (ValueError, KeyError, OSError, zipfile.BadZipFile):
        raise DamagedError("no archive of arrays") from None
    return _content(about, kind, dict[str, Any]), arrays


def read_sealed(file: Path, most: int = LARGEST) -> bytes:
    """Return the bytes of a file, if it has no more than so many.

    Raises
    ------
    DamagedError
        If it is no file that was saved.
    InputError
        If it cannot be read at all.
    """
    try:
        if not file.is_file():  # a pipe would keep whoever reads it waiting
            raise DamagedError("no regular file")
        if file.stat().st_size > most:
            raise DamagedError(f"larger than {most:,} bytes")
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{str(file)!r} cannot be read: {error.strerror}") from None


def _plain(kind: str, content: Mapping[str, Any]) -> bytes:
    named = {"format": kind, **content}
    return json.dumps(named, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _with_seal(body: bytes) -> bytes:
    return body + SEAL % hashlib.sha256(body.removeprefix(HEAD)).hexdigest().encode()


def _without_seal(data: bytes) -> bytes:
    body = data[:-N_SEAL]
    if _with_seal(body) != data:
        raise DamagedError("cut off, or its checksum does not agree")
    return body


def _content(text: bytes, kind: str, schema: type[Schema]) -> Schema:
    try:
        content = msgspec.convert(json.loads(text), dict[str, Any])
        found = content.pop("format", None)
        if found != kind:
            raise OtherFormatError(f"its format is {str(found)[:40]!r}, not {kind!r}")
        return msgspec.convert(content, schema)
    except msgspec.ValidationError as error:
        raise DamagedError(str(error)) from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise DamagedError("not JSON") from None
