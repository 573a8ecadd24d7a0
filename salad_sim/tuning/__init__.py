"""Tuning: a strategy's parameters are searched for, validated and tested, each on deals of its own."""
