"""Python code in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def run_python(code: str, *arguments: object, timeout: float = 300, **environment: str) -> str:
    """Run Python code in a process of its own and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
