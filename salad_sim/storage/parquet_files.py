"""The file or folder that saved games go to: parts that are whole at any moment, and how they are made one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from salad_sim.errors import InputError
from salad_sim.files.atomic import LOCK, UNFINISHED, open_folder, whole_file

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".parquet", ".pq")
OTHER_SUFFIXES = (".arrow", ".csv", ".db", ".feather", ".gz", ".h5", ".json", ".txt", ".xlsx", ".zip")
"""What the name of a single file ends with; any other name is a folder."""

PART = "part-{:012d}.parquet"
PARTS = "part-*.parquet"

COMPRESSION = "zstd"

RISING = ("deal", "game")
"""Columns that are kept as differences, which halves the files (measured: 6.4 instead of 11.3 bytes a row)."""


class Target:
    """Where saved games go.

    Attributes
    ----------
    path : Path
        The file or folder that was asked for.
    is_file : bool
    folder : Path
        Where the parts are: ``path``, or for a file the folder ``path.parts`` beside it, until the end of the run.

    Raises
    ------
    InputError
        If it cannot be written, or something is there already and ``force`` is not given.
    """

    def __init__(self, path: str | Path, force: bool = False) -> None:
        if not str(path):
            raise InputError("cannot write into '': a file name that ends with .parquet, or a folder, is needed")
        self.path = Path(path).expanduser()
        if self.path.suffix.lower() in OTHER_SUFFIXES and not self.path.is_dir():
            raise InputError(
                f"games are saved as Parquet, into a file that ends with .parquet or a folder, not {str(path)!r}"
            )
        self.is_file = self.path.suffix.lower() in SUFFIXES and not self.path.is_dir()
        self.folder = self.path.with_name(self.path.name + ".parts") if self.is_file else self.path
        self._check_free(force)
        if self.is_file:
            open_folder(self.path.parent)
        open_folder(self.folder)

    def clear(self) -> None:
        """Remove the parts of an earlier run; a file stays until it is replaced."""
        for part in self.parts():
            part.unlink()

    def tidy(self) -> None:
        """Remove the folder of the parts if it is empty: they are one file now, or nothing was played."""
        with suppress(OSError):
            self.folder.rmdir()

    def _check_free(self, force: bool) -> None:
        """Refuse to write over what is there."""
        there = sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        there = [file for file in there if file.name != LOCK]  # which a killed program may leave
        foreign = [file for file in there if not file.match(PARTS) and not file.name.endswith(UNFINISHED)]
        if foreign:
            raise InputError(
                f"{str(self.folder)!r} holds {foreign[0].name!r}, which is no saved game: give a new folder"
            )
        if force:
            return
        if self.is_file and self.path.exists():
            raise InputError(f"{str(self.path)!r} is there already: give a new name, or --force to replace it")
        if there:
            what = "what a run saved that did not end" if self.is_file else "saved games"
            raise InputError(f"{str(self.folder)!r} holds {what}: give a new name, or --force to replace it")

    def parts(self) -> list[Path]:
        """Return the parts that are there, in order."""
        return sorted(self.folder.glob(PARTS))

    def write_part(self, number: int, table: pa.Table) -> None:
        """Write part ``number`` all at once, in place of what was there of it.

        Raises
        ------
        InputError
            If there is no room, say; what was there before is then still there.
        """
        with self._whole(self.folder / PART.format(number)) as file, _writer(file, table.schema) as writer:
            writer.write_table(table, row_group_size=max(table.num_rows, 1))

    def join(self, schema: pa.Schema) -> None:
        """Make the parts one file, each a row group of it, and remove them; a folder stays as it is.

        Raises
        ------
        InputError
            If there is no room, say; the parts are then still there.
        """
        import pyarrow.parquet as pq

        if not self.is_file:
            return
        with self._whole(self.path) as file, _writer(file, schema) as writer:
            for part in self.parts():
                table = pq.ParquetFile(part).read().replace_schema_metadata(schema.metadata)
                writer.write_table(table, row_group_size=max(table.num_rows, 1))
        for part in self.parts():
            part.unlink()
        self.tidy()

    @contextmanager
    def _whole(self, file: Path) -> Iterator[Path]:
        """Yield a name to write under, see `whole_file`; an error says where the parts are that were saved before."""
        try:
            with whole_file(file) as unfinished:
                yield unfinished
        except InputError as error:
            left = f"; what was saved before is in {str(self.folder)!r}" if self.parts() else ""
            raise InputError(f"{error}{left}") from None


@contextmanager
def _writer(path: Path, schema: pa.Schema) -> Iterator[pa.parquet.ParquetWriter]:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(
        path,
        schema,
        compression=COMPRESSION,
        use_dictionary=[name for name in schema.names if name not in RISING],
        column_encoding=dict.fromkeys(RISING, "DELTA_BINARY_PACKED"),
        sorting_columns=[pq.SortingColumn(schema.get_field_index("game"))],
    ) as writer:
        yield writer
