"""Rules under which strategies are held beside their twins, and the built-in planner's parameters."""

from __future__ import annotations

from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim_strategies.planner import PARAMETERS

RULE_MIXES = {
    "official": OFFICIAL,
    "up to two": Rules(vegetables="up-to-two", zero="even", sets="complete-once", split="draw"),
    "never": Rules(flip="never", zero="odd"),
    "once": Rules(sets="once", split="down"),
}
BUILT_IN = {name: float(each.default) for name, each in PARAMETERS.items()}
