"""Which files are there, and what is in them? Bytes in; text, notebook cells and suppressions out."""
