"""salad-sim replay: one game of a run, in words."""

from __future__ import annotations

import click

from salad_sim.cli._options import GameOptions, game_options, note_compiling, quiet_option


@click.command()
@click.option("--game", default="0", show_default=True, metavar="N", help="Number of the game in the run, from 0.")
@game_options
@quiet_option
def replay(game: str, options: GameOptions, quiet: bool) -> None:
    """Tell one game of a run turn by turn, and its final scoring card by card.

    With the options of the run it is the very game that the run played. With --rotate the rotations of a deal have
    successive numbers.
    """
    from salad_sim.transcript import check_game, transcript

    number = check_game(game)
    plan = options.plan(1)
    note_compiling([plan], quiet)
    for line in transcript(plan, number):
        click.echo(line)
