"""The one ``kernel`` decorator: compiler options with their reasons, and the folder of compiled code.

numba decides whether a cached function is fresh by the file that the function stands in. An edit in a file that it
*calls*, or another compiler flag, goes unseen (numba 0.68). So the cache folder is named by a hash of the code of all
kernels (see `jit.sources`) and of the flags, before any kernel is decorated. A folder that the user set
(NUMBA_CACHE_DIR) stays the parent, if nobody else can write there.
"""

from __future__ import annotations

import functools
import os
import platform
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaExperimentalFeatureWarning

from salad_sim.jit.cache import keep_compiled, private_folder
from salad_sim.jit.sources import code_fingerprint, fingerprint

# The door passes strategies as first-class functions, which numba calls experimental: exactly that one is silenced.
warnings.filterwarnings("ignore", message="First-class function type feature", category=NumbaExperimentalFeatureWarning)
# A workspace may begin with the fields of another: numba looks whether a kernel that was compiled for the shorter one
# would do, and says so, although it takes the one for exactly this record (numba 0.68, Record.can_convert_to).
warnings.filterwarnings("ignore", message=".*considered a subtype of", category=NumbaExperimentalFeatureWarning)

OPTIONS: dict[str, Any] = {
    "nogil": True,  # shards run on a plain thread pool
    "error_model": "numpy",  # kernels never divide by zero: no test for it at each division
    "fastmath": False,  # the same bytes on any machine of the kind
}


INNER = {"no_cfunc_wrapper": True}
"""For kernels that only kernels and Python call: compiling their wrapper for C would take a tenth of the time."""


@functools.cache
def cache_folder() -> Path:
    """Return the folder for compiled code of this very source: one that nobody else can write into."""
    config = numba.config  # numba sets its config attributes at run time, which stubs cannot know
    flags = [f"{name}={getattr(config, name)}" for name in ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "CPU_NAME")]
    versions = [numba.__version__, np.__version__, platform.python_version()]
    key = fingerprint([], code_fingerprint(), *versions, str(OPTIONS), *flags)
    homes = [os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/.cache")]
    home = next((each for each in homes if os.path.isabs(each)), None)  # "~" stays where nobody knows the user
    user = os.environ.get("NUMBA_CACHE_DIR")
    spare = os.path.join(tempfile.gettempdir(), f"salad-sim-{os.getuid() if hasattr(os, 'getuid') else 0}")
    parents = [user, home and os.path.join(home, "salad-sim"), spare]
    return private_folder([Path(each).absolute() for each in parents if each], key)


def compiled(function: Callable[..., Any], **more: Any) -> Any:
    """Compile without a disk cache: for kernels outside the package, whose sources the folder name does not cover."""
    return numba.njit(**OPTIONS, **more)(function)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` in nopython mode with the options of the house.

    Kernels of the package are cached on disk. Kernels of anybody else's file are not (see `compiled`); the strategy
    door caches whole strategies under a hash of every source they use.
    """
    return _cached(function, compiled(function, **INNER))


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` like `kernel`, but as part of every kernel that calls it.

    For small kernels in the innermost loops: a call between compiled functions hands back an error status and a value
    through memory, which costs more than a few additions do (measured: greedy gained a tenth). It also spares their own
    compilation.
    """
    return _cached(function, compiled(function, inline="always", **INNER))


def compile_only(function: Any, signature: Any) -> None:
    """Compile (or load) a kernel for one signature and nothing else.

    Given strategies it would else compile a version for these very ones, which no cache could keep.
    """
    function.disable_compile(False)
    function.compile(signature)
    function.disable_compile()


def _cached(function: Callable[..., Any], dispatcher: Any) -> Any:
    if function.__module__.startswith("salad_sim.") and hasattr(dispatcher, "enable_caching"):
        keep_compiled(dispatcher, cache_folder())
    return dispatcher
