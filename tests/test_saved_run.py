"""Runs survive: killed at any moment they go on to the very same bytes; and they are extended, merged and verified."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from playing import STEADY

from salad_sim import executors, runner, store
from salad_sim.cli import main
from salad_sim.cli._running import _begin_folder
from salad_sim.executors import Shard
from salad_sim.ledger import Block, Ledger, blocks_of
from salad_sim.plan import plan_run
from salad_sim.runner import ShardPlayer, prepare
from salad_sim.saved_run import tally_file, work
from salad_sim.saved_run.tally_file import BEFORE, FILE, as_text, tally_digest
from salad_sim.tally import TALLY, add_tally, new_tally

PROGRAM = [sys.executable, "-P", "-c", "from salad_sim.cli import main; main()"]
GAMES = 20_000
WORDS = ("run", "-g", str(GAMES), "-s", "random", "--seed", "4", "--quiet")
TABLES = ("run.json", "seats.csv", "strategies.csv", "win_share.png", "win_share.svg")
FULL = 28  # ENOSPC

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def call(*words):
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(word) for word in words])


def good(*words):
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result


def refused(*words):
    """Run the command line, which must refuse with one line; return what it says."""
    result = call(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


def files_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def sealed(body):
    """Return the content of a file whose seal is right, whatever it says."""
    return f'{{\n"content": {json.dumps(body)},\n"sha256": "{tally_file._seal(body)}"\n}}\n'


def forge(folder, change, name=FILE):
    """Change what a saved run says and seal it anew."""
    body = json.loads((folder / name).read_text())["content"]
    change(body)
    (folder / name).write_text(sealed(body))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    good(*WORDS, "--out", folder)
    return folder


@pytest.fixture
def copy(whole, tmp_path):
    """A copy of that folder, to be spoilt."""
    return shutil.copytree(whole, tmp_path / "copy")


# ------------------------------------------------------------------------------------------ killed


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
        runner.play_on_threads = partial(executors.play_on_threads, every=0.005)
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


def killed_at(at, folder, whole):
    """Kill a run at a step of its writing, go on, and compare; return False if it has no such step."""
    shutil.rmtree(folder, ignore_errors=True)
    if not in_child([*WORDS, "--out", folder], kill_at=at):
        return False
    assert not in_child([*WORDS, "--out", folder])
    assert files_of(folder) == files_of(whole), f"after a kill at step {at}"
    return True


def test_killed_at_some_steps_of_its_writing_it_goes_on_to_the_same_bytes(whole, tmp_path):
    """Half of a file, a file not yet in its place, the first save not yet followed by run.json, and later ones."""
    assert all(killed_at(at, tmp_path / "run", whole) for at in (1, 6, 8, 13, 20))


@pytest.mark.slow
def test_killed_at_every_step_of_its_writing_it_goes_on_to_the_same_bytes(whole, tmp_path):
    n_steps = next(at for at in range(1, 1000) if not killed_at(at, tmp_path / "run", whole)) - 1
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


@pytest.fixture(scope="module")
def half_folder(tmp_path_factory):
    """The folder of a run that stopped after two saves, the second with parts of blocks from here and there."""
    folder = tmp_path_factory.mktemp("half") / "run"
    folder.mkdir()
    plan = plan_run(GAMES, 2, "random", 4)
    run = work.begin(plan, folder)
    _begin_folder(plan, run)
    player = ShardPlayer(plan, prepare(plan))
    for part in (run.ledger.blocks[:9], run.ledger.blocks[9:40:3]):
        for block in part:
            n_deals = block.stop - block.first if len(part) == 9 else 200
            run.ledger.add(Shard(block.first, n_deals), player(Shard(block.first, n_deals)))
        run.save(1.0)
    return folder


@pytest.fixture
def half(half_folder, tmp_path):
    """A copy of a folder of a run that was killed in the middle."""
    return shutil.copytree(half_folder, tmp_path / "half")


@pytest.mark.parametrize("words", [WORDS, ("resume", "--quiet")])
def test_a_stopped_run_goes_on(half, whole, words):
    (half / f".{FILE}.new.99{store.UNFINISHED}").write_text("{")  # as a kill in the middle of writing leaves it
    good(*words, *(["--out", half] if words is WORDS else [half]))
    assert files_of(half) == files_of(whole)


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


# ------------------------------------------------------------------------------------------ no room


def no_room(*_):
    raise OSError(FULL, os.strerror(FULL))


def test_a_full_disk_does_not_end_a_run(tmp_path, monkeypatch, whole):
    real, failed = store.os.fsync, []

    def full_for_a_while(handle):
        """The first saves succeed, the next three fail."""
        full_for_a_while.calls += 1
        if 5 < full_for_a_while.calls <= 8:
            failed.append(handle)
            no_room()
        real(handle)

    full_for_a_while.calls = 0
    monkeypatch.setattr(work, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(work, "SHARE_OF_TIME", 0.0)
    monkeypatch.setattr(executors, "TARGET_SECONDS", 0.002)
    monkeypatch.setattr(runner, "play_on_threads", partial(executors.play_on_threads, every=0.001))
    monkeypatch.setattr(os, "fsync", full_for_a_while)
    result = good(*WORDS, "--out", tmp_path / "run")
    assert len(failed) == 3
    assert result.stderr.count("No space left on device; the run goes on and tries again") == 1
    monkeypatch.undo()
    assert files_of(tmp_path / "run") == files_of(whole)


def test_a_disk_that_stays_full_is_told_in_one_line_and_the_result_is_printed(half, monkeypatch, whole):
    before = (half / FILE).read_bytes()
    saves = []

    def full_but_at_the_start(handle):
        saves.append(handle)
        if len(saves) > 4:
            no_room()

    monkeypatch.setattr(os, "fsync", full_but_at_the_start)
    result = call(*WORDS, "--out", half)
    monkeypatch.undo()
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].endswith("goes on from the last save")
    assert "No space left on device" in result.stderr.splitlines()[-1]
    assert result.stdout == call(*WORDS).stdout
    assert json.loads((half / FILE).read_text())["content"]["games"] == json.loads(before)["content"]["games"]
    good("resume", "-q", half)
    assert files_of(half) == files_of(whole)


def test_no_room_at_the_start_is_refused_before_a_game_is_played(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", no_room)
    monkeypatch.setattr("salad_sim.runner.ShardPlayer.__call__", None)
    assert "No space left on device" in refused(*WORDS, "--out", tmp_path / "run")


# ------------------------------------------------------------------------------------------ whose folder


def test_two_programs_in_one_folder_are_kept_apart(copy, tmp_path):
    before = files_of(copy)
    with store.sole_use(copy):
        for words in ([*WORDS, "--out", copy], ["resume", copy], ["extend", copy, "-g", 30000], ["verify", copy]):
            assert "another salad-sim is at work in" in refused(*words)
        assert "another salad-sim is at work in" in refused(*WORDS, "--force", "--out", copy)
    assert files_of(copy) == before


def test_another_run_is_refused_with_the_difference_and_replaced_by_force(copy):
    before = files_of(copy)
    other = [word if word != "4" else "5" for word in WORDS]
    said = refused(*other, "--out", copy)
    assert "holds another run: seed is 4 there and 5 here; choose another folder, or --force to replace" in said
    assert "games is 20000 there and 10 here" in refused(*WORDS, "-g", 10, "--out", copy)
    assert files_of(copy) == before
    good(*other, "--force", "--out", copy)
    assert json.loads((copy / "run.json").read_text())["options"]["seed"] == 5
    assert files_of(copy).keys() == before.keys()


def test_a_run_that_was_replaced_never_comes_back(half, monkeypatch):
    other = [word if word != "4" else "5" for word in WORDS]
    monkeypatch.setattr("salad_sim.cli._running._end_folder", lambda *_: None)  # as if killed after its first save
    good(*other, "--force", "--out", half)
    assert not (half / BEFORE).exists()


def test_results_of_something_else_are_refused(copy):
    (copy / FILE).unlink()
    assert "holds the results of something else" in refused(*WORDS, "--out", copy)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda run: run["versions"].update(numpy="1.0"), "numpy is 1.0 there and "),
        (lambda run: run["versions"].update(code="0" * 64), "code is 0000"),
        (lambda run: run["strategies"][0].update(sha256="f" * 64), "'sha256': 'ffff"),
        (lambda run: run["options"].update(seed=9, strategies=["greedy", "random"]), "strategies"),
    ],
)
def test_other_code_is_refused_with_the_difference(copy, change, said):
    forge(copy, lambda body: change(body["run"]))
    for words in (["resume", copy], ["extend", copy, "-g", 30000], ["verify", copy], [*WORDS, "--out", copy]):
        refusal = refused(*words)
        assert "played by other code" in refusal or "holds another run" in refusal
        if words[0] != "run":
            assert said in refusal or "strategies is" in refusal


# ------------------------------------------------------------------------------------------ damaged


def test_whatever_is_damaged_is_recognised(half):
    text = (half / FILE).read_text()
    reads = tally_file.parse(text)
    assert reads.ledger.games
    end = len(text) - 1  # without the last line end it says the same
    for at in [*range(0, end, 211), *range(end - 80, end)]:
        with pytest.raises(tally_file.DamagedError):
            tally_file.parse(text[:at])
    data = text.encode()
    chance = random.Random(7)
    for at in chance.sample(range(len(data)), 400):
        spoilt = bytearray(data)
        spoilt[at] ^= 1 << chance.randrange(8)
        (half / FILE).write_bytes(spoilt)
        try:
            read = tally_file.read(half / FILE)
        except tally_file.DamagedError:
            continue
        # white space and the case of nothing else may be other than it was
        assert as_text(read.record, read.ledger, read.seconds) == text, f"bit of byte {at}"


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "folder"])
def test_what_is_damaged_is_reported_and_the_save_before_it_used(half, whole, how):
    before = tally_file.read(half / BEFORE).ledger.games
    spoil(half / FILE, how)
    result = good("status", half)
    assert "tally.json is damaged" in result.stdout and f"{before:,} of 20,000 games" in result.stdout
    result = call("resume", half)
    assert f"going on from the save before it, {before:,} games" in result.stderr
    if how == "folder":
        assert result.exit_code == 2 and result.stderr.splitlines()[-1].endswith("tally.json': Not a directory")
    else:
        assert result.exit_code == 0
        assert files_of(half) == files_of(whole)


def spoil(file, how):
    text = file.read_text()
    if how == "folder":
        file.unlink()
        file.mkdir()
    else:
        file.write_text({"cut": text[: len(text) // 2], "flipped": text.replace("1", "7", 1), "empty": ""}[how])


def test_both_damaged_is_one_clear_line(half):
    spoil(half / FILE, "cut")
    spoil(half / BEFORE, "flipped")
    for words in (["resume", half], ["status", half], ["verify", half], ["extend", half, "-g", 5e5]):
        assert "nothing can be saved of it" in refused(*words)
    assert "--force plays the run from the start" in refused(*WORDS, "--out", half)
    good(*WORDS, "--force", "--out", half)


# ------------------------------------------------------------------------------------------ more and together


def test_an_extended_run_is_a_run_of_that_size(copy, tmp_path):
    good("extend", copy, "--games", "3.1e4", "-q")
    good(*WORDS, "-g", 31000, "--out", tmp_path / "large")
    assert all((copy / name).read_bytes() == (tmp_path / "large" / name).read_bytes() for name in TABLES)
    assert "of 31,000 games (9 of 128 blocks)" in good("verify", copy, "-q", "--sample", 9).stdout
    assert "more than the 31,000" in refused("extend", copy, "-g", 31000)


def test_only_finished_runs_are_extended_and_merged(half, copy, tmp_path):
    assert "is not finished" in refused("extend", half, "-g", 1e6)
    assert "is not finished" in refused("merge", half, copy, "-o", tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_merged_runs_are_the_whole_run(whole, tmp_path):
    parts = {"a": "0:5000,15000:15001", "b": "15001:20000", "c": "5000:15000", "d": "19999:20001"}
    for name, deals in parts.items():
        words = ["run", "--deals", deals, "-s", "random", "--seed", "5" if name == "e" else "4", "-q"]
        good(*words, "--out", tmp_path / name)
    a, b, c, d = (tmp_path / name for name in parts)
    good("merge", c, a, b, "-q", "--out", tmp_path / "all")
    assert all((tmp_path / "all" / name).read_bytes() == (whole / name).read_bytes() for name in TABLES)
    assert "every number is reproduced" in good("verify", tmp_path / "all", "--sample", 9, "-q").stdout
    assert "the runs share deals, such as 19999..19999" in refused("merge", d, b, "-o", tmp_path / "no")
    assert "the runs share deals" in refused("merge", b, b, "-o", tmp_path / "no")
    assert "holds a run" in refused("merge", a, b, "-o", whole)
    forge(c, lambda body: body["run"]["options"].update(seed=5))
    assert "different studies: seed is 4 there and 5 here" in refused("merge", a, c, "-o", tmp_path / "no")
    assert not (tmp_path / "no").exists()


# ------------------------------------------------------------------------------------------ verified


def first_digest(body):
    body["blocks"][0]["sha256"] = "0" * 64


def larger_score(body):
    body["total"]["score"][0][0] += 1
    body["total"]["score_squared"][0][0] += 1000
    body["total"]["deal_score_squared_by_seat"][0] += 1000
    body["total"]["deal_score_squared_by_group"][0] += 1000


@pytest.fixture
def tiny(tmp_path):
    """The folder of a run of ten games, which has ten blocks."""
    good(*WORDS, "-g", 10, "--out", tmp_path / "tiny")
    return tmp_path / "tiny"


@pytest.mark.parametrize("sample", [[], ["--sample", "2"]])
@pytest.mark.parametrize(("change", "said"), [(first_digest, "deals 0..0"), (larger_score, "file seats.csv")])
def test_verify_finds_a_changed_number(tiny, change, said, sample):
    forge(tiny, change)
    result = call("verify", tiny, "-q", *sample)
    assert result.exit_code == 1
    assert result.stdout.startswith("NOT reproduced: ") and said in result.stdout
    if change is larger_score and not sample:
        assert "the sum of all deals" in result.stdout


@pytest.mark.parametrize("name", [name for name in TABLES if not name.startswith("win_share")])
def test_verify_finds_a_changed_file(copy, name):
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    assert call("verify", copy, "-q", "--sample", 1).stdout.startswith(f"NOT reproduced: file {name};")
    (copy / name).unlink()
    assert f"file {name}" in call("verify", copy, "-q", "--sample", 1).stdout


def test_verify_of_a_part(half):
    assert "every number is reproduced" in good("verify", half, "-q").stdout

    def other(body):
        block = next(each for each in body["blocks"] if "tally" in each)
        block["tally"]["turns"] += 1

    forge(half, other)
    assert "NOT reproduced: deals" in call("verify", half, "-q").stdout


# ------------------------------------------------------------------------------------------ watched


def test_status_of_a_run_that_is_being_played(tmp_path):
    words = [*PROGRAM, "run", "-g", "1e9", "-s", "random", "-q", "--out", str(tmp_path / "run")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            while not (tmp_path / "run" / FILE).exists():
                time.sleep(0.05)
            assert "seed 1: being played" in good("status", tmp_path / "run").stdout
            assert "another salad-sim is at work" in refused("resume", tmp_path / "run")
        finally:
            process.kill()
    assert "seed 1: stopped; salad-sim resume goes on" in good("status", tmp_path / "run").stdout


def test_status_of_runs_that_are_not(copy, half, tmp_path):
    done = good("status", copy).stdout
    assert "random, random, seed 4: complete\n20,000 of 20,000 games, saved " in done and "seat 2 wins" in done
    assert "stopped; salad-sim resume goes on" in good("status", half).stdout
    assert "holds no run" in refused("status", tmp_path)
    assert "is no folder" in refused("status", tmp_path / "none")


def test_status_runs_no_strategy(copy, write_strategy):
    file = write_strategy("raise SystemExit('it ran')")

    def other(body):
        body["run"]["options"]["strategies"] = [f"{file}:mine", "\x1b[31mred"]

    forge(copy, other)
    said = good("status", copy).stdout
    assert str(file) in said and "\x1b" not in said


# ------------------------------------------------------------------------------------------ counted once

PLAN = plan_run(40, 2, "random", 3)
DEALS = 40


@pytest.fixture(scope="module")
def single_deals():
    """The tally of each deal by itself."""
    player = ShardPlayer(PLAN, prepare(PLAN))
    return [player(Shard(deal, 1)).copy() for deal in range(DEALS)]


def sum_of(tallies):
    total = new_tally()
    for tally in tallies:
        add_tally(total, tally)
    return total


def same(one, other):
    return all(np.array_equal(one[name], other[name]) for name in TALLY.names)


def test_no_deal_counts_twice(single_deals, tmp_path_factory):
    """Shards of any size in any order, again and again, saved and loaded in between: each deal counts once."""

    class Counting(RuleBasedStateMachine):
        @initialize(ranges=st.sampled_from([((0, DEALS),), ((0, 7), (9, 10), (20, DEALS))]), n_blocks=st.integers(1, 9))
        def begin(self, ranges, n_blocks):
            self.folder = tmp_path_factory.mktemp("ledger")
            self.planned = {deal for first, stop in ranges for deal in range(first, stop)}
            self.ledger = Ledger([Block(first, stop) for first, stop in blocks_of(ranges, n_blocks)])
            self.counted = set()

        @rule(first=st.integers(0, DEALS - 1), n_deals=st.integers(1, 9))
        def count(self, first, n_deals):
            deals = range(first, min(first + n_deals, DEALS))
            part = sum_of([single_deals[deal] for deal in deals])
            block = next((each for each in self.ledger.blocks if each.first <= first < each.stop), None)
            fits = block is not None and deals.stop <= block.stop and not self.counted & set(deals)
            if fits:
                self.ledger.add(Shard(first, len(deals)), part)
                self.counted |= set(deals)
            else:
                with pytest.raises(ValueError, match="not missing"):
                    self.ledger.add(Shard(first, len(deals)), part)

        @rule(at=st.integers(0, 99))
        def count_a_missing_range(self, at):
            missing = self.ledger.missing()
            if missing:
                first, stop = missing[at % len(missing)]
                self.ledger.add(Shard(first, stop - first), sum_of(single_deals[first:stop]))
                self.counted |= set(range(first, stop))

        @rule()
        def save_and_load(self):
            tally_file.save(self.folder, {}, self.ledger, 1.0)
            self.ledger = tally_file.load(self.folder)[0].ledger

        @invariant()
        def each_counts_once(self):
            missing = {deal for first, stop in self.ledger.missing() for deal in range(first, stop)}
            assert missing == self.planned - self.counted
            assert same(self.ledger.total, sum_of([single_deals[deal] for deal in self.counted]))
            assert self.ledger.is_complete == (self.planned == self.counted)
            for block in self.ledger.blocks:
                if block.is_complete:
                    digest = block.digest or tally_digest(block.tally)
                    assert digest == tally_digest(sum_of(single_deals[block.first : block.stop]))

    run_state_machine_as_test(Counting, settings=settings(STEADY, max_examples=25, stateful_step_count=15))


def test_ranges_that_make_no_sense_are_refused():
    for deals in ("", "5", "5:5", "6:5", "0:10,9:11", "a:b", "0:1e16", "-1:4", "0:5:9"):
        assert "deals" in refused("run", "--deals", deals, "-s", "random")
    assert "give one of them" in refused("run", "--deals", "0:5", "-g", "5")
