"""Options that several commands share, and notes to the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from salad_sim.cli import INTERRUPTED
from salad_sim.errors import InputError, printable
from salad_sim.game.rules import CHOICES, Rules

if TYPE_CHECKING:
    from pathlib import Path

    from salad_sim.run.plan import Plan

Command = TypeVar("Command", bound=Callable[..., Any])

STRATEGY = "NAME|FILE.py[:NAME]"
"""How a strategy is named, for help."""

WITH_PARAMETERS = "Parameters: 'NAME(KEY=VALUE, ...)', or NAME:FILE.toml; see salad-sim strategies."
"""How parameters are added to it."""

# Numbers are taken as text: the plan checks them, and says what is allowed in the same words for all.
players_option = click.option(
    "--players", "-p", default="2", show_default=True, metavar="2..6", help="Players in a game."
)
seed_option = click.option("--seed", default="1", show_default=True, metavar="N", help="Same seed, same games.")
rules_option = click.option(
    "--rules", "profile", metavar="PROFILE|FILE.toml", help="Rules to play by; see salad-sim rules."
)
rule_option = click.option(
    "--rule", "switches", multiple=True, metavar="KEY=VALUE", help="Change one rule; may be repeated."
)
cards_option = click.option(
    "--cards", metavar="FILE.csv", help="Play with these cards; see salad-sim cards --format csv."
)
workers_option = click.option("--workers", "-w", metavar="N", help="Threads; by default one for each core.")

GAME_OPTIONS = {
    "kind": click.option("--game", "kind", metavar="GAME", help="point-salad or hand-draft.  [default: point-salad]"),
    "players": players_option,
    "strategies": click.option(
        "--strategy",
        "-s",
        "strategies",
        multiple=True,
        default=["greedy"],
        show_default=True,
        metavar=STRATEGY,
        help=f"Who plays: given once for all seats, or once for each seat. {WITH_PARAMETERS}",
    ),
    "seed": seed_option,
    "profile": rules_option,
    "switches": rule_option,
    "tie_break": click.option(
        "--tie-break",
        metavar="|".join(CHOICES["tie_break"]),
        help="Which seat wins when totals are equal; the same as --rule tie_break=...  [default: later]",
    ),
    "rounds": click.option(
        "--rounds", metavar="N", help="Rounds of a match; the same as --rule rounds=N  [default: 1]"
    ),
    "cards": cards_option,
    "rotate": click.option("--rotate", is_flag=True, help="Play every deal once with each rotation of the line-up."),
}
"""The options that determine which games are played, by the names that `GameOptions` has for them."""


@dataclass(frozen=True)
class GameOptions:
    """The options that determine which games are played, as they were typed."""

    kind: str | None
    players: str
    strategies: tuple[str, ...]
    seed: str
    profile: str | None
    switches: tuple[str, ...]
    tie_break: str | None
    rounds: str | None
    cards: str | None
    rotate: bool

    @property
    def rules(self) -> Rules:
        """The rules that the options name."""
        from salad_sim.game.rule_profiles import read_rules

        return read_rules(self.profile, self.switches, tie_break=self.tie_break, rounds=self.rounds)

    def plan(self, games: str | int, head_start: str | None = None, deals: str | None = None) -> Plan:
        """Check the options and plan ``games`` games; ``head_start`` and ``deals`` as typed."""
        from salad_sim.run.plan import plan_run, with_deals

        check_tie_break(self.kind, self.tie_break)
        more: dict[str, Any] = {} if self.kind is None else {"game": self.kind}
        more |= {"rules": self.rules, "rotate": self.rotate, "cards": self.cards}
        if head_start is not None:
            more["head_start"] = head_start.split(",")
        plan = plan_run(games, self.players, self.strategies, self.seed, **more)
        return plan if deals is None else with_deals(plan, deals)


def check_tie_break(kind: str | None, tie_break: str | None) -> None:
    """Refuse a tie-break in the game that has none; the default one does not show in the rules."""
    if kind == "hand-draft" and tie_break not in (None, "shared"):
        raise InputError(f"in the game hand-draft equal totals share the win, not --tie-break {tie_break}")


def game_options(command: Callable[..., Any], left_out: Sequence[str] = ()) -> Callable[..., Any]:
    """Add the options that determine which games are played; the command gets them as one `GameOptions`.

    Those that are ``left_out``, by their names there, are None: the command knows them in another way.
    """

    @wraps(command)
    def gathered(**given: Any) -> Any:
        own = {field.name: given.pop(field.name, None) for field in fields(GameOptions)}
        return command(options=GameOptions(**own), **given)

    for name in reversed(GAME_OPTIONS):
        if name not in left_out:
            gathered = GAME_OPTIONS[name](gathered)
    return gathered


def seated_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add these options to a command that says itself who plays where: without --strategy and --rotate."""
    return game_options(command, left_out=("strategies", "rotate"))


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Return the option ``--format``; the first of ``formats`` is the default."""
    return click.option(
        "--format", "form", type=click.Choice(formats), default=formats[0], show_default=True, help="How to print it."
    )


head_start_option = click.option(
    "--head-start", metavar="A,B,...", help="Points that each seat has before the game begins, as 0,3."
)
cluster_option = click.option(
    "--cluster",
    metavar="tcp://HOST:PORT|local:N",
    help="Play on the Dask cluster of this scheduler, or on N processes here; strategy files are sent there as code.",
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress and no notes, only the result.")


def out_folder(out: str | None, kind: str) -> Path | None:
    """Return the folder of ``--out``, made if it is not there; None without the option.

    Raises
    ------
    InputError
        If it cannot be written, or holds what another command saved.
    """
    from salad_sim.files.atomic import open_folder
    from salad_sim.storage.folder import refuse_another_kind

    if out is None:
        return None
    folder = open_folder(out)
    refuse_another_kind(folder, kind)
    return folder


def note(text: str, quiet: bool = False) -> None:
    """Tell the user something on stderr, unless it shall be quiet."""
    if not quiet:
        click.echo(f"salad-sim: {printable(text)}", err=True)


def interrupted(how_far: str) -> int:
    """Tell the user how far it came before Ctrl-C; return the exit code."""
    note(f"interrupted{how_far}")
    return INTERRUPTED


def note_compiling(plans: Iterable[Plan], quiet: bool = False) -> None:
    """Say that code will be compiled, if it will."""
    from salad_sim.run.runner import is_cold, is_engine_cold

    cold = [plan for plan in plans if is_cold(plan)]
    if any(map(is_engine_cold, cold)):
        note("compiling for this machine; half a minute, the first time only", quiet)
    elif cold:
        note("compiling strategies for this machine; some seconds, the first time only", quiet)
