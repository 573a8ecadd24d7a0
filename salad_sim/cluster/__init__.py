"""A run on other machines: shards are tasks of a Dask cluster, and what comes back is counted as that of threads is."""
