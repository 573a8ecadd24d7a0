"""Monte Carlo simulation of the card game Point Salad, with error bars.

The public names load on first use: the command line must answer ``--help`` without compiling anything.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "card_values": "salad_sim.scoring",
    "score": "salad_sim.scoring",
}

__all__ = ["__version__", "card_values", "score"]

if TYPE_CHECKING:
    from salad_sim.scoring import card_values, score


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'salad_sim' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
