"""The two pictures that open the README, made anew: python docs/make_pictures.py (extra browser, and Chromium)."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from salad_sim.page.render import page, replay_page
from salad_sim.run.plan import plan_run

ROOT = Path(__file__).parents[1]
WIDTH = 1000


def show_cards(shown: Page) -> None:
    """The table of the card study with a card opened."""
    shown.locator(".panel:visible tbody a").nth(2).click()
    shown.evaluate("document.querySelector('.cardstudy h2').scrollIntoView({behavior: 'instant'})")


def show_game(shown: Page) -> None:
    """A game in its middle."""
    for _ in range(11):
        shown.get_by_role("button", name="next").click()
    shown.evaluate("document.querySelector('.player').scrollIntoView({behavior: 'instant'})")


def main() -> None:
    """Write both into docs/pictures."""
    game = replay_page(plan_run(1, 2, ["planner", "greedy"], 1), 3, None)
    pages = {
        "page-cards": (page([str(ROOT / "reports" / "card-value")]), show_cards, 660),
        "page-game": (game, show_game, 760),
    }
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as driver, TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, (text, show, height) in pages.items():
            file = Path(folder, f"{name}.html")
            file.write_text(text, encoding="utf-8")
            shown = browser.new_page(viewport={"width": WIDTH, "height": height}, color_scheme="light")
            shown.goto(file.as_uri())
            show(shown)
            shown.screenshot(path=ROOT / "docs" / "pictures" / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
