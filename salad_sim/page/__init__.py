"""Pages to look at and click: one self-contained HTML file of saved results, or of one game."""
