"""The door for experiments: @experiment, options that all of them take, what studies are made of.

An experiment is a small file that plays what its question needs, by the functions of `salad_sim` or by the parts of
the studies that come with the program, and returns a `Report`. The parts are listed in ``PARTS`` and load on first use.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from salad_sim.errors import InputError, unknown
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.report.markdown import Report
from salad_sim.run.driver import Progress
from salad_sim.run.setup import SetupOptions
from salad_sim.strategy.loader import find_file, run_file

PARTS: Mapping[str, str] = {
    # what is played, and in which parts
    "Session": "run.driver",
    "plan_run": "run.plan",
    "finishing": "studies.blocks",
    "Condition": "studies.conditions",
    "plan_conditions": "studies.conditions",
    "load_strategy": "strategy",
    "check_precision": "stats.group_sequential",
    # the report
    "differences": "report.figures",
    "Table": "report.table",
    "ended_early": "report.format",
    "signed": "report.format",
    "study_record": "storage.folder",
    # cards
    "PRECISION": "studies.cards.estimate",
    "card_report": "studies.cards.report",
    "check_conditions": "studies.cards.estimate",
    "check_point_precision": "studies.cards.estimate",
    "find_card": "game.card_families",
    "planned_games": "studies.cards.estimate",
    "study_condition": "studies.cards.estimate",
    # rules
    "compare_plans": "studies.rules.result",
    # seats
    "KOMI_GAMES": "studies.seats.play",
    "MARGIN": "stats.equivalence",
    "SeatStudy": "studies.seats.tables",
    "YARDSTICK": "studies.seats.skill",
    "check_margin": "stats.equivalence",
    "match_games": "studies.seats.skill",
    "others_games": "studies.seats.skill",
    "seat_report": "studies.seats.report",
    "play_pairs": "studies.match.play",
    "strength_of": "studies.seats.skill",
    "study_komi": "studies.seats.play",
    "study_others": "studies.seats.skill",
    "study_seats": "studies.seats.play",
    # ties
    "RULES": "play.tie_breaks",
    "TieStudy": "studies.tie_break.tables",
    "replay_under_all": "studies.tie_break.play",
    "study_ties": "studies.tie_break.play",
    "tie_report": "studies.tie_break.report",
}
"""What an experiment may import from here beside what stands here: name, and the module below that it comes from."""

__all__ = ["Experiment", "StudyOptions", "experiment", "find_experiments", "load_experiment"]

BUILT_IN = "salad_sim_experiments"
"""The installed name of the folder experiments/."""

SPECIAL = ("precision", "margin", "card")
"""Options that a study takes only if it says so."""


def __getattr__(name: str) -> Any:
    if name not in PARTS:
        raise AttributeError(f"module 'salad_sim.experiment' has no attribute {name!r}")
    return getattr(import_module(f"salad_sim.{PARTS[name]}"), name)


@dataclass(frozen=True)
class StudyOptions:
    """What a user may say of a study; None leaves it to the study's default.

    Attributes
    ----------
    games : str, optional
    players : tuple of str
        Player counts to study; empty for the default.
    strategies : tuple of str
        Empty for the default.
    seed : str
    rules : Rules
    cards : str, optional
        A card file, as in `simulate`.
    workers : str, optional
    progress : callable, optional
        As in `simulate`.
    precision : str, optional
        Half-width at which a study may end, of a win share or in points; only for studies that take it.
    margin : str, optional
        A difference in win share that counts as none; only for studies that take it.
    card : tuple of str
        Cards to show a page of; only for studies that take it.
    """

    games: str | None = None
    players: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    seed: str = "1"
    rules: Rules = OFFICIAL
    workers: str | None = None
    progress: Progress | None = None
    cards: str | None = None
    precision: str | None = None
    margin: str | None = None
    card: tuple[str, ...] = ()

    @property
    def setup(self) -> SetupOptions:
        """What all that is played has in common, as functions take it by keyword."""
        return {"rules": self.rules, "cards": self.cards}

    def as_dict(self) -> dict[str, Any]:
        """Return the options that were given and that determine the result, as plain data."""
        given = {
            "games": self.games,
            "players": list(self.players),
            "strategies": list(self.strategies),
            "seed": self.seed,
            "rules": self.rules.changed(),
            "cards": self.cards,
            "precision": self.precision,
            "margin": self.margin,
            "card": list(self.card),
        }
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True)
class Experiment:
    """A study that can be run.

    Attributes
    ----------
    name : str
    question : str
        What it answers, as a question.
    study : callable
        StudyOptions -> Report.
    source : pathlib.Path
        The file it stands in.
    takes : tuple of str
        Which of `SPECIAL` it takes.
    """

    name: str
    question: str
    study: Callable[[StudyOptions], Report]
    source: Path
    takes: tuple[str, ...] = ()

    def run(self, options: StudyOptions) -> Report:
        """Run the study.

        Raises
        ------
        InputError
            If it does not take an option that is given, or an option is not allowed.
        """
        for name in SPECIAL:
            if getattr(options, name) not in (None, ()) and name not in self.takes:
                others = [each.name for each in find_experiments().values() if name in each.takes]
                raise InputError(f"experiment {self.name} takes no --{name}; those that do: {', '.join(others)}")
        return self.study(options)


def experiment(
    name: str, question: str, takes: tuple[str, ...] = ()
) -> Callable[[Callable[[StudyOptions], Report]], Any]:
    """Declare a function ``study(options) -> Report`` as the experiment ``name``.

    Parameters
    ----------
    name : str
        What users type: letters, digits and dashes.
    question : str
        The question it answers.
    takes : tuple of str
        Which options of `SPECIAL` it takes.
    """
    if not re.fullmatch(r"[A-Za-z][\w-]*", name):
        raise InputError(f"an experiment's name is a letter, then letters, digits, '-' or '_', not {name!r}")

    def declare(study: Callable[[StudyOptions], Report]) -> Any:
        source = Path(study.__code__.co_filename)
        study.salad_sim_experiment = Experiment(name, question, study, source, takes)  # type: ignore[attr-defined]
        return study

    return declare


@cache
def _experiments_in(path: Path) -> dict[str, Experiment]:
    declared = [
        value.salad_sim_experiment
        for value in vars(run_file("experiment", path)[0]).values()
        if hasattr(value, "salad_sim_experiment")
    ]
    return {each.name: each for each in declared if each.source == path}


def find_experiments() -> dict[str, Experiment]:
    """Return the experiments that come with the program, by name."""
    found: dict[str, Experiment] = {}
    spec = importlib.util.find_spec(BUILT_IN)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for file in sorted(Path(folder).glob("*.py")):
            if not file.stem.startswith("_"):
                found.update(_experiments_in(file.resolve()))
    return found


def load_experiment(given: str) -> Experiment:
    """Return the experiment that a user names: a built-in one, or ``path/to/file.py``.

    Raises
    ------
    InputError
        If nothing answers to that name, or the file is no good.
    """
    if not given.endswith(".py"):
        known = find_experiments()
        if given not in known:
            raise unknown("experiment", given, known)
        return known[given]
    path = find_file("experiment", given)
    found = _experiments_in(path)
    if len(found) != 1:
        raise InputError(f"experiment file {given!r} must declare one experiment, not {len(found)}")
    return next(iter(found.values()))
