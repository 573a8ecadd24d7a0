"""The one ``kernel`` decorator: compiler options with their reasons, and the folder of compiled code.

numba decides whether a cached function is fresh by the file that the function stands in. An edit in a file that it
*calls*, or another compiler flag, goes unseen (numba 0.68). So the cache folder is named by a hash of the code of all
kernels (see `jit.sources`) and of the flags, before any kernel is decorated. A folder that the user set
(NUMBA_CACHE_DIR) stays the parent.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core.errors import NumbaExperimentalFeatureWarning

from salad_sim.jit.sources import code_fingerprint, fingerprint

# The door passes strategies as first-class functions, which numba calls experimental: exactly that one is silenced.
warnings.filterwarnings("ignore", message="First-class function type feature", category=NumbaExperimentalFeatureWarning)

OPTIONS: dict[str, Any] = {
    "nogil": True,  # shards run on a plain thread pool
    "error_model": "numpy",  # kernels never divide by zero: no test for it at each division
    "fastmath": False,  # the same bytes on any machine of the kind
}


INNER = {"no_cfunc_wrapper": True}
"""For kernels that only kernels and Python call: compiling their wrapper for C would take a tenth of the time."""


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder for compiled code of this very source, or None where no folder can be written."""
    config = numba.config  # numba sets its config attributes at run time, which stubs cannot know
    flags = [f"{name}={getattr(config, name)}" for name in ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "CPU_NAME")]
    key = fingerprint([], code_fingerprint(), numba.__version__, platform.python_version(), str(OPTIONS), *flags)
    user = os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    spare = os.path.join(tempfile.gettempdir(), f"salad-sim-{os.getuid() if hasattr(os, 'getuid') else 0}")
    for parent in [user] if user else [os.path.join(home, "salad-sim"), spare]:
        folder = Path(parent) / key
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


@contextlib.contextmanager
def caching_in(folder: Path) -> Iterator[None]:
    """Let kernels that are decorated or cached inside this block keep their code in ``folder``."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


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
    folder = cache_folder()
    if folder is not None and function.__module__.startswith("salad_sim.") and hasattr(dispatcher, "enable_caching"):
        with caching_in(folder):
            dispatcher.enable_caching()
    return dispatcher
