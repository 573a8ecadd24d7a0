"""The system's Chromium, driven by Playwright, and what axe-core says of a page; nothing where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.places import ROOT

NAMES = ("chromium", "chromium-browser", "google-chrome")
AXE = ROOT / "tests" / "data" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a browser; tests are skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs pip install 'salad-sim[browser]'")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@contextmanager
def opened(found: Any, file: Path, width: int = 1400, scheme: str = "light", script: bool = True) -> Iterator[Any]:
    """Yield a page opened from a file with the network off; an error of it or a request fails the test."""
    context = found.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script, offline=True
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    page.on("dialog", lambda dialog: (wrong.append("a dialog"), dialog.dismiss()))
    page.goto(file.as_uri())
    yield page
    context.close()
    assert not wrong


def complaints(page: Any) -> list[str]:
    """What axe-core finds serious, each with the first place."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found if each["impact"] in SERIOUS]


def overflow(page: Any) -> int:
    """By how many pixels a page is wider than its window."""
    wide: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide
