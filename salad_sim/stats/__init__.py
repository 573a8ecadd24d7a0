"""Statistics that know no game: intervals, tests, ratings, ranks, shrinkage."""
