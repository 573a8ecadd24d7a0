"""The performance guard: no kernel takes 30 % longer than baseline.json has it, as a multiple of a fixed loop.

python -m pytest -q benchmarks
"""

from __future__ import annotations

import json
import subprocess
import sys
from time import sleep

import measure as measuring
import pytest
from measure import KERNELS, PLAYED, SCORING, counting_cost, measure, read_baseline, works
from pytest_benchmark.fixture import BenchmarkFixture

SLOWER = 1.30
MOST_COUNTING = 1.25
"""Time of games that are counted by card, as a multiple of that of a plain run."""

TRIES = 8
PAUSE = 15
"""Seconds between tries: a busy neighbour slows a kernel more than the loop, and goes away."""


def measure_anew(name: str) -> float:
    """Return the ratio in a process of its own: where code and data come to lie decides too (random most of all)."""
    command = [sys.executable, str(measuring.__file__), "--only", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)[name])


@pytest.mark.parametrize("name", KERNELS)
def test_no_kernel_got_slower(name: str) -> None:
    allowed = read_baseline()[name] * SLOWER
    seen = []
    for number in range(TRIES):
        sleep(PAUSE if number else 0)
        seen.append(measure_anew(name) if number else measure([name])[name])
        if seen[-1] <= allowed:
            return
    pytest.fail(f"{name}: {seen} times the yardstick, more than {allowed:.4f}; see benchmarks/measure.py")


@pytest.mark.parametrize(("strategy", "n_players"), PLAYED)
def test_counting_by_card_costs_at_most_a_quarter(strategy: str, n_players: int) -> None:
    seen = []
    for number in range(TRIES):
        sleep(PAUSE if number else 0)
        seen.append(counting_cost(strategy, n_players))
        if seen[-1] <= MOST_COUNTING:
            return
    pytest.fail(f"{strategy}, {n_players} players: {seen} times a plain run, more than {MOST_COUNTING}")


def test_the_guard_bites(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured is said here: of two measurements on a busy machine either may be twice the other."""
    allowed = read_baseline()[SCORING] * SLOWER
    tried: list[str] = []

    def told(ratio: float) -> None:
        monkeypatch.setitem(globals(), "measure", lambda names: {names[0]: ratio})
        monkeypatch.setitem(globals(), "measure_anew", lambda name: tried.append(name) or ratio)

    monkeypatch.setitem(globals(), "PAUSE", 0)
    told(1.001 * allowed)
    with pytest.raises(pytest.fail.Exception, match="times the yardstick, more than"):
        test_no_kernel_got_slower(SCORING)
    assert len(tried) == TRIES - 1
    told(0.999 * allowed)
    test_no_kernel_got_slower(SCORING)


@pytest.mark.parametrize("name", KERNELS)
def test_figures(name: str, benchmark: BenchmarkFixture) -> None:
    """For people: the time of 500 games, or scorings, on this machine."""
    benchmark.pedantic(works()[name], args=(500,), rounds=20, warmup_rounds=2)
