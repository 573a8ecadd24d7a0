"""Keeps what a command plays in the folder of --out: it goes on after any kind of stop, and is told and verified.

A command is decorated with `kept`, and that is all: whoever watches its sessions keeps them.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from salad_sim.cli import INTERRUPTED
from salad_sim.cli._options import note
from salad_sim.errors import InputError, printable

if TYPE_CHECKING:
    from salad_sim.run.driver import Observer

JOB = "job.json"
KEPT = "salad_sim.kept"
"""In the context of a command: what it keeps."""

STEPWISE = ("league", "tune", "learn")
"""Commands that save each step in a file of their own, so that they can also be made longer when they are done; kept
are the games of the step that is not."""

NOT_COMPARED = (JOB, "learning.npz")
"""Files of which each time others are written: they say how long it took."""

PICTURES = (".png", ".svg")


@dataclass
class Keeping:
    """A command that is kept, and where; one of ``steps`` refuses what is there and does not fit by itself."""

    folder: Path
    words: list[str]
    force: bool
    steps: bool = False
    done: int = 0
    planned: int = 0
    _told: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def keep(self, observer: Observer) -> Iterator[None]:
        """Keep what is played in the sessions of an observer while this block lasts."""
        from salad_sim.files.atomic import sole_use
        from salad_sim.storage.journal import FILE, Journal

        with sole_use(self.folder):
            there = read_job(self.folder)
            if self.force:
                (self.folder / FILE).unlink(missing_ok=True)
            elif not self.steps and there and there["words"] != self.words and (self.folder / FILE).exists():
                raise InputError(
                    f"{str(self.folder)!r} holds another job that is not finished: {command_of(there)}; end it with "
                    "salad-sim resume, or choose another folder"
                )
            watch, observer.progress = observer.progress, self.progress_of(observer)
            observer.keeper = journal = Journal(self.folder, note, lambda: self.write(finished=False))
            if any(page.old for page in journal.pages.values()):
                observer.tell("going on with what was played before")
            try:
                yield
            finally:
                observer.progress, observer.keeper = watch, None
                if journal.last is not None:  # a command that was refused has begun nothing
                    journal.save()

    def progress_of(self, observer: Observer) -> Callable[[int, int], None]:
        """Return what takes note of how far it is, and tells who watches."""
        watch = observer.progress

        def progress(done: int, planned: int) -> None:
            self.done, self.planned = done, planned
            if watch is not None:
                watch(done, planned)

        return progress

    def write(self, finished: bool) -> None:
        """Write down what is played here and how far it is."""
        from salad_sim.files.atomic import write_files
        from salad_sim.storage.folder import json_text

        data = {"words": self.words, "from": os.getcwd(), "finished": finished}
        if not finished:
            data |= {"done": self.done, "planned": self.planned}
        write_files(self.folder, {JOB: json_text(data)})

    def finish(self) -> None:
        """Note that its results are there: what was kept to go on is not needed any more."""
        from salad_sim.storage.journal import FILE

        self.write(finished=True)
        (self.folder / FILE).unlink(missing_ok=True)


def kept(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command with ``--out`` keep what it plays there."""

    @wraps(command)
    def keeping_command(**given: Any) -> Any:
        if given["out"] is None or given.get("name", "") is None:
            return command(**given)
        ctx = click.get_current_context()
        folder, steps = Path(given["out"]).expanduser(), ctx.info_name in STEPWISE
        keeping = Keeping(folder, words_of(ctx), bool(given.get("force")), steps)
        ctx.meta[KEPT] = keeping
        code = command(**given)
        if code != INTERRUPTED:
            keeping.finish()
        return code

    return keeping_command


@contextmanager
def keeping(observer: Observer) -> Iterator[None]:
    """Let an observer keep what is played while this block lasts, if the command is one that does."""
    ctx = click.get_current_context(silent=True)
    found = None if ctx is None else ctx.meta.get(KEPT)
    with ExitStack() as stack:
        if found is not None:
            stack.enter_context(found.keep(observer))
        yield


