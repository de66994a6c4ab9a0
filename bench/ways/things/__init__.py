"""Mistakes with a thing that was carried on the way: `bad` and `good` differ in what is done with it, not in the way."""
