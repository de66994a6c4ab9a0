from __future__ import annotations

from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

S = TypeVar("S", bound=dict)


class Store(Generic[S]):
    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, step: int) -> Path:
        return self.root / f"{step:08d}.pt"

    def latest(self) -> Path | None:
        return max(self.root.glob("*.pt"), default=None)

    def load(self, path: Path, map_location: Any = None) -> S:
        return torch.load(path, weights_only=True)
