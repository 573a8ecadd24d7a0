"""What is to be played: the checked options of a run, and which game of it has which number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Unpack

from salad_sim.errors import InputError, quote
from salad_sim.game.card_file import card_file_lines
from salad_sim.game.deck_check import most_deals, most_owned
from salad_sim.run.setup import MOST_GAMES, GameSetup, Lineup, SetupOptions, set_up, whole_number
from salad_sim.strategy.variants import POINT_SALAD, find_game


@dataclass(frozen=True, kw_only=True)
class Plan(GameSetup):
    """A run that can be played: a setup, and how often.

    Attributes
    ----------
    n_deals : int
        Deals to be played, each once in every rotation.
    n_asked : int
        Games asked for; with ``rotate`` they are rounded up to whole deals.
    deals : tuple of (int, int)
        The deals to be played as ranges first .. stop - 1, in order; empty for the first ones.
    """

    n_deals: int
    n_asked: int
    deals: tuple[tuple[int, int], ...] = ()

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The deals to be played, as ranges first .. stop - 1 in order."""
        return self.deals or ((0, self.n_deals),)

    @property
    def n_games(self) -> int:
        """Games to be played."""
        return self.n_deals * self.n_rotations

    def options(self) -> dict[str, Any]:
        """Return every option that determines the games, as plain data."""
        return {
            "games": self.n_asked,
            "players": self.n_players,
            "strategies": [each.spec for each in self.lineup],
            "seed": self.seed,
            "rules": self.rules.as_dict(),
            "rotate": self.rotate,
            **({"head_start": list(self.head_start)} if self.head_start else {}),
            **({"deals": [list(each) for each in self.deals]} if self.deals else {}),
            **({} if self.game is POINT_SALAD else {"game": self.game.name}),
            **({} if self.cards.is_official else {"cards": self._card_options()}),
        }

    def _card_options(self) -> dict[str, Any]:
        """Return the very cards: their file may change."""
        return {"source": self.cards.source, "file": card_file_lines(self.cards)}

    def notes(self) -> list[str]:
        """Return what the user should know about the plan before it is played, a sentence each."""
        notes = []
        if self.n_games != self.n_asked:
            notes.append(
                f"{self.n_asked:,} games are no whole number of deals of {self.n_rotations} rotations; "
                f"playing {self.n_deals:,} deals, {self.n_games:,} games"
            )
        if self.rotate and len(self.labels) == 1:
            notes.append(
                "all seats play the same strategy, so the rotations of a deal are the same game again; "
                "without rotation the same time gives a narrower interval"
            )
        return notes


def plan_games(setup: GameSetup, games: float | str) -> Plan:
    """Return the plan of about so many games: with rotation they are rounded up to whole deals.

    Raises
    ------
    InputError
        If it is not a whole number from 1 to 1e15, or the cards cannot serve so many.
    """
    n_asked = whole_number("games", games, 1, MOST_GAMES)
    own = {each.name: getattr(setup, each.name) for each in fields(GameSetup)}
    plan = Plan(n_deals=-(-n_asked // setup.n_rotations), n_asked=n_asked, **own)
    _check_deck(plan)
    return plan


def plan_run(
    games: float | str,
    players: int | str = 2,
    strategies: Lineup = "greedy",
    seed: int | str = 1,
    rotate: bool = False,
    head_start: Sequence[int | str] = (),
    **options: Unpack[SetupOptions],
) -> Plan:
    """Check the options of a run and return its plan; nothing is compiled or played.

    Parameters
    ----------
    games : int, float or str
        1..1e15, a whole number.
    players, strategies, seed, rotate, head_start
        As in `set_up`.
    **options
        See `SetupOptions`.

    Raises
    ------
    InputError
        If an option is not allowed.
    """
    find_game(options.get("game", POINT_SALAD.name))
    whole_number("games", games, 1, MOST_GAMES)
    return plan_games(set_up(players, strategies, seed, rotate, head_start, **options), games)


def with_deals(plan: Plan, deals: str | Sequence[Sequence[int | str]]) -> Plan:
    """Return a plan of chosen deals instead of the first ones; the number of games is what they are.

    Parameters
    ----------
    plan : Plan
    deals : str or sequence of (int, int)
        Ranges first .. stop - 1, as ``"0:500,1000:1500"``.

    Raises
    ------
    InputError
        If they are not of that form, are empty or overlap, or are too many to be counted.
    """
    ranges = check_deals(deals, MOST_GAMES // plan.n_rotations)
    n_deals = sum(stop - first for first, stop in ranges)
    first_ones = ranges == ((0, n_deals),)
    found = replace(plan, n_deals=n_deals, n_asked=n_deals * plan.n_rotations, deals=() if first_ones else ranges)
    _check_deck(found)
    return found


def check_deals(given: str | Sequence[Sequence[int | str]], most: int) -> tuple[tuple[int, int], ...]:
    """Return ranges of deals in order, those that touch made one.

    Parameters
    ----------
    given : str or sequence of (int, int)
        As in `with_deals`.
    most : int
        The last deal's number is below it.

    Raises
    ------
    InputError
        If it is not of that form, or ranges are empty or overlap.
    """
    parts = [part.split(":") for part in given.split(",")] if isinstance(given, str) else [list(each) for each in given]
    if any(len(part) != 2 for part in parts):
        raise InputError(f"deals are ranges FIRST:STOP, as 0:500 or 0:500,1000:1500, not {quote(given)}")
    ranges: list[tuple[int, int]] = []
    for first, stop in sorted(tuple(whole_number("deals", number, 0, most) for number in part) for part in parts):
        if first >= stop:
            raise InputError(f"deals {first}:{stop} are none: the first one must come before the end")
        if ranges and first < ranges[-1][1]:
            raise InputError(f"deals {ranges[-1][0]}:{ranges[-1][1]} and {first}:{stop} overlap: give each deal once")
        if ranges and first == ranges[-1][1]:
            first = ranges.pop()[0]
        ranges.append((first, stop))
    return tuple(ranges)


def _check_deck(plan: Plan) -> None:
    """Refuse a deck that cannot serve the players, or scores that cannot be counted."""
    _ = plan.drawn
    if not plan.cards.is_official:
        _check_sums(plan)


def _check_sums(plan: Plan) -> None:
    """Refuse more games than a tally can count in 64 bits; the official cards never score that much."""
    n_cards = sum(plan.drawn)
    n_own = most_owned(n_cards, plan.n_players) if plan.game is POINT_SALAD else n_cards
    n_places = max(plan.groups.count(group) for group in plan.groups)
    limit = most_deals(plan.cards, n_own, n_places * plan.n_rotations * plan.rules.rounds) * plan.n_rotations
    if plan.n_games > limit:
        raise InputError(
            f"games: the scores of {plan.n_games:,} games with the cards of {plan.cards.source} might not be counted "
            f"exactly in 64 bits; up to {limit:,} games can be played with points as high as these"
        )
