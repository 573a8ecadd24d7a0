"""Point Salad: state, cards, rules, moves, scoring, what is hidden; kernels and their facts."""
