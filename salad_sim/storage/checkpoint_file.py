"""The file that a run is saved in: what is played, which deals are counted, and what they counted, as sealed JSON.

It is written in one step, and the one before it is kept. Whatever is damaged is noticed by the seal, and the file
before it then says the same of a moment earlier; nothing is ever executed or unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.play.tally import TALLY, new_tally
from salad_sim.run.deal_ledger import Block, Ledger, Range
from salad_sim.storage.folder import sync_folder, write_files
from salad_sim.storage.validation import contradiction, is_too_large

FILE = "tally.json"
BEFORE = "tally.before.json"
FORMAT = "salad-sim tally 2"

LARGEST = 64 * 2**20
"""Bytes of a file that is read, at most."""

MOST_DEALS = 10**15
MOST_SECONDS = 10**11


class DamagedError(ValueError):
    """A file that is not as it was written."""

    verdict = "is damaged"


class OtherFormatError(DamagedError):
    """A file that is as it was written, but not by this version."""

    verdict = "is of another version of salad-sim"


@dataclass(frozen=True)
class SavedRun:
    """What a file says.

    Attributes
    ----------
    record : dict
        What is played, see `identity.record_of`.
    ledger : Ledger
        What is counted.
    seconds : float
        Time spent playing, all stops left out; 0 if the run is complete.
    """

    record: dict[str, Any]
    ledger: Ledger
    seconds: float


def tally_dict(tally: np.record) -> dict[str, Any]:
    """Return a tally as plain data."""
    return {name: tally[name].tolist() for name in TALLY.names or ()}


def tally_from(data: Any) -> np.record:
    """Return the tally of plain data.

    Raises
    ------
    DamagedError
        If the fields, their shapes or their numbers are not those of a tally, or contradict each other.
    """
    if not isinstance(data, dict) or set(data) != set(TALLY.names or ()):
        raise DamagedError("a tally has other fields")
    tally = new_tally()
    for name, value in data.items():
        try:
            array = np.array(value)
        except ValueError:
            raise DamagedError(f"{name} is no table of numbers") from None
        whole = array.dtype.kind == "i" and _no_bools(value)
        if not whole or array.shape != tally[name].shape:
            raise DamagedError(f"{name} is no table of whole numbers of the shape {tally[name].shape}")
        tally[name] = array
    wrong = contradiction(tally)
    if wrong:
        raise DamagedError(f"its numbers contradict each other: {wrong}")
    return tally


def _no_bools(value: Any) -> bool:
    return all(map(_no_bools, value)) if isinstance(value, list) else type(value) is int


def _plain(data: Any) -> str:
    return json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def as_text(record: Mapping[str, Any], ledger: Ledger, seconds: float) -> str:
    """Return the content of the file: what each block has counted, of which deals.

    The total is not in it: whoever reads it adds the blocks. The file of a complete run does not say how long it took:
    it is the same however it was played.
    """
    blocks, total = ledger.snapshot()
    complete = all(block.is_complete for block in blocks)
    body = {
        "format": FORMAT,
        "run": record,
        "seconds": 0.0 if complete else round(seconds, 3),
        "games": int(total.games),
        "blocks": [_block_dict(block) for block in blocks],
    }
    text = _plain(body)
    return f'{{\n"content": {text},\n"sha256": "{_seal(text)}"\n}}\n'


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _block_dict(block: Block) -> dict[str, Any]:
    found: dict[str, Any] = {"first": block.first, "stop": block.stop}
    if block.tally is not None:
        found |= {"done": [list(each) for each in block.done], "tally": tally_dict(block.tally)}
    return found


def save(folder: Path, record: Mapping[str, Any], ledger: Ledger, seconds: float) -> None:
    """Write the file into a folder; the one before it stays beside it until the run is complete.

    Raises
    ------
    InputError
        If it cannot be written; what was saved before is then still there.
    """
    text = as_text(record, ledger, seconds)
    new = f"{FILE}.new"
    write_files(folder, {new: text})
    try:
        with suppress(FileNotFoundError):
            os.replace(folder / FILE, folder / BEFORE)
        os.replace(folder / new, folder / FILE)
    except OSError as error:
        raise InputError(f"cannot write {str(folder / FILE)!r}: {error.strerror or error}") from None
    sync_folder(folder)
    if ledger.is_complete:
        with suppress(OSError):
            (folder / BEFORE).unlink(missing_ok=True)


def load(folder: Path) -> tuple[SavedRun | None, list[str]]:
    """Read what a folder holds of a run.

    Returns
    -------
    saved : SavedRun or None
        None if the folder holds no run, or nothing of it can be read.
    problems : list of str
        Damaged files, a sentence each; if there is a saved run all the same, it is from the file before.
    """
    problems: list[str] = []
    for name in (FILE, f"{FILE}.new", BEFORE):
        file = folder / name
        if not os.path.lexists(file):
            continue
        try:
            return read(file), problems
        except DamagedError as error:
            problems.append(f"{file} {error.verdict} ({error})")
    return None, problems


def forget(folder: Path) -> None:
    """Remove what a folder holds of a run, so that a damaged file of another run never leads back to it.

    Raises
    ------
    InputError
        If it cannot be removed.
    """
    for name in (FILE, f"{FILE}.new", BEFORE):
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"cannot replace {str(folder / name)!r}: {error.strerror or error}") from None


def read(file: Path) -> SavedRun:
    """Read one file.

    Raises
    ------
    DamagedError
        If it is not as it was written.
    InputError
        If it cannot be read at all.
    """
    try:
        if not file.is_file():  # a pipe would keep whoever reads it waiting
            raise DamagedError("no regular file")
        if file.stat().st_size > LARGEST:
            raise DamagedError(f"larger than {LARGEST:,} bytes")
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{str(file)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DamagedError("not text") from None
    return parse(text)


def parse(text: str) -> SavedRun:
    """Read the content of a file.

    Raises
    ------
    DamagedError
        If it is not as it was written.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedError("cut off, or not JSON") from None
    if not isinstance(data, dict) or not isinstance(data.get("content"), dict):
        raise DamagedError("not of this program")
    body = data["content"]
    try:
        sealed = data.get("sha256") == _seal(_plain(body))
    except (ValueError, RecursionError):
        sealed = False
    if not sealed:
        raise DamagedError("its checksum does not agree")
    if body.get("format") != FORMAT:
        raise OtherFormatError(f"its format is {str(body.get('format'))[:40]!r}, not {FORMAT!r}")
    return _checked(body)


