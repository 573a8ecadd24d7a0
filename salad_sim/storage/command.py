"""What a command line needs to play again what was played, whichever command it is."""

from __future__ import annotations

from salad_sim.run.plan import Plan
from salad_sim.strategy.variants import POINT_SALAD


def table_words(plan: Plan) -> list[str]:
    """Return the options that say what is played: game, head start, rules and cards, those by default left out."""
    words = []
    if plan.game is not POINT_SALAD:
        words += ["--game", plan.game.name]
    if plan.head_start:
        words += ["--head-start", ",".join(map(str, plan.head_start))]
    for name, value in plan.rules.changed().items():
        words += ["--rule", f"{name}={value}"]
    if not plan.cards.is_official:
        words += ["--cards", plan.cards.source]
    return words
