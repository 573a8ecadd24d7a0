"""The command line that plays again what was played, whichever command it is."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from salad_sim.run.setup import GameSetup
from salad_sim.strategy.variants import POINT_SALAD

NOT_WHAT_IS_PLAYED = (
    *("workers", "cluster", "patience", "out", "html", "force"),
    *("save-games", "format", "quiet", "timing", "careful"),
    *("config", "help"),
)
"""Options that change no number: how it is played, where it is written and how it is shown."""

OF_SAVED_GAMES = ("level", "every")
"""Options of --save-games, which change no number either; ``learn --every`` is another thing."""

IN_OTHER_WORDS = ("rules", "tie-break", "rounds", "deals", "start", "fix")
"""Options that are said in full by others: --rule, --games, --only, or the values of a strategy."""


def again(command: str, arguments: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return the command that does it again.

    Parameters
    ----------
    command : str
        Of salad-sim.
    arguments : sequence of str
    options : mapping
        By name, in order: those that are None, False or empty are left out, sequences are repeated, and a name that
        ends in "=" makes one word with its value. An option that the user gave to this very command and that is not
        among them follows as it was typed, so that a new one cannot be forgotten.
    """
    words = ["salad-sim", command, *arguments]
    for name, value in [*options.items(), *_typed(command, [name.removesuffix("=") for name in options])]:
        if value is True:
            words.append(f"--{name}")
        elif value and name.endswith("="):
            words.append(f"--{name}{value}")
        elif value not in (None, False, ""):
            each = value if isinstance(value, (list, tuple)) else [value]
            words += [word for one in each for word in (f"--{name}", str(one))]
    return shlex.join(words)


def _typed(command: str, said: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the options of the command that is at work, as the user typed them, but those that are said already."""
    ctx = click.get_current_context(silent=True)
    if ctx is None or ctx.info_name != command:
        return
    for param in ctx.command.params:
        name, key = option_name(param), param.name or ""
        known = isinstance(param, click.Argument) or name in (*said, *IN_OTHER_WORDS)
        is_typed = ctx.get_parameter_source(key) is not ParameterSource.DEFAULT
        if is_typed and not known and is_what_is_played(ctx.command, param):
            yield name, ctx.params[key]


def is_what_is_played(command: click.Command, param: click.Parameter) -> bool:
    """Return whether a parameter of a command can change a number."""
    name = option_name(param)
    saves_games = any(option_name(each) == "save-games" for each in command.params)
    return name not in NOT_WHAT_IS_PLAYED and not (saves_games and name in OF_SAVED_GAMES)


def option_name(param: click.Parameter) -> str:
    """Return the long name of an option, without dashes."""
    return max(param.opts, key=len).removeprefix("--")


def setup_options(setup: GameSetup) -> dict[str, Any]:
    """Return the options that say what is played: game, head start, rules and cards, those by default left out."""
    return {
        "game": None if setup.game is POINT_SALAD else setup.game.name,
        "head-start": ",".join(map(str, setup.head_start)),
        "rule": [f"{name}={value}" for name, value in setup.rules.changed().items()],
        "cards": None if setup.cards.is_official else setup.cards.source,
    }
