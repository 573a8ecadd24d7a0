"""Runs survive: killed at any step of their writing, or by Ctrl-C, they go on to the very same bytes."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import warnings
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from salad_sim.cli import main
from salad_sim.run import driver, executors
from salad_sim.storage import checkpoint as work
from salad_sim.storage import checkpoint_file as tally_file
from salad_sim.storage.checkpoint_file import FILE
from support.commands import files_of, good
from support.saved_runs import WORDS
from support.terminal import PROGRAM

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


class KilledAt:
    """Ends this process like a power cut at the n-th step of writing, a file half written if that is the step."""

    def __init__(self, n):
        self.left = n
        self.fsync, self.replace, self.unlink = os.fsync, os.replace, Path.unlink

    def step(self):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def torn_fsync(self, handle):
        if self.left == 1:
            size = os.fstat(handle).st_size
            if os.path.isfile(f"/proc/self/fd/{handle}"):
                os.ftruncate(handle, size // 2)
        self.step()
        self.fsync(handle)

    def stopped_replace(self, old, new):
        self.step()
        self.replace(old, new)

    def stopped_unlink(self, path, missing_ok):
        self.step()
        self.unlink(path, missing_ok=missing_ok)


def in_child(words, kill_at=0, after=None):
    """Run the command line in a child process that saves all the time; return whether it was killed.

    It is killed at the n-th step of writing, or ``after`` seconds.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        killer = KilledAt(kill_at)
        os.fsync, os.replace = killer.torn_fsync, killer.stopped_replace
        Path.unlink = lambda path, missing_ok=False: killer.stopped_unlink(path, missing_ok)
        work.SAVE_SECONDS = work.SHARE_OF_TIME = 0.0
        executors.TARGET_SECONDS = 0.004
        driver.play_on_threads = partial(executors.play_on_threads, every=0.005)
        os._exit(CliRunner().invoke(main, [str(word) for word in words]).exit_code)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


def killed_at(at, folder, whole_run):
    """Kill a run at a step of its writing, go on, and compare; return False if it has no such step."""
    shutil.rmtree(folder, ignore_errors=True)
    if not in_child([*WORDS, "--out", folder], kill_at=at):
        return False
    assert not in_child([*WORDS, "--out", folder])
    assert files_of(folder) == files_of(whole_run), f"after a kill at step {at}"
    return True


def test_killed_at_some_steps_of_its_writing_it_goes_on_to_the_same_bytes(whole_run, tmp_path):
    """Half of a file, a file not yet in its place, the first save not yet followed by run.json, and later ones."""
    assert all(killed_at(at, tmp_path / "run", whole_run) for at in (1, 6, 8, 13, 20))


@pytest.mark.slow
def test_killed_at_every_step_of_its_writing_it_goes_on_to_the_same_bytes(whole_run, tmp_path):
    n_steps = next(at for at in range(1, 1000) if not killed_at(at, tmp_path / "run", whole_run)) - 1
    assert n_steps >= 40


def killed_again_and_again(n_kills, n_games, folder):
    """Kill one long run so often, by turns at a random time and at a random step of writing; then let it end."""
    chance = random.Random(n_kills)
    words = ["run", "-g", n_games, "-s", "random", "--seed", "4", "--quiet"]
    seen = []
    for number in range(n_kills):
        again = ["resume", "-q", folder] if number % 3 == 2 and (folder / FILE).exists() else [*words, "--out", folder]
        how = {"kill_at": chance.randrange(1, 40)} if number % 2 else {"after": chance.uniform(0.01, 0.2)}
        # one thread: the run must not end before it is killed, however many cores there are
        assert in_child([*again, "--workers", 1], **how)
        saved, _ = tally_file.load(folder) if folder.exists() else (None, [])
        seen.append(saved.ledger.games if saved else 0)
    assert seen == sorted(seen), "what was saved once was lost"
    assert 0 < seen[-1] < n_games, "it was killed in the middle"
    good(*words, "--out", folder)
    good(*words, "--out", folder.with_name("undisturbed"))
    assert files_of(folder) == files_of(folder.with_name("undisturbed"))


def test_killed_again_and_again_it_goes_on_to_the_same_bytes(tmp_path):
    killed_again_and_again(3, 1_200_000, tmp_path / "run")


@pytest.mark.slow
def test_killed_at_thirty_random_moments_it_goes_on_to_the_same_bytes(tmp_path):
    killed_again_and_again(30, 20_000_000, tmp_path / "run")


def test_ctrl_c_then_the_same_command_again(tmp_path):
    words = ["run", "-g", "4e7", "-s", "random", "-q", "--out", str(tmp_path / "run"), "--format", "json"]
    with subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "run" / FILE).exists():
            time.sleep(0.05)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    counted = json.loads(out)["games"]
    assert process.returncode == 130 and 0 < counted < 4e7
    assert f"interrupted: {counted:,} of 40,000,000 games were played and counted; salad-sim resume" in said
    saved, problems = tally_file.load(tmp_path / "run")
    assert (saved.ledger.games, problems) == (counted, [])
    assert json.loads((tmp_path / "run" / "run.json").read_text())["games_counted"] == counted
    assert f"going on after {counted:,} of 40,000,000 games" in work.reopen(tmp_path / "run").standing
