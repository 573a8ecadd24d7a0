"""The naive twin: the rules and strategies once more, the plain way, in dicts and strings, without numba."""
