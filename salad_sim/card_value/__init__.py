"""What each card is worth: games with counters by card, and games in which the dealer gives or offers a card."""
