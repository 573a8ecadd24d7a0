"""A league: who meets whom on which deals, playing and keeping the games, and what comes of it."""
