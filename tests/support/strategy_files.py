"""What strategy files of the tests begin with, and how a test writes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

HEAD = """\
\"\"\"A strategy of the tests.\"\"\"
import numpy as np
from salad_sim.kit import NO_FLIP, below, list_drafts, make_move
from salad_sim.strategy import Parameter, kernel, strategy

"""
"""What strategy files of the tests begin with: five lines."""

FIRST_LINE = HEAD.count("\n") + 1
"""The line in which the rest begins."""

StrategyWriter = Callable[..., Path]
