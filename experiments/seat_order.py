"""What is a seat worth? Win shares by seat, who is fair to whom, komi, and whether skill changes it."""

from collections.abc import Iterator
from dataclasses import replace

from salad_sim import Report, read_rules
from salad_sim.experiment import (
    KOMI_GAMES,
    MARGIN,
    YARDSTICK,
    Condition,
    Saving,
    SeatStudy,
    Session,
    StudyOptions,
    as_many,
    check_margin,
    check_precision,
    common_savings,
    experiment,
    load_strategy,
    luck_savings,
    match_games,
    others_games,
    plan_conditions,
    rotation_savings,
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

MIXED = ("greedy+casual", "greedy+casual(mistakes=0.03)")
"""Line-ups by which the worth of rotations is measured: players of different skill, and players nearly alike."""

CHANGES = ("tie_break=earlier", "split=down", "flip=never")
"""Rule changes by which the worth of common deals is measured: hardly any game is played otherwise, up to every one."""

SAVING_GAMES = 10_000
N_SAVINGS = 2 * len(CHANGES) + len(MIXED) + 1
"""Runs that measure savings, for each number of players."""


@experiment(
    "seat-order",
    question="What is each seat worth, is the first one ahead, and how many points would make it fair?",
    takes=("precision", "margin"),
)
def seat_order(options: StudyOptions) -> Report:
    """Answer it for every number of players and every line-up."""
    conditions, mixed = planned(options)
    precision = None if options.precision is None else check_precision(options.precision)
    most_seats = max(each.plan.n_players for each in conditions)
    study = SeatStudy(check_margin(options.margin or MARGIN, most_seats), precision)
    session = Session.begin(options.workers, options.progress, n_games(conditions))
    for found in study_seats(session, conditions, precision):
        study.seats.append(found)
        if (komi := study_komi(session, found)) is not None:
            study.komi.append(komi)
    for condition in {each.name: each for each in conditions}.values():
        if (strength := strength_of(session, condition)) is not None:
            study.strength[condition.name] = strength
    study.others += study_others(session, conditions, load_strategy(YARDSTICK))
    study.savings += savings(session, mixed)
    study.savings += luck(session, conditions)
    if not study.seats:
        raise KeyboardInterrupt
    run = study_record("seat-order", options.as_dict(), [each.plan for each in conditions + mixed])
    return seat_report(study, run, session.interrupted)


def planned(options: StudyOptions) -> tuple[list[Condition], list[Condition]]:
    """Check the options; return the conditions to study, and mixed line-ups for each number of players."""
    players = options.players or PLAYERS
    games = options.games or (GAMES if options.precision is None else MOST_GAMES)
    rest = options.seed, options.rules, options.cards
    conditions = plan_conditions(players, options.strategies or LEVELS, games, *rest)
    return conditions, plan_conditions(players, MIXED, games, *rest)


def savings(session: Session, mixed: list[Condition]) -> Iterator[Saving]:
    """Measure what rotations and common deals are worth, for each number of players."""
    for condition in mixed:
        plan = as_many(condition.plan, SAVING_GAMES)
        yield from rotation_savings(session, plan)
        if condition.name != MIXED[0]:
            continue
        alike = replace(plan, lineup=plan.lineup[:1] * plan.n_players, rotate=False)
        alike = as_many(replace(alike, n_deals=condition.plan.n_games), SAVING_GAMES)
        for change in CHANGES:
            changed = read_rules(switches=[change])
            (name, value), *_ = changed.changed().items()
            rules = replace(alike.rules, **{name: value})
            if rules != alike.rules:
                what = f"{alike.labels[0]} when {change}"
                yield from common_savings(session, alike, replace(alike, rules=rules), what)


def luck(session: Session, conditions: list[Condition]) -> Iterator[Saving]:
    """Measure what luck adjustment is worth, for the line-up that was named last at each number of players."""
    for condition in conditions:
        if condition.name == conditions[-1].name:
            yield from luck_savings(session, as_many(condition.plan, SAVING_GAMES))


def n_games(conditions: list[Condition]) -> int:
    """Return about how many games the study plays."""
    alone = [each for each in conditions if not each.is_mixed]
    players = {each.plan.n_players for each in conditions}
    return (
        sum(each.plan.n_games for each in conditions)
        + sum(min(KOMI_GAMES, each.plan.n_games) + others_games(each) for each in alone)
        + sum(match_games(each) for each in {each.name: each for each in alone}.values())
        + len(players) * N_SAVINGS * min(SAVING_GAMES, conditions[0].plan.n_games)
    )
