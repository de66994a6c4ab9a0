"""What can the user get wrong, as opposed to us? These end in exit code 2 and one line on stderr."""

from __future__ import annotations


class Mistake(ValueError):
    """The text says what is wrong and, where possible, what was meant."""
