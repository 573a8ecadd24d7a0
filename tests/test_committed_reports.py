"""The committed reports are of the strategies that are there: run.json has the hashes that their files have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from salad_sim.run.plan import plan_run
from salad_sim.storage.folder import strategy_records
from salad_sim.strategy.registry import load_strategy
from support.places import ROOT

RECORDS = sorted((ROOT / "reports").rglob("run.json")) + sorted((ROOT / "reports").rglob("tuning.json"))


WAITING = ("league", "rules", "seat-order", "tie-break")


def told(record: dict[str, Any]) -> tuple[str, str | None]:
    """The file of a strategy and its hash."""
    return record["file"], record["sha256"]


def marked(file: Path) -> Any:
    """A report by its folder; those that wait are made again with the next strategy that joins them."""
    name = str(file.parent.relative_to(ROOT / "reports"))
    waits = pytest.mark.xfail(reason="to be played again with the next strategy", strict=False)
    return pytest.param(file, id=name, marks=[waits] if name.startswith(WAITING) else [])


@pytest.mark.parametrize("file", [marked(file) for file in RECORDS])
def test_hashes_are_those_of_the_files(file: Path) -> None:
    """A report whose strategies have changed is no report on them: do it again, by the command that it holds."""
    records = json.loads(file.read_text(encoding="utf-8")).get("strategies", [])
    for record in records:
        if isinstance(record, dict) and "sha256" in record:
            (now,) = strategy_records([plan_run(1, 2, load_strategy(record["name"]))])
            assert told(record) == told(now), record["name"]
