"""A game in the browser: served on the loopback address only, behind a token, to pages of its own.

Who does not know the token in the address gets nothing; requests that name another host or come from another origin are
refused, so that no page of somebody else can play or read along.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qs

from salad_sim.errors import InputError, SaladError
from salad_sim.game.engine import LEGAL, WHY_ILLEGAL, why_illegal
from salad_sim.game.moves import N_PILES, N_SLOTS, NO_FLIP, make_move, pair_draft
from salad_sim.report.table import Table
from salad_sim.run.driver import Session
from salad_sim.studies.advice import review_report
from salad_sim.studies.advice.estimate import Budget, advise
from salad_sim.studies.advice.review import review
from salad_sim.tools.playing.page import NO_CARD, TAKEN_CARD, table_page
from salad_sim.tools.playing.session import GameSession
from salad_sim.tools.playing.words import hint_lines, move_line

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""What a browser may call this host."""

MOST_BYTES = 10_000
"""Of what a form may send."""

HEADERS = [
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
]

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class RefusedError(Exception):
    """A request that gets nothing; its text is the status."""


class WebGame:
    """A game as a WSGI application.

    Attributes
    ----------
    game : GameSession
    budget : Budget
    file : Path
        Where the game is saved.
    port : int
    token : str
        The first part of every path.
    """

    def __init__(self, game: GameSession, budget: Budget, file: Path, port: int, session: Session) -> None:
        self.game, self.budget, self.file, self.port, self.session = game, budget, file, port, session
        self.token = secrets.token_urlsafe(24)
        self.told: list[str] = []
        self.hint: list[str] = []
        self.review = ""
        self.lock = Lock()

    @property
    def address(self) -> str:
        """Where a browser finds the game."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        try:
            action = self._checked(environ)
            with self.lock:
                if environ["REQUEST_METHOD"] == "POST":
                    self._act(action, _form(environ))
                    start_response("303 See Other", [("Location", f"/{self.token}/"), *HEADERS])
                    return [b""]
                text = table_page(self.game, self.told, self.hint, self.review)
            start_response("200 OK", HEADERS)
            return [text.encode()]
        except RefusedError as error:
            start_response(str(error), [("Content-Type", "text/plain; charset=utf-8")])
            return [f"{error}\n".encode()]

    def _checked(self, environ: Environ) -> str:
        """Return what a request wants, if it may."""
        hosts = [f"{name}:{self.port}" for name in NAMES]
        if environ.get("HTTP_HOST", "") not in hosts:
            raise RefusedError("421 Misdirected Request")
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and origin not in [f"http://{host}" for host in hosts]:
            raise RefusedError("403 Forbidden")
        if environ.get("HTTP_SEC_FETCH_SITE", "none") not in ("same-origin", "none"):
            raise RefusedError("403 Forbidden")
        _, token, *rest = [*environ.get("PATH_INFO", "").split("/"), ""][:4]
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            raise RefusedError("404 Not Found")
        action = rest[0] if rest else ""
        allowed = {"GET": ("",), "POST": tuple(self._actions)}
        if action not in allowed.get(environ["REQUEST_METHOD"], ()):
            raise RefusedError("404 Not Found")
        return action

    @property
    def _actions(self) -> dict[str, Callable[[dict[str, list[str]]], None]]:
        return {
            "move": self._move,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "review": self._review,
        }

    def _act(self, action: str, form: dict[str, list[str]]) -> None:
        """Do what a form asks for, unless it belongs to an earlier table: a button was pressed twice."""
        if form.get("turn") != [str(len(self.game.moves))]:
            return
        self.hint = []
        try:
            self._actions[action](form)
        except SaladError as error:
            self.told = [str(error)]

    def _move(self, form: dict[str, list[str]]) -> None:
        game = self.game
        if game.is_over or not game.is_person:
            return
        move = read_form(form, game)
        reason = int(why_illegal(game.view, move))
        if reason != LEGAL:
            raise InputError(f"That is not possible: {WHY_ILLEGAL[reason]}.")
        self.told = []
        self._make(move)
        self.let_strategies_play()

    def _make(self, move: int) -> None:
        game = self.game
        self.told.append(move_line(game.view, game.plan.cards, game.names[game.seat], move))
        if game.make(move):
            self.told.append(f"Round {int(game.view.round_number) + 1} is dealt.")

    def let_strategies_play(self) -> None:
        """Let strategies move until it is a person's turn or the game is over."""
        while not self.game.is_over and not self.game.is_person:
            self._make(self.game.ask())

    def _hint(self, form: dict[str, list[str]]) -> None:
        if self.game.is_person and not self.game.is_over:
            self.hint = list(hint_lines(advise(self.game.position, self.budget, session=self.session)))

    def _undo(self, form: dict[str, list[str]]) -> None:
        self.told = ["Your last move was taken back." if self.game.undo() else "There is no move to take back."]
        self.review = ""

    def _save(self, form: dict[str, list[str]]) -> None:
        self.game.save(self.file)
        self.told = [f"Saved in {self.file}."]

    def _review(self, form: dict[str, list[str]]) -> None:
        if self.game.is_over and self.game.moves:
            lines = review_report.lines(review(self.game.recorded, self.budget, self.session), self.game.people)
            self.review = "\n".join(line.markdown() if isinstance(line, Table) else line for line in lines)


