"""The strategy `search`: it looks ahead at tables that look like the one it sees, and solves endings exactly.

Idea: its best moves, by the value that `expert` has learned, are tried at the same freshly drawn tables; the others
answer and it moves again, by the same value, which then says what the table is worth. What it says of the move itself
counts like some tables already looked at. When nothing is hidden any more, the ending is solved exactly.

With another `policy` no value is known, and every game in mind goes to its end: it walks down one tree of moves, in
which each player picks what has done best for itself so far, what is promising by the planner's values, and what was
tried little; a node stands for the cards taken and flipped, in whatever table (single-observer information-set tree
search). Where the walk leaves the tree, the policy plays on.

Cost: proportional to `n`; with a policy about that of `rollout` with the same `n`. Strength: see docs/strategies.md.

Sources: Cowling, Powley and Whitehouse, Information set Monte Carlo tree search, IEEE Transactions on Computational
Intelligence and AI in Games 4 (2012); Rosin, Multi-armed bandits with episode context, Annals of Mathematics and
Artificial Intelligence 61 (2011), for the part of the priors.
"""

import math

import numpy as np

from salad_sim.kit import (
    MAX_PLAYERS,
    N_PILES,
    NOT_SOLVED,
    apply_move,
    choose_by_search,
    draft_of,
    ending_dtype,
    fields_of,
    first_slot,
    flip_of,
    is_open,
    record_dtype,
    search_dtype,
    second_slot,
    solve_ending,
)
from salad_sim.strategy import Parameter, choice, kernel, strategy
from salad_sim_strategies.expert import CROWD, NETS, PAIR, SIZES
from salad_sim_strategies.rollout import (
    OBJECTIVES,
    POLICIES,
    back_to_start,
    begin_trial,
    forget,
    keep_best,
    list_arms,
    new_world,
    play_out,
    trial_dtype,
    worth_of_end,
)

JUDGES = (*POLICIES, "value")
VALUE = len(POLICIES)

PARAMETERS = {
    "n": Parameter(100, 1, 1_000_000, "tables looked at; with a policy: games for each candidate", whole=True),
    "policy": choice("value", JUDGES, "a learned value, or who plays on where a tree ends"),
    "objective": choice("mixture", OBJECTIVES, "what every player wants, with a policy"),
    "width": Parameter(12, 2, 64, "candidates at each turn", whole=True),
    "mix": Parameter(0.01, 0.0, 1.0, "in a mixture: wins that a point of margin counts"),
    "explore": Parameter(1.0, 0.0, 20.0, "how much it tries what was tried little"),
    "trust": Parameter(3.0, 0.1, 100.0, "points by which a move must seem worse to be tried 2.7 times less"),
    "solve": Parameter(100_000, 0, 10_000_000, "positions that an exact ending may take", whole=True),
}
N, POLICY, OBJECTIVE, WIDTH, MIX, EXPLORE, TRUST, SOLVE = range(len(PARAMETERS))

OWN_MOVES = 1
"""So many it looks ahead by the value."""

ROOT = 0
NO_NODE = 0
"""The root is nobody's child, so its number serves for none."""

N_NODES = 8192
"""Positions that can be remembered."""

NODE = record_dtype(
    [
        ("key", "i8"),
        ("first_child", "i4"),
        ("next_child", "i4"),
        ("visits", "i4"),
        ("seen", "i4"),
        ("total", "f8"),
    ]
)

CARD_BITS = 11

MOST_LEFT_IN_A_CROWD = 6
"""Cards of an ending that is worth trying to solve with more than two players: there no branch can be cut."""


def tree_dtype(capacity):
    """Return the dtype of the memory: the tree, the way down it, an ending to solve, and what a rollout needs."""
    return record_dtype(
        [
            ("n_nodes", "i8"),
            ("nodes", NODE, (N_NODES,)),
            ("depth", "i8"),
            ("path", "i8", (capacity,)),
            ("movers", "i8", (capacity,)),
            ("values", "f8", (MAX_PLAYERS,)),
            ("ending", ending_dtype(capacity)),
            ("ahead", search_dtype(capacity, *SIZES)),
            *fields_of(trial_dtype(capacity)),
        ]
    )


@kernel
def key_of(view, move):
    """Return what a move takes and flips, as one number: the same in every world, in whatever slots the cards lie."""
    draft = draft_of(move)
    if draft < N_PILES:
        first, second = np.int64(view.top[draft]), np.int64(-1)
    else:
        card, other = np.int64(view.market_card[first_slot(draft)]), np.int64(view.market_card[second_slot(draft)])
        first, second = min(card, other), max(card, other)
        second += 1 << CARD_BITS  # a card in the market is another thing than on a pile
    return ((second + 1) << 2 * CARD_BITS) + ((first + 1) << CARD_BITS) + flip_of(move) + 1


@kernel
def find_child(trial, node, key):
    """Return the child of a node by its key, or NO_NODE."""
    child = np.int64(trial.nodes[node].first_child)
    while child != NO_NODE and trial.nodes[child].key != key:
        child = np.int64(trial.nodes[child].next_child)
    return child


