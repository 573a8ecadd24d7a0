"""Runs on disk: result folders, checkpoints that survive any kind of stop, games as Parquet."""
