"""The strategy `rollout`: it plays every promising move out to the end many times and keeps what does best.

Idea: it draws tables that look like the one it sees (what was seen once is known, and so is how many of each vegetable
the deck holds), makes each candidate move at all of them, and lets a fast policy play for everybody to the end. The
budget goes by sequential halving: all candidates play on the same tables, then the better half goes on. What the
planner thinks of the candidates counts like some games already played (`trust`).

Cost: proportional to `n`. Strength: see docs/strategies.md.

Source: Karnin, Koren and Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013 (sequential halving).
"""

import numpy as np

from salad_sim.kit import (
    FLIP_NEVER,
    N_PILES,
    NO_FLIP,
    WHOLE_WIN,
    apply_move,
    at,
    copy_state,
    copy_view,
    draw_hidden,
    fields_of,
    final_scores,
    lay_piles,
    make_move,
    next_word,
    playout_dtype,
    record_dtype,
    seed_stream,
    share_win,
)
from salad_sim.strategy import Parameter, choice, kernel, strategy
from salad_sim_strategies.greedy import choose as greedy_move
from salad_sim_strategies.planner import (
    FINE,
    FLIP,
    FLIP_EARLY,
    MINE,
    WANTED,
    WORTH,
    appraise,
    gain_of_flip,
    value_at_end,
)
from salad_sim_strategies.planner import PARAMETERS as PLANNER
from salad_sim_strategies.planner import choose as planner_move
from salad_sim_strategies.uniform_random import choose as random_move

POLICIES = ("random", "greedy", "planner")
RANDOM, GREEDY, PLANS = range(len(POLICIES))
OBJECTIVES = ("win", "margin", "mixture")
WIN, MARGIN, MIXTURE = range(len(OBJECTIVES))
PLANNER_VALUES = np.array([each.default for each in PLANNER.values()])

PARAMETERS = {
    "n": Parameter(40, 1, 100_000, "games played out for each candidate, on average", whole=True),
    "policy": choice("planner", POLICIES, "who plays them out"),
    "objective": choice("mixture", OBJECTIVES, "what shall be large"),
    "width": Parameter(10, 2, 64, "candidates: the moves that seem best to a planner", whole=True),
    "trust": Parameter(2.0, 0.0, 100.0, "how much the planner's opinion counts: wins in mind for each of its points"),
    "mix": Parameter(0.01, 0.0, 1.0, "in a mixture: wins that a point of margin counts"),
}
N, POLICY, OBJECTIVE, WIDTH, TRUST, MIX = range(len(PARAMETERS))

N_ARMS = 128
"""Moves that can be weighed against each other by playing on."""

ARM = record_dtype([("move", "i8"), ("prior", "f8"), ("visits", "i8"), ("total", "f8")])


def trial_dtype(capacity):
    """Return the dtype of the memory: the moves that are tried, and what playing on needs."""
    return record_dtype([("n_arms", "i8"), ("arms", ARM, (N_ARMS,)), *fields_of(playout_dtype(capacity))])


@kernel
def next_move(view, mind, rng, policy):
    """Return the move of the policy that plays out."""
    if policy == GREEDY:
        return greedy_move(view, mind, rng)
    if policy == PLANS:
        return planner_move(view, mind, rng)
    return random_move(view, mind, rng)


@kernel
def play_out(trial, policy):
    """Let the policy play for everybody to the end of the round."""
    table = trial.table
    view = table.public
    while view.n_left > 0:
        apply_move(table, next_move(view, trial.minds[at(view.seat)], trial.rng, policy))


@kernel
def worth_of_end(trial, seat, objective, mix):
    """Return how good the end of the round is for ``seat``: its share of the win, its margin, or both."""
    view = trial.table.public
    final_scores(view, trial.scores)
    share_win(view, trial.scores, view.rules.tie_break, trial.wins)
    best = -1000000
    for other in range(view.n_players):
        if other != seat:
            best = max(best, trial.scores[other])
    margin = np.float64(trial.scores[seat] - best)
    win = trial.wins[seat] / WHOLE_WIN
    if objective == WIN:
        return win
    return margin if objective == MARGIN else win + mix * margin


@kernel
def add_arm(trial, move, prior):
    """List a candidate that nothing is known of but its prior: its worth to a planner, in points."""
    if trial.n_arms < N_ARMS:
        arm = trial.arms[trial.n_arms]
        arm.move = move
        arm.prior = prior
        arm.visits = 0
        arm.total = 0.0
        trial.n_arms += 1


