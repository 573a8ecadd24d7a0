"""The hand-draft game: the same cards, drafted to hidden hands and laid as vegetables.

Only the deal, the moves and the view are its own; cards, scoring, random streams and the tally are the main game's.
"""
