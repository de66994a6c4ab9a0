"""What did a piece of work look into? As long as all of that stays as it is, the work comes to the same result."""

from __future__ import annotations

from dataclasses import dataclass, field

Named = tuple[str, str]  # path and qualified name of a function


@dataclass(slots=True)
class Uses:
    touched: set[str] = field(default_factory=set)  # modules whose bindings were used
    reached: set[Named] = field(default_factory=set)  # functions that were run
    consulted: set[Named] = field(default_factory=set)  # functions whose bodies decided something, run or not

    def add(self, other: Uses) -> None:
        self.touched |= other.touched
        self.reached |= other.reached
        self.consulted |= other.consulted