@kernel
def list_arms(view, trial):
    """List candidate moves: every draft, with no flip, with the two flips that gain most, and with what was drafted."""
    mind = trial.minds[at(view.seat)]
    appraise(view, mind)
    trial.n_arms = 0
    must = mind.params[FLIP] + mind.params[FLIP_EARLY] * view.n_left / view.n_cards
    tableau = view.tableau[at(view.seat)]
    first, second, first_gain, second_gain = NO_FLIP, NO_FLIP, -1e9, -1e9
    for index in range(tableau.n_held):
        card = np.int64(tableau.held[index])
        gain = gain_of_flip(view, mind, card, mind.equal[index] / FINE) - must
        if gain > first_gain:
            first, first_gain, second, second_gain = card, gain, first, first_gain
        elif gain > second_gain:
            second, second_gain = card, gain
    for index in range(mind.n_drafts):
        draft, worth = mind.drafts[index], mind.scratch[WORTH + index]
        add_arm(trial, make_move(draft, NO_FLIP), worth)
        if view.rules.flip == FLIP_NEVER:
            continue
        if first != NO_FLIP:
            add_arm(trial, make_move(draft, first), worth + first_gain)
        if second != NO_FLIP:
            add_arm(trial, make_move(draft, second), worth + second_gain)
        if draft < N_PILES:
            card = np.int64(view.top[draft])
            gain = gain_of_flip(view, mind, card, value_at_end(view, mind, np.int64(view.seat), MINE, card, 0)) - must
            add_arm(trial, make_move(draft, card), worth + gain)


@kernel
def swap_arms(trial, one, other):
    """Let two candidates change places."""
    a, b = trial.arms[one], trial.arms[other]
    move, prior, visits, total = a.move, a.prior, a.visits, a.total
    a.move, a.prior, a.visits, a.total = b.move, b.prior, b.visits, b.total
    b.move, b.prior, b.visits, b.total = move, prior, visits, total


@kernel
def keep_best(trial, n_kept, by_prior):
    """Keep the ``n_kept`` best arms, by what planning or playing on says of them; the best comes first."""
    n_kept = min(n_kept, trial.n_arms)
    for place in range(n_kept):
        best = place
        for index in range(place + 1, trial.n_arms):
            arm, top = trial.arms[index], trial.arms[best]
            if by_prior:
                if arm.prior > top.prior:
                    best = index
            elif arm.total > top.total:
                best = index
        if best != place:
            swap_arms(trial, place, best)
    trial.n_arms = n_kept


@kernel
def forget(trial, view):
    """Clear what the players in mind remember."""
    for seat in range(view.n_players):
        for index in range(2 * WANTED):
            trial.minds[seat].memory[index] = 0


@kernel
def begin_trial(view, trial):
    """Set a table in mind that looks like the view, and planners at it."""
    copy_view(view, trial.table)
    for seat in range(view.n_players):
        for index in range(len(PLANNER_VALUES)):
            trial.minds[seat].params[index] = PLANNER_VALUES[index]


@kernel
def new_world(view, trial, rng):
    """Draw what is hidden; return a number that stands for all chance to come."""
    draw_hidden(view, trial.table, rng)
    trial.world = trial.table.rng
    return next_word(rng)


@kernel
def back_to_start(view, trial, chance):
    """Bring the table in mind back to the view, in the world that was drawn last."""
    copy_state(view, trial.table)
    lay_piles(view, trial.table)
    trial.table.rng = trial.world
    seed_stream(trial.rng, chance, np.int64(0), np.int64(0))
    forget(trial, view)


@kernel
def try_arms(view, own, rng, trial, n_worlds):
    """Play every arm out in the same ``n_worlds`` worlds."""
    policy, objective = np.int64(own.params[POLICY]), np.int64(own.params[OBJECTIVE])
    seat = np.int64(view.seat)
    for _ in range(n_worlds):
        chance = new_world(view, trial, rng)
        for index in range(trial.n_arms):
            arm = trial.arms[index]
            back_to_start(view, trial, chance)
            apply_move(trial.table, arm.move)
            play_out(trial, policy)
            arm.total += worth_of_end(trial, seat, objective, own.params[MIX])
            arm.visits += 1


@strategy("rollout", memory=trial_dtype, **PARAMETERS)
def choose(view, own, rng, trial):
    """Play every promising move out many times, at tables that look like this one, and make the one that does best."""
    begin_trial(view, trial)
    forget(trial, view)
    list_arms(view, trial)
    keep_best(trial, np.int64(own.params[WIDTH]), 1)
    for index in range(trial.n_arms):
        trial.arms[index].total = own.params[TRUST] * trial.arms[index].prior
    n_games = np.int64(own.params[N]) * trial.n_arms
    n_rounds = 0
    while 1 << n_rounds < trial.n_arms:
        n_rounds += 1
    while trial.n_arms > 1:
        try_arms(view, own, rng, trial, max(n_games // (n_rounds * trial.n_arms), 1))
        keep_best(trial, (trial.n_arms + 1) // 2, 0)
    return trial.arms[0].move
