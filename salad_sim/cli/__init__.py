"""The command line: parses, calls, prints. Commands and all they need load when they are used."""

from __future__ import annotations

import io
import os
import sys
import warnings
from importlib import import_module
from typing import Any, NoReturn

import click

from salad_sim import __version__
from salad_sim.errors import InputError, SaladError, nearest, printable
from salad_sim.moved import MovedWarning

COMMANDS = {
    "run": "salad_sim.cli.run:run",
    "resume": "salad_sim.cli.saved:resume",
    "extend": "salad_sim.cli.saved:extend",
    "merge": "salad_sim.cli.saved:merge",
    "verify": "salad_sim.cli.saved:verify",
    "status": "salad_sim.cli.saved:status",
    "replay": "salad_sim.cli.replay:replay",
    "play": "salad_sim.cli.play:play",
    "advise": "salad_sim.cli.advise:advise",
    "review": "salad_sim.cli.review:review",
    "match": "salad_sim.cli.match:match",
    "league": "salad_sim.cli.league:league",
    "profile": "salad_sim.cli.profile:profile",
    "rules": "salad_sim.cli.rules:rules",
    "experiment": "salad_sim.cli.experiment:experiment",
    "tune": "salad_sim.cli.tune:tune",
    "learn": "salad_sim.cli.learn:learn",
    "judge": "salad_sim.cli.judge:judge",
    "plan": "salad_sim.cli.judge:plan",
    "report": "salad_sim.cli.report:report",
    "strategies": "salad_sim.cli.strategies:strategies",
    "cards": "salad_sim.cli.cards:cards",
    "check": "salad_sim.cli.check:check",
    "bench": "salad_sim.cli.bench:bench",
    "completion": "salad_sim.cli._completion:completion",
}
"""Where each command stands, in the order of the help."""

BAD_INPUT = 2
FAILED = 1
INTERRUPTED = 130


class Commands(click.Group):
    """Loads commands on use, and turns every expected error into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        from salad_sim.cli._config import with_config

        module, _, name = COMMANDS[cmd_name].partition(":")
        return with_config(getattr(import_module(module), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with whole sentences, where click would cut them off at the end of a line."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _sentence(self.get_command(ctx, name))) for name in self.list_commands(ctx)])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse what could be neither printed nor written into a file."""
        for each in args:
            try:
                each.encode()
            except UnicodeEncodeError:
                raise click.UsageError(f"arguments are text in UTF-8, not {each!r}") from None
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was probably meant."""
        if not args[0].startswith("-") and args[0] not in COMMANDS:
            suggestion = nearest(args[0], COMMANDS)
            raise click.UsageError(f"unknown command {args[0]!r}{suggestion}; allowed: {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run the command line and exit."""
        extra["standalone_mode"] = False
        if sys.stdout is None:  # closed by who called
            sys.stdout = io.StringIO()
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
            sys.stdout.reconfigure(encoding="utf-8")  # tables have lines, and names any letters
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", MovedWarning)
                warnings.showwarning = _advise
                code = super().main(*args, **extra)
            sys.stdout.flush()
        except click.ClickException as error:
            code = _complain(error.format_message(), BAD_INPUT)
        except InputError as error:
            code = _complain(str(error), BAD_INPUT)
        except SaladError as error:
            code = _complain(str(error), FAILED)
        except (KeyboardInterrupt, click.Abort):
            code = _complain("interrupted", INTERRUPTED)
        except BrokenPipeError:
            code = FAILED  # as click does where it sees the error first
            # else the interpreter complains when it closes stdout
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            code = _complain(f"{error.strerror}: {error.filename or 'while writing'}", FAILED)
        sys.exit(code if isinstance(code, int) else 0)


def _sentence(command: click.Command | None) -> str:
    return "" if command is None else command.get_short_help_str(limit=200)


def _complain(message: str, code: int) -> int:
    click.echo(f"salad-sim: {printable(message)}", err=True)
    return code


def _advise(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Show a warning: what a user shall change, in a line; what is for programmers, as Python does."""
    if issubclass(category, MovedWarning):
        click.echo(f"salad-sim: {printable(str(message))}", err=True)
    else:
        _show_warning(message, category, *where, **more)


_show_warning = warnings.showwarning


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="salad-sim")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Play millions of games of Point Salad and see who wins, with error bars.

    The main job: salad-sim run --games 1e6
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
