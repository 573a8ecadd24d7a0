"""How does a strategy play? What it takes and flips, how long it thinks, what it gives away in endings."""
