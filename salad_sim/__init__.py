"""Monte Carlo simulation of the card game Point Salad, with error bars.

The public names load on first use: the command line must answer ``--help`` without compiling anything.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from salad_sim.moved import install

__version__ = "0.1.0"

_HOMES = {
    "CardSet": "salad_sim.game.cards",
    "Comparison": "salad_sim.studies.rules.result",
    "MatchResult": "salad_sim.studies.match.result",
    "Profile": "salad_sim.studies.profile.result",
    "Sprt": "salad_sim.stats.sprt",
    "OFFICIAL": "salad_sim.game.rules",
    "Report": "salad_sim.report.markdown",
    "Section": "salad_sim.report.markdown",
    "StudyOptions": "salad_sim.experiment",
    "League": "salad_sim.studies.league.result",
    "compare_rules": "salad_sim.studies.rules.result",
    "compare_strategies": "salad_sim.studies.match.play",
    "read_card_file": "salad_sim.game.card_file",
    "read_rules": "salad_sim.game.rule_profiles",
    "IllegalMoveError": "salad_sim.errors",
    "InputError": "salad_sim.errors",
    "Result": "salad_sim.studies.simulate.result",
    "Rules": "salad_sim.game.rules",
    "SaladError": "salad_sim.errors",
    "StrategyError": "salad_sim.errors",
    "card_file_lines": "salad_sim.game.card_file",
    "card_values": "salad_sim.game.scoring",
    "official_set": "salad_sim.game.cards",
    "play_league": "salad_sim.studies.league.result",
    "profile_strategy": "salad_sim.studies.profile.result",
    "replay": "salad_sim.tools.transcript",
    "score": "salad_sim.game.scoring",
    "simulate": "salad_sim.studies.simulate.result",
    "Learned": "salad_sim.studies.learning.learn",
    "Tuning": "salad_sim.studies.tuning.tune",
    "learn": "salad_sim.studies.learning.learn",
    "tune": "salad_sim.studies.tuning.tune",
}

__all__ = [
    "OFFICIAL",
    "CardSet",
    "Comparison",
    "IllegalMoveError",
    "InputError",
    "League",
    "Learned",
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
    "card_file_lines",
    "card_values",
    "compare_rules",
    "compare_strategies",
    "learn",
    "official_set",
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
    from salad_sim.errors import IllegalMoveError, InputError, SaladError, StrategyError
    from salad_sim.experiment import StudyOptions
    from salad_sim.game.card_file import card_file_lines, read_card_file
    from salad_sim.game.cards import CardSet, official_set
    from salad_sim.game.rule_profiles import read_rules
    from salad_sim.game.rules import OFFICIAL, Rules
    from salad_sim.game.scoring import card_values, score
    from salad_sim.report.markdown import Report, Section
    from salad_sim.stats.sprt import Sprt
    from salad_sim.studies.league.result import League, play_league
    from salad_sim.studies.learning.learn import Learned, learn
    from salad_sim.studies.match.play import compare_strategies
    from salad_sim.studies.match.result import MatchResult
    from salad_sim.studies.profile.result import Profile, profile_strategy
    from salad_sim.studies.rules.result import Comparison, compare_rules
    from salad_sim.studies.simulate.result import Result, simulate
    from salad_sim.studies.tuning.tune import Tuning, tune
    from salad_sim.tools.transcript import replay


install()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'salad_sim' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
