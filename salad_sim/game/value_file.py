"""Files of learned values: weights for one number of players or several, sealed, refused where they do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from salad_sim.errors import InputError
from salad_sim.files.sealed import DamagedError, read_sealed, sealed_arrays, unsealed_arrays
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.game.value_layout import N_ROWS, N_TABLE_ROWS, net_dtype
from salad_sim.jit.typing import Ints

FORMAT = "salad-sim values 1"

MOST_NETS = 10**6
"""Bytes that kernels can keep as constants (numba 0.68)."""


def values_file(nets: Mapping[int, np.record], about: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file of nets by number of players; ``about`` is plain data that goes with them."""
    unique = list({id(net): net for net in nets.values()}.values())
    places = {id(net): place for place, net in enumerate(unique)}
    which = {str(players): places[id(net)] for players, net in sorted(nets.items())}
    arrays = {f"{name}_{place}": net[name] for place, net in enumerate(unique) for name in net.dtype.names or ()}
    return sealed_arrays(FORMAT, {"which": which, "made": dict(about)}, arrays)


def read_values(file: str | Path) -> tuple[Any, Ints]:
    """Read a file of learned values.

    Returns
    -------
    nets : record array of `net_dtype`
    which : ndarray of int64, shape [7]
        By number of players the place in ``nets``; a number that was not learned has that of the nearest.

    Raises
    ------
    InputError
        If it is no such file, or the weights are of another shape than this version's.
    """
    try:
        about, arrays = unsealed_arrays(read_sealed(Path(file)), FORMAT)
        learned = {int(players): int(place) for players, place in about["which"].items()}
        nets = [_net(arrays, place) for place in range(max(learned.values()) + 1)]
        dtypes = {net.dtype for net in nets}
        if len(dtypes) != 1:
            raise DamagedError("nets of several sizes")
        array = np.array([net.tolist() for net in nets], dtype=dtypes.pop())
    except DamagedError as error:
        raise InputError(f"{str(file)!r} cannot be used as learned values: {error}") from None
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise InputError(f"{str(file)!r} cannot be used as learned values: {error!r} in it") from None
    if array.nbytes > MOST_NETS:
        raise InputError(f"{str(file)!r} has more weights than kernels can keep: {array.nbytes:,} bytes")
    return array, _nearest(learned)


def _net(arrays: Mapping[str, Any], place: int) -> np.record:
    """Return a net of a file, whose shapes must be those that kernels use."""
    units, hidden = arrays[f"pooled_{place}"].shape
    dtype = net_dtype(units, hidden)
    net: np.record = np.zeros(1, dtype=dtype)[0]
    for name in dtype.names or ():
        given, wanted = arrays[f"{name}_{place}"], net[name].shape
        if given.shape != wanted or given.dtype != np.float32:
            raise DamagedError(
                f"its {name} are {list(given.shape)} numbers, not {list(wanted)}; this version describes a vegetable "
                f"by {N_ROWS} numbers and the table by {N_TABLE_ROWS}"
            )
        if not np.isfinite(given).all():
            raise DamagedError(f"its {name} are not all numbers")
        net[name] = given
    return net


def _nearest(learned: Mapping[int, int]) -> Ints:
    """Return the place of the net for each number of players."""
    players = sorted(learned)
    nearest = [min(players, key=lambda known: (abs(known - n), known)) for n in range(MAX_PLAYERS + 1)]
    return np.array([learned[known] for known in nearest], dtype=np.int64)


def sizes_of(nets: Any) -> tuple[int, int]:
    """Return the units of a vegetable's layer and of the table's."""
    units, hidden = nets.dtype["pooled"].shape
    return int(units), int(hidden)
