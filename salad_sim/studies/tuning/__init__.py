"""Which parameters are better? A search by CMA-ES, and a test of what it found on fresh deals."""
