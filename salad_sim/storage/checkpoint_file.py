"""The file that a run is saved in: what is played, which deals are counted, and what they counted, as sealed JSON.

It is written in one step, and the one before it is kept: whatever is damaged, that says the same of a moment earlier.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from salad_sim.errors import InputError
from salad_sim.files.atomic import remove_files, whole_file
from salad_sim.files.sealed import DamagedError, read_sealed, sealed, unsealed
from salad_sim.play.tally import TALLY, new_tally
from salad_sim.run.deal_ledger import Block, Ledger

FILE = "tally.json"
BEFORE = "tally.before.json"
FORMAT = "salad-sim tally 2"

MOST_DEALS = 10**15
MOST_SECONDS = 10**11
LARGEST_COUNT = 2**62
"""Of one number of a tally: far from where 64 bits end."""

Deal = Annotated[int, msgspec.Meta(ge=0, le=MOST_DEALS)]


class _SavedBlock(msgspec.Struct):
    """A block; without ``done`` and ``tally`` if nothing is counted of it."""

    first: Deal
    stop: Deal
    done: list[tuple[Deal, Deal]] = []
    tally: dict[str, Any] | None = None


class _Content(msgspec.Struct):
    """What stands in the file, see `as_bytes`."""

    run: dict[str, Any]
    seconds: Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]
    games: int
    blocks: list[_SavedBlock]


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
        If the fields, their shapes or their numbers are not those of a tally, saying where.
    """
    try:
        found = msgspec.convert(data, _tally_schema())
    except msgspec.ValidationError as error:
        raise DamagedError(f"a tally is none: {error}") from None
    tally = new_tally()
    for name in TALLY.names or ():
        tally[name] = getattr(found, name)
    return tally


@cache
def _tally_schema() -> type[msgspec.Struct]:
    """Whole numbers in tables of the shapes of `TALLY`."""
    fields: list[tuple[str, Any]] = []
    for name in TALLY.names or ():
        kind: Any = Annotated[int, msgspec.Meta(ge=-LARGEST_COUNT, le=LARGEST_COUNT)]
        for size in reversed(TALLY[name].shape):
            kind = Annotated[list[kind], msgspec.Meta(min_length=size, max_length=size)]
        fields.append((name, kind))
    return msgspec.defstruct("Tally", fields, forbid_unknown_fields=True)


def as_bytes(record: Mapping[str, Any], ledger: Ledger, seconds: float) -> bytes:
    """Return the content of the file: what each block has counted, of which deals.

    The total is not in it: whoever reads it adds the blocks. The file of a complete run does not say how long it took:
    it is the same however it was played.
    """
    blocks, total = ledger.snapshot()
    complete = all(block.is_complete for block in blocks)
    body = {
        "run": record,
        "seconds": 0.0 if complete else round(seconds, 3),
        "games": int(total.games),
        "blocks": [_block_dict(block) for block in blocks],
    }
    return sealed(FORMAT, body)


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
    with whole_file(folder / FILE, folder / BEFORE) as file:
        file.write_bytes(as_bytes(record, ledger, seconds))
    if ledger.is_complete:
        remove_files(folder, [BEFORE])


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
    for file in (folder / FILE, folder / BEFORE):
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
    for file in (folder / FILE, folder / BEFORE):
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"cannot replace {str(file)!r}: {error.strerror or error}") from None


def read(file: Path) -> SavedRun:
    """Read one file.

    Raises
    ------
    DamagedError
        If it is not as it was written.
    InputError
        If it cannot be read at all.
    """
    found = unsealed(read_sealed(file), FORMAT, _Content)
    if not isinstance(found.run.get("options"), dict):
        raise DamagedError("it does not say what was played")
    if not _is_in_order(chain.from_iterable((each.first, each.stop) for each in found.blocks)):
        raise DamagedError("blocks overlap")
    ledger = Ledger([_block(each) for each in found.blocks])
    if found.games != ledger.games:
        raise DamagedError(f"{ledger.games} games are counted, and {found.games} said to be")
    return SavedRun(found.run, ledger, found.seconds)


def _block(saved: _SavedBlock) -> Block:
    if saved.tally is None:
        return Block(saved.first, saved.stop)
    tally = tally_from(saved.tally)
    if not _is_in_order(chain([saved.first], *saved.done, [saved.stop])):
        raise DamagedError("ranges of a block are not in order")
    if sum(stop - first for first, stop in saved.done) != int(tally.deals):
        raise DamagedError("a block counts other deals than it says")
    return Block(saved.first, saved.stop, saved.done, tally)


def _is_in_order(deals: Iterator[int]) -> bool:
    return all(one <= other for one, other in pairwise(deals))
