"""What the tests of studies share: running one into a folder, reading its tables, and holding two runs together."""

from __future__ import annotations

import csv
import json
import math
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from salad_sim.cli import main
from support.interrupting import press_ctrl_c
from support.places import ROOT

Rows = list[dict[str, str]]

ERRORS = 5.0
"""Standard errors by which two runs of different seeds may differ: once in 1.7 million comparisons."""


def call(*words: object) -> Result:
    """Run the program; words may hold several words."""
    return CliRunner().invoke(main, shlex.split(" ".join(map(str, words))))


def study(folder: Path, *words: object) -> dict[str, Rows]:
    """Run an experiment into a folder and return its tables by name."""
    called = call("experiment", *words, "--out", folder, "-q")
    assert called.exit_code == 0, called.stderr
    return tables(folder)


def ctrl_c_after(n_blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a study be interrupted once it has played so many blocks of games."""
    press_ctrl_c(monkeypatch, lambda n_jobs, _: n_jobs > n_blocks)


def tables(folder: Path) -> dict[str, Rows]:
    """Read the tables of a report."""
    found = {}
    for file in sorted(folder.glob("*.csv")):
        with open(file, newline="", encoding="utf-8") as text:
            found[file.stem] = list(csv.DictReader(text))
    return found


def estimate(row: dict[str, str], name: str) -> tuple[float, float, float]:
    """Return a value of a row and the bounds of its interval."""
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return value, low, high


def committed(name: str) -> tuple[dict[str, Any], dict[str, Rows]]:
    """Return run.json and the tables of a committed report; without its folder there is nothing to test yet."""
    folder = ROOT / "reports" / name
    if not folder.is_dir():
        pytest.skip(f"reports/{name} is not there yet")
    return json.loads((folder / "run.json").read_text()), tables(folder)


def again(run: dict[str, Any], rows: Rows, games: int, seed: object) -> list[object]:
    """Return the words that do a part of a committed study again: two of its line-ups, the fewest players."""
    quick = ("random", "greedy", "casual", "planner")
    names = [name for name in quick if any(row["strategy"] == name for row in rows)][:2]
    words: list[object] = [run["experiment"], "--games", games, "--seed", seed]
    words += ["--players", min(int(row["players"]) for row in rows)]
    for name in names:
        words += ["--strategy", name]
    for key, value in run["options"].get("rules", {}).items():
        words += ["--rule", f"{key}={value}"]
    return words


def same_rows(small: Rows, large: Rows, *keys: str) -> list[tuple[dict[str, str], dict[str, str]]]:
    """Return each row of the smaller study beside that of the larger one."""
    known = {tuple(row[key] for key in keys): row for row in large}
    return [(row, known[tuple(row[key] for key in keys)]) for row in small]


def agree_as_rates(one: float, n_one: float, other: float, n_other: float) -> bool:
    """Return whether two rates of independent games are within sampling error of each other."""
    pooled = (one * n_one + other * n_other) / (n_one + n_other)
    error = math.sqrt(max(pooled * (1 - pooled), 1 / (n_one + n_other)) * (1 / n_one + 1 / n_other))
    return abs(one - other) <= ERRORS * error
