"""salad-sim replay: one game of a run, in words."""

from __future__ import annotations

import click

from salad_sim.cli._options import game_options, note_compiling, quiet_option


@click.command()
@click.option("--game", default="0", show_default=True, metavar="N", help="Number of the game in the run, from 0.")
@game_options
@quiet_option
def replay(
    game: str, players: str, strategies: tuple[str, ...], seed: str, tie_break: str, rotate: bool, quiet: bool
) -> None:
    """Tell one game of a run turn by turn, and its final scoring card by card.

    With the options of the run it is the very game that the run played. With --rotate the rotations of a deal have
    successive numbers.
    """
    from salad_sim.plan import plan_run
    from salad_sim.transcript import check_game, transcript

    number = check_game(game)
    plan = plan_run(1, players, strategies, seed, tie_break, rotate=rotate)
    note_compiling([plan], quiet)
    for line in transcript(plan, number):
        click.echo(line)
