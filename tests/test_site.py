"""The documentation site: built without a warning or a network, with the numbers of the reports."""

from __future__ import annotations

import csv
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import salad_sim
import salad_sim.kit
from support.places import ROOT

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def known() -> ModuleType:
    spec = importlib.util.spec_from_file_location("known_answers", DOCS / "known_answers.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(report: str, table: str) -> list[dict[str, str]]:
    with (ROOT / "reports" / report / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_first_screen_has_the_numbers_of_the_report() -> None:
    first = rows("first-run", "seats")[0]
    numbers = [f"{100 * float(first[name]):.1f}" for name in ("win_share", "win_share_low", "win_share_high")]
    text = " ".join((DOCS / "index.md").read_text(encoding="utf-8").split())
    assert f"the first seat wins {numbers[0]} % of a million games (95 % interval {numbers[1]} to {numbers[2]})" in text
    assert int(first["games"]) == 1_000_000


def test_what_is_known_has_the_numbers_of_the_reports(known: ModuleType) -> None:
    text = known.page()
    for row in rows("seat-order", "seats"):
        shown = f"{100 * float(row['difference']):+.1f} [{100 * float(row['difference_low']):+.1f}"
        assert (shown in text) or row["seat"] != "1" or row["strategy"] == "random"
    best = max(
        (row for row in rows("card-value", "ranking") if row["gift_margin"]),
        key=lambda row: float(row.get("take_margin") or row["gift_margin"]),
    )
    assert best["card"] in text


def test_every_public_name_is_there(known: ModuleType) -> None:
    text = known.api()
    for name in salad_sim.__all__:
        assert name.startswith("_") or re.search(rf":: salad_sim\.{name}\b|data:: {name}\b", text), name
    for name in salad_sim.kit.__all__:
        assert re.search(rf"(:: |\.){name}\b", text), name


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(DOCS), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.index("58.3") < page.index("Who are you?")
    assert not re.search(r'(?:src|href)="https?://[^"]*\.(?:js|css|woff2?)"', page)
