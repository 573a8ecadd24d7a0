"""The option --config of every command: options from a file; what is typed on the command line wins."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from salad_sim.cli import COMMANDS
from salad_sim.errors import InputError, quote, unknown

WHAT = "config file"


def with_config(command: click.Command) -> click.Command:
    """Give a command, and those within it, the option ``--config``."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            with_config(each)
    if not any(param.name == "config" for param in command.params):
        command.params.append(
            click.Option(
                ["--config"],
                metavar="FILE.toml|run.json",
                is_eager=True,
                expose_value=False,
                callback=_use,
                help="Take options from this file, or those of a saved run.json; what is typed here wins.",
            )
        )
    return command


def _use(ctx: click.Context, param: click.Parameter, given: str | None) -> None:
    if given is not None:
        ctx.default_map = {**(ctx.default_map or {}), **options_in(ctx, given)}


def options_in(ctx: click.Context, given: str) -> dict[str, Any]:
    """Return what a file says about the options of a command, by the names of its parameters.

    Parameters
    ----------
    ctx : click.Context
        Of the command.
    given : str
        A TOML file whose keys are options without dashes, for all commands or in a table named as one; or a
        ``run.json``, whose command is taken.

    Raises
    ------
    InputError
        If it cannot be read, or says what the command does not know.
    """
    from salad_sim.files.toml import parse_toml, read_small_file

    data = read_small_file(given, WHAT)
    if given.endswith(".json"):
        return _typed_again(ctx, data, given)
    words = _words(ctx)
    found: dict[str, Any] = {}
    tables = [parse_toml(data, given, WHAT)]
    for word in words:
        tables.append(_table(tables[-1], word, given))
    for number, table in enumerate(tables):
        others = list(COMMANDS) if number == 0 else words[number : number + 1]
        found |= {name: each for key, value in table.items() for name, each in _option(ctx, key, value, others, given)}
    return found


def _words(ctx: click.Context) -> list[str]:
    """Return the words of a command after the program's name."""
    words: list[str] = []
    at: click.Context | None = ctx
    while at is not None and at.parent is not None:
        words.insert(0, str(at.info_name))
        at = at.parent
    return words


def _program(ctx: click.Context) -> str:
    """Return how a command is typed, whatever the program was started as."""
    return " ".join(["salad-sim", *_words(ctx)])


def _table(within: dict[str, Any], name: str, given: str) -> dict[str, Any]:
    found = within.get(name, {})
    # an option may be called as a command is: only a table is that command's
    return found if isinstance(found, dict) else {}


def _option(ctx: click.Context, key: str, value: Any, others: list[str], given: str) -> list[tuple[str, Any]]:
    """Return the parameter that a key sets, and to what; nothing where the key is another command's table."""
    from salad_sim.storage.command import option_name

    if isinstance(value, dict):
        if key in others:
            return []
        raise InputError(f"{WHAT} {given!r}: [{key}] is no command of salad-sim; options stand as {key} = value")
    params = {option_name(param): param for param in ctx.command.params if param.name not in ("config", "help")}
    if key not in params:
        raise InputError(f"{WHAT} {given!r}: {unknown(f'option of {_program(ctx)}', key, params)}")
    param = params[key]
    return [(param.name or "", _value(param, key, value, given))]


def _value(param: click.Parameter, key: str, value: Any, given: str) -> Any:
    """Return a value as it would be typed."""
    if isinstance(param, click.Option) and param.is_flag:
        if not isinstance(value, bool):
            raise InputError(f"{WHAT} {given!r}: {key} is true or false, not {quote(value)}")
        return value
    many = param.multiple if isinstance(param, click.Option) else param.nargs != 1
    each = value if isinstance(value, list) else [value]
    if not many and isinstance(value, list):
        raise InputError(f"{WHAT} {given!r}: {key} takes one value, not {quote(value)}")
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in each):
        raise InputError(f"{WHAT} {given!r}: {key} takes a text or a number, not {quote(value)}")
    typed = [f"{one:.0f}" if isinstance(one, float) and one.is_integer() else str(one) for one in each]
    return typed if many else typed[0]


def _typed_again(ctx: click.Context, data: bytes, given: str) -> dict[str, Any]:
    """Return the options of the command that a ``run.json`` says to type again."""
    try:
        typed = shlex.split(json.loads(data)["again"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{WHAT} {given!r} is no run.json: it does not say what to type again") from None
    words = _program(ctx).split()
    if typed[: len(words)] != words:
        raise InputError(f"{WHAT} {given!r} is of {shlex.join(typed[:2])!r}, not of {shlex.join(words)!r}")
    options, _, _ = ctx.command.make_parser(ctx).parse_args(typed[len(words) :])
    known = {param.name for param in ctx.command.params}
    return {name: value for name, value in options.items() if name in known and _is_given(value)}


def _is_given(value: Any) -> bool:
    return isinstance(value, str | bool | list | tuple) and value not in ((), [])
