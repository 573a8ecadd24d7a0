"""A sequential test over all pairs at once: where it ends."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from salad_sim.stats.sprt import GO_ON, WHOLE_PAIR, Sprt, SprtState, count_results, looks


def first_decision(test: Sprt, wins_of_pairs: npt.ArrayLike) -> tuple[int, SprtState]:
    """Return after how many of the pairs, in order, a test ends, and where it then stands.

    Parameters
    ----------
    test : Sprt
    wins_of_pairs : array_like of int, shape [n_pairs]
        At least one pair. It is looked at after the numbers of `looks`.

    Returns
    -------
    n_pairs : int
        All of them if the test does not end.
    state : SprtState
    """
    wins = np.asarray(wins_of_pairs)
    counts = np.zeros(WHOLE_PAIR + 1, dtype=np.int64)
    done = 0
    state = test.state(counts)
    for look in looks(len(wins)):
        counts += count_results(wins[done:look])
        done = look
        state = test.state(counts)
        if state.decision != GO_ON:
            break
    return done, state
