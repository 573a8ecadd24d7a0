"""Toy strategies with parameters of which the best values are known."""

from __future__ import annotations

from pathlib import Path

from salad_sim.strategy.registry import Strategy, load_file

TOYS = '''
from salad_sim.kit import uniform
from salad_sim_strategies.greedy import choose as greedy


@kernel
def any_draft(view, own, rng, shift):
    """Any draft, all equally likely, whatever the shift."""
    list_drafts(view, own)
    index = (below(rng, own.n_drafts) + np.int64(shift * own.n_drafts)) % own.n_drafts
    return make_move(own.drafts[index], NO_FLIP)


@kernel
def with_mistakes(view, own, rng, rate):
    return any_draft(view, own, rng, 0.0) if uniform(rng) < rate else greedy(view, own, rng)


@strategy("noisy", rate=Parameter(0.5, 0.0, 1.0, "of mistakes"))
def noisy(view, own, rng):
    """As greedy, with mistakes: the fewer the better."""
    return with_mistakes(view, own, rng, own.params[0])


@strategy(
    "bowl",
    a=Parameter(-1.0, -4.0, 4.0, "best at 1"),
    b=Parameter(8.0, 0.0, 10.0, "best at 3"),
    unused=Parameter(2.0, 1.0, 5.0, "a size", whole=True),
)
def bowl(view, own, rng):
    """As greedy, with mistakes by the square of the distance from the best values."""
    a, b = own.params[0] - 1.0, (own.params[1] - 3.0) / 1.25
    return with_mistakes(view, own, rng, min(1.0, 0.15 * (a * a + b * b)))


@strategy("useless", shift=Parameter(0.1, 0.0, 0.9, "plays other games, as well"))
def useless(view, own, rng):
    """Random drafts, which a shift changes and makes neither better nor worse."""
    return any_draft(view, own, rng, own.params[0])


@strategy("plain")
def plain(view, own, rng):
    """Nothing to tune."""
    return any_draft(view, own, rng, 0.0)


@strategy("sized", size=Parameter(3.0, 1.0, 9.0, "a size", whole=True))
def sized(view, own, rng):
    """Greedy, but in a share of the turns that a size says."""
    return with_mistakes(view, own, rng, 1.0 - own.params[0] / 9.0)
'''


def toy(file: Path, name: str) -> Strategy:
    return load_file(file, name)
