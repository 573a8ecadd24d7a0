"""The validation: which of the search's finalists is best, on deals that the search has not seen.

The best value of a noisy search is the luckiest. The finalists are therefore played again, all on the same fresh deals;
each round drops the worse half and gives the rest as many games as the whole field had (sequential halving).

References
----------
Karnin, Koren and Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salad_sim.jit.typing import Ints
from salad_sim.studies.tuning.config import FIRST_DEALS, N_BEST, TuningTask
from salad_sim.studies.tuning.evaluator import Arena
from salad_sim.studies.tuning.search import Generation, values_at


@dataclass(frozen=True)
class Finalist:
    """A candidate of the search on the deals of the validation.

    Attributes
    ----------
    origin : str
        Where the search found it.
    values : list of float
        Of the parameters to tune.
    n_deals : int
        Deals of each line-up that it played.
    value, low, high : float
        What it was worth, with a 95 % interval. The winner was chosen by this value, so it is flattered a little.
    """

    origin: str
    values: list[float]
    n_deals: int
    value: float
    low: float
    high: float


def finalists(
    task: TuningTask, generations: Sequence[Generation], centre: Sequence[float]
) -> dict[tuple[float, ...], str]:
    """Return the candidates worth another look, with where they come from; equal ones once.

    These are the centre of the distribution at the end; the mean of the centres of the second half, which averages
    their noise; and of the last third of the history the candidates that beat the average of their generation by most:
    a value alone would mostly say that its generation was dealt lucky cards.
    """
    late = [each.centre for each in generations[len(generations) // 2 :]] + [list(centre)]
    found = {
        values_at(task, centre): "last centre",
        values_at(task, np.mean(late, axis=0).tolist()): "mean of the late centres",
    }
    told = [
        (value - sum(each.values) / len(each.values), number, point)
        for number, each in enumerate(generations, start=1)
        if 3 * number > 2 * len(generations)
        for value, point in zip(each.values, each.points, strict=True)
    ]
    for _, number, point in sorted(told, key=lambda each: (-each[0], -each[1])):
        if len(found) >= N_BEST + 2:
            break
        found.setdefault(values_at(task, point), f"candidate of generation {number}")
    return found


def validate(task: TuningTask, arena: Arena, field: dict[tuple[float, ...], str]) -> list[Finalist]:
    """Play the finalists in rounds and return them, the best first, as far as each came."""
    deals: dict[tuple[float, ...], list[Ints]] = {values: [] for values in field}
    left = list(field)
    first_deal = FIRST_DEALS["validation"]
    for n_deals in task.schedule.validation_deals:
        for values in left:
            played = arena.values(task.with_tuned(values), first_deal, n_deals)
            before = deals[values] or [each[:0] for each in played]
            deals[values] = [np.concatenate(pair) for pair in zip(before, played, strict=True)]
        first_deal += n_deals * len(task.tables)
        left.sort(key=lambda values: -arena.estimate(deals[values]).value)
        left = left[: max(1, -(-len(left) // 2))]
    found = [
        Finalist(field[values], list(values), len(deals[values][0]), *arena.estimate(deals[values])) for values in field
    ]
    return sorted(found, key=lambda each: (-each.n_deals, -each.value))
