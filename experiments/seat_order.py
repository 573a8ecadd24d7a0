"""What is a seat worth? Win shares by seat, who is fair to whom, komi, and whether skill changes it."""

from salad_sim import Report
from salad_sim.experiment import (
    KOMI_GAMES,
    MARGIN,
    YARDSTICK,
    Condition,
    SeatStudy,
    Session,
    StudyOptions,
    check_margin,
    check_precision,
    experiment,
    load_strategy,
    match_games,
    others_games,
    plan_conditions,
    play_pairs,
    seat_report,
    strength_of,
    study_komi,
    study_others,
    study_record,
    study_seats,
)

PLAYERS = ("2", "3", "4", "5", "6")
LEVELS = ("random", "casual", "greedy", "planner")
GAMES = "200000"
MOST_GAMES = "10000000"
"""Games of a line-up at most, where it ends by precision."""


@experiment(
    "seat-order",
    question="What is each seat worth, is the first one ahead, and how many points would make it fair?",
    takes=("precision", "margin"),
)
def seat_order(options: StudyOptions) -> Report:
    """Answer it for every number of players and every line-up."""
    conditions = planned(options)
    precision = None if options.precision is None else check_precision(options.precision)
    most_seats = max(each.plan.n_players for each in conditions)
    study = SeatStudy(check_margin(options.margin or MARGIN, most_seats), precision)
    session = Session(options.workers, options.progress, n_games(conditions))
    for found in study_seats(session, conditions, precision):
        study.seats.append(found)
        if (komi := study_komi(session, found)) is not None:
            study.komi.append(komi)
    for condition in {each.name: each for each in conditions}.values():
        if (strength := strength_of(session, condition, play_pairs)) is not None:
            study.strength[condition.name] = strength
    study.others += study_others(session, conditions, load_strategy(YARDSTICK))
    if not study.seats:
        raise KeyboardInterrupt
    run = study_record("seat-order", options.as_dict(), [each.plan for each in conditions])
    return seat_report(study, run, session.interrupted)


def planned(options: StudyOptions) -> list[Condition]:
    """Check the options and return the conditions to study."""
    players = options.players or PLAYERS
    games = options.games or (GAMES if options.precision is None else MOST_GAMES)
    return plan_conditions(players, options.strategies or LEVELS, games, options.seed, **options.setup)


def n_games(conditions: list[Condition]) -> int:
    """Return about how many games the study plays."""
    alone = [each for each in conditions if not each.is_mixed]
    return (
        sum(each.plan.n_games for each in conditions)
        + sum(min(KOMI_GAMES, each.plan.n_games) + others_games(each) for each in alone)
        + sum(match_games(each) for each in {each.name: each for each in alone}.values())
    )
