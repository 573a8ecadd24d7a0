"""Strategies that raise, loop for ever or return nonsense: who, where and when is said, and finished games are kept."""

import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from salad_sim.cli import main
from salad_sim.errors import StrategyError
from salad_sim.run import executors, runner
from salad_sim.run.driver import Session, play_plan
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import Guard
from salad_sim.storage.checkpoint_file import FILE, load
from support.processes import run_python
from support.strategy_files import HEAD
from support.terminal import PROGRAM

RARELY = 60_000
"""One of so many moves fails: in 50,000 games of two players some do, and the first ones do not."""

BODY = """
@strategy("{name}")
def {name}(view, own, rng):
    list_drafts(view, own)
    if below(rng, {rarely}) == 7:
        {deed}
    return make_move(own.drafts[0], NO_FLIP)
"""
ENDLESS = "while view.n_players > 0:\n            own.scratch[0] += 1.0"
DEEDS = {"raises": 'raise ValueError("lost my way")', "loops": ENDLESS, "babbles": "return -7", "half": "return 1.5"}

WHERE = r"at seat [12], turn \d+ of game (\d+) of seed 1, 2 players, "
SAID = {
    "raises": rf"salad-sim: strategy 'raises' {WHERE}raised ValueError: lost my way",
    "loops": rf"salad-sim: strategy 'loops' {WHERE}does not come to an end: its shard was not finished within 1 .*",
    "babbles": rf"salad-sim: strategy 'babbles' {WHERE}made an illegal move: make move number -7\. Why not: .*",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file for each of the strategies, by name; one that always loops; all in plain words in DEEDS."""
    folder = tmp_path_factory.mktemp("failing")
    texts = {name: BODY.format(name=name, rarely=RARELY, deed=deed) for name, deed in DEEDS.items()}
    texts["always"] = BODY.format(name="always", rarely=8, deed=ENDLESS)
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(HEAD + text)
    return {name: folder / f"{name}.py" for name in texts}


def call(*words):
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(word) for word in words])


def program(*words, timeout=60):
    """Run the command line in a process of its own, which must end in time though a thread of it does not."""
    words = [*PROGRAM, *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout)


def run_words(file):
    return ["run", "-g", 50_000, "-s", file, "--patience", 1, "-q"]


@pytest.mark.parametrize("name", ["raises", "babbles"])
def test_a_strategy_that_fails_now_and_then(files, name, tmp_path, own_cache, monkeypatch):
    monkeypatch.setattr(executors, "TARGET_SECONDS", 0.001)
    plain = call(*run_words(files[name]))
    assert (plain.exit_code, plain.stdout) == (1, "")
    assert re.fullmatch(SAID[name], plain.stderr.strip())
    kept = call(*run_words(files[name]), "--out", tmp_path)
    lines = kept.stderr.splitlines()
    assert (kept.exit_code, kept.stdout, lines[-1]) == (1, "", plain.stderr.strip()), (
        "the same game whatever the threads"
    )
    saved, problems = load(tmp_path)
    assert not problems and 0 < saved.ledger.games < 50_000
    assert lines[-2] == f"salad-sim: {saved.ledger.games:,} games that were finished are saved in {tmp_path}"
    failed = int(re.fullmatch(SAID[name], lines[-1])[1])
    assert any(first <= failed < stop for first, stop in saved.ledger.missing()), "the game that failed is not counted"

    again = call("resume", "-q", tmp_path)
    assert again.exit_code == 1 and again.stderr.splitlines()[-1] == lines[-1], "it fails in the same game again"


def test_what_was_finished_is_refused_to_a_strategy_that_was_mended(files, tmp_path, own_cache, monkeypatch):
    """The deals that were counted were played by other code, whatever was changed in it."""
    monkeypatch.setattr(executors, "TARGET_SECONDS", 0.001)
    file = tmp_path / "raises.py"
    file.write_text(files["raises"].read_text())
    assert call(*run_words(file), "--out", tmp_path / "run").exit_code == 1
    load_module = sys.modules["salad_sim.strategy.registry"]._load_module
    file.write_text(file.read_text().replace("== 7", "< 0"))
    load_module.cache_clear()
    for words in (["resume", tmp_path / "run"], [*run_words(file), "--out", tmp_path / "run"]):
        refused = call(*words)
        assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
        assert "sha256 of raises.py is " in refused.stderr and " there and " in refused.stderr
    assert call(*run_words(file), "--force", "--out", tmp_path / "run").exit_code == 0


def test_a_strategy_that_returns_no_move_is_refused_at_the_door(files, own_cache):
    for words in (["run", "-g", 9, "-s", files["half"]], ["check", files["half"]]):
        refused = call(*words)
        assert refused.exit_code == 2
        assert "strategy 'half' must return a move, an int64 as from make_move" in refused.stderr.splitlines()[-1]


def test_a_strategy_that_loops_for_ever_is_given_up_and_what_was_finished_kept(files, tmp_path):
    done = program(*run_words(files["loops"]), "--out", tmp_path / "run")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(SAID["loops"], done.stderr.splitlines()[-1]), done.stderr
    saved, problems = load(tmp_path / "run")
    assert not problems and 0 < saved.ledger.games < 50_000
    assert f"{saved.ledger.games:,} games that were finished are saved in" in done.stderr
    stuck = int(re.fullmatch(SAID["loops"], done.stderr.splitlines()[-1])[1])
    assert any(first <= stuck < stop for first, stop in saved.ledger.missing())


@pytest.mark.slow
def test_a_strategy_that_loops_for_ever_is_given_up_where_nothing_is_saved(files):
    done = program(*run_words(files["loops"]))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(SAID["loops"], done.stderr.strip()), done.stderr


@pytest.mark.slow
def test_ctrl_c_ends_a_run_whose_strategy_loops_for_ever(files, tmp_path):
    """It waits for the shards that are being played, but no longer than for any shard; what is done is saved."""
    words = [*PROGRAM, *map(str, run_words(files["loops"])), "--patience", "4", "--out", str(tmp_path / "run")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "run" / FILE).exists():
            time.sleep(0.05)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode in (1, 130) and "Traceback" not in said
    assert load(tmp_path / "run")[0].ledger.games > 0


def test_check_gives_up_a_strategy_that_loops_for_ever(files):
    done = program("check", files["always"], "--patience", 1, "--games", 1, "--seed", 1, "-q")
    assert done.returncode == 1 and done.stderr == ""
    failures = re.findall(r"FAIL .*\n +(.*)", done.stdout)
    assert len(failures) == 1
    assert re.fullmatch(
        r"seat \d, turn \d+ of game \d+ of seed 1, \d players \(.*\): no move within 1 seconds", failures[0]
    )
    assert done.stdout.endswith("FAILED\n")


IMPATIENT = """
import inspect

from salad_sim.cli import main
from salad_sim.run.driver import Session

given = inspect.signature(Session.__init__).parameters.values()
defaults = {each.name: each.default for each in given if each.default is not each.empty}
Session.__init__.__defaults__ = tuple((defaults | {"patience": 1.0}).values())
main()
"""


@pytest.mark.parametrize(
    "words",
    [
        "match FILE random -g 400",
        "replay -s FILE --game 3",
        pytest.param("rules compare official bga -s FILE -g 400", marks=pytest.mark.slow),
        pytest.param("league FILE random -g 400", marks=pytest.mark.slow),
        pytest.param("profile FILE -a random -g 400", marks=pytest.mark.slow),
        pytest.param("experiment seat-order -s FILE -p 2 -g 400", marks=pytest.mark.slow),
        pytest.param("experiment card-value -s FILE -p 2 -g 400", marks=pytest.mark.slow),
    ],
)
def test_every_command_gives_up_a_strategy_that_loops_for_ever(files, words):
    words = [each.replace("FILE", str(files["always"])) for each in words.split()]
    done = subprocess.run(
        [sys.executable, "-P", "-c", IMPATIENT, *words, "-q"], capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 1
    assert done.stdout == "" or words[0] == "replay"  # which tells the turns up to there
    said = done.stderr.splitlines()[-1]
    assert "strategy 'always' at seat" in said and "its shard was not finished within 1 seconds" in said


@pytest.mark.slow
def test_plain_python_that_loops_for_ever_is_given_up_too(files):
    """Without the compiler a thread holds the interpreter most of the time; it must end all the same."""
    code = """
        import sys
        from salad_sim import simulate
        from salad_sim.run.plan import plan_run
        from salad_sim.errors import StrategyError
        from salad_sim.run.driver import Session, play_plan
        try:
            play_plan(plan_run(50, 2, sys.argv[1]), Session(2, patience=1.0))
        except StrategyError as error:
            print(error)
        """
    said = run_python(code, files["always"], timeout=60, NUMBA_DISABLE_JIT="1")
    assert "strategy 'always' at seat" in said and "does not come to an end" in said


def player_at(deal, since):
    """A worker as a guard sees it, at a deal of a plan."""
    player = runner.ShardPlayer(PLAN, (None, []))
    player.work.deal, player.since = deal, since
    return player


PLAN = plan_run(100, 2, "random")


def test_the_guard_names_the_worker_that_is_at_work_longest():
    now = time.monotonic()
    done, stuck, busy = player_at(3, None), player_at(8, now - 9), player_at(5, now - 2)
    with pytest.raises(StrategyError, match="turn 1 of game 8 of seed 1"):
        Guard([done, busy, stuck], 5).check()
    Guard([done, busy, stuck], 10).check()
    Guard([done], 0).check()


def test_others_that_go_on_do_not_hide_one_that_is_stuck(monkeypatch):
    """One worker loops while the other finishes shard after shard: the run is given up all the same."""
    free = SimpleNamespace(at=False)

    class Sometimes(runner.ShardPlayer):
        def __call__(self, shard):
            if shard.first_deal == 3:
                self.since = time.monotonic()
                while not free.at:
                    time.sleep(0.01)
            time.sleep(0.01)
            return super().__call__(shard)

    started = time.monotonic()
    try:
        with pytest.raises(StrategyError, match=r"within 0\.5 seconds"):
            play_plan(plan_run(10**6, 2, "random"), Session(2, patience=0.5), shard_deals=1, players=Sometimes)
    finally:
        free.at = True
    assert time.monotonic() - started < 20
