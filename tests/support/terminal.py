"""The program in a process of its own, at a terminal, where somebody presses Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from typing import Any

PROGRAM = [sys.executable, "-P", "-c", "from salad_sim.cli import main; main()"]

PATIENCE = 50
"""Seconds until the progress must have been seen."""


def ctrl_c(*words: str) -> tuple[dict[str, Any], str]:
    """Press Ctrl-C once the progress says how long is left; return the JSON of what was played, and what was seen."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    program = [*PROGRAM, *words, "--format", "json"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment) as process:
        os.close(theirs)
        seen = ""
        deadline = time.monotonic() + PATIENCE
        while "left" not in seen and time.monotonic() < deadline:
            seen += os.read(ours, 4096).decode(errors="replace")
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        data = json.loads(process.stdout.read())
        assert process.wait(timeout=30) == 130
    seen += os.read(ours, 65536).decode(errors="replace")
    os.close(ours)
    return data, seen
