"""salad-sim replay: one game of a run, in words."""

from __future__ import annotations

from dataclasses import replace

import click

from salad_sim.cli._options import RUN_OPTIONS, GameOptions, game_options, prepare, quiet_option


@click.command()
@click.option(
    "--game",
    "given",
    multiple=True,
    metavar="N|GAME",
    help="Number of the game in the run, from 0; given once more it names what is played, as in run.  [default: 0]",
)
@game_options(*RUN_OPTIONS[1:])
@quiet_option
def replay(given: tuple[str, ...], options: GameOptions, quiet: bool) -> None:
    """Tell one game of a run turn by turn, and its final scoring card by card.

    With the options of the run it is the very game that the run played. With --rotate the rotations of a deal have
    successive numbers.
    """
    from salad_sim.strategy.variants import GAMES
    from salad_sim.tools.transcript import check_game, transcript

    kinds = [each for each in given if each in GAMES or each[:1].isalpha()]
    numbers = [each for each in given if each not in kinds]
    number = check_game(numbers[-1] if numbers else "0")
    plan = replace(options, kind=kinds[-1] if kinds else None).plan(1)
    prepare([plan], quiet)
    for line in transcript(plan, number):
        click.echo(line)
