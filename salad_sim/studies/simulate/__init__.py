"""What do many games give? Win shares, scores and habits by seat and by strategy, and by round of a match."""
