"""What several test files share: strategy files, a saved run, and programs run in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commands import good
from saved_runs import WORDS
from toy_strategies import TOYS

from salad_sim.strategy.registry import load_file, load_strategy

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # as in any job that a shell put into the background: programs that tests start would not hear Ctrl-C either
    signal.signal(signal.SIGINT, signal.default_int_handler)

HEAD = """\
\"\"\"A strategy of the tests.\"\"\"
import numpy as np
from salad_sim.game.engine import list_drafts
from salad_sim.game.moves import NO_FLIP, make_move
from salad_sim.game.rng import below
from salad_sim.strategy import Parameter, kernel, strategy

"""
"""What strategy files of the tests begin with: seven lines."""

FIRST_LINE = HEAD.count("\n") + 1
"""The line in which the rest begins."""

StrategyWriter = Callable[..., Path]


@pytest.fixture
def write_strategy(tmp_path: Path) -> StrategyWriter:
    """Return a function that writes HEAD and some code into a file and returns its path."""

    def write(code: str, name: str = "mine.py", head: str = HEAD) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(head + textwrap.dedent(code), encoding="utf-8")
        return file

    return write


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep strategies that are compiled in this process out of the user's cache folder."""
    load_strategy("random")  # the program's own strategies stay in the usual place
    folder = tmp_path / "cache"
    monkeypatch.setattr("salad_sim.strategy.registry.cache_folder", lambda: folder)
    yield folder


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file of the toy strategies, compiled once for all tests of a file and kept out of the user's cache folder."""
    load_strategy("random")  # the program's own strategies stay in the usual place
    folder = tmp_path_factory.mktemp("toys")
    file = folder / "toys.py"
    file.write_text(HEAD + TOYS, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salad_sim.strategy.registry.cache_folder", lambda: folder / "cache")
        load_file(file, "noisy")
        yield file


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing disturbed; tests that write take a copy."""
    folder = tmp_path_factory.mktemp("whole")
    good(*WORDS, "--out", folder)
    return folder


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the parts of saved games be small, so that a short run has several."""
    monkeypatch.setattr("salad_sim.storage.parquet.PART_ROWS", 1000)


def run_python(code: str, *arguments: object, timeout: float = 300, **environment: str) -> str:
    """Run Python code in a process of its own and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
