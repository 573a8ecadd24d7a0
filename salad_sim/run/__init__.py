"""A run: options become a plan, threads or machines play its shards, tallies are added."""
