"""Words of the trade, each said in a sentence that needs no other of them."""

from __future__ import annotations

TERMS = {
    "interval": (
        "The numbers in brackets, as in 58.3 [57.9, 58.7]. Only so many games were played, so the true number may be a "
        "little off; in 95 of 100 such studies it lies between the two numbers in brackets."
    ),
    "win share": "Of 100 games, how many are won. A win that two players share counts half for each.",
    "fair share": "What everybody would win if all were equal: 50 of 100 games with two players, 25 with four.",
    "seat": "The place in the order of turns. Seat 1 moves first.",
    "margin": "Your points less the mean of what the others have (in a match: less the other side's).",
    "value": (
        "How many points more you end up ahead if you have this card from the start: the same deal, once with it, once "
        "without."
    ),
    "own value": (
        "How many points more you end up ahead with this card from the start than with a card that scores nothing."
    ),
    "take value": (
        "How many points more you end up ahead if you take this card now than if you make the best other move, at "
        "tables that come up in games. Below zero: better leave it."
    ),
    "offer value": "How many points more you end up ahead if this card lies open before you, to take or to leave.",
    "as logs would say": (
        "How far ahead those were who held the card at the end. It says also who could use the card, so it is not what "
        "the card does."
    ),
    "rank": "The place among all cards. In brackets: the places it may really have, all cards looked at together.",
    "taken": "How often it is taken, of the times it lies open on somebody's turn.",
    "partners": "Cards that go with it are worth more together with it than the two are apart; others less.",
    "rating": "A number for strength (Elo). 100 points ahead means winning 64 of 100 games, 200 ahead 76 of 100.",
    "finish above": "How often one strategy ends a game above another one that sits at the same table.",
    "difference": "B less A, on the very same deals.",
    "first seat": "Who moves first.",
    "head start": "Points given to a seat before the game so that all seats win equally often.",
    "tie": "Two or more players have the highest total.",
    "ruling": "How a question is decided that the rule book leaves open, or that people play in another way.",
    "better than chance": "How often it takes such a card, against taking an open card blindly: 2 is twice as often.",
    "ending": "The last moves of a game, where nothing is hidden any more and the best move can be worked out.",
    "tuned": "The values that the search found; start is where it began.",
    "win chance": (
        "How likely the seat is to win from here if strong players go on: the game is finished many times, with the "
        "hidden cards dealt anew each time."
    ),
    "cost of a move": "How much win chance the move gives away against the move that a strong player would make.",
}
"""By term what it means."""
