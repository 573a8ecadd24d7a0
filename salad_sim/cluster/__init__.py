"""Jobs on other machines: shards are tasks of a Dask cluster, and count as those of threads do."""
