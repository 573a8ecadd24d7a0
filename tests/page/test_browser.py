"""Pages in a real browser: small and large, light and dark, without script, by keyboard, hostile names, on paper."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from salad_sim.page.render import page, replay_page
from salad_sim.run.plan import plan_run
from support.browsing import browser, complaints, opened, overflow
from support.places import ROOT

pytestmark = pytest.mark.slow
REPORTS = ROOT / "reports"
HOSTILE = '<script>alert("1")</script>\u202e"\'&<img src=x onerror=alert(1)>' + "W" * 200
WINDOWS = ((360, "dark"), (768, "light"), (1400, "light"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all."""
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages that are tried."""
    folder = tmp_path_factory.mktemp("pages")
    shutil.copytree(REPORTS / "first-run", folder / "run")
    for name in ("seats.csv", "strategies.csv"):
        rows = list(csv.reader((folder / "run" / name).read_text(encoding="utf-8").splitlines()))
        place = rows[0].index("strategy")
        with (folder / "run" / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([rows[0], *([*row[:place], HOSTILE, *row[place + 1 :]] for row in rows[1:])])
    texts = {
        "cards": page([str(REPORTS / "card-value")]),
        "rules": page([str(REPORTS / "rules")]),
        "hostile": page([str(folder / "run"), str(REPORTS / "seat-order")], games=0),
        "games": page([str(REPORTS / "first-run")], games=50),
        "replay": replay_page(plan_run(1, 3, "random", 1), 5, None),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.mark.parametrize("name", ["cards", "rules", "hostile", "games", "replay"])
def test_pages_fit_every_window_and_axe_finds_nothing_serious(chromium: Any, files: dict[str, Path], name: str) -> None:
    for width, scheme in WINDOWS:
        with opened(chromium, files[name], width, scheme) as shown:
            assert overflow(shown) <= 0, width
            for headline in shown.locator("h1, .h1").all():
                assert headline.bounding_box()["height"] < 40, width  # a line
            assert width == 768 or not complaints(shown), width


@pytest.mark.parametrize("name", ["cards", "replay"])
def test_everything_can_be_read_without_script_and_printed(chromium: Any, files: dict[str, Path], name: str) -> None:
    with opened(chromium, files[name], script=False) as shown:
        if name == "cards":
            assert shown.locator("table.cards tbody tr:visible").count() == 4 * 108
            shown.goto(f"{files[name].as_uri()}#k70")
            assert shown.locator("#k70").is_visible()
        else:
            assert shown.locator(".step:visible").count() == shown.locator(".step").count() > 20
    with opened(chromium, files[name]) as shown:
        assert shown.pdf()[:5] == b"%PDF-"
        shown.emulate_media(media="print")
        assert not shown.locator("th").count() or shown.locator(".panel:visible th").first.inner_text() == "place"
        assert shown.locator(".step").count() == shown.locator(".step:visible").count()


def test_cards_are_sorted_filtered_pinned_and_opened(chromium: Any, files: dict[str, Path]) -> None:
    with (REPORTS / "card-value" / "ranking.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["card_id"]]
    with opened(chromium, files["cards"], 768) as shown:
        panel = shown.locator(".panel:visible")
        label = panel.get_attribute("data-tab")
        mine = [row for row in rows if f"{row['players']} players, {row['strategy']}" == label]
        form = shown.locator(".filters")
        heads = panel.locator("thead th")
        logs = heads.filter(has_text="as logs would say")
        logs.locator(".sort").click()
        assert logs.get_attribute("aria-sort") == "descending"
        best = max(mine, key=lambda row: round(float(row["observed_margin"]), 2))
        assert panel.locator("tbody a").first.inner_text() == best["card"]
        form.locator("[name=text]").fill("most carrot")
        assert shown.locator("output").inner_text() == "1 of 108 cards"
        form.locator("[name=text]").fill("")
        form.locator("[name=veg]").select_option(label="carrot")
        carrots = int(shown.locator("output").inner_text().split()[0])
        assert 0 < carrots < 108 and panel.locator("tbody tr:visible").count() == carrots
        form.locator("[name=veg]").select_option("")
        for number in (0, 1):
            panel.locator(".pin").nth(number).click()
        assert shown.locator(".pinned figure").count() == 2
        shown.locator(".pinned button").first.click()
        assert shown.locator(".pinned figure").count() == 1
        panel.locator("tbody a").nth(2).click()
        assert shown.locator(".view.open").count() == 1
        shown.locator(".view.open").get_by_text("back").click()
        assert shown.locator(".view.open").count() == 0
        shown.get_by_role("tab").nth(2).click()
        assert shown.locator(".panel:visible").get_attribute("data-tab") == shown.get_by_role("tab").nth(2).inner_text()


def test_words_are_explained_on_focus_and_by_keyboard(chromium: Any, files: dict[str, Path]) -> None:
    with opened(chromium, files["cards"]) as shown:
        tip = shown.locator("#tip")
        assert tip.is_hidden()
        shown.locator(".panel:visible .why").first.focus()
        assert tip.is_visible() and "places" in tip.inner_text()
        shown.keyboard.press("Escape")
        assert tip.is_hidden()
        shown.get_by_role("tab").first.focus()
        shown.keyboard.press("ArrowRight")
        assert shown.get_by_role("tab").nth(1).get_attribute("aria-selected") == "true"
        shown.locator(".panel:visible tbody a").first.focus()
        shown.keyboard.press("Enter")
        assert shown.locator(".view.open").is_visible()


def test_a_game_is_gone_through(chromium: Any, files: dict[str, Path]) -> None:
    with opened(chromium, files["replay"]) as shown:
        steps = shown.locator(".step")
        assert shown.locator(".step:visible").count() == 1 and steps.first.is_visible()
        shown.keyboard.press("ArrowRight")
        assert steps.nth(1).is_visible()
        shown.get_by_role("button", name="last").click()
        assert shown.locator("output").inner_text() == "The end"
        shown.get_by_role("slider").fill("3")
        assert steps.nth(3).is_visible()
        shown.get_by_label("Seen by").select_option("open")
        assert shown.locator(".step:visible .under li").first.is_visible()
        shown.get_by_label("Seen by").select_option("1")
        assert shown.locator(".step:visible .under").first.is_hidden()
        seats = "[...document.querySelectorAll('.step:not([hidden]) .seat')]"
        places = shown.evaluate(f"{seats}.map((each) => each.offsetTop + each.offsetLeft)")
        assert places[1] == min(places)


def test_a_run_leads_to_its_games(chromium: Any, files: dict[str, Path]) -> None:
    with opened(chromium, files["games"], 360) as shown:
        links, games = shown.locator(".toGame"), shown.locator("details.one")
        assert [each.is_visible() for each in shown.locator(".game").all()] == 3 * [False]
        links.nth(1).focus()
        shown.keyboard.press("Enter")
        mine = games.nth(1)
        assert mine.locator(".step:visible").count() == 1 and overflow(shown) <= 0
        mine.get_by_role("button", name="next").click()
        shown.keyboard.press("ArrowRight")
        assert mine.locator(".step").nth(2).is_visible()
        assert mine.locator(".step").nth(2).locator(".fresh").count() > 0  # what came with the last move
        assert games.nth(0).locator("output").inner_text() in ("", "Turn 1: Seat 1, greedy")
    with opened(chromium, files["games"], script=False) as shown:
        shown.locator("details.one summary").first.click()
        first = shown.locator("details.one").first
        assert first.locator(".step:visible").count() == first.locator(".step").count() > 20


def test_hostile_names_do_nothing(chromium: Any, files: dict[str, Path]) -> None:
    with opened(chromium, files["hostile"], 360) as shown:
        assert "<script>alert" in shown.locator("body").inner_text()
        assert shown.locator("img").count() == 0
