"""The progress bar: games, games per second and time left, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salad_sim.runner import Progress


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """Yield a function to report progress to, or None where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.percentage:3.0f} %"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
        TextColumn("{task.fields[speed]}"),
        console=Console(stderr=True),
        transient=True,
    )
    start: list[tuple[float, int]] = []

    def report(done: int, planned: int) -> None:
        now = perf_counter()
        if not start:
            # not before the first games are counted: until then it compiles
            start.append((now, done))
            bar.add_task("", total=planned, speed="")
            bar.start()
        seconds, games = now - start[0][0], done - start[0][1]
        if games and seconds > 0:
            rate = games / seconds
            speed = f"{rate:,.0f} games/s, {duration((planned - done) / rate)} left"
            bar.update(bar.task_ids[0], completed=done, total=planned, speed=speed)

    try:
        yield report
    finally:
        if start:
            bar.stop()


def duration(seconds: float) -> str:
    """Return a time in the two largest units that matter: 7 s, 3 min 20 s, 2 h 5 min, 3 days 4 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86400:,} days {whole % 86400 // 3600} h"
