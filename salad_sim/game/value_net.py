"""A learned value: a net of two layers of leaky units over a description, its gradient and its steps, as kernels.

Each vegetable goes through the same first layer; the units of the six are added, which makes the value blind to how
vegetables are called. With the rows of the table they make the second layer, and that the value. Sums are made in one
fixed order in 32 bits.
"""

from __future__ import annotations

import math

import numpy as np

from salad_sim.game.state import N_VEGETABLES
from salad_sim.game.value_layout import HIDDEN_UNITS, UNITS, net_dtype
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at, new_record
from salad_sim.jit.rng import RNG, seed_stream, uniform

LEAK = np.float32(0.1)
"""Slope of a unit below zero."""

ZERO = np.float32(0.0)


@inline_kernel
def leaky(x):
    """Return what a unit makes of its sum."""
    return x if x > ZERO else LEAK * x


@kernel
def add_rows(net, entries, sums, veg, span):
    """Add the entries ``span`` = (first, stop) of a vegetable to ``sums[veg]``, four rows at a time."""
    n_units = net.rows.shape[1]
    entry, stop = span
    while entry + 4 <= stop:
        a, b = at(entries.row[veg, entry]), at(entries.row[veg, entry + 1])
        c, d = at(entries.row[veg, entry + 2]), at(entries.row[veg, entry + 3])
        p, q = entries.value[veg, entry], entries.value[veg, entry + 1]
        r, s = entries.value[veg, entry + 2], entries.value[veg, entry + 3]
        for unit in range(n_units):
            one = p * net.rows[a, unit] + q * net.rows[b, unit]
            sums[veg, unit] += one + (r * net.rows[c, unit] + s * net.rows[d, unit])
        entry += 4
    while entry < stop:
        a, p = at(entries.row[veg, entry]), entries.value[veg, entry]
        for unit in range(n_units):
            sums[veg, unit] += p * net.rows[a, unit]
        entry += 1


@kernel
def add_table_rows(net, entries, sums, first, stop):
    """Add the entries first .. stop - 1 of the table to ``sums``, four rows at a time."""
    n_units = net.out.shape[0]
    entry = first
    while entry + 4 <= stop:
        a, b = at(entries.table_row[entry]), at(entries.table_row[entry + 1])
        c, d = at(entries.table_row[entry + 2]), at(entries.table_row[entry + 3])
        p, q = entries.table_value[entry], entries.table_value[entry + 1]
        r, s = entries.table_value[entry + 2], entries.table_value[entry + 3]
        for unit in range(n_units):
            one = p * net.table[a, unit] + q * net.table[b, unit]
            sums[unit] += one + (r * net.table[c, unit] + s * net.table[d, unit])
        entry += 4
    while entry < stop:
        a, p = at(entries.table_row[entry]), entries.table_value[entry]
        for unit in range(n_units):
            sums[unit] += p * net.table[a, unit]
        entry += 1


@kernel
def begin_sums(net, mind):
    """Add up what no move of this turn changes."""
    for veg in range(N_VEGETABLES):
        for unit in range(net.rows.shape[1]):
            mind.fixed[veg, unit] = ZERO
        add_rows(net, mind.entries, mind.fixed, veg, (np.int64(0), mind.n_fixed[veg]))
    for unit in range(net.out.shape[0]):
        mind.fixed_table[unit] = ZERO
    add_table_rows(net, mind.entries, mind.fixed_table, np.int64(0), mind.n_fixed_table)


@inline_kernel
def sum_vegetable(net, mind, veg):
    """Add up the first layer of a vegetable."""
    for unit in range(net.rows.shape[1]):
        mind.sums[veg, unit] = mind.fixed[veg, unit]
    add_rows(net, mind.entries, mind.sums, veg, (mind.n_fixed[veg], mind.entries.n[veg]))


@inline_kernel
def sum_table(net, mind):
    """Return the value from the pooled units and the rows of the table."""
    for unit in range(net.out.shape[0]):
        mind.table_sums[unit] = mind.fixed_table[unit]
    add_table_rows(net, mind.entries, mind.table_sums, mind.n_fixed_table, mind.entries.n_table)
    return sum_layer(net, mind)


@kernel
def sum_up(net, mind):
    """Return the value of the description before it is squeezed to 0..1; `begin_sums` has been called."""
    for unit in range(net.rows.shape[1]):
        mind.pool[unit] = ZERO
    for veg in range(N_VEGETABLES):
        sum_vegetable(net, mind, veg)
        for unit in range(net.rows.shape[1]):
            mind.pool[unit] += leaky(mind.sums[veg, unit])
    return sum_table(net, mind)


