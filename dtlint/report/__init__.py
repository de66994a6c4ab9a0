"""How is a report shown? One file for each format, `Report` in, text out."""
