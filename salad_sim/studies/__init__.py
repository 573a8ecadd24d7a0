"""One question, one folder: how it is played, estimated, tabled, drawn and told."""
