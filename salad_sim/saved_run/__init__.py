"""A run in its folder: saved while it is played, continued, extended, merged, verified and watched."""
