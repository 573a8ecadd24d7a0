"""salad-sim check: whether a strategy keeps the contract."""

from __future__ import annotations

import sys

import click

from salad_sim.cli import _completion
from salad_sim.cli._options import STRATEGY, format_option, quiet_option
from salad_sim.errors import printable

CHECKING = (
    "salad-sim: checking; code with every index checked is compiled for this machine the first time, a minute or two"
)

BROKEN = 1


@click.command()
@click.argument("strategy", metavar=STRATEGY, shell_complete=_completion.strategies)
@click.option(
    "--games",
    "-g",
    metavar="N",
    default="2000",
    show_default=True,
    help="About how many at full speed; and a twentieth with care.",
)
@click.option("--patience", metavar="SECONDS", default="60", show_default=True, help="What a move may take.")
@click.option("--seed", metavar="N", help="Same seed, same games.  [default: another one each time]")
@format_option("table", "json")
@quiet_option
def check(strategy: str, games: str, patience: str, seed: str | None, form: str, quiet: bool) -> int:
    """Play the contract that every strategy keeps, for 2 to 6 players; say pass, or what failed in which game.

    Every move is legal and comes in time; the same choice comes out when it is asked for again, when another game was
    played before, and when all hidden cards are others; nothing but the strategy's own record is written to, and no
    array is left. Played are the official rules, matches of several rounds, and every switch of the rules.

    It is no proof: what a strategy does in one game of very many may go unseen. More games see more.

    Parameters are given as for salad-sim run: 'NAME(KEY=VALUE, ...)', or NAME:FILE.toml.
    """
    from salad_sim.storage.folder import json_text
    from salad_sim.tools.examiner import examine

    report = examine(strategy, games, patience, seed, "" if quiet else CHECKING)
    lines = "".join(f"{printable(line)}\n" for line in report.lines())
    sys.stdout.write(json_text(report.as_dict()) if form == "json" else lines)
    return 0 if report.passed else BROKEN
