"""Rows of numbers -> pandas, and -> plain data that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from salad_sim.jit.typing import Row

if TYPE_CHECKING:
    import pandas as pd


def as_frame(rows: Sequence[Row], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return rows as a table; ``columns`` name those of a table that may have no row."""
    import pandas as pd  # a quarter of a second that the command line need not spend

    return pd.DataFrame(rows, columns=None if columns is None else list(columns))


def finite(value: Any) -> Any:
    """Return plain data with None in place of NaN and infinity, which JSON does not know."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
