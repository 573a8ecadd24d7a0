"""Random streams: SFC64 as numpy has it, bounded integers and shuffles without bias."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest

from salad_sim.jit.rng import DISCARDED, below, next_word, shuffle_tail, uniform
from support.playing import SEED, fits, stream

TWO32 = 1 << 32
TRIPLES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, 3), (2**63 - 1, 10**15, 6), (SEED, 123_456_789, 255)]


def numpy_stream(seed: int, deal: int, purpose: int) -> np.random.SFC64:
    """numpy's generator in the state that the house starts a stream with, the first outputs discarded."""
    generator = np.random.SFC64()
    words = np.array([purpose, deal, seed, 1], dtype=np.uint64)
    generator.state = {"bit_generator": "SFC64", "state": {"state": words}, "has_uint32": 0, "uinteger": 0}
    generator.random_raw(DISCARDED)
    return generator


@pytest.mark.parametrize("triple", TRIPLES)
def test_words_are_those_of_numpys_sfc64(triple: tuple[int, int, int]) -> None:
    rng = stream(*triple)
    assert [int(next_word(rng)) for _ in range(1000)] == numpy_stream(*triple).random_raw(1000).tolist()


def test_twelve_outputs_are_discarded() -> None:
    assert DISCARDED == 12


@pytest.mark.parametrize("triple", TRIPLES)
def test_uniform_floats_are_those_of_numpy(triple: tuple[int, int, int]) -> None:
    rng = stream(*triple)
    drawn = [uniform(rng) for _ in range(1000)]
    assert drawn == np.random.Generator(numpy_stream(*triple)).random(1000).tolist()


@pytest.mark.parametrize("triple", TRIPLES)
def test_steps_can_be_gone_backwards_to_the_seed(triple: tuple[int, int, int]) -> None:
    """CONTRIBUTING.md says that a strategy which is written to cheat can do this."""
    rng, all_bits = stream(*triple), 2**64 - 1
    for _ in range(77):
        next_word(rng)
    a, b, c, counter = (int(rng[name]) for name in ("a", "b", "c", "counter"))
    while counter > 1:
        counter -= 1
        before_c = b * pow(9, -1, 2**64) & all_bits
        word = c - ((before_c << 24 | before_c >> 40) & all_bits) & all_bits
        before_b = a
        for _ in range(6):
            before_b = a ^ before_b >> 11
        a, b, c = word - before_b - counter & all_bits, before_b, before_c
    seed, deal, purpose = triple
    assert (a, b, c) == (purpose, deal, seed)


def test_no_two_streams_begin_alike() -> None:
    starts = {
        tuple(int(next_word(rng)) for _ in range(2))
        for rng in (stream(seed, deal, purpose) for seed in range(8) for deal in range(64) for purpose in range(8))
    }
    assert len(starts) == 8 * 64 * 8


# ----------------------------------------------------------------------------------- bounded integers


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 18, 64, 1000, 2**31 - 1, 2**31 + 1, 3 * 2**30, TWO32 - 2, TWO32 - 1])
def test_below_takes_the_high_part_and_rejects_what_is_left_over(bound: int) -> None:
    rng, words = stream(SEED), numpy_stream(SEED, 0, 1)
    left_over = TWO32 % bound
    n_rejected = 0
    for _ in range(500):
        product = (int(words.random_raw()) >> 32) * bound
        while product % TWO32 < left_over:
            product = (int(words.random_raw()) >> 32) * bound
            n_rejected += 1
        assert below(rng, bound) == product // TWO32
    assert int(next_word(rng)) == int(words.random_raw()), "the streams are no longer in step"
    assert (n_rejected > 50) == (bound in (2**31 + 1, 3 * 2**30)), "these reject a half and a quarter"


@pytest.mark.parametrize("bound", [2, 3, 6, 7, 19, 100])
def test_below_is_uniform(bound: int) -> None:
    rng = stream(SEED, bound)
    drawn = Counter(below(rng, bound) for _ in range(20_000))
    assert set(drawn) == set(range(bound))
    assert fits(list(drawn.values()))


