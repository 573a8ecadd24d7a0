"""How kernels are compiled: the one decorator, its cache, record types, what a failure means."""
