"""What is the tie-break worth? Every game under every rule at once, and replayed under each by those who look ahead."""

from dataclasses import replace

from salad_sim import Report
from salad_sim.experiment import (
    RULES,
    Condition,
    Session,
    StudyOptions,
    TieStudy,
    check_precision,
    experiment,
    plan_conditions,
    replay_under_all,
    study_record,
    study_ties,
    tie_report,
)

PLAYERS = ("2", "3", "4", "5", "6")
LEVELS = ("random", "casual", "greedy", "planner")
GAMES = "100000"
MOST_GAMES = "10000000"
"""Games of a line-up at most, where it ends by precision."""

LOOK_AHEAD = (("rollout(n=10)", 250), ("search(n=25)", 1_000))
"""Strategies that know the rule when they choose, and one deal in how many of the study's is replayed by them. They
think less than by default: how many deals are replayed matters more here than how well."""

MOST_REPLAYED = 2_000
"""Deals of a line-up of the user's own that are replayed under each rule, at most."""


@experiment(
    "tie-break",
    question="How often do totals tie, whom does the tie-break favour, and which rule leaves the seats most equal?",
    takes=("precision",),
)
def tie_break(options: StudyOptions) -> Report:
    """Answer it for every number of players and every line-up."""
    precision = None if options.precision is None else check_precision(options.precision)
    games = options.games or (GAMES if precision is None else MOST_GAMES)
    conditions = plan_conditions(
        options.players or PLAYERS, options.strategies or LEVELS, games, options.seed, **options.setup
    )
    replayed = to_replay(options, conditions)
    planned = sum(each.plan.n_games for each in conditions)
    planned += sum(len(RULES) * each.plan.n_games for each in replayed)
    session = Session(options.workers, options.progress, planned)
    study = TieStudy(precision)
    study.ties += study_ties(session, conditions, precision)
    for condition in replayed:
        if (found := replay_under_all(session, condition, condition.plan.n_deals)) is not None:
            study.replays.append(found)
    if not study.ties:
        raise KeyboardInterrupt
    run = study_record("tie-break", options.as_dict(), [each.plan for each in conditions + replayed])
    return tie_report(study, run, session.interrupted)


def to_replay(options: StudyOptions, conditions: list[Condition]) -> list[Condition]:
    """Return what is played under each rule: line-ups that look ahead, at the fewest players; or the user's own."""
    if options.strategies:
        return [thinned(each, MOST_REPLAYED) for each in conditions]
    players = (str(min(each.plan.n_players for each in conditions)),)
    games = int(min(each.plan.n_games for each in conditions)) if options.precision is None else int(GAMES)
    return [
        each
        for name, one_in in LOOK_AHEAD
        for each in plan_conditions(players, (name,), max(games // one_in, 1), options.seed, **options.setup)
    ]


def thinned(condition: Condition, n_deals: int) -> Condition:
    """Return a condition with at most so many deals."""
    return replace(condition, plan=replace(condition.plan, n_deals=min(condition.plan.n_deals, n_deals)))
