"""What is done with runs in folders: begin or continue, extend, merge, verify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.play.tally import TALLY
from salad_sim.run.deal_ledger import Block, Ledger, Range, blocks_of, coarser, joined
from salad_sim.run.driver import Session, play_plan
from salad_sim.run.plan import Plan, with_deals
from salad_sim.run.setup import MOST_GAMES, whole_number
from salad_sim.storage.checkpoint_file import FILE, SavedRun, forget, load, save
from salad_sim.storage.folder import differences, refuse_another_kind
from salad_sim.storage.identity import plan_of, record_of, same_study

SAVE_SECONDS = 5.0
SHARE_OF_TIME = 200
"""Saving takes no more than one second in so many."""

RUN_FILE = "run.json"


@dataclass
class RunInFolder:
    """A run, and the folder that it is saved in.

    Attributes
    ----------
    plan : Plan
    folder : pathlib.Path
    record : dict
        What identifies the run.
    ledger : Ledger
        What is counted of it.
    seconds : float
        Time spent playing before now.
    notes : list of str
        What the user should know about what was found in the folder, a sentence each.
    joined : int
        Runs that it was made of.
    replaces : bool
        Whether what the folder holds of another run goes as soon as this one begins.
    """

    plan: Plan
    folder: Path
    record: dict[str, Any]
    ledger: Ledger
    seconds: float
    notes: list[str]
    joined: int = 1
    replaces: bool = False

    @property
    def standing(self) -> str:
        """How far it is, in a few words; empty if nothing is played yet."""
        if self.joined > 1:
            return f"{self.joined} runs joined: {self.ledger.games:,} games"
        if self.ledger.is_complete:
            return "the run is complete: nothing is left to play"
        return f"going on after {self.ledger.games:,} of {self.plan.n_games:,} games" if self.ledger.games else ""

    def start(self) -> None:
        """Save it before any game is played; the run that it replaces is lost now, and not earlier.

        Raises
        ------
        InputError
            If that cannot be removed, or this one cannot be written.
        """
        if self.replaces:
            forget(self.folder)
            self.replaces = False
        self.save()

    def save(self, seconds: float = 0.0) -> None:
        """Save what is counted; ``seconds`` were spent playing since the run was opened.

        Raises
        ------
        InputError
            If it cannot be written; what was saved before is still there.
        """
        save(self.folder, self.record, self.ledger, self.seconds + seconds)


class RunSaver:
    """Saves a run every few seconds while it is played."""

    def __init__(self, run: RunInFolder, tell: Callable[[str], None]) -> None:
        self.run = run
        self.tell = tell
        self.start = self.last = perf_counter()
        self.cost = 0.0
        self.failed = False

    @property
    def seconds(self) -> float:
        """Since the playing began."""
        return perf_counter() - self.start

    def __call__(self) -> None:
        """Save, unless that was done a moment ago. A full disk does not end the run: it may have room again later."""
        now = perf_counter()
        if now - self.last < max(SAVE_SECONDS, SHARE_OF_TIME * self.cost):
            return
        try:
            self.run.save(self.seconds)
            self.failed = False
        except InputError as error:
            if not self.failed:
                self.tell(f"{error}; the run goes on and tries again")
            self.failed = True
        self.last = perf_counter()
        self.cost = self.last - now


def begin(plan: Plan, folder: Path, force: bool = False) -> RunInFolder:
    """Open a folder for a run: a new one, or one that this very run was begun in.

    Parameters
    ----------
    plan : Plan
    folder : pathlib.Path
        It must be this program's alone, see `atomic.sole_use`.
    force : bool
        Begin anew, whatever is there of runs; it is lost when the run is started, see `RunInFolder.start`.

    Raises
    ------
    InputError
        If the folder holds something else, with the difference, or what it holds is damaged. With ``force`` if it holds
        something else than a run.
    """
    record = record_of(plan)
    empty = RunInFolder(plan, folder, record, Ledger.of(plan.ranges), 0.0, [], replaces=force)
    refuse_another_kind(folder, "run")
    if force:
        return empty
    saved, problems = load(folder)
    if saved is None:
        if problems:
            raise InputError(f"{'; '.join(problems)}: nothing can be saved of it; --force plays the run from the start")
        if (folder / RUN_FILE).exists():
            raise InputError(
                f"{str(folder)!r} holds the results of something else ({RUN_FILE} without {FILE}); choose another "
                "folder, or --force to write over them"
            )
        return empty
    different = differences(saved.record, record)
    if different:
        raise InputError(
            f"{str(folder)!r} holds another run: {'; '.join(different)}; choose another folder, or --force to replace "
            "that run by this one"
        )
    return _opened(plan, folder, saved, problems)


def _opened(plan: Plan, folder: Path, saved: SavedRun, problems: list[str]) -> RunInFolder:
    ledger = saved.ledger
    if _covered(ledger) != list(plan.ranges):
        raise InputError(f"{str(folder / FILE)!r} is about other deals than its options say; --force plays it anew")
    notes = []
    if problems:
        notes.append(f"{'; '.join(problems)}; going on from the save before it, {ledger.games:,} games")
    return RunInFolder(plan, folder, dict(saved.record), ledger, saved.seconds, notes)


def _covered(ledger: Ledger) -> list[Range]:
    return joined([(block.first, block.stop) for block in ledger.blocks])


def reopen(folder: Path) -> RunInFolder:
    """Open the run that a folder holds; the folder must be this program's alone, see `atomic.sole_use`.

    Raises
    ------
    InputError
        If it holds none, it is damaged, or it was played by other code than is here.
    """
    saved, problems = saved_in(folder)
    return _opened(plan_of(saved.record), folder, saved, problems)


def saved_in(folder: Path) -> tuple[SavedRun, list[str]]:
    """Return what a folder says of a run, and which of its files are damaged; no strategy is loaded.

    Raises
    ------
    InputError
        If it holds no run, or nothing of it can be read.
    """
    saved, problems = load(folder)
    if saved is not None:
        return saved, problems
    if problems:
        raise InputError(f"{'; '.join(problems)}: nothing can be saved of it")
    what = "is no folder" if not folder.is_dir() else f"holds no run (there is no {FILE} in it)"
    raise InputError(f"{str(folder)!r} {what}; a folder is needed that salad-sim run --out made")


def extend(folder: Path, games: str) -> RunInFolder:
    """Open a finished run for more deals, up to ``games`` games in all.

    Raises
    ------
    InputError
        If it is not finished, has as many games already, or does not begin with the first deal.
    """
    run = reopen(folder)
    if not run.ledger.is_complete:
        raise InputError(f"{str(folder)!r} is not finished; end it with salad-sim resume first")
    if run.plan.deals:
        raise InputError(f"{str(folder)!r} holds chosen deals; only a run of the first deals can be extended")
    n_games = whole_number("games", games, 1, MOST_GAMES)
    plan = plan_of(run.record | {"options": run.plan.options() | {"games": n_games}})
    if plan.n_deals <= run.plan.n_deals:
        raise InputError(
            f"games is how many there shall be in all, more than the {run.plan.n_games:,} that {str(folder)!r} has, "
            f"not {games}"
        )
    more = [Block(first, stop) for first, stop in blocks_of([(run.plan.n_deals, plan.n_deals)])]
    ledger = Ledger([*coarser(run.ledger.blocks), *more])
    return RunInFolder(plan, folder, record_of(plan), ledger, run.seconds, [])


def merge(sources: Sequence[Path], folder: Path) -> RunInFolder:
    """Join finished runs of the same study over different deals.

    Raises
    ------
    InputError
        If they are not finished, not of the same study, or share deals.
    """
    saved: list[SavedRun] = []
    for source in sources:
        each, _ = saved_in(source)
        if not each.ledger.is_complete:
            raise InputError(f"{str(source)!r} is not finished; end it with salad-sim resume first")
        different = differences(same_study(saved[0].record), same_study(each.record)) if saved else []
        if different:
            raise InputError(f"{str(sources[0])!r} and {str(source)!r} are different studies: {'; '.join(different)}")
        saved.append(each)
    blocks = sorted((block for each in saved for block in each.ledger.blocks), key=lambda block: block.first)
    for before, after in pairwise(blocks):
        if after.first < before.stop:
            shared = f"{after.first}..{min(before.stop, after.stop) - 1}"
            raise InputError(f"the runs share deals, such as {shared}: each deal can be counted once only")
    ranges = joined([(block.first, block.stop) for block in blocks])
    plan = with_deals(plan_of(saved[0].record), ranges)
    seconds = sum(each.seconds for each in saved)
    return RunInFolder(plan, folder, record_of(plan), Ledger(coarser(blocks)), seconds, [], joined=len(saved))


@dataclass(frozen=True)
class Verified:
    """What playing a run again has shown.

    Attributes
    ----------
    blocks, games : int
        That were played again.
    of_blocks : int
        Blocks of the run.
    wrong : list of str
        What was not reproduced, a phrase each.
    """

    blocks: int
    games: int
    of_blocks: int
    wrong: list[str]


def verify(run: RunInFolder, sample: int | None, session: Session | None = None) -> Verified:
    """Play the blocks of a run again, all or a sample spread evenly over them, and compare every number.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    blocks = [block for block in run.ledger.blocks if block.done]
    chosen = blocks if sample is None else [blocks[place] for place in _spread(len(blocks), sample)]
    session = session or Session()
    session.expect(sum(stop - first for block in chosen for first, stop in block.done) * run.plan.n_rotations)
    wrong: list[str] = []
    games = 0
    for block in chosen:
        count = play_plan(with_deals(run.plan, block.done), session)
        if count.interrupted:
            raise KeyboardInterrupt
        if block.tally is None or not _equal(count.tally, block.tally):
            wrong.append(f"deals {block.first}..{block.stop - 1}")
        games += int(count.tally.games)
    return Verified(len(chosen), games, len(blocks), wrong)


def _spread(n_blocks: int, sample: int) -> list[int]:
    return sorted(set(np.linspace(0, n_blocks - 1, min(sample, n_blocks)).round().astype(int).tolist()))


def _equal(one: np.record, other: np.record) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in TALLY.names or ())
