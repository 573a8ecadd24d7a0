"""A table to play at: people and strategies, hints, undo, games that are saved; in a terminal or in a browser."""
