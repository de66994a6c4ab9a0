"""Faster ways to the same numbers."""

from . import adam  # noqa: F401