def _checked(body: Mapping[str, Any]) -> SavedRun:
    """Return what a sealed file says, if it makes sense: a seal can be made by anybody."""
    record, seconds, blocks = body.get("run"), body.get("seconds"), body.get("blocks")
    if not isinstance(record, dict) or not isinstance(seconds, (int, float)) or not isinstance(blocks, list):
        raise DamagedError("parts are missing")
    if not isinstance(record.get("options"), dict):
        raise DamagedError("it does not say what was played")
    if isinstance(seconds, bool) or not 0 <= seconds <= MOST_SECONDS:
        raise DamagedError("the time it took is none")
    found = [_block_from(each) for each in blocks]
    for before, after in pairwise(found):
        if before.stop > after.first:
            raise DamagedError("blocks overlap")
    if is_too_large([block.tally for block in found if block.tally is not None]):
        raise DamagedError("its numbers are too large to be added")
    ledger = Ledger(found)
    wrong = contradiction(ledger.total)
    if wrong:
        raise DamagedError(f"the numbers of its blocks contradict each other: {wrong}")
    if body.get("games") != ledger.games:
        raise DamagedError(f"{ledger.games} games are counted, and {str(body.get('games'))[:40]} said to be")
    return SavedRun(record, ledger, float(seconds))


def _block_from(data: Any) -> Block:
    if not isinstance(data, dict):
        raise DamagedError("a block is no record")
    first, stop = _range([data.get("first"), data.get("stop")])
    if "tally" not in data:
        return Block(first, stop)
    done = data.get("done")
    if not isinstance(done, list):
        raise DamagedError("ranges of a block are missing")
    ranges = [_range(each) for each in done]
    inside = all(first <= begin and end <= stop for begin, end in ranges)
    if not inside or any(one[1] >= other[0] for one, other in pairwise(ranges)):
        raise DamagedError("ranges of a block are not in order")
    tally = tally_from(data["tally"])
    if sum(end - begin for begin, end in ranges) != int(tally.deals):
        raise DamagedError("a block counts other deals than it says")
    return Block(first, stop, ranges, tally)


def _range(data: Any) -> Range:
    if not isinstance(data, list) or len(data) != 2 or not all(type(number) is int for number in data):
        raise DamagedError("a range of deals is none")
    if not 0 <= data[0] < data[1] <= MOST_DEALS:
        raise DamagedError("a range of deals is empty or out of bounds")
    return data[0], data[1]
