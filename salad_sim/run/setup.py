"""Who plays what by which rules: the options that all games of a run, a study or a league share, checked once."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any, TypeAlias, TypedDict

from salad_sim.errors import InputError, quote
from salad_sim.game.card_file import CardSource, as_card_set
from salad_sim.game.cards import CardSet, official_set
from salad_sim.game.deck_check import capacity_for, numbers_drawn, numbers_in_play, refuse_what_is_not_there
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.strategy.registry import Strategy, load_strategy
from salad_sim.strategy.variants import POINT_SALAD, Game, find_game

MOST_GAMES = 10**15
MOST_SEED = 2**63 - 1
MOST_HEAD_START = 999

Lineup: TypeAlias = "str | Strategy | Sequence[str | Strategy]"


def whole_number(what: str, given: object, low: int, high: int) -> int:
    """Return ``given`` as an integer of [low, high].

    Parameters
    ----------
    what : str
        What the number is, for the message.
    given : int, float or str
        Text may be written 1e6, 1_000_000 or 1000000.
    low, high : int
        The allowed range, both ends included.

    Raises
    ------
    InputError
        If it is no number, not whole or out of range.
    """
    refusal = InputError(f"{what} must be a whole number from {_short(low)} to {_short(high)}, not {quote(given)}")
    try:
        if isinstance(given, str):
            number = Decimal(given)
        elif isinstance(given, numbers.Integral) and not isinstance(given, bool):
            number = Decimal(int(given))
        elif isinstance(given, numbers.Real) and not isinstance(given, bool):
            number = Decimal(float(given))
        else:
            raise refusal
    except InvalidOperation:
        raise refusal from None
    # the range first: an integer of 1e999999999 would not fit into memory
    if not number.is_finite() or not low <= number <= high or number != int(number):
        raise refusal
    return int(number)


def real_number(what: str, given: object, low: float, high: float) -> float:
    """Return ``given``, a number or its text, as a number of [low, high]; not-a-number is none.

    Raises
    ------
    InputError
        If it is no number or out of range.
    """
    try:
        number = float(given)  # type: ignore[arg-type]  # whatever a user gives
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not low <= number <= high:
        raise InputError(f"{what} must be a number from {low:g} to {high:g}, not {quote(given)}")
    return number


def _short(number: int) -> str:
    text = str(number)
    return f"1e{len(text) - 1}" if len(text) > 6 and text == "1" + "0" * (len(text) - 1) else text


class DealOptions(TypedDict, total=False):
    """What functions of the library take by keyword to say which cards are dealt in which game; all may be left out.

    Attributes
    ----------
    game : {"point-salad", "hand-draft"}
        Which game of these cards is played.
    cards : CardSet or path of a card file
        The cards to play with, in the format of `salad-sim cards --format csv`; by default the official ones.
    """

    game: str
    cards: CardSource | None


class SetupOptions(DealOptions, total=False):
    """The same, and by which rules it is played.

    Attributes
    ----------
    rules : Rules
        By default the official ones.
    tie_break : {"later", "earlier", "last-turn", "fewer-cards", "shared"}
        Who wins when totals are equal; by default as ``rules`` say.
    """

    rules: Rules
    tie_break: str | None


@dataclass(frozen=True, kw_only=True)
class GameSetup:
    """Who plays what by which rules, checked: everything that determines a game but the number of its deal.

    Attributes
    ----------
    lineup : tuple of Strategy
        One for each place. In rotation r, place p sits at seat (p + r) modulo the number of players.
    seed : int
        0..2**63 - 1.
    rules : Rules
    rotate : bool
        Whether each deal is played once in every rotation of the line-up.
    game : Game
        What is played.
    cards : CardSet
        The cards to play with, by id.
    head_start : tuple of int
        By seat: points that it has before the game begins; empty for none.
    """

    lineup: tuple[Strategy, ...]
    seed: int
    rules: Rules
    rotate: bool
    game: Game = POINT_SALAD
    cards: CardSet = field(default_factory=official_set)
    head_start: tuple[int, ...] = ()

    @property
    def n_players(self) -> int:
        """Players in a game."""
        return len(self.lineup)

    @property
    def n_rotations(self) -> int:
        """Games that are played of each deal."""
        return self.n_players if self.rotate else 1

    @cached_property
    def capacity(self) -> int:
        """Cards that the records have room for."""
        return capacity_for(self.cards, self.drawn)

    @cached_property
    def drawn(self) -> list[int]:
        """Cards of each vegetable in the deck of a game, or of a round of it."""
        if self.game is not POINT_SALAD:
            found = numbers_in_play(self.cards, self.rules)
        else:
            found = numbers_drawn(self.cards, self.rules, self.n_players)
        refuse_what_is_not_there(self.cards, self.rules, found)
        return found

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """The group of each place: equal strategies (same name, values and source) share one, 0 being the first."""
        kinds = [(each.name, each.values, each.source) for each in self.lineup]
        order = list(dict.fromkeys(kinds))
        return tuple(order.index(kind) for kind in kinds)

    @cached_property
    def members(self) -> tuple[Strategy, ...]:
        """One strategy of each group."""
        return tuple(self.lineup[self.groups.index(group)] for group in range(max(self.groups) + 1))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What to call each group: its label; where that is not enough the file is added, or all digits are shown."""
        ways = [(each.label, f"{each.label} ({each.source})", each.spec) for each in self.members]
        columns = list(zip(*ways, strict=True))
        return tuple(
            next((name for name, all_so in zip(names, columns, strict=True) if all_so.count(name) == 1), names[-1])
            for names in ways
        )

    def place_at(self, seat: int, rotation: int) -> int:
        """Return the place in the line-up that sits at ``seat`` (0-based) in a rotation."""
        return (seat - rotation) % self.n_players

    def label_at(self, seat: int, rotation: int) -> str:
        """Return the name of the strategy that sits at ``seat`` (0-based) in a rotation."""
        return self.labels[self.groups[self.place_at(seat, rotation)]]

    def game_number(self, deal: int, rotation: int) -> int:
        """Return the number of a game, counted from 0."""
        return deal * self.n_rotations + rotation

    def locate(self, game: int) -> tuple[int, int]:
        """Return the deal and the rotation of the game with a number."""
        return divmod(game, self.n_rotations)


