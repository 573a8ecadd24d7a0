"""Estimates with normal noise: which of them are known, and draws of the noise from a seeded stream."""

from __future__ import annotations

import numpy as np

from salad_sim.errors import InputError
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import new_record
from salad_sim.jit.rng import RNG, seed_stream, uniform
from salad_sim.jit.typing import Flags, Floats

NOISE_STREAM = 3000
"""Purpose of the streams of noise."""

SMALLEST = 1e-12
"""Variances below this part of what they were computed from are rounding."""


@kernel
def fill_uniforms(rng, out):
    """Fill ``out``, float64 with one axis, with uniform numbers in [0, 1)."""
    for place in range(len(out)):
        out[place] = uniform(rng)


def normal_draws(n_rows: int, n_draws: int, seed: int, part: int = 0) -> Floats:
    """Return independent standard normal numbers, the same ones for the same arguments.

    Parameters
    ----------
    n_rows, n_draws : int
    seed, part : int
        Which stream; at least 0.

    Returns
    -------
    ndarray of float64, shape [n_rows, n_draws]
    """
    from scipy.special import ndtri

    rng = new_record(RNG)
    seed_stream(rng, np.int64(seed), np.int64(part), np.int64(NOISE_STREAM))
    found = np.empty(n_rows * n_draws)
    fill_uniforms(rng, found)
    np.maximum(found, 2.0**-54, out=found)  # at 0 the normal quantile has no value
    normal: Floats = ndtri(found, out=found).reshape(n_rows, n_draws)
    return normal


def noise_root(covariance: Floats) -> Floats:
    """Return a root R, R R' being the covariance: shape [k, k].

    A covariance that was put together from different deals may have directions of negative variance. They count as 0,
    which makes no direction's variance smaller.

    References
    ----------
    Higham, Computing a nearest symmetric positive semidefinite matrix, Linear Algebra and its Applications 103 (1988)
    103-118.
    """
    # of the correlations, so that large variances leave small ones their digits
    scale = np.sqrt(np.maximum(np.diag(covariance), 0))
    inverse = 1 / np.where(scale > 0, scale, 1)
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2 * inverse[:, None] * inverse)
    found: Floats = scale[:, None] * vectors * np.sqrt(np.maximum(values, 0))
    return found


def known_estimates(values: Floats, covariance: Floats) -> Flags:
    """Return which estimates are known: value and variance are finite; shape [p].

    Raises
    ------
    InputError
        If the covariance is of another shape, or one between two known estimates is not finite.
    """
    values, covariance = np.asarray(values), np.asarray(covariance)
    if values.ndim != 1 or covariance.shape != (len(values), len(values)):
        raise InputError(
            f"p estimates and their covariance [p, p] are needed, not shapes {values.shape} and {covariance.shape}"
        )
    known: Flags = np.isfinite(values) & np.isfinite(np.diag(covariance))
    if not np.isfinite(covariance[np.ix_(known, known)]).all():
        raise InputError("the covariance of two estimates that are known must be finite")
    return known
