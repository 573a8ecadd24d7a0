"""Advice: what each move of a position is worth, for a real table, a hint in a game, or a whole game looked back at."""