@kernel
def add_child(trial, node, key):
    """Return a new child of a node, or NO_NODE if there is no room."""
    if trial.n_nodes == N_NODES:
        return np.int64(NO_NODE)
    child = np.int64(trial.n_nodes)
    trial.n_nodes += 1
    new, parent = trial.nodes[child], trial.nodes[node]
    new.key = key
    new.first_child = NO_NODE
    new.next_child = parent.first_child
    new.visits = 0
    new.seen = 0
    new.total = 0.0
    parent.first_child = child
    return child


@kernel
def average_of_children(trial, node):
    """Return what the moves tried so far at a node have brought on average, 0 if none was."""
    visits, total = 0, 0.0
    child = np.int64(trial.nodes[node].first_child)
    while child != NO_NODE:
        visits += trial.nodes[child].visits
        total += trial.nodes[child].total
        child = np.int64(trial.nodes[child].next_child)
    return total / visits if visits > 0 else 0.0


@kernel
def pick_arm(view, trial, node, explore, trust):
    """Return the arm to follow from a node: what did best, with a bonus for what is promising and tried little."""
    average = average_of_children(trial, node)
    sum_of_hopes = 0.0
    for index in range(trial.n_arms):
        sum_of_hopes += math.exp((trial.arms[index].prior - trial.arms[0].prior) / trust)
    best, best_value = 0, -1e9
    for index in range(trial.n_arms):
        arm = trial.arms[index]
        hope = math.exp((arm.prior - trial.arms[0].prior) / trust) / sum_of_hopes
        child = find_child(trial, node, key_of(view, arm.move))
        mean, visits, seen = average, 0, np.int64(trial.nodes[node].visits)
        if child != NO_NODE:
            tried = trial.nodes[child]
            tried.seen += 1
            visits, seen = np.int64(tried.visits), np.int64(tried.seen)
            if visits > 0:
                mean = tried.total / visits
        value = mean + explore * hope * math.sqrt(np.float64(seen + 1)) / (1 + visits)
        if value > best_value:
            best, best_value = index, value
    return best


@kernel
def walk_down(trial, own):
    """Follow the tree from its root to a move that was never made there, and make that move too."""
    view = trial.table.public
    node = np.int64(ROOT)
    trial.depth = 0
    while view.n_left > 0:
        list_arms(view, trial)
        keep_best(trial, np.int64(own.params[WIDTH]), 1)
        move = trial.arms[pick_arm(view, trial, node, own.params[EXPLORE], own.params[TRUST])].move
        key = key_of(view, move)
        child = find_child(trial, node, key)
        is_new = child == NO_NODE
        if is_new:
            child = add_child(trial, node, key)
        if child != NO_NODE:
            trial.path[trial.depth] = child
            trial.movers[trial.depth] = view.seat
            trial.depth += 1
        apply_move(trial.table, move)
        if is_new:
            return
        node = child


@kernel
def remember(trial, own):
    """Note what came of a game at every node that it passed, as its mover sees it."""
    for seat in range(trial.table.public.n_players):
        trial.values[seat] = worth_of_end(trial, seat, np.int64(own.params[OBJECTIVE]), own.params[MIX])
    trial.nodes[ROOT].visits += 1
    for step in range(trial.depth):
        node = trial.nodes[trial.path[step]]
        node.visits += 1
        node.total += trial.values[trial.movers[step]]


@kernel
def grow_tree(view, own, rng, trial):
    """Play the budget's games in mind, each at a table of its own; return how many arms the root has."""
    root = trial.nodes[ROOT]
    root.first_child = NO_NODE
    root.visits = 0
    trial.n_nodes = 1
    forget(trial, view)
    list_arms(view, trial)
    keep_best(trial, np.int64(own.params[WIDTH]), 1)
    n_arms = np.int64(trial.n_arms)
    if n_arms > 1:
        for _ in range(np.int64(own.params[N]) * n_arms):
            chance = new_world(view, trial, rng)
            back_to_start(view, trial, chance)
            walk_down(trial, own)
            play_out(trial, np.int64(own.params[POLICY]))
            remember(trial, own)
    return n_arms


@kernel
def most_visited(view, trial, width):
    """Return the move from the root that was tried most."""
    forget(trial, view)
    list_arms(view, trial)
    keep_best(trial, width, 1)
    best, most = 0, -1
    for index in range(trial.n_arms):
        child = find_child(trial, ROOT, key_of(view, trial.arms[index].move))
        if child != NO_NODE and trial.nodes[child].visits > most:
            best, most = index, np.int64(trial.nodes[child].visits)
    return trial.arms[best].move


@strategy("search", memory=tree_dtype, **PARAMETERS)
def choose(view, own, rng, trial):
    """Look ahead at tables that look like this one, by the learned value; solve the ending exactly."""
    if (view.n_players == 2 or view.n_left <= MOST_LEFT_IN_A_CROWD) and is_open(view):
        move = solve_ending(view, trial.ending, np.int64(own.params[SOLVE]))
        if move != NOT_SOLVED:
            return move
    if own.params[POLICY] == VALUE:
        net = NETS[PAIR if view.n_players == 2 else CROWD]
        return choose_by_search(view, own, rng, trial.ahead, net, (np.int64(own.params[N]), np.int64(OWN_MOVES)))
    begin_trial(view, trial)
    grow_tree(view, own, rng, trial)
    return most_visited(view, trial, np.int64(own.params[WIDTH]))
