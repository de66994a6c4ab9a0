import os
from functools import cached_property
from pathlib import Path


class Catalogue:
    def __init__(self, root: Path, suffix: str = ".npy") -> None:
        self.root, self.suffix = root, suffix

    @cached_property
    def files(self) -> list[str]:
        with os.scandir(self.root) as entries:
            return sorted(entry.path for entry in entries if entry.name.endswith(self.suffix))

    def part(self, index: int, count: int) -> list[str]:
        size = len(self.files) // count
        return self.files[index * size : (index + 1) * size]
