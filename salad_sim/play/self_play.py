"""Learning from self-play, as kernels: seats play by a value, and each shard adds up the gradient of what they saw.

Every table after a learning seat's move is a sample. Its target is what TD(lambda) makes of the samples that follow for
that seat and of the result: a mixture of the win and of the margin, both in 0..1. Where a move was made at random for
the sake of trying, the target looks through it to the best move found.

Source: Sutton and Barto, Reinforcement learning, 2nd edition, MIT Press 2018, chapters 6.8 (afterstates) and 12
(lambda returns).
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types

from salad_sim.game.engine import LEGAL, apply_move, deal_next_round, final_scores, share_win, why_illegal
from salad_sim.game.moves import draft_of, flip_of
from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES, Dtype
from salad_sim.game.value_layout import entries_dtype, mind_dtype, net_dtype
from salad_sim.game.value_net import add_gradient, squeezed, sum_up
from salad_sim.game.value_play import best_move, explore_or_move, value_of_move
from salad_sim.game.value_search import result_of
from salad_sim.jit.kernel import compile_only, kernel
from salad_sim.jit.records import record_dtype
from salad_sim.play.shard import (
    begin_game,
    choice_signature,
    choose,
    count_game,
    place_of,
    sum_round,
    workspace_dtype,
)
from salad_sim.play.tally import close_deal

GIVEN, LEARNER, PAST = range(3)
"""Who sits at a place: the strategy of the line-up, the one that learns, an earlier one of itself."""

DECAY, SLOW, TINY = 0.9, 0.999, 1e-8
"""Of `step_weights`, as usual."""

SAMPLE = record_dtype(
    [("entries", entries_dtype()), ("best", "f8"), ("target", "f8"), ("seat", "i8"), ("explored", "i8")]
)


@cache
def lesson_dtype(capacity: int, units: int, hidden: int) -> Dtype:
    """Return the dtype of what a shard of games to learn from needs beside its workspace."""
    net = net_dtype(units, hidden)
    return record_dtype(
        [
            ("role", "i8", (MAX_PLAYERS,)),  # by place
            ("learns", "i8"),  # whether games are learned from, or played to the best and counted
            ("explore", "f8"),
            ("lambda_", "f8"),
            ("win_weight", "f8"),  # of the win in the result; the rest is the margin's
            ("net", net),
            ("past", net),
            ("gradient", net),
            ("n_samples", "i8"),  # of the round
            ("total", "i8"),  # of the shard
            ("squared_error", "f8"),
            ("carry", "f8", (MAX_PLAYERS,)),
            ("mind", mind_dtype(capacity, units, hidden)),
            ("samples", SAMPLE, (capacity,)),
        ]
    )


@kernel
def learning_move(work, lesson):
    """Let the learner choose, and keep what it saw after its move as a sample."""
    view, mind = work.table.public, lesson.mind
    own, rng = work.own[place_of(work, view.seat)], work.rng[view.seat]
    move = explore_or_move(view, own, mind, lesson.net, rng, lesson.explore)
    sample = lesson.samples[lesson.n_samples]
    sample.best = squeezed(mind.ranked_values[0])
    sample.explored = mind.explored
    sample.seat = view.seat
    value_of_move(view, mind, lesson.net, (np.int64(draft_of(move)), np.int64(flip_of(move))), True)
    sample.entries = mind.entries
    lesson.n_samples += 1
    return move


@kernel
def next_move(work, lesson, first, second, third, fourth, fifth, sixth):
    """Ask whoever sits at the seat to move."""
    view = work.table.public
    place = place_of(work, view.seat)
    if lesson.role[place] == GIVEN:
        return choose(work, first, second, third, fourth, fifth, sixth)
    if lesson.role[place] == PAST:
        return best_move(view, work.own[place], lesson.mind, lesson.past)
    if lesson.learns:
        return learning_move(work, lesson)
    return best_move(view, work.own[place], lesson.mind, lesson.net)


@kernel
def set_targets(lesson):
    """Work out the targets of a round's samples; ``lesson.carry`` holds its result for each seat."""
    for index in range(lesson.n_samples - 1, -1, -1):
        sample = lesson.samples[index]
        sample.target = lesson.carry[sample.seat]
        followed = sample.best if sample.explored else sample.target
        lesson.carry[sample.seat] = (1.0 - lesson.lambda_) * sample.best + lesson.lambda_ * followed


