"""salad-sim check: whether a strategy keeps the contract."""

from __future__ import annotations

import sys

import click

from salad_sim.cli._options import STRATEGY, format_option, prepare, quiet_option
from salad_sim.errors import printable

BROKEN = 1


@click.command()
@click.argument("strategy", metavar=STRATEGY)
@click.option(
    "--seconds",
    metavar="N",
    default="20",
    show_default=True,
    help="About how long to play with care, and again at speed.",
)
@click.option(
    "--patience",
    metavar="N",
    default="60",
    show_default=True,
    help="Seconds that a move may take.",
)
@format_option("table", "json")
@quiet_option
def check(strategy: str, seconds: str, patience: str, form: str, quiet: bool) -> int:
    """Play the contract that every strategy keeps, for 2 to 6 players; say pass, or what failed in which game.

    Every move is legal and comes in time; the same choice comes out when it is asked for again, when another game was
    played before, and when all hidden cards are others; nothing but the strategy's own record is written to.

    Parameters are given as for salad-sim run: 'NAME(KEY=VALUE, ...)', or NAME:FILE.toml.
    """
    from salad_sim.run.plan import plan_run
    from salad_sim.storage.folder import json_text
    from salad_sim.tools.compliance import check_strategy

    prepare([plan_run(1, 2, strategy)], quiet)
    report = check_strategy(strategy, seconds, patience)
    sys.stdout.write(
        json_text(report.as_dict()) if form == "json" else "".join(f"{printable(line)}\n" for line in report.lines())
    )
    return 0 if report.passed else BROKEN
