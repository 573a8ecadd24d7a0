"""Jobs that are killed, and a study that does nothing to be kept or played elsewhere."""

from __future__ import annotations

import pytest

from salad_sim.run.driver import Session

STUDY = '''
"""A study of a user, who does nothing to have it kept."""
from salad_sim import Report
from salad_sim.experiment import Session, experiment, plan_run, play_pairs


@experiment("mine", "Who wins?")
def study(options):
    session = Session(options.workers, options.progress)
    shares = [play_pairs(plan_run(n, 2, ["greedy", "random"]), session).share.value for n in (600, 900)]
    return Report("Mine", f"{shares}", [], {}, {}, {}, session.interrupted)
'''


class KilledError(Exception):
    """As a kill: nothing is done any more."""


def stop_at(monkeypatch: pytest.MonkeyPatch, n_looks: int) -> None:
    """Let a session be killed when it looks for so many times, just after it has saved."""
    looks = [0]
    look = Session.look

    def look_and_stop(self: Session) -> None:
        look(self)
        looks[0] += 1
        if looks[0] == n_looks:
            self.observer.keeper.save()
            raise KilledError

    monkeypatch.setattr(Session, "look", look_and_stop)
