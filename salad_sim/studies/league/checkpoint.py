"""The file that keeps the games of a league while it is played, so that it can go on after any kind of stop."""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.storage.folder import differences, write_files
from salad_sim.studies.league.schedule import Played

GAMES_FILE = "games.npz"
RUN_FILE = "run.json"

SAVE_SECONDS = 5.0
SHARE_OF_TIME = 20
"""Saving takes no more than one second in so many."""

UNREADABLE = (
    *(OSError, ValueError, KeyError, TypeError, EOFError, MemoryError, RecursionError, SyntaxError),
    *(NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error),
)
"""What reading a damaged file raises: numpy, zipfile, zlib and json each have their own ways."""

MOST_IDENTITY = 1 << 24
"""Bytes of what identifies a league and of the heads of arrays, at most."""


class Saver:
    """Saves the games of a league into a folder every few seconds."""

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        self.folder = folder
        self.identity = identity
        self.last = perf_counter()
        self.cost = 0.0

    def save_if_due(self, played: Played) -> None:
        """Save, unless that was done a moment ago."""
        if perf_counter() - self.last >= max(SAVE_SECONDS, SHARE_OF_TIME * self.cost):
            self.save(played)

    def save(self, played: Played) -> None:
        """Save all games so far, in one step: a reader sees the file before or the file after."""
        start = perf_counter()
        write_files(self.folder, {GAMES_FILE: as_bytes(played, self.identity)})
        self.last = perf_counter()
        self.cost = self.last - start


def as_bytes(played: Played, identity: Mapping[str, Any]) -> bytes:
    """Return the games as the bytes of a numpy archive; the same games give the same bytes."""
    n_deals = played.n_deals
    arrays: dict[str, Any] = {
        "league": np.frombuffer(_plain(identity).encode(), dtype=np.uint8),
        "who": played.who[:n_deals].astype(np.uint8),
        "wins": played.wins[:n_deals],
        "scores": played.scores[:n_deals],
    }
    file = io.BytesIO()
    arrays["checksum"] = _checksum(arrays)
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _plain(identity: Mapping[str, Any]) -> str:
    return json.dumps(identity, ensure_ascii=False, sort_keys=True)


def _checksum(arrays: Mapping[str, Any]) -> np.ndarray:
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def restore(folder: Path, identity: Mapping[str, Any], played: Played) -> int:
    """Fill in the games that a folder holds of a league, and return how many deals they are.

    Raises
    ------
    InputError
        If the folder holds the games or the results of anything else, or its file of games is damaged.
    """
    file = folder / GAMES_FILE
    if not os.path.lexists(file):
        _refuse_other_results(folder)
        return 0
    try:
        arrays = _arrays_of(file, played)
        found = json.loads(arrays["league"].tobytes().decode())
        intact = isinstance(found, dict)
    except UNREADABLE:
        intact = False
    if not intact:
        raise InputError(f"{file} is damaged, so the league cannot go on; --force plays it from the start")
    different = differences(found, json.loads(_plain(identity)))
    if different:
        raise InputError(
            f"{str(folder)!r} holds another league: {'; '.join(different)}; choose another folder, or --force to "
            "replace that league by this one"
        )
    if not _fits(arrays, played):
        raise InputError(f"{file} holds no games of this league; --force plays it from the start")
    n_deals = len(arrays["wins"])
    played.who[:n_deals], played.wins[:n_deals], played.scores[:n_deals] = (
        arrays[name] for name in ("who", "wins", "scores")
    )
    return n_deals


def _arrays_of(file: Path, played: Played) -> dict[str, Any]:
    """Return what a file holds, if it is as it was written; one of the `UNREADABLE` errors if not."""
    if not file.is_file():  # a pipe would keep whoever reads it waiting
        raise ValueError("no regular file")
    most = MOST_IDENTITY + 2 * sum(each.nbytes for each in (played.who, played.wins, played.scores))
    with zipfile.ZipFile(file) as parts:
        if sum(part.file_size for part in parts.infolist()) > most:
            raise ValueError("larger than a league of this size")
    with np.load(file, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    if not np.array_equal(arrays.pop("checksum"), _checksum(arrays)):
        raise ValueError("the checksum does not agree")
    return arrays


def _fits(arrays: Mapping[str, Any], played: Played) -> bool:
    """Return whether the arrays are games that a league can have: the checksum can be made by anybody."""
    kept: dict[str, Any] = {"wins": played.wins, "who": played.who, "scores": played.scores}
    for name, array in kept.items():
        found = arrays.get(name)
        if found is None or found.dtype.kind not in "iu" or found.ndim != array.ndim:
            return False
        if len(found) != len(arrays["wins"]) or len(found) > len(array) or found.shape[1:] != array.shape[1:]:
            return False
    return bool((arrays["who"] < played.n_strategies).all() and (arrays["wins"] <= WHOLE_WIN).all())


def _refuse_other_results(folder: Path) -> None:
    if (folder / RUN_FILE).exists():
        raise InputError(
            f"{str(folder)!r} holds the results of something else ({RUN_FILE} without {GAMES_FILE}); choose another "
            "folder, or --force to write over them"
        )