def set_up(
    players: int | str = 2,
    strategies: Lineup = "greedy",
    seed: int | str = 1,
    rotate: bool = False,
    head_start: Sequence[int | str] = (),
    tie_break: str | None = None,
    rules: Rules = OFFICIAL,
    game: str = POINT_SALAD.name,
    cards: CardSource | None = None,
) -> GameSetup:
    """Check what is to be played; nothing is compiled or played.

    Parameters
    ----------
    players : int or str
        2..6.
    strategies : str, Strategy or sequence of them
        One for all seats, or one for each: what `load_strategy` takes, or a loaded strategy.
    seed : int or str
        0..2**63 - 1; the same seed and options give the same result.
    rotate : bool
        Play each deal once in every rotation of the line-up.
    head_start : sequence of int
        By seat: points that it has before the game begins, -999..999; by default none.
    tie_break, rules, game, cards
        See `DealOptions` and `SetupOptions`.

    Raises
    ------
    InputError
        If an option is not allowed.
    """
    played = find_game(game)
    n_players = whole_number("players", players, played.fewest, played.most)
    if not isinstance(rules, Rules):
        raise InputError(f"rules must be a Rules object, not {quote(rules)}")
    in_force = played.check_rules(rules if tie_break is None else replace(rules, tie_break=tie_break))
    return GameSetup(
        lineup=_line_up(strategies, n_players, game),
        seed=whole_number("seed", seed, 0, MOST_SEED),
        rules=in_force,
        rotate=bool(rotate),
        game=played,
        cards=as_card_set(cards),
        head_start=_head_start(head_start, n_players, played),
    )


def _head_start(given: Sequence[int | str], n_players: int, game: Game) -> tuple[int, ...]:
    """Return the points that seats have before the game begins; none at all if all are zero."""
    if not given:
        return ()
    if game is not POINT_SALAD:
        raise InputError(f"in the game {game.name} no seat can have a head start")
    if len(given) != n_players:
        raise InputError(f"head start: {len(given)} numbers given for {n_players} players: give one for each seat")
    points = tuple(whole_number("head start", each, -MOST_HEAD_START, MOST_HEAD_START) for each in given)
    return points if any(points) else ()


def _line_up(given: Lineup, n_players: int, game: str) -> tuple[Strategy, ...]:
    """Return one loaded strategy for each place."""
    one_for_all = isinstance(given, (str, Strategy)) or not isinstance(given, Sequence)
    names: list[Any] = [given] if one_for_all else list(given)  # type: ignore[arg-type]
    if len(names) not in (1, n_players):
        count = f"{len(names)} strategies" if names else "no strategy"
        raise InputError(f"{count} given for {n_players} players: give one for all seats, or one for each seat")
    loaded = [_load(name, game) for name in names]
    return tuple(loaded if len(loaded) == n_players else loaded * n_players)


def _load(given: Any, game: str) -> Strategy:
    if isinstance(given, str):
        return load_strategy(given, game)
    found = getattr(given, "salad_sim_strategy", given)  # a kernel that was declared with @strategy
    if not isinstance(found, Strategy):
        raise InputError(f"a strategy is a name, a file or a Strategy, not {quote(given)}")
    if found.game != game:
        raise InputError(f"strategy {found.name!r} plays the game {found.game}, not {game}")
    return found
