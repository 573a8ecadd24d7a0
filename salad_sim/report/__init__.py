"""What every report is made of: formats, tables, Markdown and figures; it knows no study."""
