"""Saves the games of a plan, and reads rows and metadata back, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from salad_sim.run.driver import Count, Session, play_plan
from salad_sim.run.plan import Plan
from salad_sim.storage.parquet import save_games


def save(
    plan: Plan,
    path: Path,
    level: str = "games",
    every: int = 1,
    shard_deals: int | None = None,
    **options: Any,
) -> Count:
    """Play a plan and save its games; ``options`` are those of a session."""
    session = Session(**options)
    with save_games(plan, path, level, every) as saved:
        return play_plan(plan, session, shard_deals, players=saved.player, kernel=saved.kernel)


def read(path: Path) -> pd.DataFrame:
    """Read rows, with None where there is no value."""
    return pq.read_table(path).to_pandas(types_mapper=None).astype(object).where(lambda frame: frame.notna(), None)


def metadata(path: Path) -> dict[str, Any]:
    """Read the metadata of a file, as text and as what JSON says."""
    texts = {key.decode(): value.decode() for key, value in pq.read_schema(path).metadata.items()}
    return {key: json.loads(text) if text.startswith(("{", "[")) else text for key, text in texts.items()}
