"""The run that tests of saved runs stop, spoil and put together again."""

from __future__ import annotations

GAMES = 20_000
WORDS = ("run", "-g", str(GAMES), "-s", "random", "--seed", "4", "--quiet")
TABLES = ("run.json", "seats.csv", "strategies.csv", "win_share.png", "win_share.svg")
