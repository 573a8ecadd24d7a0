"""What is to be played: the checked options of a run, and which game of it has which number."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any, TypeAlias

from salad_sim.errors import InputError, quote
from salad_sim.game.card_file import CardSource, as_card_set, card_file_lines
from salad_sim.game.cards import CardSet, official_set
from salad_sim.game.deck_check import capacity_for, most_deals, most_owned, numbers_drawn, numbers_in_play
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


def _short(number: int) -> str:
    text = str(number)
    return f"1e{len(text) - 1}" if len(text) > 6 and text == "1" + "0" * (len(text) - 1) else text


@dataclass(frozen=True)
class Plan:
    """A run that can be played: every option that determines its games, checked.

    Attributes
    ----------
    n_deals : int
        Deals to be played, each once in every rotation.
    lineup : tuple of Strategy
        One for each place. In rotation r, place p sits at seat (p + r) modulo the number of players.
    seed : int
        0..2**63 - 1.
    rules : Rules
    rotate : bool
        Whether each deal is played once in every rotation of the line-up.
    n_asked : int
        Games asked for; with ``rotate`` they are rounded up to whole deals.
    game : Game
        What is played.
    cards : CardSet
        The cards to play with, by id.
    head_start : tuple of int
        By seat: points that it has before the game begins; empty for none.
    deals : tuple of (int, int)
        The deals to be played as ranges first .. stop - 1, in order; empty for the first ones.
    """

    n_deals: int
    lineup: tuple[Strategy, ...]
    seed: int
    rules: Rules
    rotate: bool
    n_asked: int
    game: Game = POINT_SALAD
    cards: CardSet = field(default_factory=official_set)
    head_start: tuple[int, ...] = ()
    deals: tuple[tuple[int, int], ...] = ()

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The deals to be played, as ranges first .. stop - 1 in order."""
        return self.deals or ((0, self.n_deals),)

    @property
    def n_players(self) -> int:
        """Players in a game."""
        return len(self.lineup)

    @property
    def n_rotations(self) -> int:
        """Games that are played of each deal."""
        return self.n_players if self.rotate else 1

    @property
    def n_games(self) -> int:
        """Games to be played."""
        return self.n_deals * self.n_rotations

    @cached_property
    def capacity(self) -> int:
        """Cards that the records have room for."""
        return capacity_for(self.cards, self.drawn)

    @cached_property
    def drawn(self) -> list[int]:
        """Cards of each vegetable in the deck of a game, or of a round of it."""
        if self.game is not POINT_SALAD:
            return numbers_in_play(self.cards, self.rules)
        return numbers_drawn(self.cards, self.rules, self.n_players)

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


def plan_run(
    games: float | str,
    players: int | str = 2,
    strategies: Lineup = "greedy",
    seed: int | str = 1,
    tie_break: str | None = None,
    rules: Rules = OFFICIAL,
    rotate: bool = False,
    game: str = POINT_SALAD.name,
    cards: CardSource | None = None,
    head_start: Sequence[int] = (),
) -> Plan:
    """Check the options of a run and return its plan; nothing is compiled or played.

    Parameters
    ----------
    games : int, float or str
        1..1e15, a whole number.
    players : int or str
        2..6.
    strategies : str, Strategy or sequence of them
        One for all seats, or one for each: what `load_strategy` takes, or a loaded strategy.
    seed : int or str
        0..2**63 - 1.
    tie_break : str, optional
        Overrides the rules' tie-break.
    rules : Rules
    rotate : bool
        Play each deal once in every rotation of the line-up.
    game : {"point-salad", "hand-draft"}
        Which game of these cards.
    cards : CardSet or path of a card file, optional
        By default the official ones.
    head_start : sequence of int
        By seat: points that it has before the game begins, -999..999; empty for none.

    Raises
    ------
    InputError
        If an option is not allowed.
    """
    played = find_game(game)
    n_asked = whole_number("games", games, 1, MOST_GAMES)
    n_players = whole_number("players", players, played.fewest, played.most)
    if not isinstance(rules, Rules):
        raise InputError(f"rules must be a Rules object, not {quote(rules)}")
    in_force = played.check_rules(rules if tie_break is None else replace(rules, tie_break=tie_break))
    plan = Plan(
        n_deals=-(-n_asked // (n_players if rotate else 1)),
        lineup=_line_up(strategies, n_players, game),
        seed=whole_number("seed", seed, 0, MOST_SEED),
        rules=in_force,
        rotate=bool(rotate),
        n_asked=n_asked,
        game=played,
        cards=as_card_set(cards),
        head_start=_head_start(head_start, n_players, played),
    )
    _check_deck(plan)
    return plan


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


def _head_start(given: Sequence[int], n_players: int, game: Game) -> tuple[int, ...]:
    """Return the points that seats have before the game begins; none at all if all are zero."""
    if not given:
        return ()
    if game is not POINT_SALAD:
        raise InputError(f"in the game {game.name} no seat can have a head start")
    if len(given) != n_players:
        raise InputError(f"head start: {len(given)} numbers given for {n_players} players: give one for each seat")
    points = tuple(whole_number("head start", each, -MOST_HEAD_START, MOST_HEAD_START) for each in given)
    return points if any(points) else ()


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
