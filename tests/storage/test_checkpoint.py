"""Saved runs go on after a stop, damage or a full disk; they are kept apart, extended, merged, verified and watched."""

import json
import os
import random
import shutil
import subprocess
import time
from functools import partial
from itertools import pairwise

import pytest

from salad_sim.cli._running import _begin_folder
from salad_sim.errors import InputError
from salad_sim.files import atomic
from salad_sim.files.sealed import DamagedError, sealed
from salad_sim.report.format import percent
from salad_sim.report.table import estimate_of
from salad_sim.run import driver, executors
from salad_sim.run.deal_ledger import Block, Ledger, coarser
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.storage import checkpoint as work
from salad_sim.storage import checkpoint_file as tally_file
from salad_sim.storage.checkpoint_file import BEFORE, FILE, tally_dict
from support.commands import call, files_of, good, refused
from support.saved_runs import GAMES, TABLES, WORDS
from support.terminal import PROGRAM

FULL = 28  # ENOSPC


def forge(folder, change, name=FILE):
    """Change what a saved run says and seal it anew."""
    body = json.loads((folder / name).read_text())["content"]
    change(body)
    (folder / name).write_bytes(sealed("", body))


@pytest.fixture
def copy(whole_run, tmp_path):
    """A copy of the folder of a run that nothing disturbed, to be spoilt."""
    return shutil.copytree(whole_run, tmp_path / "copy")


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


# --------------------------------------------------------------------------------------------- stopped


@pytest.mark.parametrize("words", [WORDS, ("resume", "--quiet")])
def test_a_stopped_run_goes_on(half, whole_run, words):
    (half / f".{FILE}.99{atomic.UNFINISHED}").write_text("{")  # as a kill in the middle of writing leaves it
    good(*words, *(["--out", half] if words is WORDS else [half]))
    assert files_of(half) == files_of(whole_run)


# ------------------------------------------------------------------------------------------ no room


def no_room(*_):
    raise OSError(FULL, os.strerror(FULL))


def test_a_full_disk_does_not_end_a_run(tmp_path, monkeypatch, whole_run):
    real, failed = os.fsync, []

    def full_for_a_while(handle):
        """The first saves succeed, the next three fail."""
        full_for_a_while.calls += 1
        if 4 < full_for_a_while.calls <= 7:
            failed.append(handle)
            no_room()
        real(handle)

    full_for_a_while.calls = 0
    monkeypatch.setattr(work, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(work, "SHARE_OF_TIME", 0.0)
    monkeypatch.setattr(executors, "TARGET_SECONDS", 0.002)
    monkeypatch.setattr(driver, "play_on_threads", partial(executors.play_on_threads, every=0.001))
    monkeypatch.setattr(os, "fsync", full_for_a_while)
    result = good(*WORDS, "--out", tmp_path / "run")
    assert len(failed) == 3
    assert result.stderr.count("No space left on device; the run goes on and tries again") == 1
    monkeypatch.undo()
    assert files_of(tmp_path / "run") == files_of(whole_run)


def test_a_disk_that_stays_full_is_told_in_one_line_and_the_result_is_printed(half, monkeypatch, whole_run):
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
    assert files_of(half) == files_of(whole_run)


def test_no_room_at_the_start_is_refused_before_a_game_is_played(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", no_room)
    monkeypatch.setattr("salad_sim.run.runner.ShardPlayer.__call__", None)
    assert "No space left on device" in refused(*WORDS, "--out", tmp_path / "run")


# ------------------------------------------------------------------------------------------ whose folder


def test_two_programs_in_one_folder_are_kept_apart(copy, tmp_path):
    before = files_of(copy)
    with atomic.sole_use(copy):
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
        (lambda run: run["strategies"][0].update(sha256="f" * 64), "sha256 of uniform_random.py is ffff"),
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
    data = (half / FILE).read_bytes()
    assert tally_file.read(half / FILE).ledger.games
    for at in [*range(0, len(data), 211), *range(len(data) - 80, len(data))]:
        (half / FILE).write_bytes(data[:at])
        with pytest.raises(DamagedError):
            tally_file.read(half / FILE)
    chance = random.Random(7)
    for at in chance.sample(range(len(data)), 400):
        spoilt = bytearray(data)
        spoilt[at] ^= 1 << chance.randrange(8)
        (half / FILE).write_bytes(spoilt)
        with pytest.raises(DamagedError):
            tally_file.read(half / FILE)


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "folder"])
def test_what_is_damaged_is_reported_and_the_save_before_it_used(half, whole_run, how):
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
        assert files_of(half) == files_of(whole_run)


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


