"""Random streams: one small SFC64 state for each purpose, seeded from (run seed, deal number, purpose).

The three seed words go straight into the three state words of SFC64 and the counter starts at 1, as in numpy's SFC64,
which also discards the first 12 outputs. Two different triples are two different states, so streams never start alike.
Source: Chris Doty-Humphrey, PractRand, sfc64; numpy/random/src/sfc64.
"""

from __future__ import annotations

import numpy as np

from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import record_dtype

RNG = record_dtype([("a", "u8"), ("b", "u8"), ("c", "u8"), ("counter", "u8")])

DEAL_STREAM = 0
"""Purpose of the stream that shuffles the deck; the choices of seat ``s`` use purpose ``s + 1``."""

DISCARDED = 12

# Plain ints would turn unsigned arithmetic into floats: numba types int64 + uint64 as float64.
U1 = np.uint64(1)
U3 = np.uint64(3)
U11 = np.uint64(11)
U24 = np.uint64(24)
U32 = np.uint64(32)
U40 = np.uint64(40)
LOW32 = np.uint64(0xFFFFFFFF)
TWO32 = np.uint64(1 << 32)


@inline_kernel
def next_word(rng):
    """Advance the stream and return 64 random bits as uint64."""
    a, b, c = rng.a, rng.b, rng.c
    word = a + b + rng.counter
    rng.counter += U1
    rng.a = b ^ (b >> U11)
    rng.b = c + (c << U3)
    rng.c = ((c << U24) | (c >> U40)) + word
    return word


@kernel
def seed_stream(rng, seed, deal, purpose):
    """Start the stream of one purpose (0 the deal, s + 1 the choices of seat s) of deal number ``deal``."""
    rng.a = np.uint64(purpose)
    rng.b = np.uint64(deal)
    rng.c = np.uint64(seed)
    rng.counter = U1
    for _ in range(DISCARDED):
        next_word(rng)


@inline_kernel
def below(rng, bound):
    """Return a uniform integer in [0, bound) as int64, 1 <= bound < 2**32, without modulo bias.

    Source: Lemire, Fast random integer generation in an interval, ACM TOMACS 29 (2019).
    """
    wide = np.uint64(bound)
    product = (next_word(rng) >> U32) * wide
    if product & LOW32 < wide:
        least = TWO32 % wide
        while product & LOW32 < least:
            product = (next_word(rng) >> U32) * wide
    return np.int64(product >> U32)


@kernel
def uniform(rng):
    """Return a uniform float64 in [0, 1) with 53 random bits."""
    return np.float64(next_word(rng) >> U11) * (1.0 / 9007199254740992.0)


@kernel
def shuffle_tail(rng, items, n_items, n_drawn):
    """Move a uniformly drawn, uniformly ordered sample of ``n_drawn`` of items[:n_items] to the end of that part.

    A Fisher-Yates shuffle from the back that stops after ``n_drawn`` places. One 32-bit half of a word serves several
    places: x is uniform in [0, 2**32); each place multiplies it by its bound, takes the high part and keeps the low.
    The batch is unbiased when the last low part is at least 2**32 mod (product of the bounds); else it is drawn again.
    The swaps already made then do no harm: a fresh batch picks uniformly from any arrangement.
    Source: Brackett-Rozinsky and Lemire, Batched ranged random integer generation, Software: Practice and Experience
    55 (2025). Needs n_items < 2**16.
    """
    place = n_items
    stop = max(n_items - n_drawn, 1)
    word = np.uint64(0)
    halves = 0
    while place > stop:
        # as many places as keep the product of the bounds under 2**25: then under 1 % of batches need the modulo
        product = np.uint64(place)
        end = place - 1
        while end > stop and product * np.uint64(end) < np.uint64(1 << 25):
            product *= np.uint64(end)
            end -= 1
        while True:
            if halves == 0:
                word = next_word(rng)
                halves = 2
            halves -= 1
            low = word & LOW32
            word >>= U32
            for last in range(place - 1, end - 1, -1):
                scaled = low * np.uint64(last + 1)
                low = scaled & LOW32
                pick = np.int64(scaled >> U32)
                item = items[pick]
                items[pick] = items[last]
                items[last] = item
            if low >= product or low >= TWO32 % product:
                break
        place = end
