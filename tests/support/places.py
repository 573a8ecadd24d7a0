"""Where things lie."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The project's folder."""

DATA = ROOT / "tests" / "data"
"""Files that tests read."""
