from contextlib import nullcontext
from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    size: int

    def closes(self, index: int) -> bool:
        return (index + 1) % self.size == 0

    def context(self, model, index: int):
        return nullcontext() if index % self.size == 0 else model.no_sync()
