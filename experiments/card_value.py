"""What is each card worth? To take it now, to own it from the start, and what logs of games show."""

from salad_sim import Report
from salad_sim.experiment import (
    PRECISION,
    Session,
    StudyOptions,
    card_report,
    check_conditions,
    check_point_precision,
    experiment,
    find_card,
    finishing,
    plan_conditions,
    planned_games,
    study_condition,
    study_record,
)

PLAYERS = ("2",)
LEVELS = ("greedy",)
GAMES = "100000"
"""Games of a line-up as they are dealt; twice as many again for synergies, and up to twelve times as many with cards
taken and left, and with gifts."""


@experiment(
    "card-value",
    question="What is each card worth: to take it now, to own it from the start, and in logs of games?",
    takes=("precision", "card"),
)
def card_value(options: StudyOptions) -> Report:
    """Answer it for every number of players and every line-up."""
    precision = check_point_precision(PRECISION if options.precision is None else options.precision)
    games = options.games or GAMES
    conditions = plan_conditions(
        options.players or PLAYERS, options.strategies or LEVELS, games, options.seed, **options.setup
    )
    check_conditions(conditions)
    wanted = list(dict.fromkeys(find_card(conditions[0].plan.cards, text) for text in options.card))
    session = Session(options.workers, options.progress, sum(planned_games(each.plan) for each in conditions))
    found = []
    for condition in conditions:
        if (each := study_condition(session, condition, precision)) is not None:
            found.append(each)
    if not found:
        raise KeyboardInterrupt
    run = study_record("card-value", options.as_dict(), [each.plan for each in conditions])
    with finishing():
        return card_report(found, run, wanted, session.interrupted)