def _form(environ: Environ) -> dict[str, list[str]]:
    """Return what a form sent."""
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > MOST_BYTES:
        raise RefusedError("413 Content Too Large")
    return parse_qs(environ["wsgi.input"].read(int(length)).decode("ascii", "replace"), max_num_fields=20)


def read_form(form: dict[str, list[str]], game: GameSession) -> int:
    """Return the move that a form means; it need not be legal.

    Raises
    ------
    InputError
        If it means none.
    """
    take, flip = form.get("take", [""])[0], form.get("flip", [str(NO_CARD)])[0]
    slots = [int(slot) for slot in form.get("slot", []) if slot in map(str, range(N_SLOTS))]
    if take == "market":
        if not 1 <= len(slots) <= 2:
            raise InputError("Tick two vegetables of the market, or take a point card.")
        draft = int(pair_draft(min(slots), max(slots)))
    elif take in map(str, range(N_PILES)):
        draft = int(take)
    else:
        raise InputError("Take a point card, or two vegetables of the market.")
    known = {str(NO_CARD): NO_FLIP, str(TAKEN_CARD): int(game.view.top[draft]) if draft < N_PILES else NO_FLIP}
    if flip in known:
        return int(make_move(draft, known[flip]))
    if not flip.isdecimal() or len(flip) > 5:
        raise InputError("There is no such card to turn.")
    return int(make_move(draft, int(flip)))


def serve(web: WebGame, server: Any) -> None:
    """Answer requests until Ctrl-C."""
    try:
        server.run()
    finally:
        server.close()
        web.game.save(web.file)


def server_library() -> Any:
    """Return what makes a server.

    Raises
    ------
    InputError
        If its library is not installed.
    """
    try:
        from waitress import create_server
    except ImportError:
        raise InputError("play --web needs a small server: pip install 'salad-sim[web]'") from None
    return create_server


def make_server(game: GameSession, budget: Budget, file: Path, port: int, session: Session) -> tuple[WebGame, Any]:
    """Return the game and a server that listens for it on the loopback address; port 0 is any free one.

    Raises
    ------
    InputError
        If the library of the server is not installed, or the port is taken.
    """
    create_server = server_library()
    web = WebGame(game, budget, file, port, session)
    web.let_strategies_play()
    try:
        server = create_server(web, host=HOST, port=port, threads=2, ident=None)
    except OSError as error:
        raise InputError(f"port {port} of {HOST} cannot be listened to: {error.strerror}") from None
    web.port = int(server.effective_port)
    return web, server
