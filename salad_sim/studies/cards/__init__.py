"""What is each card worth? As observed, with the rest of the hand accounted for, and by gifts and offers."""
