"""The progress bar: games, games per second and time left, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

WAITING = "waiting for the workers; Ctrl-C again ends at once"
AT_THE_END = "putting the results together"

LINE_SECONDS = 30.0
"""Between two lines of a log."""

SILENT_SECONDS = 2.0
"""Games are counted ten times a second; if they are not for so long, none is played any more."""

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from salad_sim.run.driver import Observer


@contextmanager
def watching(
    quiet: bool, estimate: Callable[[], str] | None = None, end: str = "", cluster: str | None = None
) -> Iterator[Observer]:
    """Yield who watches for the user: with a bar on a terminal, else a line now and then; silent if it shall be quiet.

    Parameters
    ----------
    quiet : bool
    estimate : callable, optional
        Returns what is known so far, to be shown beside the progress.
    end : str
        What a second Ctrl-C means, for the line that says that workers are waited for.
    cluster : str, optional
        Where all is played that he watches; by default as the command's `anywhere` says.
    """
    from salad_sim.cli._keeping import keeping
    from salad_sim.cli._options import cluster_of_command, note
    from salad_sim.run.driver import Observer

    bar = _Bar(estimate) if sys.stderr.isatty() and not quiet else None
    if quiet:
        observer = Observer()
    elif bar is not None:
        observer = Observer(bar, partial(bar.wait, WAITING + end), note)
    else:
        observer = Observer(StatusLines(estimate), partial(note, WAITING + end), note)
    try:
        with keeping(observer), _placed(cluster or cluster_of_command(), observer):
            yield observer
    finally:
        if bar is not None:
            bar.stop()


def _placed(cluster: str | None, observer: Observer) -> AbstractContextManager[None]:
    """Return the block in which a cluster plays what is watched."""
    if cluster is None:
        return nullcontext()
    from salad_sim.cluster.connection import on_cluster

    return on_cluster(cluster, observer)


class _Bar:
    """Shows the progress as a bar that moves."""

    def __init__(self, estimate: Callable[[], str] | None) -> None:
        self.estimate = estimate
        self.bar = _new_bar(with_line=estimate is not None)
        self.start: tuple[float, int] | None = None

    def __call__(self, done: int, planned: int) -> None:
        """Report the games done and planned."""
        now, bar = perf_counter(), self.bar
        if self.start is None:
            # not before the first games are counted: until then it compiles
            self.start = now, done
            bar.add_task("", total=planned, speed="", found="", told=now, silent=AT_THE_END)
            bar.start()
        seconds, games = now - self.start[0], done - self.start[1]
        bar.update(bar.task_ids[0], told=now)
        if games and seconds > 0:
            rate = games / seconds
            speed = f", {rate:,.0f} games/s, {duration((planned - done) / rate)} left"
            found = "" if self.estimate is None else f"\n{self.estimate()}"
            bar.update(bar.task_ids[0], completed=done, total=planned, speed=speed, found=found)

    def wait(self, text: str) -> None:
        """Say after Ctrl-C what is waited for."""
        from salad_sim.cli._options import note

        note(text)
        if self.start is not None:
            self.bar.update(self.bar.task_ids[0], silent="waiting for the workers")

    def stop(self) -> None:
        """Take it away."""
        if self.start is not None:
            self.bar.stop()


def _new_bar(with_line: bool) -> Bar:
    """Return what shows the progress; ``with_line``: a text stands in a line below it, and the bar is left out."""
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Numbers(ProgressColumn):
        """The games and their speed, while some are played."""

        def render(self, task: Task) -> Text:
            """Return them; nothing was told for a while when what was counted is put together."""
            games = f"{task.completed:,.0f} of {task.total or 0:,.0f} games"
            if perf_counter() - task.fields["told"] > SILENT_SECONDS:
                return Text(f"{games}, {task.fields['silent']}")
            return Text(f"{games}{task.fields['speed']}{task.fields['found']}")

    return Bar(
        TextColumn("{task.percentage:3.0f} %"),
        # what is found takes a line of its own, and the bar's place goes to the numbers: 80 columns hold no more
        *([] if with_line else [BarColumn()]),
        Numbers(),
        console=Console(stderr=True),
        transient=True,
    )


class StatusLines:
    """Writes a line about the progress every half minute, for logs."""

    def __init__(self, estimate: Callable[[], str] | None) -> None:
        self.estimate = estimate
        self.start: tuple[float, int] | None = None
        self.last = 0.0

    def __call__(self, done: int, planned: int) -> None:
        """Report the games done and planned."""
        now = perf_counter()
        if self.start is None:
            self.start, self.last = (now, done), now
        if now - self.last < LINE_SECONDS:
            return
        self.last = now
        seconds, games = now - self.start[0], done - self.start[1]
        text = f"{done:,} of {planned:,} games"
        if games:
            rate = games / seconds
            text += f", {rate:,.0f} games/s, {duration((planned - done) / rate)} left"
        found = self.estimate() if self.estimate is not None else ""
        sys.stderr.write(f"salad-sim: {text}{'; ' * bool(found)}{found}\n")
        sys.stderr.flush()


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
