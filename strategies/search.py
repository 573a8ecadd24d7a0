"""The strategy `search`: it grows a tree of what all players may do, over tables that look like the one it sees.

Idea: as `rollout`, but the moves that follow are considered too. Every game in mind starts at a freshly drawn table and
walks down one tree of moves, in which each player picks what has done best for itself so far, what is promising, and
what was tried little; a node stands for the cards taken and flipped, in whatever table (single-observer information-set
tree search). Where the walk leaves the tree, the value that `expert` has learned says how good the table is for each
seat. The same value says at each table in mind which moves are promising and what they are worth; the tree keeps by how
much they turned out better or worse than that. When nothing is hidden any more, the ending is solved exactly.

With another `policy` it knows no value: moves are promising by the planner's values, and the policy plays to the end.

Cost: proportional to `n`; without the value about that of `rollout` with the same `n`. Strength: docs/strategies.md.

Sources: Cowling, Powley and Whitehouse, Information set Monte Carlo tree search, IEEE Transactions on Computational
Intelligence and AI in Games 4 (2012); Rosin, Multi-armed bandits with episode context, Annals of Mathematics and
Artificial Intelligence 61 (2011), for the part of the priors.
"""

import math

import numpy as np

from salad_sim.kit import (
    FAR_WORSE,
    MARGIN_SCALE,
    MAX_PLAYERS,
    N_PILES,
    N_RANKED,
    NOT_SOLVED,
    apply_move,
    choose_by_value,
    draft_of,
    ending_dtype,
    fields_of,
    first_slot,
    flip_of,
    is_open,
    record_dtype,
    second_slot,
    solve_ending,
    squeezed,
    value_dtype,
    value_seats,
)
from salad_sim.strategy import Parameter, choice, kernel, strategy
from salad_sim_strategies.expert import CROWD, NETS, PAIR, SIZES
from salad_sim_strategies.rollout import (
    ARM,
    OBJECTIVES,
    POLICIES,
    add_arm,
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

LEAVES = (*POLICIES, "value")
VALUE = len(POLICIES)

PARAMETERS = {
    "n": Parameter(100, 1, 1_000_000, "games in mind for each candidate, on average", whole=True),
    "policy": choice("value", LEAVES, "what judges where the tree ends: a learned value, or who plays on"),
    "objective": choice("mixture", OBJECTIVES, "what every player wants who plays on"),
    "width": Parameter(12, 2, 64, "candidates at each turn", whole=True),
    "mix": Parameter(0.01, 0.0, 1.0, "in a mixture: wins that a point of margin counts"),
    "explore": Parameter(1.0, 0.0, 20.0, "how much it tries what was tried little"),
    "trust": Parameter(3.0, 0.1, 100.0, "points by which a move must seem worse to be tried 2.7 times less"),
    "solve": Parameter(100_000, 0, 10_000_000, "positions that an exact ending may take", whole=True),
}
N, POLICY, OBJECTIVE, WIDTH, MIX, EXPLORE, TRUST, SOLVE = range(len(PARAMETERS))

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

DOUBT = 20.0
"""Games in mind that the value of a move itself counts as."""

CLOSE = 0.3
"""How much less values differ than results do: by so much less is tried what was tried little."""

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
            ("expected", "f8", (capacity,)),
            ("n_first", "i8"),
            ("first_arms", ARM, (N_RANKED,)),
            ("mind", value_dtype(capacity, *SIZES)),
            ("ending", ending_dtype(capacity)),
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
def list_by_value(view, trial):
    """List the moves that are best by the learned value, each with what it is worth: 0..1, and in points as a prior."""
    mind = trial.mind
    choose_by_value(view, trial.minds[0], mind, NETS[PAIR if view.n_players == 2 else CROWD])
    trial.n_arms = 0
    for index in range(mind.n_ranked):
        if mind.ranked_values[index] > mind.ranked_values[0] - FAR_WORSE:
            add_arm(trial, mind.ranked[index], MARGIN_SCALE * mind.ranked_values[index])
            trial.arms[index].total = squeezed(mind.ranked_values[index])


@kernel
def list_moves(view, trial, own):
    """List the moves that are worth following at a table."""
    if own.params[POLICY] == VALUE:
        list_by_value(view, trial)
    else:
        list_arms(view, trial)
        keep_best(trial, np.int64(own.params[WIDTH]), 1)


@kernel
def list_from(view, trial, own, node):
    """List the moves from a node, at the table in mind; at the root they are the same at every table."""
    if node != ROOT or own.params[POLICY] != VALUE:
        list_moves(view, trial, own)
        return
    trial.n_arms = trial.n_first
    for index in range(trial.n_arms):
        trial.arms[index] = trial.first_arms[index]


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
def pick_arm(view, trial, own, node):
    """Return the arm to follow from a node: what did best, with a bonus for what is promising and tried little."""
    explore, trust = own.params[EXPLORE], own.params[TRUST]
    average, doubt = 0.0, DOUBT
    if own.params[POLICY] == VALUE:
        explore *= CLOSE
    else:
        average, doubt = average_of_children(trial, node), 0.0
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
                mean = tried.total / (visits + doubt)
        value = arm.total + mean + explore * hope * math.sqrt(np.float64(seen + 1)) / (1 + visits)
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
        list_from(view, trial, own, node)
        arm = trial.arms[pick_arm(view, trial, own, node)]
        move = arm.move
        key = key_of(view, move)
        child = find_child(trial, node, key)
        is_new = child == NO_NODE
        if is_new:
            child = add_child(trial, node, key)
        if child != NO_NODE:
            trial.path[trial.depth] = child
            trial.movers[trial.depth] = view.seat
            trial.expected[trial.depth] = arm.total
            trial.depth += 1
        apply_move(trial.table, move)
        if is_new:
            return
        node = child


@kernel
def judge(trial, own):
    """Work out how good the table where the walk ended is for each seat: by the learned value, or by playing on."""
    n_players = trial.table.public.n_players
    if own.params[POLICY] == VALUE:
        value_seats(trial, trial.minds[0], NETS[PAIR if n_players == 2 else CROWD])
        return
    play_out(trial, np.int64(own.params[POLICY]))
    for seat in range(n_players):
        trial.values[seat] = worth_of_end(trial, seat, np.int64(own.params[OBJECTIVE]), own.params[MIX])


@kernel
def remember(trial):
    """Note what came of a game at every node that it passed, as its mover sees it, less what the mover expected."""
    trial.nodes[ROOT].visits += 1
    for step in range(trial.depth):
        node = trial.nodes[trial.path[step]]
        node.visits += 1
        node.total += trial.values[trial.movers[step]] - trial.expected[step]


@kernel
def grow_tree(view, own, rng, trial):
    """Play the budget's games in mind, each at a table of its own; return how many arms the root has."""
    root = trial.nodes[ROOT]
    root.first_child = NO_NODE
    root.visits = 0
    trial.n_nodes = 1
    forget(trial, view)
    list_moves(view, trial, own)
    n_arms = np.int64(trial.n_arms)
    if own.params[POLICY] == VALUE:
        trial.n_first = n_arms
        for index in range(n_arms):
            trial.first_arms[index] = trial.arms[index]
    if n_arms > 1:
        for _ in range(np.int64(own.params[N]) * n_arms):
            chance = new_world(view, trial, rng)
            back_to_start(view, trial, chance)
            walk_down(trial, own)
            judge(trial, own)
            remember(trial)
    return n_arms


@kernel
def most_visited(view, trial, own):
    """Return the move from the root that was tried most."""
    forget(trial, view)
    list_from(view, trial, own, np.int64(ROOT))
    best, most = 0, -1
    for index in range(trial.n_arms):
        child = find_child(trial, ROOT, key_of(view, trial.arms[index].move))
        if child != NO_NODE and trial.nodes[child].visits > most:
            best, most = index, np.int64(trial.nodes[child].visits)
    return trial.arms[best].move


@strategy("search", memory=tree_dtype, **PARAMETERS)
def choose(view, own, rng, trial):
    """Look ahead in a tree of all players' moves, at tables that look like this one; solve the ending exactly."""
    if (view.n_players == 2 or view.n_left <= MOST_LEFT_IN_A_CROWD) and is_open(view):
        move = solve_ending(view, trial.ending, np.int64(own.params[SOLVE]))
        if move != NOT_SOLVED:
            return move
    begin_trial(view, trial)
    grow_tree(view, own, rng, trial)
    return most_visited(view, trial, own)
