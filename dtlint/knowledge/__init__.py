"""What does a name of a library mean? Rows in TOML files, and nothing of a framework in the code."""
