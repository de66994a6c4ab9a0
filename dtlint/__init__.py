"""Finds where the ranks of a distributed training program part, before it hangs."""

__version__ = "0.1.0"
