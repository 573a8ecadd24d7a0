"""Ctrl-C while something is still being played: what is waited for is said, after a moment and once."""

import threading
import time

import pytest

from salad_sim.cluster import dispatch
from salad_sim.run import driver, executors
from salad_sim.run.driver import Observer, Session, play_plan
from salad_sim.run.executors import ShardCutter, play_on_threads
from salad_sim.run.plan import plan_run
from support.commands import call

LINE = "salad-sim: waiting for the workers; Ctrl-C again ends at once"


def press_ctrl_c(*_):
    raise KeyboardInterrupt


@pytest.fixture
def impatient(monkeypatch):
    """A moment is short."""
    monkeypatch.setattr(executors, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(dispatch, "WAIT_SECONDS", 0.05)


def test_it_is_said_while_a_shard_does_not_end(impatient):
    said, parts = threading.Event(), []

    def play(shard):
        assert said.wait(20)
        return shard

    times = []

    def waiting():
        times.append(time.monotonic())
        said.set()

    assert play_on_threads(
        ShardCutter([(0, 100)], 2),
        [play, play],
        lambda _, part: parts.append(part),
        press_ctrl_c,
        0.01,
        waiting=waiting,
    )
    assert (len(times), len(parts)) == (1, 2), "once, and what was being played is counted"


def test_it_is_not_said_where_nothing_is_waited_for():
    pressed = []

    def press_once():
        if not pressed:
            pressed.append(True)
            press_ctrl_c()

    players = [lambda _: time.sleep(0.02)] * 2
    assert play_on_threads(
        ShardCutter([(0, 10**6)], 2),
        players,
        lambda *_: None,
        press_once,
        0.001,
        waiting=lambda: pytest.fail("nothing runs"),
    )


def test_a_second_ctrl_c_does_not_wait(impatient):
    never = threading.Event()
    try:
        with pytest.raises(KeyboardInterrupt):
            play_on_threads(
                ShardCutter([(0, 10)], 1),
                [lambda _: never.wait(20)],
                lambda *_: None,
                press_ctrl_c,
                waiting=press_ctrl_c,
            )
    finally:
        never.set()


def test_a_cluster_that_does_not_end_at_once(impatient, monkeypatch):
    said = threading.Event()

    class Slow:
        """Ends a while after it was stopped."""

        def __init__(self, *_):
            self.stopped, self.error, self.last, self.n_left, self.ended = False, None, None, 10, threading.Event()

        def run(self):
            said.wait(20)
            self.ended.set()

    monkeypatch.setattr(dispatch, "_Dispatcher", Slow)
    session = Session(progress=Observer(press_ctrl_c, said.set))
    session.observer.elsewhere = dispatch.DaskCluster(None)
    count = play_plan(plan_run(10, 2, "random"), session)
    assert count.interrupted and said.is_set()


def slow(*given, waiting, **more):
    """Plays as usual, and says afterwards that it is waited for."""
    found = play_on_threads(*given, waiting=waiting, **more)
    waiting()
    return found


@pytest.mark.parametrize("out", [False, True])
def test_the_command_says_it_on_stderr_only(monkeypatch, tmp_path, out):
    words = ["run", "-g", 1000, "-s", "random"]
    where = [["--out", tmp_path / name] if out else [] for name in "abc"]
    plain = call(*words, *where[0])
    monkeypatch.setattr(driver, "play_on_threads", slow)
    loud, quiet = call(*words, *where[1]), call(*words, "-q", *where[2])
    assert plain.stdout == loud.stdout == quiet.stdout and LINE not in plain.stderr
    assert loud.stderr.count(f"{LINE}, {'what is finished is saved' if out else 'without a result'}\n") == 1
    assert quiet.stderr == ""
    if out:
        assert call("verify", tmp_path / "b", "--sample", 1).stderr.count(f"{LINE}\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        "match random random -g 20",
        "league random greedy -g 20",
        "rules compare official bga -s random -g 20",
        "experiment tie-break -s random -p 2 -g 20",
    ],
)
def test_other_commands_say_it_too(monkeypatch, words):
    monkeypatch.setattr(driver, "play_on_threads", slow)
    assert f"{LINE}\n" in call(*words.split()).stderr
    assert call(*words.split(), "-q").stderr == ""