@kernel
def keep_plain(net, mind):
    """Keep what `sum_up` has made of the vegetables, for `sum_changes`."""
    for unit in range(net.rows.shape[1]):
        mind.plain_pool[unit] = mind.pool[unit]
        for veg in range(N_VEGETABLES):
            mind.plain_units[veg, unit] = leaky(mind.sums[veg, unit])


@kernel
def sum_changes(net, mind, changed):
    """Return the value where only vegetables with a bit in ``changed`` differ from what `keep_plain` has kept."""
    for unit in range(net.rows.shape[1]):
        mind.pool[unit] = mind.plain_pool[unit]
    for veg in range(N_VEGETABLES):
        if (changed >> veg) & 1:
            sum_vegetable(net, mind, veg)
            for unit in range(net.rows.shape[1]):
                mind.pool[unit] += leaky(mind.sums[veg, unit]) - mind.plain_units[veg, unit]
    return sum_table(net, mind)


@kernel
def sum_layer(net, mind):
    """Return the value from the pooled units and the rows of the table."""
    n_units, n_hidden = net.rows.shape[1], net.out.shape[0]
    for unit in range(0, n_units, 4):
        p, q = mind.pool[unit], mind.pool[unit + 1]
        r, s = mind.pool[unit + 2], mind.pool[unit + 3]
        for hidden in range(n_hidden):
            one = p * net.pooled[unit, hidden] + q * net.pooled[unit + 1, hidden]
            two = r * net.pooled[unit + 2, hidden] + s * net.pooled[unit + 3, hidden]
            mind.table_sums[hidden] += one + two
    for hidden in range(n_hidden):
        mind.products[hidden] = leaky(mind.table_sums[hidden]) * net.out[hidden]
    n_parts = n_hidden
    while n_parts % 2 == 0:
        n_parts //= 2
        for part in range(n_parts):
            mind.products[part] += mind.products[part + n_parts]
    total = ZERO
    for part in range(n_parts):
        total += mind.products[part]
    return np.float64(total)


@inline_kernel
def squeezed(x):
    """Return a number in 0..1."""
    return 1.0 / (1.0 + math.exp(-x))


@inline_kernel
def slope(x):
    """Return the derivative of `leaky`."""
    return np.float32(1.0) if x > ZERO else LEAK


@kernel
def add_gradient(net, mind, gradient, error):
    """Add to ``gradient`` that of the value in ``mind`` (after `sum_up`), ``error`` times."""
    entries = mind.entries
    n_units, n_hidden = net.rows.shape[1], net.out.shape[0]
    delta = np.float32(error)
    for hidden in range(n_hidden):
        x = mind.table_sums[hidden]
        gradient.out[hidden] += delta * leaky(x)
        mind.products[hidden] = delta * net.out[hidden] * slope(x)
    for entry in range(entries.n_table):
        row, value = at(entries.table_row[entry]), entries.table_value[entry]
        for hidden in range(n_hidden):
            gradient.table[row, hidden] += value * mind.products[hidden]
    for unit in range(n_units):
        total, pooled = ZERO, mind.pool[unit]
        for hidden in range(n_hidden):
            gradient.pooled[unit, hidden] += pooled * mind.products[hidden]
            total += net.pooled[unit, hidden] * mind.products[hidden]
        mind.pool[unit] = total
    for veg in range(N_VEGETABLES):
        for unit in range(n_units):
            mind.sums[veg, unit] = mind.pool[unit] * slope(mind.sums[veg, unit])
        for entry in range(entries.n[veg]):
            row, value = at(entries.row[veg, entry]), entries.value[veg, entry]
            for unit in range(n_units):
                gradient.rows[row, unit] += value * mind.sums[veg, unit]


USUAL_ENTRIES = 8.0
"""Rows that count when weights are drawn: so many are large at once."""

SMALL = 0.3
"""How much smaller the last weights begin."""


@kernel
def draw_weights(weights, rng, reach):
    """Draw weights [n, m] uniformly from -reach .. reach."""
    for row in range(weights.shape[0]):
        for column in range(weights.shape[1]):
            weights[row, column] = reach * (2.0 * uniform(rng) - 1.0)


def new_net(seed: int, units: int = UNITS, hidden: int = HIDDEN_UNITS) -> np.record:
    """Return weights to start from: small and random, no value yet.

    Source: He, Zhang, Ren and Sun, Delving deep into rectifiers, ICCV 2015 (how small).
    """
    net, rng = new_record(net_dtype(units, hidden)), new_record(RNG)
    seed_stream(rng, np.uint64(seed), np.uint64(0), np.uint64(0))
    inputs = {"rows": USUAL_ENTRIES, "pooled": units, "table": USUAL_ENTRIES, "out": hidden / SMALL**2}
    for name, n_inputs in inputs.items():
        draw_weights(np.atleast_2d(net[name]), rng, math.sqrt(1.5 / n_inputs))
    return net
