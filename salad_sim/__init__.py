"""Monte Carlo simulation of the card game Point Salad, with error bars.

The public names load on first use: the command line must answer ``--help`` without compiling anything.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "CardSet": "salad_sim.cards",
    "Comparison": "salad_sim.analysis.rulings",
    "MatchResult": "salad_sim.analysis.match_result",
    "Profile": "salad_sim.analysis.profile",
    "Sprt": "salad_sim.analysis.sprt",
    "OFFICIAL": "salad_sim.rules",
    "Report": "salad_sim.report.markdown",
    "Section": "salad_sim.report.markdown",
    "StudyOptions": "salad_sim.experiment",
    "League": "salad_sim.league.result",
    "compare_rules": "salad_sim.analysis.rulings",
    "compare_strategies": "salad_sim.analysis.match",
    "read_card_file": "salad_sim.card_file",
    "read_rules": "salad_sim.profiles",
    "IllegalMoveError": "salad_sim.errors",
    "InputError": "salad_sim.errors",
    "Result": "salad_sim.analysis.result",
    "Rules": "salad_sim.rules",
    "SaladError": "salad_sim.errors",
    "StrategyError": "salad_sim.errors",
    "card_values": "salad_sim.scoring",
    "play_league": "salad_sim.league.result",
    "profile_strategy": "salad_sim.analysis.profile",
    "replay": "salad_sim.transcript",
    "score": "salad_sim.scoring",
    "simulate": "salad_sim.analysis.result",
    "Tuning": "salad_sim.tuning.tune",
    "tune": "salad_sim.tuning.tune",
}

__all__ = [
    "OFFICIAL",
    "CardSet",
    "Comparison",
    "IllegalMoveError",
    "InputError",
    "League",
    "MatchResult",
    "Profile",
    "Report",
    "Result",
    "Rules",
    "SaladError",
    "Section",
    "Sprt",
    "StrategyError",
    "StudyOptions",
    "Tuning",
    "__version__",
    "card_values",
    "compare_rules",
    "compare_strategies",
    "play_league",
    "profile_strategy",
    "read_card_file",
    "read_rules",
    "replay",
    "score",
    "simulate",
    "tune",
]

if TYPE_CHECKING:
    from salad_sim.analysis.match import compare_strategies
    from salad_sim.analysis.match_result import MatchResult
    from salad_sim.analysis.profile import Profile, profile_strategy
    from salad_sim.analysis.result import Result, simulate
    from salad_sim.analysis.rulings import Comparison, compare_rules
    from salad_sim.analysis.sprt import Sprt
    from salad_sim.card_file import read_card_file
    from salad_sim.cards import CardSet
    from salad_sim.errors import IllegalMoveError, InputError, SaladError, StrategyError
    from salad_sim.experiment import StudyOptions
    from salad_sim.league.result import League, play_league
    from salad_sim.profiles import read_rules
    from salad_sim.report.markdown import Report, Section
    from salad_sim.rules import OFFICIAL, Rules
    from salad_sim.scoring import card_values, score
    from salad_sim.transcript import replay
    from salad_sim.tuning.tune import Tuning, tune


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'salad_sim' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