def test_below_is_uniform_where_words_are_often_rejected() -> None:
    # without rejection two of four words would give a multiple of three
    rng = stream(SEED)
    drawn = Counter(below(rng, 3 * 2**30) % 3 for _ in range(20_000))
    assert fits([drawn[rest] for rest in range(3)])


# -------------------------------------------------------------------------------------------- shuffles


def halves_of(words: np.random.SFC64) -> Iterator[int]:
    """The 32-bit halves of a stream, the low one of each word first."""
    while True:
        word = int(words.random_raw())
        yield word % TWO32
        yield word // TWO32


def naive_shuffle(items: list[int], n_drawn: int, halves: Iterator[int]) -> tuple[list[int], int]:
    """Shuffle by the same halves, another way: a batch of picks is one number in mixed radix. Count rejected halves.

    A swap of a rejected batch stays made, as in the kernel.
    """
    shuffled, n_rejected = list(items), 0
    bounds = list(range(len(items), max(len(items) - n_drawn, 1), -1))
    while bounds:
        n_batch, product = 1, bounds[0]
        while n_batch < len(bounds) and product * bounds[n_batch] < 1 << 25:
            product *= bounds[n_batch]
            n_batch += 1
        while True:
            number, rest = divmod(next(halves) * product, TWO32)
            digits = []
            for bound in reversed(bounds[:n_batch]):
                number, digit = divmod(number, bound)
                digits.append(digit)
            for bound, pick in zip(bounds, reversed(digits), strict=False):
                shuffled[pick], shuffled[bound - 1] = shuffled[bound - 1], shuffled[pick]
            if rest >= TWO32 % product:
                break
            n_rejected += 1
        bounds = bounds[n_batch:]
    return shuffled, n_rejected


def shuffled(rng: np.record, n_items: int, n_drawn: int) -> npt.NDArray[np.int16]:
    items = np.arange(n_items, dtype=np.int16)
    shuffle_tail(rng, items, n_items, n_drawn)
    return items


def test_shuffles_are_those_of_the_plain_twin() -> None:
    chance = random.Random(SEED)
    n_rejected = 0
    for number in range(4000):
        n_items = chance.choice([chance.randrange(5), chance.randrange(20), chance.randrange(120)])
        n_drawn = chance.choice([n_items, chance.randrange(n_items + 1)])
        rng = stream(SEED, number)
        plain, rejected = naive_shuffle(list(range(n_items)), n_drawn, halves_of(numpy_stream(SEED, number, 1)))
        assert shuffled(rng, n_items, n_drawn).tolist() == plain, (n_items, n_drawn)
        n_rejected += rejected
    assert n_rejected > 10, "the rejection path is hardly covered"


def test_large_shuffles_are_those_of_the_plain_twin() -> None:
    for n_items in (6000, 32_767):
        plain, _ = naive_shuffle(list(range(n_items)), n_items, halves_of(numpy_stream(SEED, n_items, 1)))
        assert shuffled(stream(SEED, n_items), n_items, n_items).tolist() == plain


def test_a_shuffle_leaves_what_lies_behind_alone() -> None:
    items = np.arange(12, dtype=np.int16)
    shuffle_tail(stream(SEED), items, 8, 8)
    assert sorted(items[:8]) == list(range(8))
    assert items[:8].tolist() != list(range(8))
    assert items[8:].tolist() == [8, 9, 10, 11]


@pytest.mark.parametrize("n_items", [2, 3, 4, 5])
def test_all_permutations_are_equally_likely(n_items: int) -> None:
    rng = stream(SEED, n_items)
    drawn = Counter(tuple(shuffled(rng, n_items, n_items).tolist()) for _ in range(20_000))
    assert set(drawn) == set(permutations(range(n_items)))
    assert fits(list(drawn.values()))


@pytest.mark.parametrize(("n_items", "n_drawn"), [(6, 1), (6, 2), (7, 3), (5, 4)])
def test_all_draws_are_equally_likely(n_items: int, n_drawn: int) -> None:
    rng = stream(SEED, n_items)
    drawn = Counter(tuple(shuffled(rng, n_items, n_drawn)[-n_drawn:].tolist()) for _ in range(20_000))
    assert set(drawn) == set(permutations(range(n_items), n_drawn))
    assert fits(list(drawn.values()))
