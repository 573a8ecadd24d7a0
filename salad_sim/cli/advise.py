"""salad-sim advise: what each sensible move of a position is worth."""

from __future__ import annotations

import click

from salad_sim.cli._options import STRATEGY, format_option, note, quiet_option, workers_option


@click.command()
@click.argument("file", metavar="POSITION.toml", required=False)
@click.option(
    "--move", metavar="MOVE", help="Also say what this one costs, as 'pile 1' or 'market 2 5, flip 2/carrot'."
)
@click.option("--games", "-g", default="1000", show_default=True, metavar="N", help="How often each move is played on.")
@click.option("--seed", default="1", show_default=True, metavar="N", help="Same seed, same numbers.")
@click.option(
    "--with", "policy", metavar=STRATEGY, help="Who plays on in every seat.  [default: the strongest fast strategy]"
)
@click.option("--example", is_flag=True, help="Print a position file with comments, and do nothing else.")
@workers_option
@format_option("text", "json", "csv")
@quiet_option
def advise(
    file: str | None,
    move: str | None,
    games: str,
    seed: str,
    policy: str | None,
    example: bool,
    workers: str | None,
    form: str,
    quiet: bool,
) -> None:
    """Say what each sensible move of a real table is worth: win chance and margin, with intervals.

    The position is typed into a file: pile tops and sizes, market, and what lies in front of everybody. --example
    prints one; salad-sim replay --turn N --position prints that of any game.
    """
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_found
    from salad_sim.run.driver import Session
    from salad_sim.studies.advice import report
    from salad_sim.studies.advice.estimate import advise as give_advice
    from salad_sim.studies.advice.estimate import check_budget
    from salad_sim.studies.advice.notation import read_move
    from salad_sim.studies.advice.position_file import example_text, read_position

    if example:
        click.echo(example_text(), nl=False)
        return
    if file is None:
        raise click.UsageError("a position file is needed; salad-sim advise --example prints one")
    budget = check_budget(games, seed, policy)
    given = read_position(file)
    for each in given.notes:
        note(each, quiet)
    position, wanted = given.position, move if move is not None else given.move
    plan = position.plan(budget.policy, budget.seed)
    own = None if wanted is None else read_move(wanted, position.public(plan), position.cards)
    with watching(quiet) as observer:
        found = give_advice(position, budget, own, Session(workers, observer))
    print_found(form, report.lines(found), lambda: report.as_dict(found), report.table(found))
