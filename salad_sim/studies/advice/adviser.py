"""Who plays on in mind: the strongest strategy that is fast enough for thousands of games a move."""

from __future__ import annotations

from salad_sim.strategy.registry import Strategy, find_strategies, load_strategy

ADVISERS = ("expert", "planner")
"""The strongest first."""


def adviser(given: str | Strategy | None = None) -> Strategy:
    """Return the strategy that plays on: the one that is named, or the strongest there is.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if isinstance(given, Strategy):
        return given
    if given is not None:
        return load_strategy(given)
    known = find_strategies()
    return next(known[name] for name in ADVISERS if name in known)
