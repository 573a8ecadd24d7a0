"""Studies that play many conditions and reduce each, block by block, to sums; experiments are made of them."""
