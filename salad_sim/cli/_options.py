"""Options that several commands share, and notes to the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from salad_sim.rules import CHOICES

if TYPE_CHECKING:
    from salad_sim.plan import Plan

Command = TypeVar("Command", bound=Callable[..., Any])

# Numbers are taken as text: the plan checks them, and says what is allowed in the same words for all.
GAME_OPTIONS = (
    click.option("--players", "-p", default="2", show_default=True, metavar="2..6", help="Players in a game."),
    click.option(
        "--strategy",
        "-s",
        "strategies",
        multiple=True,
        default=["greedy"],
        show_default=True,
        metavar="NAME|FILE.py[:NAME]",
        help="Who plays: given once for all seats, or once for each seat.",
    ),
    click.option("--seed", default="1", show_default=True, metavar="N", help="Same seed, same games."),
    click.option(
        "--tie-break",
        default=CHOICES["tie_break"][0],
        show_default=True,
        metavar="|".join(CHOICES["tie_break"]),
        help="Which seat wins when totals are equal.",
    ),
    click.option("--rotate", is_flag=True, help="Play every deal once with each rotation of the line-up."),
)


def game_options(command: Command) -> Command:
    """Add the options that determine which games are played."""
    for option in reversed(GAME_OPTIONS):
        command = option(command)
    return command


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Return the option ``--format``; the first of ``formats`` is the default."""
    return click.option(
        "--format", "form", type=click.Choice(formats), default=formats[0], show_default=True, help="How to print it."
    )


quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress and no notes, only the result.")


def note(text: str, quiet: bool = False) -> None:
    """Tell the user something on stderr, unless it shall be quiet."""
    if not quiet:
        click.echo(f"salad-sim: {text}", err=True)


def note_compiling(plans: Iterable[Plan], quiet: bool = False) -> None:
    """Say that code will be compiled, if it will."""
    from salad_sim.runner import is_cold

    if any(is_cold(plan) for plan in plans):
        note("compiling for this machine; half a minute, the first time only", quiet)
