"""Which value do tables have? It is learned by self-play, and tested on fresh deals."""
