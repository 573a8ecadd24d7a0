"""The search: CMA-ES over the parameters, each scaled to its range and mirrored at its bounds.

References
----------
Hansen, The CMA evolution strategy: a tutorial, arXiv:1604.00772 (2016).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.strategy.parameters import Parameter
from salad_sim.studies.tuning.config import DIGITS, TuningTask

Point = list[float]
"""A candidate as the optimiser sees it: one number for each parameter to tune; 0 is the low and 1 the high end of its
range, and beyond them the range comes back mirrored."""


@dataclass(frozen=True)
class Generation:
    """One generation of the search.

    Attributes
    ----------
    points : list of Point
        The candidates, in the order in which they were drawn.
    values : list of float
        What each was worth; all were dealt the same cards.
    centre : Point
        The mean of the distribution that they were drawn from.
    value, low, high : float
        What the centre was worth on the same deals, with a 95 % interval.
    """

    points: list[Point]
    values: list[float]
    centre: Point
    value: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Root mean square distance of the candidates from the centre in each parameter, as a part of its range."""
        away = np.array(self.points) - np.array(self.centre)
        return float(math.sqrt((away * away).mean()))


def check_library() -> None:
    """Refuse to tune without the optimiser, before anything is played.

    Raises
    ------
    InputError
        Saying how to install it.
    """
    try:
        import cmaes  # noqa: F401
    except ImportError:
        raise InputError(
            "tuning needs the package cmaes, which is not installed: pip install 'salad-sim[tune]'"
        ) from None


class Search:
    """The optimiser of a task; it depends on nothing but the task and what it is told.

    The values are noisy. Every candidate of a generation is therefore dealt the same cards, which cancels most of the
    luck, and every generation fresh ones, so that no luck is learnt; see docs/tuning.md.
    """

    def __init__(self, task: TuningTask) -> None:
        from cmaes import CMA

        self.task = task
        # bounds are left to the mirror: resampling would give up in the corners of many parameters
        self.optimiser = CMA(
            mean=np.array(start_point(task)),
            sigma=task.sigma,
            population_size=task.population,
            seed=task.seed % 2**32,  # as much as its generator takes
        )

    @property
    def centre(self) -> Point:
        """The mean of the distribution."""
        return [float(each) for each in self.optimiser.mean]

    def ask(self) -> list[Point]:
        """Draw the candidates of a generation."""
        return [[float(each) for each in self.optimiser.ask()] for _ in range(self.task.population)]

    def tell(self, generation: Generation) -> None:
        """Learn from a generation; the optimiser minimises."""
        told = zip(generation.points, generation.values, strict=True)
        self.optimiser.tell([(np.array(point), -value) for point, value in told])

    def repeat(self, generation: Generation) -> None:
        """Learn from a generation of an earlier run, the random numbers moving on as they did then."""
        self.ask()
        self.tell(generation)


def start_point(task: TuningTask) -> Point:
    """Return the values to start from as a point."""
    by_name = dict(zip(task.strategy.parameters, task.strategy.values, strict=True))
    return [
        (by_name[name] - each.low) / (each.high - each.low) for name, each in zip(task.names, task.ranges, strict=True)
    ]


def values_at(task: TuningTask, point: Sequence[float]) -> tuple[float, ...]:
    """Return the values of the parameters to tune at a point, mirrored into their ranges and rounded."""
    return tuple(_in_range(each, at) for each, at in zip(task.ranges, point, strict=True))


def _in_range(parameter: Parameter, at: float) -> float:
    """Return the value at a place of a range that is mirrored at both ends, over and over."""
    place = at % 2.0
    value = parameter.low + (parameter.high - parameter.low) * min(place, 2.0 - place)
    digits = 0 if parameter.whole else DIGITS - math.floor(math.log10(parameter.high - parameter.low))
    return min(max(round(value, digits), parameter.low), parameter.high) + 0.0


def history_rows(task: TuningTask, generations: Sequence[Generation]) -> list[dict[str, Any]]:
    """Return one row for each generation: the value of its centre with its interval, and where the centre is.

    Columns: ``generation`` from 1; ``games`` played so far; ``value``, ``value_low``, ``value_high`` of the centre;
    ``best``, the value of the best candidate (the luckiest, too); ``spread``, see `Generation`; then the parameters.
    """
    plan = task.schedule
    games = (task.population + 1) * task.deal_games * plan.search_deals
    rows = []
    for number, each in enumerate(generations, start=1):
        row = {
            "generation": number,
            "games": number * games,
            "value": each.value,
            "value_low": each.low,
            "value_high": each.high,
            "best": max(each.values),
            "spread": each.spread,
        }
        rows.append(row | dict(zip(task.names, values_at(task, each.centre), strict=True)))
    return rows
