"""salad-sim resume, extend, merge, verify, status: what is done with the folders of runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from salad_sim.cli import FAILED
from salad_sim.cli._options import cluster_option, format_option, note, quiet_option, workers_option
from salad_sim.errors import InputError

if TYPE_CHECKING:
    from salad_sim.storage.checkpoint import RunInFolder

MOST_SHOWN = 5
"""Things that are wrong and named, at most."""

PICTURES = (".png", ".svg")
patience_option = click.option("--patience", metavar="SECONDS", help="As for salad-sim run.")
folder_argument = click.argument("folder", metavar="DIR")


@click.command()
@folder_argument
@workers_option
@cluster_option
@patience_option
@format_option("table", "json", "csv")
@quiet_option
def resume(folder: str, workers: str | None, cluster: str | None, patience: str | None, form: str, quiet: bool) -> int:
    """Go on with what was stopped, in whatever way; its tables are those of one that was not.

    DIR is the folder of --out, of whichever command. It names the strategies; files of strategies are code and are run.
    """
    from salad_sim.cli._keeping import play, read_job
    from salad_sim.cli._running import Ways, in_folder, play_and_print
    from salad_sim.files.atomic import find_folder
    from salad_sim.storage.checkpoint import reopen

    if job := read_job(find_folder(folder)):
        if patience:
            raise InputError("--patience is for runs")
        given = (("--workers", workers), ("--cluster", cluster))
        ways = [word for name, value in given if value for word in (name, value)]
        return play(job, find_folder(folder), [*ways, *(["--quiet"] if quiet else [])])

    def work(path: Path) -> int:
        run = reopen(path)
        return play_and_print(run.plan, run, Ways(workers, form, quiet, patience, cluster=cluster))

    return in_folder(folder, work)


@click.command()
@folder_argument
@click.option("--games", "-g", required=True, metavar="N", help="How many there shall be in all.")
@workers_option
@cluster_option
@patience_option
@format_option("table", "json", "csv")
@quiet_option
def extend(
    folder: str, games: str, workers: str | None, cluster: str | None, patience: str | None, form: str, quiet: bool
) -> int:
    """Add deals to a finished run: its tables are those of a run of that many games."""
    from salad_sim.cli._running import Ways, in_folder, play_and_print
    from salad_sim.storage.checkpoint import extend as extended

    def work(path: Path) -> int:
        run = extended(path, games)
        return play_and_print(run.plan, run, Ways(workers, form, quiet, patience, cluster=cluster))

    return in_folder(folder, work)


@click.command()
@click.argument("folders", metavar="DIR DIR ...", nargs=-1, required=True)
@click.option("--out", "-o", required=True, metavar="DIR", help="Folder for the joined run.")
@click.option("--force", is_flag=True, help="Write over whatever --out holds.")
@format_option("table", "json", "csv")
@quiet_option
def merge(folders: tuple[str, ...], out: str, force: bool, form: str, quiet: bool) -> int:
    """Join finished runs of the same study over different deals, such as those of salad-sim run --deals."""
    from salad_sim.cli._running import Ways, play_and_print
    from salad_sim.files.atomic import find_folder, open_folder, sole_use
    from salad_sim.storage.checkpoint import merge as merged
    from salad_sim.storage.checkpoint_file import FILE
    from salad_sim.storage.folder import refuse_another_kind

    if len(folders) < 2:
        raise InputError(f"merge joins two folders or more, not {len(folders)}")
    run = merged([find_folder(each) for each in folders], Path(out))
    run.folder = target = open_folder(out)  # made only for what can be merged
    with sole_use(target):
        refuse_another_kind(target, "run")
        if not force and ((target / FILE).exists() or (target / "run.json").exists()):
            raise InputError(f"{out!r} holds a run; choose another folder, or --force to write over it")
        return play_and_print(run.plan, run, Ways(None, form, quiet))


@click.command()
@folder_argument
@click.option("--sample", metavar="K", help="Play only K blocks of its deals again, spread over the run.")
@workers_option
@quiet_option
def verify(folder: str, sample: str | None, workers: str | None, quiet: bool) -> int:
    """Play a run again, or a sample of it, and say whether every number is reproduced; pictures are not compared."""
    from salad_sim.cli._keeping import read_job
    from salad_sim.cli._running import in_folder
    from salad_sim.files.atomic import find_folder
    from salad_sim.run.setup import whole_number

    path = find_folder(folder)
    if job := read_job(path):
        if sample is not None:
            raise InputError("--sample is for runs; all other jobs are played again as a whole")
        return _verify_job(job, path, workers)
    n_blocks = None if sample is None else whole_number("sample", sample, 1, 10**6)
    return in_folder(folder, partial(_verify_run, folder, n_blocks, workers, quiet))


def _verify_job(job: dict[str, Any], folder: Path, workers: str | None) -> int:
    """Play a job that is no run again, and say what comes of it."""
    from salad_sim.cli._keeping import verify_job

    wrong, n_files = verify_job(job, folder, workers)
    if wrong:
        click.echo(f"NOT reproduced: {', '.join(wrong[:MOST_SHOWN])}; all was played again")
        return FAILED
    click.echo(f"every number is reproduced: {n_files} files are the same (pictures are not compared)")
    return 0


def _verify_run(folder: str, n_blocks: int | None, workers: str | None, quiet: bool, path: Path) -> int:
    """Play a run, or some of its blocks, again, and say what comes of it."""
    from salad_sim.cli._progress import watching
    from salad_sim.run.driver import Session
    from salad_sim.storage.checkpoint import reopen
    from salad_sim.storage.checkpoint import verify as verified

    run = reopen(path)
    for text in run.notes:
        note(text, quiet)
    if not run.ledger.games:
        raise InputError(f"{folder!r} holds no games yet: there is nothing to verify")
    with watching(quiet) as observer:
        found = verified(run, n_blocks, Session(workers, observer))
    wrong = [*found.wrong, *(_other_files(run) if run.ledger.is_complete else ())]
    games = f"{found.games:,} of {run.ledger.games:,} games ({found.blocks} of {found.of_blocks} blocks)"
    if wrong:
        n_more = len(wrong) - MOST_SHOWN + 1
        shown = wrong if n_more < 2 else [*wrong[: MOST_SHOWN - 1], f"{n_more} more"]
        click.echo(f"NOT reproduced: {', '.join(shown)}; {games} were played again")
        return FAILED
    part = found.blocks < found.of_blocks
    tables = ", and all tables are those that its numbers give (pictures are not compared)"
    end = tables if run.ledger.is_complete else ""
    if part:
        end += "; the numbers of the other blocks were not checked against play"
    click.echo(f"every number{' of the sample' * part} is reproduced: {games} were played again{end}")
    return 0


def _other_files(run: RunInFolder) -> Iterator[str]:
    """Yield the files of a complete run that are not those that its numbers give."""
    from salad_sim.studies.simulate.report import run_files
    from salad_sim.studies.simulate.result import Result

    for name, content in run_files(Result(run.plan, run.ledger.total, run.seconds, interrupted=False)).items():
        if Path(name).suffix in PICTURES:
            continue  # another version of the library that draws them draws other bytes
        data = content.encode() if isinstance(content, str) else content
        there = run.folder / name
        if not there.is_file() or there.stat().st_size != len(data) or there.read_bytes() != data:
            yield f"file {name}"


@click.command()
@folder_argument
def status(folder: str) -> int:
    """Say how far a run is, whether it is being played, and what it has found so far. Runs no strategy's code."""
    from salad_sim.cli._keeping import job_lines, read_job
    from salad_sim.cli._status import status_lines
    from salad_sim.files.atomic import find_folder

    path = find_folder(folder)
    job = read_job(path)
    for line in status_lines(path) if job is None else job_lines(job, path):
        click.echo(line)
    return 0
