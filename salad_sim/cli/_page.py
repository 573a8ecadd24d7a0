"""--html of the commands that find something: the page of it, whether its folder is kept or not."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from salad_sim.cli._options import note

TEMPORARY = "salad_sim.temporary"
"""In the context of a command: that its folder is there for the page only."""


def page_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--html`` to a command that writes what it found into the folder ``out``; the lowest of its decorators."""

    @click.option("--html", metavar="FILE.html", help="Also make a page of it, to look at and click.")
    @wraps(command)
    def with_page(html: str | None, **given: Any) -> Any:
        if html is None:
            return command(**given)
        from salad_sim.page.render import check_file, write_page

        check_file(html)
        with TemporaryDirectory(prefix="salad-sim-") as place:
            kept = given["out"] is not None
            click.get_current_context().meta[TEMPORARY] = not kept
            folder = given["out"] if kept else str(Path(place, "result"))
            code = command(**given | {"out": folder})
            note(f"the page is {write_page([folder], html, kept)}", bool(given.get("quiet")))
        return code

    return with_page


def is_kept(out: object) -> bool:
    """Return whether the folder of a result is one that the user asked for."""
    return out is not None and not click.get_current_context().meta.get(TEMPORARY, False)
