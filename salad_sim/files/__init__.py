"""Files of any kind: how they are written and read back; TOML; plain values for JSON."""
