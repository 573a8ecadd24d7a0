"""Kernels that play many games and count or record what happens: shards, tallies, traces."""
