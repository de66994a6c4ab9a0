"""Tensors: what they hold, where they lie, where their numbers come from."""