def test_merged_runs_are_the_whole_run(whole_run, tmp_path):
    parts = {"a": "0:5000,15000:15001", "b": "15001:20000", "c": "5000:15000", "d": "19999:20001"}
    for name, deals in parts.items():
        words = ["run", "--deals", deals, "-s", "random", "--seed", "5" if name == "e" else "4", "-q"]
        good(*words, "--out", tmp_path / name)
    a, b, c, d = (tmp_path / name for name in parts)
    joined = good("merge", c, a, b, "--out", tmp_path / "all")
    assert joined.stderr.startswith(f"salad-sim: 3 runs joined: {GAMES:,} games\n")
    assert all((tmp_path / "all" / name).read_bytes() == (whole_run / name).read_bytes() for name in TABLES)
    assert "every number of the sample is reproduced" in good("verify", tmp_path / "all", "--sample", 9, "-q").stdout
    assert "the runs share deals, such as 19999..19999" in refused("merge", d, b, "-o", tmp_path / "no")
    assert "the runs share deals" in refused("merge", b, b, "-o", tmp_path / "no")
    assert "holds a run" in refused("merge", a, b, "-o", whole_run)
    forge(c, lambda body: body["run"]["options"].update(seed=5))
    assert "different studies: seed is 4 there and 5 here" in refused("merge", a, c, "-o", tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_a_run_that_is_replaced_leaves_no_table(copy, tmp_path, monkeypatch):
    """A match has a table of its rounds, the runs that are merged in its place have none."""
    match, parts = tmp_path / "match", [tmp_path / "a", tmp_path / "b"]
    good(*WORDS, "-g", 10, "--rounds", 3, "--out", match)
    for part, deals in zip(parts, ("0:9000", "9000:20000"), strict=True):
        good("run", "--deals", deals, "-s", "random", "--seed", 4, "-q", "--out", part)
    rounds = (match / "rounds.csv").read_bytes()
    with monkeypatch.context() as full:
        full.setattr(atomic, "write_files", partial(no_room_for, match))
        assert call("merge", *parts, "-q", "--out", match, "--force").exit_code == 2
    assert (match / "rounds.csv").read_bytes() == rounds, "nothing goes before the new files are there"
    good("merge", *parts, "-q", "--out", match, "--force")
    assert files_of(match).keys() == files_of(copy).keys()
    assert all((match / name).read_bytes() == (copy / name).read_bytes() for name in TABLES)


def no_room_for(folder, *_):
    raise InputError(f"cannot write into {folder}")


def test_a_run_of_very_many_parts_is_cut_into_fewer_blocks():
    plan = plan_run(60, 2, "random", 4)
    player = ShardPlayer(plan, prepare(plan))
    ends = [0, 3, 4, 5, 9, 15, 16, 17, 30, 31, 58, 60]
    blocks = [Block(first, stop) for first, stop in pairwise(ends) if first != 5]
    for block in blocks:
        block.add(Shard(block.first, block.stop - block.first), player(Shard(block.first, block.stop - block.first)))
    before = Ledger(blocks)
    after = Ledger(coarser(blocks, 4))
    assert len(coarser(blocks, 10)) == 10
    # at most 28 of the 56 deals together, and 5..8 are in none
    assert [(block.first, block.stop) for block in after.blocks] == [(0, 5), (9, 31), (31, 58), (58, 60)]
    assert after.is_complete and tally_dict(after.total) == tally_dict(before.total)
    for block in after.blocks:
        again = player(Shard(block.first, block.stop - block.first))
        assert tally_dict(again) == tally_dict(block.tally)


# ------------------------------------------------------------------------------------------ verified


def more_turns(body):
    body["blocks"][0]["tally"]["turns"] += 1000


def larger_score(body):
    """A plausible one: squares are no smaller than they must be."""
    tally = body["blocks"][0]["tally"]
    tally["score"][0][0] += 1
    tally["score_squared"][0][0] += 1000
    tally["deal_score_squared_by_seat"][0] += 1000
    tally["deal_score_squared_by_group"][0] += 1000


@pytest.fixture
def tiny(tmp_path):
    """The folder of a run of ten games, which has ten blocks."""
    good(*WORDS, "-g", 10, "--out", tmp_path / "tiny")
    return tmp_path / "tiny"


@pytest.mark.parametrize("sample", [[], ["--sample", "2"], ["--sample", "10"]])
@pytest.mark.parametrize("change", [more_turns, larger_score])
def test_verify_finds_a_changed_number(tiny, change, sample):
    forge(tiny, change)
    files = ", file seats.csv, file strategies.csv" if change is larger_score else ""
    for wrong in (f"deals 0..0{files}", "deals 0..0"):
        result = call("verify", tiny, "-q", *sample)
        assert result.exit_code == 1 and result.stdout.startswith(f"NOT reproduced: {wrong}; ")
        good("resume", tiny, "-q")  # its tables are now those of the changed numbers


def test_a_sample_says_that_the_rest_was_not_checked(tiny):
    forge(tiny, lambda body: body["blocks"][4]["tally"].update(turns=1000))
    good("resume", tiny, "-q")
    said = good("verify", tiny, "-q", "--sample", 2).stdout
    assert said.startswith("every number of the sample is reproduced: 2 of 10 games (2 of 10 blocks) were played again")
    assert said.endswith("; the numbers of the other blocks were not checked against play\n")
    assert call("verify", tiny, "-q", "--sample", 10).stdout.startswith("NOT reproduced: deals 4..4;")


def test_what_is_counted_is_the_sum_of_the_blocks(tiny):
    """No other number of it is in the file that somebody could change."""
    forge(tiny, lambda body: body.update(total=body["blocks"][0]["tally"]))
    assert tally_file.read(tiny / FILE).ledger.games == 10
    forge(tiny, lambda body: body.update(games=11))
    assert "10 games are counted, and 11 said to be" in refused("verify", tiny)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda tally: tally.update(turns=2**63), "- at `$.turns`"),
        (lambda tally: tally.update(turns=True), "Expected `int`, got `bool` - at `$.turns`"),
        (lambda tally: tally.update(turns=1.5), "- at `$.turns`"),
        (lambda tally: tally.update(other=1), "unknown field `other`"),
        (lambda tally: tally.pop("wins"), "missing required field `wins`"),
        (lambda tally: tally["wins"].pop(), "length >= 6 - at `$.wins`"),
        (lambda tally: tally["wins"][2].append(0), "length <= 6 - at `$.wins[2]`"),
        (lambda tally: tally.update(deals=2), "counts other deals than it says"),
    ],
)
def test_what_is_no_tally_is_refused_and_said_where(tiny, change, said):
    forge(tiny, lambda body: change(body["blocks"][0]["tally"]))
    assert said in refused("status", tiny)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda body: body.pop("run"), "missing required field `run`"),
        (lambda body: body.update(seconds=-1), "- at `$.seconds`"),
        (lambda body: body["run"].pop("options"), "does not say what was played"),
        (lambda body: body["blocks"][3].update(stop=10**16), "- at `$.blocks[3].stop`"),
        (lambda body: body["blocks"].reverse(), "blocks overlap"),
        (lambda body: body["blocks"][0].update(done=[[0, 1], [0, 1]]), "ranges of a block are not in order"),
    ],
)
def test_what_is_no_saved_run_is_refused_and_said_where(tiny, change, said):
    forge(tiny, change)
    assert said in refused("status", tiny)


