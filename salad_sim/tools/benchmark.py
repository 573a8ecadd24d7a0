"""How fast games are played: games per second of the baselines, for numbers of players and of threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from salad_sim.run.driver import Session, play_plan
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import MOST_GAMES

WARM_UP_GAMES = 2000
MOMENT = 0.05  # seconds


@dataclass(frozen=True)
class Speed:
    """A measured speed.

    Attributes
    ----------
    strategy : str
        In every seat.
    players : int
    workers : int
        Threads.
    games_per_second : float
        Of all threads together; the median of several runs.
    """

    strategy: str
    players: int
    workers: int
    games_per_second: float

    @property
    def per_worker(self) -> float:
        """Games per second of each thread."""
        return self.games_per_second / self.workers

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return asdict(self)


def plans(strategies: Sequence[str], players: Sequence[int | str]) -> list[Plan]:
    """Return what `measure` will play: each strategy in every seat, for each number of players."""
    return [plan_run(WARM_UP_GAMES, n_players, strategy) for strategy in strategies for n_players in players]


def measure(plan: Plan, workers: Sequence[int], seconds: float, repeats: int) -> list[Speed]:
    """Measure one plan for several numbers of threads.

    The repeats take turns between the numbers of threads, so that a machine that gets slower meanwhile treats all
    alike.

    Parameters
    ----------
    plan : Plan
    workers : sequence of int
    seconds : float
        How long one repeat shall take.
    repeats : int
        Runs of which the median is taken.
    """
    rates: dict[int, list[float]] = {n_workers: [_warm_up(plan, n_workers)] for n_workers in workers}
    for _ in range(repeats):
        for n_workers, seen in rates.items():
            seen.append(_rate(plan, n_workers, int(max(seen) * seconds) + 1))
    return [
        Speed(plan.labels[0], plan.n_players, n_workers, round(median(seen[1:]), 1))
        for n_workers, seen in rates.items()
    ]


def _warm_up(plan: Plan, n_workers: int) -> float:
    """Return a first idea of the rate, from as many games as take a moment: slow strategies play few in a second."""
    games = n_workers
    while True:
        rate = _rate(plan, n_workers, games)
        if games >= WARM_UP_GAMES or games > rate * MOMENT:
            return rate
        games *= 4


def _rate(plan: Plan, n_workers: int, games: int) -> float:
    count = play_plan(plan_run(min(games, MOST_GAMES), plan.n_players, plan.lineup), Session(n_workers))
    if count.interrupted:
        raise KeyboardInterrupt
    return int(count.tally.games) / count.seconds
