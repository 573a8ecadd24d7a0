"""The file that keeps the games of a league while it is played, so that it can go on after any kind of stop."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.files.atomic import write_files
from salad_sim.files.sealed import DamagedError, read_sealed, sealed_arrays, unsealed_arrays
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.storage.folder import differences
from salad_sim.studies.league.schedule import Played

GAMES_FILE = "games.npz"
RUN_FILE = "run.json"
FORMAT = "salad-sim league 2"

SAVE_SECONDS = 5.0
SHARE_OF_TIME = 20
"""Saving takes no more than one second in so many."""


class LeagueSaver:
    """Saves the games of a league into a folder every few seconds."""

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        self.folder = folder
        self.identity = identity
        self.last = perf_counter()
        self.cost = 0.0

    def save_if_due(self, played: Played) -> bool:
        """Save, unless that was done a moment ago; return whether it was."""
        due = perf_counter() - self.last >= max(SAVE_SECONDS, SHARE_OF_TIME * self.cost)
        if due:
            self.save(played)
        return due

    def save(self, played: Played) -> None:
        """Save all games so far, in one step: a reader sees the file before or the file after."""
        start = perf_counter()
        games = played.finishes()
        arrays = {"who": games.who.astype(np.uint8), "wins": games.wins, "scores": games.scores}
        write_files(self.folder, {GAMES_FILE: sealed_arrays(FORMAT, self.identity, arrays)})
        self.last = perf_counter()
        self.cost = self.last - start


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
        found, arrays = unsealed_arrays(read_sealed(file), FORMAT)
    except DamagedError as error:
        raise InputError(
            f"{file} {error.verdict} ({error}), so the league cannot go on; --force plays it from the start"
        ) from None
    different = differences(found, json.loads(json.dumps(identity)))
    if different:
        raise InputError(
            f"{str(folder)!r} holds another league: {'; '.join(different)}; choose another folder, or --force to "
            "replace that league by this one"
        )
    if not _fits(arrays, played):
        raise InputError(f"{file} holds no games of this league; --force plays it from the start")
    n_deals = len(arrays["wins"])
    for name, array in arrays.items():
        getattr(played, name)[:n_deals] = array
    return n_deals


def _fits(arrays: Mapping[str, Any], played: Played) -> bool:
    """Return whether arrays are games that a league of this size can have."""
    if set(arrays) != {"who", "wins", "scores"} or len({len(array) for array in arrays.values()}) != 1:
        return False
    for name, new in arrays.items():
        old = getattr(played, name)
        if new.dtype.kind not in "iu" or new.shape[1:] != old.shape[1:] or len(new) > len(old):
            return False
    return bool((arrays["who"] < played.n_strategies).all() and (arrays["wins"] <= WHOLE_WIN).all())


def _refuse_other_results(folder: Path) -> None:
    if (folder / RUN_FILE).exists():
        raise InputError(
            f"{str(folder)!r} holds the results of something else ({RUN_FILE} without {GAMES_FILE}); choose another "
            "folder, or --force to write over them"
        )