def test_a_file_of_another_version_is_not_called_damaged(tiny):
    forge(tiny, lambda body: body.update(format="salad-sim tally 1"))
    for words in (["status", tiny], ["resume", tiny], [*WORDS, "-g", 10, "--out", tiny]):
        said = refused(*words)
        assert "is of another version of salad-sim (its format is 'salad-sim tally 1'" in said
    good(*WORDS, "-g", 10, "--out", tiny, "--force")


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


@pytest.mark.parametrize("words", [["-s", "greedy"], ["-s", "random", "-s", "greedy", "-s", "random", "--rotate"]])
def test_status_says_what_the_tables_say(tmp_path, words):
    run = good("run", "-g", 300, "-p", 3, *words, "-q", "--format", "json", "--out", tmp_path / "run").stdout
    found = json.loads(run)
    rows = [(row["strategy"], row) for row in found["strategies"] if len(found["strategies"]) > 1]
    rows += [(f"seat {row['seat']}", row) for row in found["seats"]]
    shares = [(who, percent(estimate_of(row, "win_share"), unit=" %")) for who, row in rows]
    said = good("status", tmp_path / "run").stdout.splitlines()[2:]
    assert said == [f"{who} wins {share}" for who, share in shares]


def test_status_runs_no_strategy(copy, write_strategy):
    file = write_strategy("raise SystemExit('it ran')")

    def other(body):
        body["run"]["options"]["strategies"] = [f"{file}:mine", "\x1b[31mred"]

    forge(copy, other)
    said = good("status", copy).stdout
    assert str(file) in said and "\x1b" not in said
