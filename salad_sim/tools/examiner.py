"""Checks a strategy in processes of its own: with every index checked, then as it plays.

A file that ends the process when it is loaded, or crashes it, takes nobody else down, and is reported.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from salad_sim.errors import InputError
from salad_sim.run.setup import real_number, whole_number
from salad_sim.strategy.registry import load_strategy
from salad_sim.tools.compliance import (
    CHECKS,
    GAMES,
    LEAST_PATIENCE,
    MOST_GAMES,
    MOST_SECONDS,
    NO_PROOF,
    PATIENCE,
    ComplianceReport,
    Verdict,
    check_strategy,
    seed_of,
)

STDERR = 2

CHILD = [sys.executable, "-P", "-c", "from salad_sim.tools.examiner import child; child()"]


def examine(
    given: str,
    games: float | str = GAMES,
    patience: float | str = PATIENCE,
    seed: int | str | None = None,
    note: str = "",
) -> ComplianceReport:
    """Check a strategy as `check_strategy` does, twice, in processes of their own.

    ``note`` is printed on stderr once the strategy is found and loaded.

    Raises
    ------
    InputError
        If there is no such strategy, it does not compile, or a number is not allowed.
    """
    n_games = whole_number("games", games, 1, MOST_GAMES)
    time_for_move = real_number("patience", patience, LEAST_PATIENCE, MOST_SECONDS)
    task = {"given": given, "games": n_games, "patience": time_for_move, "seed": seed_of(seed)}
    checked = _in_process(task | {"at_speed": False, "note": note}, NUMBA_BOUNDSCHECK="1")
    played = _in_process(task | {"at_speed": True}, NUMBA_BOUNDSCHECK="0")
    found = [{each.check: each for each in report.verdicts} for report in (checked, played)]
    verdicts = []
    for check in CHECKS:
        first, second = (each.get(check) for each in found)
        if failed := next((each for each in (first, second) if each is not None and each.failure), None):
            verdicts.append(failed)
        elif known := second or first:
            verdicts.append(known)
    return replace(played, verdicts=tuple(verdicts))


def _in_process(task: dict[str, Any], **environment: str) -> ComplianceReport:
    """Return the report of a process, or that it ended without one."""
    with tempfile.TemporaryDirectory(prefix="salad-sim-") as folder:
        answer = Path(folder) / "answer.json"
        words = json.dumps(task | {"answer": str(answer)})
        # what a strategy's file prints goes beside the result, wherever sys.stderr of this process leads
        done = subprocess.run([*CHILD, words], stdout=STDERR, env={**os.environ, **environment}, check=False)
        if done.returncode == -signal.SIGINT:
            raise KeyboardInterrupt
        found = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else {}
    if "refused" in found:
        raise InputError(found["refused"])
    if "report" in found:
        return ComplianceReport.of(found["report"])
    verdict = Verdict("alive", "", f"the process ended before the check did: {_how(done.returncode)}")
    return ComplianceReport(task["given"], "no more is known", task["seed"], (verdict,), {}, (NO_PROOF,))


def _how(code: int) -> str:
    return f"{signal.strsignal(-code) or -code} (signal {-code})" if code < 0 else f"exit code {code}"


def child() -> None:
    """Do what `_in_process` asks for in the first argument."""
    task = json.loads(sys.argv[1])
    answer, note = Path(task.pop("answer")), task.pop("note", "")
    try:
        load_strategy(task["given"])
        if note:
            print(note, file=sys.stderr, flush=True)
        found: dict[str, Any] = {"report": check_strategy(**task).as_dict()}
    except InputError as error:
        found = {"refused": str(error)}
    unfinished = answer.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(found), encoding="utf-8")
    unfinished.replace(answer)
    sys.stderr.flush()
    os._exit(0)  # a thread that never ends is not waited for
