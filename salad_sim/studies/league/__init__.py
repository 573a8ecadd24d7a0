"""How strong are many strategies? A schedule, Plackett-Luce ratings with intervals, cross-tables, cycles."""
