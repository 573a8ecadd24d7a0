"""Chapters -> one HTML file that needs nothing beside it; the same results always give the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from salad_sim import __version__
from salad_sim.errors import InputError
from salad_sim.files.atomic import open_folder, write_files
from salad_sim.game.card_kinds import VEGETABLES
from salad_sim.page.cards import card_chapter
from salad_sim.page.chapter import Chapter
from salad_sim.page.games import league_chapter, match_chapter, profile_chapter, run_chapter
from salad_sim.page.glossary import TERMS
from salad_sim.page.notable import GAMES, notable_games
from salad_sim.page.other import learning_chapter, other_chapter, tuning_chapter
from salad_sim.page.replay import replay_of
from salad_sim.page.rulings import rules_chapter
from salad_sim.page.saved import Saved, read_saved
from salad_sim.page.seats import seat_chapter, tie_chapter
from salad_sim.report.card_drawing import definitions
from salad_sim.run.driver import Session
from salad_sim.run.plan import Plan
from salad_sim.studies.advice.estimate import Budget

KINDS: Mapping[str, Callable[[Saved], Chapter]] = {
    "run": run_chapter,
    "match": match_chapter,
    "league": league_chapter,
    "profile": profile_chapter,
    "rules": rules_chapter,
    "tune": tuning_chapter,
    "learn": learning_chapter,
    "seat-order": seat_chapter,
    "tie-break": tie_chapter,
    "card-value": card_chapter,
}
"""What tells of each kind of result; others are told by their tables."""


def chapter(saved: Saved, kept: bool = True, games: int = GAMES) -> Chapter:
    """Return the chapter of a saved result, as in `page`."""
    found = KINDS.get(saved.kind, other_chapter)(saved)
    limits = list(found.limits)
    if saved.was_interrupted:
        limits.insert(0, "It was interrupted: this is what was played until then.")
    files = [f"{saved.name}/{name}.csv" for name in saved.tables] if kept else []
    tables = [each for each in found.tables if each.table.rows]
    shown = notable_games(saved, games) if saved.kind == "run" else []
    labels = found.labels or (shown[0].game.labels if shown else ())
    return replace(found, again=saved.again, files=files, limits=limits, tables=tables, games=shown, labels=labels)


def page(folders: Sequence[str], kept: bool = True, games: int = GAMES) -> str:
    """Return the page of some saved results.

    Parameters
    ----------
    folders : sequence of str
    kept : bool
        Whether they stay.
    games : int
        Of the first so many games of a run those that are worth looking at are shown; 0 for none.

    Raises
    ------
    InputError
        If a folder holds no result.
    KeyboardInterrupt
        On Ctrl-C.
    """
    chapters = [chapter(read_saved(each), kept, games) for each in folders]
    faces = dict.fromkeys(face for each in chapters for shown in each.games for face in shown.game.faces)
    return render("page.html", chapters=chapters, faces=list(faces))


def replay_page(plan: Plan, game: int, budget: Budget | None, session: Session | None = None) -> str:
    """Return the page of one game; see `replay_of`."""
    return render("replay.html", game=replay_of(plan, game, budget, session))


def write_page(folders: Sequence[str], file: str, kept: bool = True, games: int = GAMES) -> Path:
    """Write the page of some saved results, as in `page`.

    Raises
    ------
    InputError
        If a folder holds no result, or the file cannot be written.
    KeyboardInterrupt
        On Ctrl-C.
    """
    check_file(file)
    return write_html(page(folders, kept, games), file)


def write_html(text: str, file: str) -> Path:
    """Write a page; whatever is there is replaced as a whole.

    Raises
    ------
    InputError
        If it cannot be written there.
    """
    target = check_file(file)
    write_files(open_folder(target.parent), {target.name: text})
    return target


def check_file(file: str) -> Path:
    """Return where a page goes, before anything is played for it.

    Raises
    ------
    InputError
        If that is a folder, or no name of a page.
    """
    target = Path(file)
    if target.is_dir():
        raise InputError(f"{file!r} is a folder; a file is needed, such as {str(target / 'page.html')!r}")
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a page needs a name that ends in .html, not {file!r}")
    return target


def render(template: str, **values: Any) -> str:
    """Return a page from a template; everything in it that is not markup of ours is escaped."""
    environment = Environment(
        loader=PackageLoader("salad_sim.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(terms=TERMS, version=__version__, definitions=definitions, vegetables=VEGETABLES)
    environment.globals.update(style=_part("page.css"), script=_part("page.js"), part=_part)
    return environment.get_template(template).render(**values)


def _part(name: str) -> Markup:
    return Markup(resources.files("salad_sim.page").joinpath("templates", name).read_text(encoding="utf-8").strip())