@kernel
def read_entries(mind, entries):
    """Make a description that of ``mind``, with nothing added up yet."""
    mind.entries = entries
    mind.n_fixed_table = 0
    for unit in range(mind.fixed_table.shape[0]):
        mind.fixed_table[unit] = 0.0
    for veg in range(N_VEGETABLES):
        mind.n_fixed[veg] = 0
        for unit in range(mind.fixed.shape[1]):
            mind.fixed[veg, unit] = 0.0


@kernel
def learn_sample(lesson, sample):
    """Add the gradient of a sample's loss, the cross-entropy of value and target; return the error of the value."""
    read_entries(lesson.mind, sample.entries)
    error = squeezed(sum_up(lesson.net, lesson.mind)) - sample.target
    add_gradient(lesson.net, lesson.mind, lesson.gradient, error)
    return error


@kernel
def learn_round(work, lesson):
    """Add the gradients of all samples of a round that is over."""
    view = work.table.public
    final_scores(view, work.scores)
    share_win(view, work.scores, view.rules.tie_break, work.wins)
    for seat in range(view.n_players):
        lesson.carry[seat] = result_of(view, work.scores, work.wins, seat, lesson.win_weight)
    set_targets(lesson)
    for index in range(lesson.n_samples):
        error = learn_sample(lesson, lesson.samples[index])
        lesson.squared_error += error * error
    lesson.total += lesson.n_samples


@kernel
def play_lesson(work, lesson, first, second, third, fourth, fifth, sixth):
    """Play the current deal in the current rotation to its end; return LEGAL or why a move was not."""
    begin_game(work)
    table = work.table
    view = table.public
    while True:
        lesson.n_samples = 0
        while view.n_left > 0:
            work.move = next_move(work, lesson, first, second, third, fourth, fifth, sixth)
            reason = why_illegal(view, work.move)
            if reason != LEGAL:
                return reason
            apply_move(table, work.move)
        if lesson.learns:
            learn_round(work, lesson)
        else:
            sum_round(work)
        if view.round_number + 1 >= view.n_rounds:
            return LEGAL
        deal_next_round(table)


@kernel
def play_lessons(work, lesson, first, second, third, fourth, fifth, sixth):
    """Play the deals of a shard and learn from them, or play them in every rotation and count.

    Return LEGAL, or stop at an illegal move. What is learned from is played once, rotations in turn.
    """
    n_players = work.table.public.n_players
    for deal_number in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal = deal_number
        for rotation in range(1 if lesson.learns else work.n_rotations):
            work.rotation = deal_number % n_players if lesson.learns else rotation
            reason = play_lesson(work, lesson, first, second, third, fourth, fifth, sixth)
            if reason != LEGAL:
                return reason
            if not lesson.learns:
                count_game(work)
        if not lesson.learns:
            close_deal(work.tally, work.sums, n_players)
    return LEGAL


@kernel
def step_weights(weights, gradient, first, second, rule):
    """Move weights [n, m] against their gradient by Adam; ``rule`` = (rate, step number from 1).

    Source: Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015.
    """
    rate, step = rule
    decay, slow, tiny, one = np.float32(DECAY), np.float32(SLOW), np.float32(TINY), np.float32(1.0)
    fixed = np.float32(rate * math.sqrt(1.0 - SLOW**step) / (1.0 - DECAY**step))
    for row in range(weights.shape[0]):
        for column in range(weights.shape[1]):
            slope = gradient[row, column]
            first[row, column] = decay * first[row, column] + (one - decay) * slope
            second[row, column] = slow * second[row, column] + (one - slow) * slope * slope
            weights[row, column] -= fixed * first[row, column] / (np.sqrt(second[row, column]) + tiny)


@cache
def lesson_player(capacity: int, units: int, hidden: int) -> Any:
    """Compile (or load) `play_lessons` for tables of ``capacity`` cards and nets of a size, and return it."""
    if hasattr(play_lessons, "compile"):  # not with NUMBA_DISABLE_JIT
        work, lesson = (
            numba.from_dtype(workspace_dtype(capacity)),
            numba.from_dtype(lesson_dtype(capacity, units, hidden)),
        )
        choice = types.FunctionType(choice_signature(capacity))
        compile_only(play_lessons, types.int64(work, lesson, *[choice] * MAX_PLAYERS))
    return play_lessons
