"""A game in the browser: a whole game by its forms, and requests that get nothing."""

import io
import re
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from salad_sim.run.driver import Session
from salad_sim.run.plan import plan_run
from salad_sim.studies.advice.estimate import check_budget
from salad_sim.studies.advice.game_file import read_game
from salad_sim.tools.playing.session import GameSession
from salad_sim.tools.playing.web import HOST, MOST_BYTES, WebGame, make_server
from support.commands import refused

PORT = 4242


def web_game(folder: Path, names: tuple[str, ...] = ("you", "greedy")) -> WebGame:
    session = GameSession(plan_run(1, 2, "greedy", 5), names, (0,))
    return WebGame(session, check_budget(50, 1, "greedy"), folder / "game.toml", PORT, Session(1))


def ask(web: WebGame, action: str = "", form: dict[str, object] | None = None, **changed: str) -> tuple[str, str]:
    """The status of a request and what comes back; as a browser would ask, but for what is changed."""
    body = urlencode(form or {}, doseq=True).encode()
    environ = {
        "REQUEST_METHOD": "GET" if form is None else "POST",
        "PATH_INFO": f"/{web.token}/{action}",
        "HTTP_HOST": f"{HOST}:{PORT}",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        **({} if form is None else {"HTTP_ORIGIN": f"http://{HOST}:{PORT}", "HTTP_SEC_FETCH_SITE": "same-origin"}),
        **changed,
    }
    status: list[str] = []
    text = b"".join(web(environ, lambda line, headers: status.append(line)))
    return status[0], unescape(text.decode())


def turn_of(page: str) -> str:
    found = re.search(r'name="turn" value="(\d+)"', page)
    assert found
    return found[1]


def test_a_whole_game_is_played_by_its_forms(tmp_path: Path) -> None:
    web = web_game(tmp_path)
    for _ in range(40):
        status, page = ask(web)
        assert status == "200 OK"
        if web.game.is_over:
            break
        takes = re.findall(r'name="take" value="(\d)"', page)
        form = {"turn": turn_of(page), "flip": "-1"}
        slots = re.findall(r'name="slot" value="(\d)"', page)
        form |= {"take": takes[0]} if takes else {"take": "market", "slot": slots[:2]}
        assert ask(web, "move", form)[0] == "303 See Other"
    assert "in total" in ask(web)[1]
    turn = turn_of(ask(web)[1])
    ask(web, "save", {"turn": turn})
    assert read_game(str(web.file)).moves == tuple(web.game.moves)
    ask(web, "review", {"turn": turn})
    assert "luck of the cards" in ask(web)[1]


def test_moves_that_are_not_legal_and_buttons_pressed_twice_change_nothing(tmp_path: Path) -> None:
    web = web_game(tmp_path)
    for form, said in (
        ({"take": "market", "slot": ["1"]}, "two vegetables must be taken"),
        ({"take": "market"}, "Tick two vegetables"),
        ({"take": "9"}, "Take a point card"),
        ({"take": "0", "flip": "77"}, "only a point card in front of the seat"),
        ({"take": "0", "flip": "x"}, "There is no such card"),
    ):
        ask(web, "move", {"turn": "0", **form})
        assert said in ask(web)[1]
        assert web.game.moves == []
    ask(web, "move", {"turn": "0", "take": "1", "flip": "-2"})
    assert len(web.game.moves) == 2
    ask(web, "move", {"turn": "0", "take": "1"})
    assert len(web.game.moves) == 2
    ask(web, "hint", {"turn": "2"})
    assert "in every seat" in ask(web)[1]
    ask(web, "undo", {"turn": "2"})
    assert web.game.moves == []


def test_who_is_not_asked_gets_nothing(tmp_path: Path) -> None:
    web = web_game(tmp_path)
    other = {"REQUEST_METHOD": "POST", "HTTP_ORIGIN": "http://evil.example"}
    for changed, status in (
        ({"HTTP_HOST": "evil.example:4242"}, "421"),
        ({"HTTP_HOST": f"{HOST}:80"}, "421"),
        ({"HTTP_HOST": ""}, "421"),
        (other, "403"),
        ({**other, "HTTP_ORIGIN": "null"}, "403"),
        ({"HTTP_SEC_FETCH_SITE": "cross-site"}, "403"),
        ({"HTTP_SEC_FETCH_SITE": "same-site"}, "403"),
        ({"PATH_INFO": "/"}, "404"),
        ({"PATH_INFO": "/wrong/"}, "404"),
        ({"PATH_INFO": f"/{web.token}/move"}, "404"),
        ({"REQUEST_METHOD": "DELETE"}, "404"),
    ):
        got, page = ask(web, **changed)
        assert got.startswith(status), changed
        assert len(page) < 100
    assert ask(web, "move", {"turn": "0", "take": "1" * MOST_BYTES})[0].startswith("413")
    assert len({web_game(tmp_path).token, web.token}) == 2
    assert len(web.token) >= 32


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    web = web_game(tmp_path, ("<script>alert(1)</script>", '"><img src=x>'))
    body = b"".join(
        web(
            {"REQUEST_METHOD": "GET", "PATH_INFO": f"/{web.token}/", "HTTP_HOST": f"localhost:{PORT}"},
            lambda line, headers: None,
        )
    ).decode()
    assert "<script" not in body
    assert "<img" not in body


def test_it_listens_on_the_loopback_address_only(tmp_path: Path) -> None:
    web = web_game(tmp_path)
    web, server = make_server(web.game, web.budget, web.file, 0, web.session)
    try:
        assert server.effective_host == HOST
        assert web.address.startswith(f"http://{HOST}:{server.effective_port}/")
    finally:
        server.close()


def test_a_port_that_is_none_is_refused() -> None:
    assert "port must be a whole number" in refused("play", "--web", "--port", "x", "-s", "greedy", "-q")


@pytest.mark.parametrize("header", ["Content-Security-Policy", "Cache-Control", "Referrer-Policy"])
def test_pages_say_what_browsers_may_do(header: str, tmp_path: Path) -> None:
    web, found = web_game(tmp_path), {}
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": f"/{web.token}/", "HTTP_HOST": f"{HOST}:{PORT}"}
    list(web(environ, lambda line, headers: found.update(headers)))
    assert found[header]
