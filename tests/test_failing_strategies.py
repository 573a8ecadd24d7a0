"""Strategies that raise, loop for ever or return nonsense: who, where and when is said, and finished games are kept."""

import os
import subprocess
import sys
import time

import pytest
from conftest import FIRST_LINE, run_python

from salad_sim.errors import StrategyError
from salad_sim.executors import Shard
from salad_sim.plan import plan_run
from salad_sim.runner import Guard, ShardPlayer, prepare
from salad_sim.saved_run.tally_file import load
from salad_sim.strategy import load_strategy

PROGRAM = [sys.executable, "-P", "-c", "from salad_sim.cli import main; main()"]
RARELY = 60_000
"""A strategy fails in one of so many moves: in the middle of a run of 50,000 games, again and again."""

FAILING = f"""
@strategy("raises")
def raises(view, own, rng):
    if below(rng, {RARELY}) == 7:
        raise ValueError("lost my way")
    return make_move(own.drafts[0] if list_drafts(view, own.drafts) else 0, NO_FLIP)

@strategy("loops")
def loops(view, own, rng):
    n = 1
    if below(rng, {RARELY}) == 7:
        while n != 0:
            n = n % 1000 + 1
    return make_move(own.drafts[0] if list_drafts(view, own.drafts) else 0, NO_FLIP)

@strategy("babbles")
def babbles(view, own, rng):
    if below(rng, {RARELY}) == 7:
        return -7
    return make_move(own.drafts[0] if list_drafts(view, own.drafts) else 0, NO_FLIP)

@strategy("half")
def half(view, own, rng):
    return 1.5

@strategy("always")
def always(view, own, rng):
    n = 1
    while n != 0:
        n = n % 1000 + 1
    return make_move(0, NO_FLIP)
"""

WHERE = r"at seat [12], turn \d+ of game \d+ of seed 1, 2 players, "
SAID = {
    "raises": rf"strategy 'raises' {WHERE}raised ValueError: lost my way",
    "loops": rf"strategy 'loops' {WHERE}does not come to an end: its shard was not finished within 2 seconds",
    "babbles": rf"strategy 'babbles' {WHERE}made an illegal move: move number -7\. Why not: there is no such draft.*",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    from conftest import HEAD

    file = tmp_path_factory.mktemp("failing") / "failing.py"
    file.write_text(HEAD + FAILING)
    return file


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return {**os.environ, "SALAD_SIM_CACHE": str(tmp_path_factory.mktemp("cache"))}


def program(*words, timeout=120, **more):
    """Run the command line in a process of its own, which must end in time."""
    words = [*PROGRAM, *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, **more)


def last_line(done):
    return done.stderr.splitlines()[-1]
