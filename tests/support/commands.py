"""The program's commands in this process: called, expected to go well or to refuse, and the files that they leave."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from salad_sim.cli import main


def call(*words: object) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(word) for word in words])


def good(*words: object) -> Result:
    """Run the command line, which must succeed."""
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result


def refused(*words: object) -> str:
    """Run the command line, which must refuse with one line; return what it says."""
    result = call(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


def files_of(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder, by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}
