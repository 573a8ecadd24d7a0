"""The games that can be simulated with these cards: what each needs from the runner, behind one face."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from salad_sim.errors import InputError, unknown
from salad_sim.game.rules import Rules, switches_of


@dataclass(frozen=True)
class Game:
    """A game.

    Attributes
    ----------
    name : str
        What users type.
    about : str
        In a few words.
    fewest, most : int
        Players.
    habits : tuple of (str, str)
        What tables call the point cards that count in the end, and the cards that became vegetables by choice.
    home : str
        The module with its shards: workspace_dtype, choice_signature, shard_player, play_shard, begin_game.
    engine : str
        The module with WHY_ILLEGAL.
    words : str
        The module with move_in_words.
    """

    name: str
    about: str
    fewest: int
    most: int
    habits: tuple[str, str]
    home: str
    engine: str
    words: str

    @property
    def shard(self) -> ModuleType:
        """The module that plays shards of it."""
        return import_module(self.home)

    @property
    def why_illegal(self) -> dict[int, str]:
        """Reasons for illegal moves, by code."""
        return import_module(self.engine).WHY_ILLEGAL  # type: ignore[no-any-return]

    @property
    def move_in_words(self) -> Callable[[np.record, Sequence[Any], int], str]:
        """The function that tells a move."""
        return import_module(self.words).move_in_words  # type: ignore[no-any-return]

    def set_up(self, table: np.record, n_players: int, facts: np.record, rules: Rules, drawn: list[int]) -> None:
        """Write what stays the same in every game of a run into a table."""
        codes = rules.codes()
        if self.name == HAND_DRAFT.name:
            import_module("salad_sim.hand_draft.state").set_up(table, n_players, facts, codes)
        else:
            import_module(self.engine).set_up(table, n_players, facts, codes, drawn, rules.rounds)

    def check_rules(self, rules: Rules) -> Rules:
        """Return the rules as they are in force in this game.

        Raises
        ------
        InputError
            If a switch is changed that means nothing in it.
        """
        switches = switches_of(self.name)
        for name, value in rules.changed().items():
            if name not in switches and not (self is HAND_DRAFT and value == "shared"):
                allowed = ", ".join(switches)
                raise InputError(f"rule {name}={value} means nothing in the game {self.name}; it has {allowed}")
        return replace(rules, tie_break="shared") if self is HAND_DRAFT else rules


POINT_SALAD = Game(
    name="point-salad",
    about="the game itself: piles, a market, one flip a turn",
    fewest=2,
    most=6,
    habits=("point\ncards", "flips"),
    home="salad_sim.play.shard",
    engine="salad_sim.game.engine",
    words="salad_sim.game.notation",
)

HAND_DRAFT = Game(
    name="hand-draft",
    about="another game with the same cards: draft to a hidden hand, lay cards as vegetables; equal totals share",
    fewest=2,
    most=5,
    habits=("cards\nin hand", "laid"),
    home="salad_sim.hand_draft.shard",
    engine="salad_sim.hand_draft.engine",
    words="salad_sim.hand_draft.notation",
)

GAMES = {game.name: game for game in (POINT_SALAD, HAND_DRAFT)}


def find_game(name: str) -> Game:
    """Return the game of a name.

    Raises
    ------
    InputError
        If there is none, with the nearest name.
    """
    if name not in GAMES:
        raise unknown("game", name, GAMES)
    return GAMES[name]
