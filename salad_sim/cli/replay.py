"""salad-sim replay: one game of a run, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from salad_sim.cli._options import RUN_OPTIONS, GameOptions, game_options, note, prepare, quiet_option

if TYPE_CHECKING:
    from salad_sim.run.plan import Plan

ESTIMATES = 100
"""How often each sensible move is played on, by default."""


@click.command()
@click.option(
    "--game",
    "given",
    multiple=True,
    metavar="N|GAME",
    help="Number of the game in the run, from 0; given once more it names what is played, as in run.  [default: 0]",
)
@click.option("--turn", metavar="N", help="With --position: the turn, from 1.")
@click.option("--position", is_flag=True, help="Print the position before turn N as a file for salad-sim advise.")
@click.option("--written", is_flag=True, help="Print the game as a file for salad-sim review.")
@click.option("--html", metavar="FILE.html", help="Make a page of the game, to go through move by move.")
@click.option(
    "--estimates", metavar="N", help="With --html: how often each move is played on; 0 for none.  [default: 100]"
)
@game_options(*RUN_OPTIONS[1:])
@quiet_option
def replay(
    given: tuple[str, ...],
    turn: str | None,
    position: bool,
    written: bool,
    html: str | None,
    estimates: str | None,
    options: GameOptions,
    quiet: bool,
) -> None:
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
    if position != (turn is not None):
        raise click.UsageError("--turn N and --position go together: they print the position before turn N")
    if estimates is not None and html is None:
        raise click.UsageError("--estimates says how often moves are played on for --html")
    prepare([plan], quiet)
    if turn is not None:
        click.echo(_position(plan, number, turn), nl=False)
        return
    if written:
        click.echo(_written(plan, number), nl=False)
        return
    if html is not None:
        _page(plan, number, html, estimates, quiet)
        return
    for line in transcript(plan, number):
        click.echo(line)


def _page(plan: Plan, game: int, html: str, estimates: str | None, quiet: bool) -> None:
    """Write the page of a game."""
    from salad_sim.cli._progress import watching
    from salad_sim.page.render import check_file, replay_page, write_html
    from salad_sim.run.driver import Session
    from salad_sim.studies.advice.estimate import check_budget

    check_file(html)
    budget = None if estimates == "0" else check_budget(estimates or ESTIMATES, str(plan.seed))
    with watching(quiet) as observer:
        text = replay_page(plan, game, budget, Session(progress=observer))
    note(f"the page is {write_html(text, html)}", quiet)


def _position(plan: Plan, game: int, given: str) -> str:
    """Return the position before a turn as a file."""
    from salad_sim.run.one_game import table_before
    from salad_sim.run.setup import whole_number
    from salad_sim.studies.advice.position import position_of
    from salad_sim.studies.advice.position_file import position_text

    turn = whole_number("turn", given, 1, 10**6)
    view = table_before(plan, game, turn).public
    heading = [f"The position before turn {turn} of game {game} of seed {plan.seed}, for salad-sim advise."]
    return position_text(position_of(view, plan.rules, plan.cards, _names(plan, game)), heading=heading)


def _names(plan: Plan, game: int) -> list[str]:
    """Return what the players of a game are called in a file."""
    _, rotation = plan.locate(game)
    return [f"seat {seat + 1}, {plan.label_at(seat, rotation)}" for seat in range(plan.n_players)]


def _written(plan: Plan, game: int) -> str:
    """Return a game as a person writes it down."""
    from salad_sim.run.one_game import moves_of, play_one
    from salad_sim.studies.advice.game_file import RecordedGame, written_text

    work, failure = play_one(plan, game)
    if failure is not None:
        raise failure
    return written_text(RecordedGame(plan, tuple(_names(plan, game)), (), tuple(moves_of(work)), plan.locate(game)))
