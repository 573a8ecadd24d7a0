"""Which of two strategies is better, and by how much? Paired deals, intervals, sequential tests."""
