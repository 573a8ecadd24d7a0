"""What several test files share: strategy files, toys that are compiled once, and a saved run."""

from __future__ import annotations

import os
import signal
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from salad_sim.strategy.registry import load_file, load_strategy
from salad_sim.tools import compliance
from support.commands import good
from support.saved_runs import WORDS
from support.strategy_files import HEAD, StrategyWriter
from support.toy_strategies import TOYS

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # as in any job that a shell put into the background: programs that tests start would not hear Ctrl-C either
    signal.signal(signal.SIGINT, signal.default_int_handler)


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


@pytest.fixture(scope="session")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the toy strategies, compiled once for all workers and kept out of the user's cache folder."""
    load_strategy("random")  # the program's own strategies stay in the usual place
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "toys"
    folder.mkdir(exist_ok=True)
    file = folder / "toys.py"
    with FileLock(folder / "lock"):
        if not file.exists():
            file.write_text(HEAD + TOYS, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:  # where the code goes is decided when the file is loaded
        patch.setattr("salad_sim.strategy.registry.cache_folder", lambda: folder / "cache")
        load_file(file, "noisy")
    return file


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing disturbed; tests that write take a copy."""
    folder = tmp_path_factory.mktemp("whole")
    good(*WORDS, "--out", folder)
    return folder


@pytest.fixture
def few_line_ups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a strategy that thinks long be checked in a sixth of the line-ups."""
    every = compliance._plans
    monkeypatch.setattr(compliance, "_plans", lambda *given: list(every(*given))[::6])


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the parts of saved games be small, so that a short run has several."""
    monkeypatch.setattr("salad_sim.storage.parquet.PART_ROWS", 1000)
