"""What has been counted of a plan so far, by deals: a run can end anywhere and go on, and no deal counts twice.

The deals are cut into blocks, the same whoever plays them and however often they stop. A block has a tally of its own,
so that it can be played again by itself and compared.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from salad_sim.play.tally import add_tally, new_tally
from salad_sim.run.executors import Shard

Range: TypeAlias = "tuple[int, int]"
"""Deals first .. stop - 1."""

N_BLOCKS = 64
"""Blocks of the deals that are planned at once."""

MOST_BLOCKS = 1024
"""Of a run that was extended or merged again and again; more only if they do not touch."""


@dataclass
class Block:
    """A range of deals and what has been counted of it.

    Attributes
    ----------
    first, stop : int
        Deals first .. stop - 1.
    done : list of (int, int)
        The deals that are counted, as ranges in order that do not touch.
    tally : numpy record or None
        What they counted; None if nothing is counted yet.
    """

    first: int
    stop: int
    done: list[Range] = field(default_factory=list)
    tally: np.record | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all its deals are counted."""
        return self.done == [(self.first, self.stop)]

    def missing(self) -> list[Range]:
        """Return the deals that are not counted, as ranges in order."""
        ends = [self.first, *(stop for _, stop in self.done)]
        starts = [*(first for first, _ in self.done), self.stop]
        return [(end, start) for end, start in zip(ends, starts, strict=True) if end < start]

    def add(self, shard: Shard, part: np.record) -> None:
        """Count a shard of deals that were missing.

        Raises
        ------
        ValueError
            If some of them are counted already, or lie outside.
        """
        new = (shard.first_deal, shard.first_deal + shard.n_deals)
        if not any(first <= new[0] and new[1] <= stop for first, stop in self.missing()):
            raise ValueError(f"deals {new[0]}..{new[1] - 1} are not missing in the block {self.first}..{self.stop - 1}")
        if self.tally is None:
            self.tally = new_tally()
        add_tally(self.tally, part)
        self.done = joined([*self.done, new])


def joined(ranges: Sequence[Range]) -> list[Range]:
    """Return ranges in order, those that touch made one; they must not overlap."""
    found: list[Range] = []
    for first, stop in sorted(ranges):
        if found and found[-1][1] == first:
            found[-1] = (found[-1][0], stop)
        else:
            found.append((first, stop))
    return found


def coarser(blocks: Sequence[Block], most: int = MOST_BLOCKS) -> list[Block]:
    """Join complete blocks that touch, if there are more than ``most``, so that about so many are left."""
    if len(blocks) <= most:
        return list(blocks)
    # two neighbours are then longer than this together
    longest = -(-2 * sum(block.stop - block.first for block in blocks) // most)
    found: list[Block] = []
    for block in blocks:
        before = found[-1] if found else None
        if before is not None and before.stop == block.first and block.stop - before.first <= longest:
            found[-1] = Block(before.first, block.stop, [(before.first, block.stop)], sum_of([before, block]))
        else:
            found.append(block)
    return found


def sum_of(blocks: Sequence[Block]) -> np.record:
    """Return what blocks have counted together."""
    total = new_tally()
    for block in blocks:
        if block.tally is not None:
            add_tally(total, block.tally)
    return total


def blocks_of(ranges: Sequence[Range], n_blocks: int = N_BLOCKS) -> list[Range]:
    """Cut ranges of deals into about so many blocks of equal size, none across the border of two ranges."""
    n_deals = sum(stop - first for first, stop in ranges)
    size = max(-(-n_deals // n_blocks), 1)
    return [(at, min(at + size, stop)) for first, stop in ranges for at in range(first, stop, size)]


class Ledger:
    """Blocks of deals, their tallies, and the tally of all. Shards may be added from several threads."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Begin with blocks, in order."""
        self.blocks = list(blocks)
        self._total = sum_of(self.blocks)
        self._starts = [block.first for block in self.blocks]
        self._lock = threading.Lock()

    @classmethod
    def of(cls, ranges: Sequence[Range]) -> Ledger:
        """Return an empty ledger for ranges of deals."""
        return cls([Block(first, stop) for first, stop in blocks_of(ranges)])

    def add(self, shard: Shard, part: np.record) -> None:
        """Count a shard, which lies in one block.

        Raises
        ------
        ValueError
            If some of its deals are counted already.
        """
        with self._lock:
            place = int(np.searchsorted(self._starts, shard.first_deal, side="right")) - 1
            self.blocks[place].add(shard, part)
            add_tally(self._total, part)

    def missing(self) -> list[Range]:
        """Return the deals that are not counted, as ranges in order, none across the border of two blocks."""
        with self._lock:
            return [each for block in self.blocks for each in block.missing()]

    @property
    def total(self) -> np.record:
        """The tally of all that is counted."""
        with self._lock:
            return self._total.copy()

    @property
    def games(self) -> int:
        """Games that are counted."""
        return int(self._total.games)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return all(block.is_complete for block in self.blocks)

    def snapshot(self) -> tuple[list[Block], np.record]:
        """Return copies of all blocks and of the tally of all, of one moment."""
        with self._lock:
            copies = [
                Block(each.first, each.stop, list(each.done), None if each.tally is None else each.tally.copy())
                for each in self.blocks
            ]
            return copies, self._total.copy()
