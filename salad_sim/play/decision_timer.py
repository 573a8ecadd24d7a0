"""Asking a strategy for the same decision again and again, for a clock."""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types

from salad_sim.game.state import N_MEMORY, layout
from salad_sim.jit.blocks import copy_beside
from salad_sim.jit.kernel import compile_only, compiled, kernel
from salad_sim.jit.records import record_dtype
from salad_sim.jit.rng import RNG
from salad_sim.play.shard import choice_signature


@cache
def before_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of how a seat was before a decision."""
    return record_dtype(
        [
            ("memory", "i8", (N_MEMORY,)),
            ("declared_at", "i8"),  # a copy of the declared memory, beside this record
            ("rng", RNG),
            ("hand", layout(capacity).hand),
        ]
    )


@compiled  # as strategies are: a function that is passed to a kernel needs a wrapper that kernels go without
def no_choice(view, own, rng):
    """Choose nothing at all: what remains of the time of `ask_again` is the cost of asking."""
    return np.int64(0)


@kernel
def ask_again(choice, view, own, rng, before, n_times):
    """Ask a strategy for the same decision so many times, each time as it was in the game; return the sum of its moves.

    ``before`` holds memory, also what is declared, hand and stream as they were.
    """
    total = np.int64(0)
    for _ in range(n_times):
        for index in range(N_MEMORY):
            own.memory[index] = before.memory[index]
        if own.memory_size > 0:
            copy_beside(own, own.memory_at, before, before.declared_at, own.memory_size)
        own.hand = before.hand
        rng.a, rng.b, rng.c, rng.counter = before.rng.a, before.rng.b, before.rng.c, before.rng.counter
        total += choice(view, own, rng)
    return total


@cache
def asking_kernels(capacity: int) -> tuple[Any, Any]:
    """Return `ask_again` and `no_choice`, compiled (or loaded) for records of ``capacity``."""
    if hasattr(ask_again, "compile"):  # not with NUMBA_DISABLE_JIT
        signature = choice_signature(capacity)
        before = numba.from_dtype(before_dtype(capacity))
        compile_only(ask_again, types.int64(types.FunctionType(signature), *signature.args, before, types.int64))
        no_choice.compile(signature.args)
    return ask_again, no_choice
