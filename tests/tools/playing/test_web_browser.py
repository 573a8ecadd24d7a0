"""A game in a real browser: played to its end by clicks, without scripts; nothing serious for axe-core."""

from pathlib import Path
from threading import Thread

import pytest

from salad_sim.run.driver import Session
from salad_sim.run.plan import plan_run
from salad_sim.studies.advice.estimate import check_budget
from salad_sim.tools.playing.session import GameSession
from salad_sim.tools.playing.web import make_server
from support.browsing import browser, complaints, overflow

HOSTILE = '<script>alert("x")</script> \u202e' + "w" * 200
MOST_TURNS = 40


@pytest.mark.slow
def test_a_whole_game_is_played_by_clicks(tmp_path: Path) -> None:
    session = GameSession(plan_run(1, 2, "greedy", 5), ("you", HOSTILE), (0,))
    web, server = make_server(session, check_budget(50, 1, "greedy"), tmp_path / "game.toml", 0, Session(1))
    Thread(target=server.run, daemon=True).start()
    try:
        with browser() as found:
            page = found.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800}).new_page()
            page.goto(web.address)
            for turn in range(MOST_TURNS):
                takes = page.locator('button[name="take"]:not([value="market"])')
                boxes = page.locator('input[name="slot"]')
                if boxes.count() == 0 and takes.count() == 0:
                    break
                if takes.count() and turn % 2 == 0:
                    takes.first.click()
                else:
                    for place in range(min(boxes.count(), 2)):
                        boxes.nth(place).check()
                    page.get_by_role("button", name="Take the vegetables that are ticked").click()
            assert session.is_over
            assert page.get_by_text("The game is over").count() == 1
            page.get_by_role("button", name="Save").click()
            assert (tmp_path / "game.toml").exists()
            for width, scheme in ((360, "light"), (768, "dark"), (1400, "light")):
                context = found.new_context(
                    viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
                )
                looked_at = context.new_page()
                for at_end in (True, False):
                    looked_at.goto(web.address)
                    assert complaints(looked_at) == []
                    assert overflow(looked_at) == 0
                    if at_end and width == 1400:
                        while session.undo():
                            pass
                context.close()
    finally:
        server.close()