def words_of(ctx: click.Context) -> list[str]:
    """Return what was typed of a command, but for how it is played and shown."""
    from salad_sim.storage.command import is_what_is_played, option_name

    words: list[str] = []
    options: list[str] = []
    at: click.Context | None = ctx
    while at is not None and at.parent is not None:  # the first is the program, whatever it was started as
        words.insert(0, str(at.info_name))
        at = at.parent
    for param in ctx.command.params:
        name, value = param.name or "", ctx.params.get(param.name or "")
        if ctx.get_parameter_source(name) is ParameterSource.DEFAULT or value is None:
            continue
        each = [str(one) for one in (value if isinstance(value, tuple) else (value,))]
        if isinstance(param, click.Argument):
            words += each
        elif value is False:
            options += param.secondary_opts
        elif is_what_is_played(ctx.command, param):
            flag = f"--{option_name(param)}"
            options += [flag] if value is True else [word for one in each for word in (flag, one)]
    return words + options


def read_job(folder: Path) -> dict[str, Any] | None:
    """Return what a folder says of the command that it is of; None if it is of none."""
    from salad_sim.files.sealed import read_sealed

    try:
        found = json.loads(read_sealed(folder / JOB, 1 << 20))
        assert all(isinstance(word, str) for word in found["words"]) and isinstance(found["from"], str)
    except (InputError, ValueError, KeyError, TypeError, RecursionError, AssertionError):
        return None
    return found  # type: ignore[no-any-return]


def command_of(job: dict[str, Any]) -> str:
    """Return the command of a folder as it would be typed."""
    return printable(shlex.join(["salad-sim", *job["words"]]))


def play(job: dict[str, Any], folder: Path, more: list[str]) -> int:
    """Do the command of a job again, into a folder; return its exit code."""
    from salad_sim.cli import main

    there = folder.resolve()
    try:
        os.chdir(job["from"])
    except OSError as error:
        raise InputError(f"the job was begun in {job['from']!r}, which is gone: {error.strerror}") from None
    try:
        main.main(args=[*job["words"], "--out", str(there), *more])
    except SystemExit as ended:
        return int(ended.code or 0)


def job_lines(job: dict[str, Any], folder: Path) -> Iterator[str]:
    """Yield what is known of a job, a line each."""
    from salad_sim.files.atomic import is_in_use

    state = "being played" if is_in_use(folder) else "stopped; salad-sim resume goes on"
    yield f"{command_of(job)}: {'complete' if job.get('finished') else state}"
    if not job.get("finished"):
        at = datetime.fromtimestamp((folder / JOB).stat().st_mtime)
        yield f"{job.get('done', 0):,} of {job.get('planned', 0):,} games, saved {at:%Y-%m-%d %H:%M:%S}"


def verify_job(job: dict[str, Any], folder: Path, workers: str | None) -> tuple[list[str], int]:
    """Play a finished job again; return the files that are not the same then, and how many were compared."""
    if not job.get("finished"):
        raise InputError(f"{str(folder)!r} is not finished; end it with salad-sim resume first")
    folder = folder.resolve()
    with TemporaryDirectory(prefix="salad-sim-") as place, redirect_stdout(StringIO()):
        code = play(job, Path(place), ["--quiet", *(["--workers", workers] if workers else [])])
        if code:
            raise InputError(f"{command_of(job)} cannot be done again (exit code {code})")
        names = [
            each.name
            for each in sorted(Path(place).iterdir())
            if each.suffix not in PICTURES and each.name not in NOT_COMPARED
        ]
        data = {name: Path(place, name).read_bytes() for name in names}
    wrong = [name for name in names if not (folder / name).is_file() or (folder / name).read_bytes() != data[name]]
    return wrong, len(names)
