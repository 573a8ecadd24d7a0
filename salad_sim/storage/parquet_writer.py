"""Puts the rows of shards in order and writes them in parts, whoever finishes first."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from salad_sim.run.executors import Shard
from salad_sim.storage.parquet_files import Target

if TYPE_CHECKING:
    import pyarrow as pa

SAVE_SECONDS = 5.0
"""After so long a part that is not full yet is written as it is, and later again with more rows."""

MOST_HELD = 1 << 27
"""Bytes of rows that may wait for an earlier shard; a worker that would hold more waits."""

Batches = Sequence[tuple[int, "pa.RecordBatch"]]
"""Rows of a shard in order, with the number of the part that they belong to."""


@dataclass
class PartWriter:
    """Takes the rows of shards from several threads and writes them in the order of the deals.

    Which rows a part has depends on the numbers of the deals alone, so the files are the same for any number of
    workers. One thread at a time writes, and the others play on; shards that are done before an earlier one wait in
    memory, up to a bound.

    Attributes
    ----------
    target : Target
    schema : pyarrow.Schema
        Of all parts.
    record : dict
        What the metadata says of the run.
    ranges : sequence of (int, int)
        The deals that will come, as ranges first .. stop - 1.
    n_rotations : int
        Games of a deal.
    """

    target: Target
    schema: pa.Schema
    record: dict[str, Any]
    ranges: Sequence[tuple[int, int]]
    n_rotations: int
    n_rows: int = 0
    n_deals: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _held: dict[int, tuple[Shard, Batches]] = field(default_factory=dict)
    _n_bytes: int = 0
    _writing: bool = False
    _closed: bool = False
    _failed: int | None = None
    _next: int | None = None
    _part: int = 0
    _rows: list[pa.RecordBatch] = field(default_factory=list)
    _saved: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self._next = self.ranges[0][0] if self.ranges else None

    def put(self, shard: Shard, batches: Batches) -> None:
        """Take the rows of a shard; write what is next in order, unless another thread does.

        Raises
        ------
        InputError
            If a part cannot be written; no more is then written.
        """
        n_bytes = sum(batch.nbytes for _, batch in batches)
        with self._changed:
            self._held[shard.first_deal] = (shard, batches)
            self._n_bytes += n_bytes
            self._changed.notify_all()
            while not self._closed:
                if not self._writing and self._next in self._held:
                    self._write_next()
                elif shard.first_deal not in self._held or self._n_bytes <= MOST_HELD or self._is_cut_off(shard):
                    return
                else:
                    self._changed.wait()

    def give_up(self, shard: Shard) -> None:
        """Say that the rows of a shard will never come, so nobody waits for them; nothing after it is written."""
        with self._changed:
            self._failed = min(shard.first_deal, shard.first_deal if self._failed is None else self._failed)
            self._changed.notify_all()

    def close(self) -> None:
        """Write what is there up to the first shard that is missing, and make it one file if that was asked for.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._writing)
            if self._closed:
                return
            self._closed = True
            self._held.clear()
            self._changed.notify_all()
        schema = self.schema.with_metadata({**self.schema.metadata, **self._ending()})
        if self._rows or not self.target.parts():
            self.target.write_part(self._part, self._table(schema))
        self.target.join(schema)

    @property
    def is_complete(self) -> bool:
        """Whether all deals have come."""
        return self.n_deals == sum(stop - first for first, stop in self.ranges)

    def _is_cut_off(self, shard: Shard) -> bool:
        """Return whether a shard comes after one that will never come."""
        return self._failed is not None and self._failed < shard.first_deal

    def _write_next(self) -> None:
        """Write the next shard with the lock given back meanwhile; the caller holds it."""
        assert self._next is not None
        shard, batches = self._held.pop(self._next)
        self._writing = True
        self._changed.release()
        failed = True
        try:
            self._write(batches)
            failed = False
        finally:
            self._changed.acquire()
            self._writing = False
            self._closed |= failed
            self._n_bytes -= sum(batch.nbytes for _, batch in batches)
            self.n_deals += shard.n_deals
            self._next = self._after(shard)
            self._changed.notify_all()

    def _after(self, shard: Shard) -> int | None:
        """Return the first deal that comes after a shard."""
        stop = shard.first_deal + shard.n_deals
        return next((max(stop, first) for first, last in self.ranges if last > stop), None)

    def _write(self, batches: Batches) -> None:
        """Add rows to the current part; write parts that are full, or not saved for long."""
        for part, batch in batches:
            if part != self._part and self._rows:
                self.target.write_part(self._part, self._table(self.schema))
                self._rows = []
                self._saved = monotonic()
            self._part = part
            self._rows.append(batch)
            self.n_rows += batch.num_rows
        if self._rows and monotonic() - self._saved > SAVE_SECONDS:
            self.target.write_part(self._part, self._table(self.schema))
            self._saved = monotonic()

    def _table(self, schema: pa.Schema) -> pa.Table:
        """Return the rows of the current part in one piece, so that how they were cut cannot show in the file."""
        import pyarrow as pa

        table = pa.Table.from_batches(self._rows, self.schema).combine_chunks()
        return table.replace_schema_metadata(schema.metadata)

    def _ending(self) -> dict[bytes, bytes]:
        """Return the metadata that is known at the end only."""
        counted = {"games_counted": self.n_deals * self.n_rotations, "interrupted": not self.is_complete}
        return {b"run": json.dumps({**self.record, **counted}, ensure_ascii=False).encode()}
