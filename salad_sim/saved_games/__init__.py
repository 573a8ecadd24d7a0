"""Rows of single games or moves, written as Parquet while a run is played."""
