"""salad-sim review: a whole game looked back at."""

from __future__ import annotations

import click

from salad_sim.cli._options import STRATEGY, format_option, interrupted, quiet_option, workers_option
from salad_sim.errors import unknown


@click.command()
@click.argument("file", metavar="GAME.toml")
@click.option("--player", metavar="NAME", help="Whose moves.  [default: people's, or everybody's]")
@click.option("--games", "-g", default="400", show_default=True, metavar="N", help="Games from both moves of a turn.")
@click.option("--seed", default="1", show_default=True, metavar="N", help="Same seed, same numbers.")
@click.option(
    "--with", "policy", metavar=STRATEGY, help="Who plays on in every seat.  [default: the strongest fast strategy]"
)
@workers_option
@format_option("text", "json", "csv")
@quiet_option
def review(
    file: str,
    player: str | None,
    games: str,
    seed: str,
    policy: str | None,
    workers: str | None,
    form: str,
    quiet: bool,
) -> int:
    """Look back at a game that was written down: luck and skill apart, and the dearest moves.

    The file is one that salad-sim play saved, or one that you wrote at a real table: see docs/advice.md;
    salad-sim replay --written prints one out of any game.
    """
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_found
    from salad_sim.run.driver import Session
    from salad_sim.studies.advice import review_report as report
    from salad_sim.studies.advice.estimate import check_budget
    from salad_sim.studies.advice.game_file import read_game
    from salad_sim.studies.advice.review import review as look_back

    budget = check_budget(games, seed, policy)
    game = read_game(file)
    if player is not None and player not in game.names:
        raise unknown("player", player, game.names)
    if not game.moves:
        raise click.UsageError(f"no move of the game {file!r} was made yet")
    seats = list(game.people) or list(range(len(game.names)))
    if player is not None:
        seats = [game.names.index(player)]
    with watching(quiet) as observer:
        found = look_back(game, budget, Session(workers, observer))
    print_found(form, report.lines(found, seats), lambda: report.as_dict(found, seats), report.move_table(found, seats))
    if found.interrupted:
        return interrupted(f": {len(found.turns)} of {len(game.moves)} turns were looked at")
    return 0
