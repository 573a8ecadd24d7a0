"""What candidates are worth: games of every line-up, deal by deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Ints
from salad_sim.run.driver import Session
from salad_sim.run.outcomes import play_outcomes
from salad_sim.run.plan import Plan
from salad_sim.stats.intervals import Estimate
from salad_sim.stats.stratified import mean_of_means
from salad_sim.strategy.registry import Strategy
from salad_sim.studies.tuning.config import TuningTask

UNITS = {"win-share": WHOLE_WIN, "margin": 1, "both": WHOLE_WIN}
"""What a value is counted in, by objective: so many count as 1."""

MOST_GAMES = 1 << 20
"""Games that are kept one by one at a time; 100 bytes each."""


class Arena:
    """Plays the games of a tuning and counts them.

    Attributes
    ----------
    task : Task
    session : Session
    """

    def __init__(self, task: TuningTask, session: Session | None = None) -> None:
        self.task = task
        self.session = session or Session()

    def values(self, candidate: Strategy, first_deal: int, n_deals: int) -> list[Ints]:
        """Play ``n_deals`` deals of every line-up, each in all rotations, and return what they were worth.

        Returns
        -------
        list of ndarray of int64, shape [n_deals]
            For each line-up the sum over the rotations of each deal, in units of 1 / `UNITS`.
        """
        found = []
        for index, plan in enumerate(self.task.tables):
            seated = (candidate, *plan.lineup[1:])
            wins, margins = self.play(plan, seated, first_deal + index * n_deals, n_deals)
            found.append({"win-share": wins, "margin": margins, "both": wins + margins}[self.task.objective])
        return found

    def estimate(self, values: Sequence[Ints]) -> Estimate:
        """Estimate the value of a game, line-ups counting alike."""
        return mean_of_means(values, [UNITS[self.task.objective] * plan.n_rotations for plan in self.task.tables])

    def play(self, plan: Plan, lineup: tuple[Strategy, ...], first_deal: int, n_deals: int) -> tuple[Ints, Ints]:
        """Play deals of a line-up, each in all rotations.

        Returns
        -------
        wins, margins : ndarray of int64, shape [n_deals]
            Sums over the rotations of what place 0 won, in sixtieths, and of its points less those of its best
            opponent.

        Raises
        ------
        KeyboardInterrupt
            If it is stopped before all are played.
        """
        most = max(1, MOST_GAMES // plan.n_rotations)
        parts = [
            self._play_some(plan, lineup, first_deal + done, min(most, n_deals - done))
            for done in range(0, n_deals, most)
        ]
        wins, margins = (np.concatenate(each) for each in zip(*parts, strict=True))
        return wins, margins

    def _play_some(self, plan: Plan, lineup: tuple[Strategy, ...], first_deal: int, n_deals: int) -> tuple[Ints, Ints]:
        seated = replace(plan, lineup=lineup, n_deals=n_deals, n_asked=n_deals * plan.n_rotations)
        played = play_outcomes(seated, first_deal, self.session)
        if played is None or self.session.interrupted:
            raise KeyboardInterrupt
        margins = played.scores[:, :, 0] - played.scores[:, :, 1:].max(axis=2)
        return played.wins[:, :, 0].sum(axis=1), margins.sum(axis=1)
