"""What does a ruling move? Two rulings on the same deals."""
