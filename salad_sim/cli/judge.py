"""salad-sim judge and plan: what games that were counted elsewhere say, and how many it takes to tell."""

from __future__ import annotations

import click

from salad_sim.cli._options import format_option
from salad_sim.cli.match import read_sprt
from salad_sim.errors import InputError


@click.command()
@click.argument("won", required=False)
@click.argument("played", required=False)
@click.option("--pairs", metavar="N,N,N,N,N", help="Pairs of which 0, 1/2, 1, 3/2 and 2 games were won, instead.")
@click.option("--players", "-p", default="2", show_default=True, metavar="2..6", help="Whose fair share it is.")
@click.option("--sprt", metavar="ELO0,ELO1", help="With --pairs: where the sequential test of these two stands.")
@format_option("table", "json")
def judge(won: str | None, played: str | None, pairs: str | None, players: str, sprt: str | None, form: str) -> None:
    """Say what WON of PLAYED games tell: the share with its interval, the exact p-value, Elo and a verdict.

    Games are independent of each other; a tie counts one half. Games in pairs, both seat orders of a deal each, are
    given by --pairs, as salad-sim match prints them.
    """
    from salad_sim.cli._tables import print_lines
    from salad_sim.storage.folder import json_text
    from salad_sim.studies.judge import judge_games, judge_pairs

    if pairs is not None:
        if won is not None:
            raise InputError("judge takes WON and PLAYED, or --pairs: one of the two")
        found = judge_pairs(pairs, None if sprt is None else read_sprt(sprt))
    else:
        if won is None or played is None:
            raise InputError("judge takes WON and PLAYED, as 97 156, or --pairs, as 3,10,40,12,2")
        if sprt is not None:
            raise InputError("--sprt tests pairs of games, which --pairs gives")
        found = judge_games(won, played, players)
    if form == "json":
        click.echo(json_text(found.as_dict()), nl=False)
    else:
        print_lines(found.lines())


@click.command()
@click.argument("share", required=False)
@click.option("--elo", metavar="N", help="An Elo difference instead of a share.")
@click.option("--power", default="0.8", show_default=True, metavar="P", help="How often the difference shall be found.")
@click.option(
    "--first-seat", default="0.5833", show_default=True, metavar="SHARE",
    help="What the first seat wins among equals, for games in pairs; the default is that of two greedy players.",
)  # fmt: skip
@format_option("table", "json")
def plan(share: str | None, elo: str | None, power: str, first_seat: str, form: str) -> None:
    """Say how many games it takes to tell a win SHARE, as 0.55, from one half.

    For independent games, and for games in pairs: both seat orders of every deal.
    """
    from salad_sim.cli._tables import print_lines
    from salad_sim.storage.folder import json_text
    from salad_sim.studies.judge import plan_games

    found = plan_games(share, elo, power, first_seat)
    if form == "json":
        click.echo(json_text(found.as_dict()), nl=False)
    else:
        print_lines(found.lines())
