"""What is each seat worth? Win shares, fairness, komi, and whether skill changes it."""
